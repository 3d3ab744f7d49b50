"""Scores by the file: all of them, or none and the reasons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.models import Generator, Sample, Study
from config.audit.services import audit_record
from config.bulk.cells import NumberCell, TextCell
from config.bulk.importing import Counts, ImportResult, Upload, import_rows
from config.bulk.problems import Problems, shown
from config.bulk.reading import Row
from metaeval.models import Level, Metric, Score

SCORE_COLUMNS = (
    TextCell("sample", max_length=200),
    TextCell("generator", max_length=60),
    TextCell("study", max_length=60),
    TextCell("subset", max_length=60),
    TextCell("metric", required=True, max_length=80, expected="the name of a metric"),
    TextCell("version", max_length=40),
    TextCell("direction", max_length=10),
    TextCell("reference_based", max_length=5),
    NumberCell("value"),
    TextCell("undefined_reason", max_length=300),
)

# What a score is of: metric, sample, study, generator, subset.
Key = tuple[int, int | None, int | None, int | None, str]


@transaction.atomic
def score_import(*, upload: Upload, actor: str, dry_run: bool = False) -> ImportResult:
    result = import_rows(upload, SCORE_COLUMNS, _scores_keep)
    if result.problems or dry_run:
        transaction.set_rollback(True)
        return result
    details = {"created": result.counts.created, "unchanged": result.counts.unchanged, "file_sha256": upload.sha256}
    audit_record(actor=actor, action="score.imported", subject=Score(pk="*"), details=details)
    return result


def _scores_keep(rows: Sequence[Row], problems: Problems) -> Counts:
    """Rows of earlier chunks are in the database already, so it alone knows every score."""
    names = _Names.of(rows)
    scores = [(row, score) for row in rows if (score := _score(row, names, problems))]
    known = _known([score for _, score in scores])
    new: list[Score] = []
    unchanged = 0
    for row, score in scores:
        before = known.get(_key(score))
        if before is None:
            new.append(score)
            known[_key(score)] = score
        else:
            unchanged += not _differs(row, score, before, problems)
    Score.objects.bulk_create(new)
    return Counts(created=len(new), unchanged=unchanged)


@dataclass(frozen=True)
class _Names:
    """Whom the names in some rows mean."""

    metrics: dict[str, list[Metric]]
    samples: dict[str, Sample]
    generators: dict[str, Generator]
    studies: dict[str, Study]

    @classmethod
    def of(cls, rows: Sequence[Row]) -> "_Names":
        metrics: dict[str, list[Metric]] = {}
        for metric in Metric.objects.filter(name__in=_used(rows, "metric")):
            metrics.setdefault(metric.name, []).append(metric)
        return cls(
            metrics=metrics,
            samples=Sample.objects.only("code").in_bulk(_used(rows, "sample"), field_name="code"),
            generators=Generator.objects.only("name").in_bulk(_used(rows, "generator"), field_name="name"),
            studies=Study.objects.only("code").in_bulk(_used(rows, "study"), field_name="code"),
        )


def _used(rows: Sequence[Row], column: str) -> list[str]:
    return list({row.cells[column] for row in rows if row.cells.get(column)})


def _score(row: Row, names: _Names, problems: Problems) -> Score | None:
    """The row as a score, or None when something in it is wrong and was said so."""
    metric = _metric(row, names, problems)
    subject = _subject(row, names, problems)
    good = _value_or_reason(row, problems)
    if metric is None or subject is None or not good:
        return None
    # The other way round is fine: a generator may have the mean of its samples' scores.
    if "sample" in subject and metric.level != Level.SAMPLE:
        found = f"{shown(metric.name)}, which scores {metric.level}s"
        problems.add(row.line, "metric", expected="a metric of samples", found=found)
        return None
    reason = row.cells.get("undefined_reason", "")
    return Score(metric=metric, value=row.cells.get("value"), undefined_reason=reason, **subject)


def _agrees(row: Row, metric: Metric, problems: Problems) -> bool:
    """What the metric knows of itself; a file that says otherwise means another metric."""
    known = {"direction": str(metric.direction), "reference_based": str(metric.is_reference_based).lower()}
    wrong = {name: said for name in known if (said := row.cells.get(name, "").lower()) not in ("", known[name])}
    for name, said in wrong.items():
        problems.add(row.line, name, expected=f"{known[name]}, as {metric.name} has it", found=shown(said))
    return not wrong


def _metric(row: Row, names: _Names, problems: Problems) -> Metric | None:
    name, version = row.cells["metric"], row.cells.get("version", "")
    versions = names.metrics.get(name, [])
    fitting = [metric for metric in versions if metric.version == version] if version else versions
    if len(fitting) == 1:
        return fitting[0] if _agrees(row, fitting[0], problems) else None
    if not versions:
        problems.add(row.line, "metric", expected="the name of a metric", found=f"{shown(name)}, which is none")
    else:
        choice = ", ".join(sorted(metric.version for metric in versions))
        found = shown(version) if version else "none"
        problems.add(row.line, "version", expected=f"a version of {name}: {choice}", found=found)
    return None


def _subject(row: Row, names: _Names, problems: Problems) -> dict[str, Any] | None:
    sample, generator = row.cells.get("sample", ""), row.cells.get("generator", "")
    study, subset = row.cells.get("study", ""), row.cells.get("subset", "")
    if sample and not (generator or study or subset):
        found = _known_row(row.line, "sample", names.samples.get(sample), sample, problems)
        return {"sample": found} if found else None
    if generator and study and not sample:
        its_generator = _known_row(row.line, "generator", names.generators.get(generator), generator, problems)
        its_study = _known_row(row.line, "study", names.studies.get(study), study, problems)
        if its_generator and its_study:
            return {"generator": its_generator, "study": its_study, "subset": subset}
        return None
    given = [name for name in ("sample", "generator", "study", "subset") if row.cells.get(name)]
    problems.add(
        row.line,
        "sample",
        expected="a sample, or a generator and a study (and no sample)",
        found=" and ".join(given) or "neither",
    )
    return None


def _known_row(line: int, field: str, row: Any, name: str, problems: Problems) -> Any:
    if row is None:
        problems.add(line, field, expected=f"the {_CALLED[field]} of a {field}", found=f"{shown(name)}, which is none")
    return row


_CALLED = {"sample": "code", "generator": "name", "study": "code"}


def _value_or_reason(row: Row, problems: Problems) -> bool:
    value, reason = row.cells.get("value"), row.cells.get("undefined_reason", "")
    if (value is None) == bool(reason):
        return True
    found = "both" if reason else "neither"
    problems.add(row.line, "value", expected="a value, or an undefined_reason why there is none", found=found)
    return False


def _key(score: Score) -> Key:
    return score.metric_id, score.sample_id, score.study_id, score.generator_id, score.subset


def _known(scores: Sequence[Score]) -> dict[Key, Score]:
    of_samples = [score for score in scores if score.sample_id is not None]
    of_generators = [score for score in scores if score.generator_id is not None]
    found: dict[Key, Score] = {}
    if of_samples:
        metrics, samples = {s.metric_id for s in of_samples}, {s.sample_id for s in of_samples}
        for score in Score.objects.filter(metric__in=metrics, sample__in=samples).iterator():
            found[_key(score)] = score
    if of_generators:
        metrics, generators = {s.metric_id for s in of_generators}, {s.generator_id for s in of_generators}
        studies = {s.study_id for s in of_generators}
        rows = Score.objects.filter(metric__in=metrics, generator__in=generators, study__in=studies)
        for score in rows.iterator():
            found[_key(score)] = score
    return found


def _differs(row: Row, score: Score, before: Score, problems: Problems) -> bool:
    """A score is never rewritten: a report may cite it. A metric that computes anew gets a new version."""
    for name in ("value", "undefined_reason"):
        now, then = getattr(score, name), getattr(before, name)
        if now != then:
            expected = f"{shown(then)}, as it was scored before; another result is another version of the metric"
            problems.add(row.line, name, expected=expected, found=shown(now))
            return True
    return False
