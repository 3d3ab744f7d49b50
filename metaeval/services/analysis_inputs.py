"""The files that the command is given: every score of the labelled samples and their generators, and analysis.toml.

What is known of a metric (its direction, whether it needs a reference) travels with its scores, so that analysis.toml
says what the researcher wants and nothing else: its hash is the preregistered one.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from django.db.models import QuerySet

from annotation.models import Generator
from metaeval.models import Analysis, Metric, Score
from metaeval.services.analysis_settings import settings_check

COLUMNS = ("sample", "generator", "subset", "metric", "value", "direction", "reference_based")


def write_config(analysis: Analysis, path: Path) -> None:
    path.write_text(settings_check(analysis.settings).toml, encoding="utf-8")


def write_scores(analysis: Analysis, path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(_rows(analysis))


def _rows(analysis: Analysis) -> Iterator[tuple[str, ...]]:
    versions = Counter(analysis.metrics.values_list("name", flat=True))
    for score in _of_samples(analysis).iterator(chunk_size=2000):
        assert score.sample is not None
        yield _row(score, score.sample.code, score.sample.generator.name, versions)
    for score in _of_generators(analysis).iterator(chunk_size=2000):
        assert score.generator is not None
        yield _row(score, "", score.generator.name, versions)


def _of_samples(analysis: Analysis) -> QuerySet[Score]:
    """The reference's own too: the command leaves them out of reference-based metrics, and says what they would do."""
    gold = analysis.label_set.study.gold.values("sample")
    return (
        Score.objects.filter(metric__in=analysis.metrics.all(), sample__labels__label_set=analysis.label_set)
        # A sample that became gold after the labels were frozen is gold all the same.
        .exclude(sample__in=gold)
        .distinct()
        .order_by("metric__name", "metric__version", "sample__code")
        .select_related("metric", "sample__generator")
    )


def _of_generators(analysis: Analysis) -> QuerySet[Score]:
    """Of whole generators within the study (FID and the like), if people rated the generator."""
    rated = Generator.objects.filter(samples__labels__label_set=analysis.label_set)
    return (
        Score.objects.filter(
            metric__in=analysis.metrics.all(), study=analysis.label_set.study_id, generator__in=rated.values("pk")
        )
        .order_by("metric__name", "metric__version", "generator__name", "subset")
        .select_related("metric", "generator")
    )


def _row(score: Score, sample: str, generator: str, versions: Counter[str]) -> tuple[str, ...]:
    metric: Metric = score.metric
    name = metric.name if versions[metric.name] == 1 else f"{metric.name}@{metric.version}"
    value = "" if score.value is None else repr(score.value)
    return sample, generator, score.subset, name, value, metric.direction, str(metric.is_reference_based).lower()
