"""What an analysis can be made of: frozen label sets and what became of them."""

from dataclasses import dataclass

from django.db.models import Count

from annotation.models import LabelSet, MarkKind, Study


@dataclass(frozen=True)
class LabelSetChoice:
    label_set: LabelSet
    labels: int
    samples: int
    stale: str
    superseded: str

    @property
    def is_usable(self) -> bool:
        return not self.superseded


def label_set_choices(study: Study) -> list[LabelSetChoice]:
    """The newest first. A superseded one has lost its ratings: it is shown with the reason, and cannot be chosen."""
    found = (
        study.label_sets.filter(frozen_at__isnull=False)
        .annotate(label_count=Count("labels"), sample_count=Count("labels__sample", distinct=True))
        .prefetch_related("marks")
        .order_by("-number")
    )
    return [
        LabelSetChoice(
            label_set,
            label_set.label_count,
            label_set.sample_count,
            _reason(label_set, MarkKind.STALE),
            _reason(label_set, MarkKind.SUPERSEDED),
        )
        for label_set in found
    ]


def _reason(label_set: LabelSet, kind: MarkKind) -> str:
    """The latest mark of a kind."""
    return next((mark.reason for mark in reversed(label_set.marks.all()) if mark.kind == kind), "")
