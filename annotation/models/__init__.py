"""Facts and constraints of the human half: one noun a file."""

from annotation.models.assignments import Assignment, AssignmentState, Decision, Item
from annotation.models.batches import Batch, BatchKind, BatchState, Hit, HitPosition, Platform, Seat
from annotation.models.gold import Gold, GoldAnswer
from annotation.models.labels import Label, LabelSet, LabelSetMark, MarkKind
from annotation.models.prompts import Generator, Prompt, Sample
from annotation.models.raters import Enrolment, PlatformIdentity, Rater
from annotation.models.ratings import Rating
from annotation.models.rubrics import Criterion, Option, Rubric, Scale
from annotation.models.studies import GoldCounting, Study, StudySample, StudyState
from annotation.models.terms import Terms

__all__ = [
    "Assignment",
    "AssignmentState",
    "Batch",
    "BatchKind",
    "BatchState",
    "Criterion",
    "Decision",
    "Enrolment",
    "Generator",
    "Gold",
    "GoldAnswer",
    "GoldCounting",
    "Hit",
    "HitPosition",
    "Item",
    "Label",
    "LabelSet",
    "LabelSetMark",
    "MarkKind",
    "Option",
    "Platform",
    "PlatformIdentity",
    "Prompt",
    "Rater",
    "Rating",
    "Rubric",
    "Sample",
    "Scale",
    "Seat",
    "Study",
    "StudySample",
    "StudyState",
    "Terms",
]
