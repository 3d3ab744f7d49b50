"""How far a study is: the pipeline as one line of stages with counts, and the first that holds up the rest."""

from dataclasses import dataclass, replace

from django.db.models import Count, Q

from annotation.models import (
    Assignment,
    AssignmentState,
    BatchKind,
    BatchState,
    Decision,
    LabelSet,
    Rating,
    Sample,
    Seat,
    Study,
)
from annotation.selectors.clips import study_clips, study_clips_failed, study_is_rendering
from annotation.selectors.shown import study_motions
from config.jobs.models import JobState
from rendering.models import ClipState


@dataclass(frozen=True)
class Stage:
    """`wanted` is None where nothing says how many there should be: then one is enough to go on."""

    code: str
    name: str
    done: int
    wanted: int | None
    note: str
    is_bottleneck: bool = False

    @property
    def is_complete(self) -> bool:
        return self.done >= (1 if self.wanted is None else max(self.wanted, 1))


@dataclass(frozen=True)
class Stages:
    line: tuple[Stage, ...]
    is_rendering: bool

    @property
    def bottleneck(self) -> Stage | None:
        return next((stage for stage in self.line if stage.is_bottleneck), None)

    def stage(self, code: str) -> Stage:
        return next(stage for stage in self.line if stage.code == code)


def study_stages(study: Study) -> Stages:
    stages = [*_material(study), _clips(study), _hits(study), _ratings(study), _labels(study), _analyses(study)]
    first = next((stage.code for stage in stages if not stage.is_complete), None)
    line = tuple(replace(stage, is_bottleneck=stage.code == first) for stage in stages)
    return Stages(line, is_rendering=study_is_rendering(study))


def _material(study: Study) -> list[Stage]:
    counts = Sample.objects.filter(places__study=study, places__is_active=True).aggregate(
        prompts=Count("prompt", distinct=True),
        motions=Count("motion", distinct=True),
        generators=Count("generator", distinct=True),
    )
    return [
        Stage("prompts", "Prompts", counts["prompts"], None, ""),
        Stage("motions", "Motions", counts["motions"], None, f"from {_plural(counts['generators'], 'generator')}"),
    ]


def _clips(study: Study) -> Stage:
    """Of what the study shows; a clip that nobody has planned is missing as much as one that waits."""
    made = study_clips(study).filter(state=ClipState.READY).aggregate(motions=Count("motion", distinct=True))
    failed = study_clips_failed(study).count()
    wanted = study_motions(study).count()
    return Stage("clips", "Clips", made["motions"], wanted, f"{failed} failed" if failed else "ready")


def _hits(study: Study) -> Stage:
    seats = Seat.objects.filter(hit__batch__study=study).exclude(hit__batch__state=BatchState.DRAFT)
    done = seats.filter(assignments__holds_seat=True, assignments__state=AssignmentState.SUBMITTED)
    active = Assignment.objects.filter(enrolment__study=study, state=AssignmentState.ACTIVE).count()
    return Stage("hits", "HITs", done.count(), seats.count(), f"seats done, {active} under way")


def _ratings(study: Study) -> Stage:
    """Those that count or still may. What gold left out, gold itself, the pilot and answers to an earlier version of
    the rubric are no progress."""
    samples = study.places.filter(is_active=True).exclude(sample__in=study.gold.values("sample")).count()
    asked = study.rubric.criteria.filter(formula="").count()
    given = (
        Rating.objects.filter(
            item__assignment__seat__hit__batch__study=study, item__gold__isnull=True, item__occasion=1
        )
        .filter(item__assignment__seat__hit__batch__kind=BatchKind.MAIN, criterion__rubric=study.rubric_id)
        .filter(item__assignment__holds_seat=True)
        .exclude(item__assignment__use_data=Decision.NO)
        .count()
    )
    return Stage("ratings", "Ratings", given, samples * asked * study.ratings_per_sample, "given")


def _labels(study: Study) -> Stage:
    sets = study.label_sets.filter(frozen_at__isnull=False)
    latest = sets.order_by("-number").first()
    return Stage("labels", "Label sets", sets.count(), None, _label_note(latest))


def _label_note(latest: LabelSet | None) -> str:
    if latest is None or latest.frozen_at is None:
        return "none frozen yet"
    mark = latest.marks.order_by("-id").first()
    return f"latest: {latest.number}, {mark.kind if mark else f'{latest.frozen_at:%-d %b %Y}'}"


def _analyses(study: Study) -> Stage:
    # By the relation's name: this app must not import metaeval.
    counts = LabelSet.objects.filter(study=study).aggregate(
        done=Count("analyses", filter=Q(analyses__state=JobState.DONE), distinct=True),
        failed=Count("analyses", filter=Q(analyses__state=JobState.FAILED), distinct=True),
    )
    return Stage("analyses", "Analyses", counts["done"], None, f"{counts['failed']} failed" if counts["failed"] else "")


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
