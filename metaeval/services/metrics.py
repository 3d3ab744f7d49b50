from collections.abc import Sequence

from django.db import transaction

from annotation.models import Sample, Study
from config.audit.services import audit_record
from metaeval.metrics import MetricSpec, Undefined, all_metrics
from metaeval.models import Level, Metric, Score
from rendering.motion import Trajectory, read_npy


@transaction.atomic
def metrics_register() -> list[Metric]:
    """A row for each metric of the registry, at its present version."""
    return [_register(spec) for spec in all_metrics()]


def _register(spec: MetricSpec) -> Metric:
    metric, _ = Metric.objects.update_or_create(
        name=spec.name,
        version=spec.version,
        defaults={
            "title": spec.title,
            "family": spec.family,
            "level": Level.SAMPLE,
            "direction": spec.direction,
            "is_reference_based": spec.reference_based,
            "units": spec.units,
            "citation": spec.citation,
        },
    )
    return metric


def scores_compute(*, study: Study, actor: str) -> int:
    """Score the study's samples with every metric of the registry; what is scored already is left alone."""
    metrics = {metric.name: metric for metric in metrics_register()}
    samples = list(study.samples.select_related("motion", "generator"))
    motions = {sample.pk: _read(sample) for sample in samples}
    references = {sample.prompt_id: motions[sample.pk] for sample in samples if sample.generator.is_reference}
    scores = [
        _score(spec, metrics[spec.name], sample, motions[sample.pk], references.get(sample.prompt_id))
        for spec in all_metrics()
        for sample in samples
    ]
    return _scores_keep(scores, study=study, actor=actor)


@transaction.atomic
def _scores_keep(scores: Sequence[Score], *, study: Study, actor: str) -> int:
    """A transaction of its own: reading and computing above would keep every other writer waiting on SQLite."""
    before = Score.objects.count()
    Score.objects.bulk_create(scores, ignore_conflicts=True, batch_size=500)
    made = Score.objects.count() - before
    audit_record(actor=actor, action="scores.computed", subject=study, details={"scores": made})
    return made


def _read(sample: Sample) -> Trajectory:
    with sample.motion.file.open("rb") as file:
        return read_npy(file.read(), fps=sample.motion.fps, name=sample.code)


def _score(spec: MetricSpec, metric: Metric, sample: Sample, motion: Trajectory, reference: Trajectory | None) -> Score:
    result = spec.score(motion.joints, reference.joints if reference else None)
    if isinstance(result, Undefined):
        return Score(metric=metric, sample=sample, undefined_reason=result.reason)
    return Score(metric=metric, sample=sample, value=result)
