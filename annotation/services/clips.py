"""Which of a study's clips are drawn first: those that somebody waits for, then those of the next HITs."""

from django.db import transaction
from django.db.models import Q, QuerySet

from annotation.models import Assignment, AssignmentState, BatchState, Hit, Sample, Seat, Study
from annotation.selectors.clips import study_clips, study_motions_missing
from annotation.services.studies import study_drawing
from config.jobs.models import JobState
from rendering.models import Clip, RenderJob
from rendering.services.clips import clips_plan, clips_prioritise

# And above it the first clips of a HIT, one by one: a rater who has just sat down looks at the first.
SOMEBODY_WAITS = 20
FIRST_ITEMS = 3
NEXT_HITS = 10
SOME_TIME = 0
# Raters who come now sit down in the first HITs that have a free seat.
HITS_AHEAD = 4


@transaction.atomic
def study_make_clips(*, study: Study, actor: str) -> int:
    """Have the study's missing clips drawn, those of the next HITs first; returns how many."""
    motions = list(study_motions_missing(study))
    clips_plan(motions=motions, drawing=study_drawing(study), actor=actor)
    study_order_clips(study=study)
    return len(motions)


def assignment_hurry_clips(*, assignment: Assignment) -> None:
    """A rater has sat down: what they will see goes before everything else, and the HITs after theirs are next."""
    if not RenderJob.objects.filter(state=JobState.WAITING).exists():
        return
    clips = Clip.objects.filter(items__assignment=assignment)
    clips_prioritise(clips=clips, priority=SOMEBODY_WAITS, only_raise=True)
    for position in range(1, FIRST_ITEMS + 1):
        priority = SOMEBODY_WAITS + FIRST_ITEMS + 1 - position
        first = Clip.objects.filter(items__assignment=assignment, items__position=position)
        clips_prioritise(clips=first, priority=priority, only_raise=True)
    # Never down: another rater may be waiting for the same clip.
    clips_prioritise(clips=_clips_ahead(assignment.enrolment.study), priority=NEXT_HITS, only_raise=True)


@transaction.atomic
def study_order_clips(*, study: Study) -> None:
    """Order all clips of the study that still wait to be drawn."""
    active = Assignment.objects.filter(enrolment__study=study, state=AssignmentState.ACTIVE)
    clips_prioritise(clips=study_clips(study), priority=SOME_TIME)
    clips_prioritise(clips=_clips_ahead(study), priority=NEXT_HITS)
    clips_prioritise(clips=study_clips(study).filter(items__assignment__in=active), priority=SOMEBODY_WAITS)


def _clips_ahead(study: Study) -> QuerySet[Clip]:
    """What the next raters will see: the samples of the next HITs, and gold, of which every HIT shows some."""
    held = Assignment.objects.filter(holds_seat=True).values("seat")
    free = Seat.objects.exclude(pk__in=held).values("hit")
    hits = Hit.objects.filter(batch__study=study, batch__state=BatchState.PUBLISHED, pk__in=free)
    ahead = list(hits.order_by("batch__number", "number").values_list("pk", flat=True)[:HITS_AHEAD])
    if not ahead:
        return Clip.objects.none()
    shown = Q(hit_positions__hit__in=ahead) | Q(gold__study=study, gold__is_active=True)
    return study_clips(study).filter(motion__in=Sample.objects.filter(shown).values("motion"))
