"""One sample with all that is known of it: why do people and metrics disagree here?"""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from annotation.models import Label, LabelSet, Rating, Sample
from metaeval.models import Score
from rendering.models import Clip, ClipState


@dataclass(frozen=True)
class ScoreRow:
    score: Score
    percentile: float | None


@dataclass(frozen=True)
class SampleDetail:
    sample: Sample
    clips: tuple[Clip, ...]
    ratings: tuple[Rating, ...]
    labels: tuple[Label, ...]
    scores: tuple[ScoreRow, ...]

    @property
    def is_gold(self) -> bool:
        return self.sample.gold.exists()


def sample_detail(sample: Sample) -> SampleDetail:
    newest = LabelSet.objects.filter(labels__sample=sample, frozen_at__isnull=False).order_by("-id").first()
    ratings = (
        Rating.objects.filter(item__sample=sample)
        .select_related("criterion", "item__enrolment__study", "item__assignment")
        .order_by("item__enrolment__study", "criterion__position", "item__enrolment__pseudonym")
    )
    return SampleDetail(
        sample=sample,
        clips=tuple(Clip.objects.filter(motion=sample.motion_id, state=ClipState.READY).order_by("-id")[:4]),
        ratings=tuple(ratings[:200]),
        labels=tuple(
            Label.objects.filter(sample=sample, label_set=newest)
            .select_related("criterion")
            .order_by("criterion__position")
            if newest
            else ()
        ),
        scores=tuple(_scores(sample)),
    )


def _scores(sample: Sample) -> list[ScoreRow]:
    """Each score with its place among all samples that the metric has scored."""
    scores = Score.objects.filter(sample=sample).select_related("metric").order_by("metric__family", "metric__name")
    rows = []
    for score in scores:
        others = Score.objects.filter(metric=score.metric, sample__isnull=False, value__isnull=False)
        rows.append(ScoreRow(score, None if score.value is None else _percentile(others, score.value)))
    return rows


def _percentile(scores: QuerySet[Score], value: float) -> float | None:
    """The share of scores below this one; None when it stands alone."""
    counts = scores.aggregate(all=Count("pk"), lower=Count("pk", filter=Q(value__lt=value)))
    return 100 * counts["lower"] / counts["all"] if counts["all"] > 1 else None
