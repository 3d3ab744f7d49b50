"""Every constraint of metrics, scores, probes, analyses and reports, broken on purpose."""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models import ProtectedError

from metaeval.models import Analysis, Preregistration, Report, ReportArchive, Score
from tests.config.refusals import Breaks, job_breaks, promises, refused, truncate_breaks
from tests.factories import (
    AnalysisFactory,
    GeneratorFactory,
    JudgeFactory,
    LabelSetFactory,
    MetricFactory,
    PreregistrationFactory,
    ProbeFactory,
    ReportArchiveFactory,
    ReportFactory,
    SampleFactory,
    ScoreFactory,
    digest,
)


def _the_same_metric_twice() -> object:
    analysis, metric = AnalysisFactory(), MetricFactory()
    return [Analysis.metrics.through.objects.create(analysis=analysis, metric=metric) for _ in range(2)]


def _the_same_probe_again() -> object:
    first = ProbeFactory()
    return ProbeFactory(metric=first.metric, kind=first.kind, input_hash=first.input_hash, seed=first.seed)


def _the_same_generator_score_again() -> object:
    first = ScoreFactory(of_generator=True)
    return ScoreFactory(of_generator=True, metric=first.metric, study=first.study, generator=first.generator)


def _the_same_sample_score_again() -> object:
    first = ScoreFactory()
    return ScoreFactory(metric=first.metric, sample=first.sample, value=0.9)


def _cites_other_settings() -> object:
    cited = PreregistrationFactory(settings_hash=digest("other settings"))
    return AnalysisFactory(label_set=LabelSetFactory(study=cited.study, frozen=True), preregistration=cited)


def _comes_to_cite_other_settings() -> object:
    analysis = AnalysisFactory()
    cited = PreregistrationFactory(study=analysis.label_set.study, settings_hash=digest("other settings"))
    return Analysis.objects.filter(pk=analysis.pk).update(preregistration=cited)


BREAKS: Breaks = {
    "metric_has_name": lambda: MetricFactory(name=""),
    "metric_has_version": lambda: MetricFactory(version=""),
    "metric_level_known": lambda: MetricFactory(level="corpus"),
    "metric_direction_known": lambda: MetricFactory(direction="up"),
    "metric_version_once": lambda: MetricFactory(name=MetricFactory().name),
    "judge.metric": lambda: JudgeFactory(metric=JudgeFactory().metric),
    "judge_has_model": lambda: JudgeFactory(model=""),
    "judge_has_instructions": lambda: JudgeFactory(instructions=""),
    "score_of_a_sample_or_a_generator": lambda: ScoreFactory(sample=None),
    "score_has_value_or_reason": lambda: ScoreFactory(value=None),
    "score_is_finite": lambda: ScoreFactory(value=float("inf")),
    "score_once_per_sample": _the_same_sample_score_again,
    "score_once_per_generator": _the_same_generator_score_again,
    "probe_kind_known": lambda: ProbeFactory(kind="spelling"),
    "probe_input_hash_is_digest": lambda: ProbeFactory(input_hash="texts"),
    "probe_is_finite": lambda: ProbeFactory(value=float("-inf")),
    "probe_has_value_or_reason": lambda: ProbeFactory(value=None),
    "probe_run_once": _the_same_probe_again,
    "analysis_has_title": lambda: AnalysisFactory(title=""),
    "analysis_settings_hash_is_digest": lambda: AnalysisFactory(settings_hash=""),
    "analysis_metrics.analysis+metric": _the_same_metric_twice,
    **job_breaks("analysis", AnalysisFactory),
    "report.analysis": lambda: ReportFactory(analysis=ReportFactory().analysis),
    "report_hash_is_digest": lambda: ReportFactory(content_hash=""),
    "report_has_finding": lambda: ReportFactory(finding=""),
    "metaeval_report_no_update": lambda: Report.objects.filter(pk=ReportFactory().pk).update(finding="better"),
    "metaeval_report_no_delete": lambda: ReportFactory().delete(),
    **truncate_breaks(Report),
    "reportarchive.report": lambda: ReportArchiveFactory(report=ReportArchiveFactory().report),
    "report_archive_sha256_is_digest": lambda: ReportArchiveFactory(sha256=""),
    "report_archive_has_file": lambda: ReportArchiveFactory(file=""),
    "report_archive_is_not_empty": lambda: ReportArchiveFactory(size=0),
    "metaeval_reportarchive_no_update": lambda: ReportArchive.objects.filter(pk=ReportArchiveFactory().pk).update(
        size=2
    ),
    "metaeval_reportarchive_no_delete": lambda: ReportArchiveFactory().delete(),
    "preregistration_has_title": lambda: PreregistrationFactory(title=""),
    "preregistration_settings_hash_is_digest": lambda: PreregistrationFactory(settings_hash=""),
    "preregistration_counts_frozen_labels": lambda: PreregistrationFactory(
        study=LabelSetFactory(frozen=True).study, labels_frozen_before=0
    ),
    "metaeval_preregistration_no_update": lambda: Preregistration.objects.filter(pk=PreregistrationFactory().pk).update(
        title="another"
    ),
    "metaeval_preregistration_no_delete": lambda: PreregistrationFactory().delete(),
    **truncate_breaks(ReportArchive, Preregistration),
    "analysis_as_preregistered_insert": _cites_other_settings,
    "analysis_as_preregistered_update": _comes_to_cite_other_settings,
    "analysis_uses_frozen_labels_insert": lambda: AnalysisFactory(label_set=LabelSetFactory()),
    "analysis_uses_frozen_labels_update": lambda: Analysis.objects.filter(pk=AnalysisFactory().pk).update(
        label_set=LabelSetFactory()
    ),
    "score_fits_its_metric_insert": lambda: ScoreFactory(metric=MetricFactory(level="generator")),
    "score_fits_its_metric_update": lambda: Score.objects.filter(pk=ScoreFactory().pk).update(
        metric=MetricFactory(level="generator")
    ),
}

VARIANTS: list[tuple[str, Callable[[], object]]] = [
    ("score_of_a_sample_or_a_generator", lambda: ScoreFactory(generator=GeneratorFactory())),
    ("score_of_a_sample_or_a_generator", lambda: ScoreFactory(subset="short")),
    (
        "score_of_a_sample_or_a_generator",
        lambda: ScoreFactory(of_generator=True, metric=MetricFactory(), sample=SampleFactory()),
    ),
    ("score_of_a_sample_or_a_generator", lambda: ScoreFactory(of_generator=True, study=None)),
    ("score_has_value_or_reason", lambda: ScoreFactory(undefined_reason="too short")),
    ("analysis_as_preregistered_insert", lambda: AnalysisFactory(preregistration=PreregistrationFactory())),
]


def test_every_promise_is_tested() -> None:
    assert set(BREAKS) == set(promises("metaeval"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "break_it"), [*BREAKS.items(), *VARIANTS], ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_database_refuses(name: str, break_it: Callable[[], object]) -> None:
    with refused(promises("metaeval")[name]):
        break_it()


@pytest.mark.django_db
def test_not_a_number_is_no_score() -> None:
    """SQLite stores it as NULL and misses the value, PostgreSQL finds that it is not finite."""
    name = "score_is_finite" if connection.vendor == "postgresql" else "score_has_value_or_reason"
    with refused(promises("metaeval")[name]):
        ScoreFactory(value=float("nan"))


@pytest.mark.django_db
def test_an_undefined_score_says_why() -> None:
    assert str(ScoreFactory(value=None, undefined_reason="one frame only")).endswith("one frame only")


@pytest.mark.django_db
def test_a_generator_has_a_score_for_each_subset() -> None:
    first = ScoreFactory(of_generator=True)
    ScoreFactory(of_generator=True, metric=first.metric, study=first.study, generator=first.generator, subset="long")
    assert Score.objects.filter(generator=first.generator).count() == 2


@pytest.mark.django_db
def test_what_a_report_cites_is_not_deleted() -> None:
    report = ReportFactory()
    for row in (report.analysis, report.analysis.label_set):
        with pytest.raises((ProtectedError, IntegrityError)), transaction.atomic():
            row.delete()


@pytest.mark.django_db
def test_a_metric_with_scores_is_not_deleted() -> None:
    score = ScoreFactory()
    for row in (score.metric, score.sample):
        with pytest.raises(ProtectedError):
            row.delete()
