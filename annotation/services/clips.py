"""Which of a study's clips are drawn first: those that somebody waits for, then those of the next HITs."""

from django.db import transaction

from annotation.models import Assignment, AssignmentState, BatchState, Hit, Study
from annotation.services.studies import study_drawing
from rendering.models import Clip
from rendering.services.clips import clips_prioritise

SOMEBODY_WAITS = 20
NEXT_HITS = 10
SOME_TIME = 0
# Raters who come now sit down in the first HITs that have a free seat.
HITS_AHEAD = 4


def assignment_hurry_clips(*, assignment: Assignment) -> None:
    """A rater has sat down: what they will see goes before everything else."""
    clips_prioritise(clips=Clip.objects.filter(items__assignment=assignment), priority=SOMEBODY_WAITS)


@transaction.atomic
def study_order_clips(*, study: Study) -> None:
    """Order all clips of the study that still wait to be drawn."""
    drawing = study_drawing(study)
    clips = Clip.objects.filter(look=drawing.look, view=drawing.view, pixels=drawing.pixels, backend=drawing.backend)
    held = Assignment.objects.filter(holds_seat=True).values("seat")
    free = Hit.objects.filter(batch__study=study, batch__state=BatchState.PUBLISHED).exclude(seats__in=held)
    ahead = list(free.order_by("batch__number", "number").values_list("pk", flat=True)[:HITS_AHEAD])
    active = Assignment.objects.filter(enrolment__study=study, state=AssignmentState.ACTIVE)
    clips_prioritise(clips=clips.filter(motion__samples__places__study=study), priority=SOME_TIME)
    clips_prioritise(clips=clips.filter(motion__samples__hit_positions__hit__in=ahead), priority=NEXT_HITS)
    clips_prioritise(clips=clips.filter(items__assignment__in=active), priority=SOMEBODY_WAITS)
