"""Studies that have something to conclude from."""

from dataclasses import dataclass

from annotation.models import LabelSet, LabelSetMark, Study
from metaeval.models import Analysis

# A report can be megabytes of numbers; a list shows its finding.
NUMBERS = ("report__results", "report__provenance")


@dataclass(frozen=True)
class StudyConclusions:
    study: Study
    label_set: LabelSet
    mark: LabelSetMark | None
    analysis: Analysis | None
    finding: str


def studies_with_labels() -> list[StudyConclusions]:
    studies = Study.objects.filter(label_sets__frozen_at__isnull=False).distinct().order_by("-id")
    return [conclusions for study in studies if (conclusions := study_conclusions(study))]


def study_conclusions(study: Study) -> StudyConclusions | None:
    """The study's latest frozen label set, what became of it since, and the latest finding."""
    label_set = study.label_sets.filter(frozen_at__isnull=False).order_by("-number").first()
    if label_set is None:
        return None
    found = Analysis.objects.filter(label_set__study=study, report__isnull=False)
    analysis = found.select_related("report").defer(*NUMBERS).first()
    finding = analysis.report.finding if analysis else ""
    return StudyConclusions(study, label_set, label_set.marks.order_by("-id").first(), analysis, finding)


def latest_analyses() -> list[Analysis]:
    found = Analysis.objects.select_related("label_set__study", "report", "preregistration")
    return list(found.defer(*NUMBERS)[:10])


def study_analyses(study: Study) -> list[Analysis]:
    found = Analysis.objects.filter(label_set__study=study).select_related("label_set", "report", "preregistration")
    return list(found.defer(*NUMBERS)[:50])
