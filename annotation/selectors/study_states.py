"""Where a study may go from here, and what that means for the people in it."""

from dataclasses import dataclass

from annotation.models import Assignment, AssignmentState, BatchKind, BatchState, Rating, Seat, Study, StudyState
from annotation.services.studies import study_next_states

MEANINGS = {
    StudyState.DRAFT: "Nobody can rate yet. Everything may still change.",
    StudyState.PILOT: "Raters do the HITs of pilot batches. What they say is left out of the labels.",
    StudyState.LIVE: "Raters do the HITs of published batches, and what they say counts.",
    StudyState.PAUSED: "Nobody new gets a HIT. Who was in the middle may finish.",
    StudyState.CLOSED: "It is over. Ratings and label sets stay; nothing new comes in.",
}
# In this order the buttons stand; the first is the next step.
_ORDER = (StudyState.PILOT, StudyState.LIVE, StudyState.PAUSED, StudyState.DRAFT, StudyState.CLOSED)


@dataclass(frozen=True)
class StudyCounts:
    """Who and what a change of state concerns."""

    in_the_middle: int
    late: int
    handed_in: int
    free_seats: int
    ratings: int
    pilot_batches: int
    main_batches: int


@dataclass(frozen=True)
class Move:
    """One allowed transition. `warning` is what should be done first; `asks` if it is only done after a question."""

    state: str
    verb: str
    means: str
    warning: str = ""
    asks: bool = False


def study_counts(study: Study) -> StudyCounts:
    assignments = Assignment.objects.filter(enrolment__study=study)
    published = study.batches.filter(state=BatchState.PUBLISHED)
    return StudyCounts(
        in_the_middle=assignments.filter(state=AssignmentState.ACTIVE).count(),
        late=assignments.filter(state=AssignmentState.EXPIRED).count(),
        handed_in=assignments.filter(state=AssignmentState.SUBMITTED).count(),
        free_seats=Seat.objects.filter(hit__batch__in=published).exclude(assignments__holds_seat=True).count(),
        ratings=Rating.objects.filter(item__enrolment__study=study).count(),
        pilot_batches=published.filter(kind=BatchKind.PILOT).count(),
        main_batches=published.filter(kind=BatchKind.MAIN).count(),
    )


def study_moves(study: Study, counts: StudyCounts) -> tuple[Move, ...]:
    possible = study_next_states(study)
    return tuple(_move(study, state, counts) for state in _ORDER if state in possible)


def study_move(study: Study, state: str, counts: StudyCounts) -> Move | None:
    return next((move for move in study_moves(study, counts) if move.state == state), None)


def _move(study: Study, state: StudyState, counts: StudyCounts) -> Move:
    match state:
        case StudyState.PILOT:
            return _to_pilot(study, counts)
        case StudyState.LIVE:
            return _to_live(study, counts)
        case StudyState.PAUSED:
            return Move(
                state,
                "Pause",
                f"Nobody new gets a HIT until you resume. {middle_words(counts)} The time that they have goes on.",
            )
        case StudyState.DRAFT:
            return Move(
                state,
                "Back to draft",
                f"Nobody new gets a HIT. {middle_words(counts)} Ratings of the pilot stay on record.",
            )
    return Move(
        state,
        "Close",
        f"For good: a closed study cannot be opened again, only cloned. {middle_words(counts)}",
        asks=True,
    )


def _to_pilot(study: Study, counts: StudyCounts) -> Move:
    warning = "" if counts.pilot_batches else "No pilot batch is published yet: raters will find nothing to rate."
    if study.state == StudyState.PAUSED:
        return Move(StudyState.PILOT, "Resume the pilot", "Raters get HITs of the pilot again.", warning)
    means = "Raters get HITs of pilot batches, one or two, to see whether the study works. Labels leave them out."
    return Move(StudyState.PILOT, "Start the pilot", means, warning)


def _to_live(study: Study, counts: StudyCounts) -> Move:
    warning = "" if counts.main_batches else "No batch is published yet: raters will find nothing to rate."
    if study.went_live_at:
        return Move(StudyState.LIVE, "Resume", "Raters get HITs again, and what they say counts.", warning)
    if study.state == StudyState.DRAFT:
        means = "Raters get HITs, and what they say counts. There is no way back to a pilot."
        return Move(StudyState.LIVE, "Go live without a pilot", means, warning)
    means = (
        "What raters say from now on counts. HITs of the pilot take nobody new, and its ratings stay out of the "
        f"labels. {middle_words(counts)}"
    )
    has_pilot = counts.handed_in > 0
    return Move(
        StudyState.LIVE,
        "Accept the pilot and go live" if has_pilot else "Go live without a pilot",
        means,
        warning if has_pilot else f"No HIT of the pilot was handed in yet. {warning}".strip(),
        asks=not has_pilot,
    )


def middle_words(counts: StudyCounts) -> str:
    """What a change of state means for raters who have begun. Their work is kept whatever the state."""
    if not counts.in_the_middle + counts.late:
        return "Nobody is in the middle of a HIT."
    parts = []
    if counts.in_the_middle:
        people = "1 rater is" if counts.in_the_middle == 1 else f"{counts.in_the_middle} raters are"
        parts.append(f"{people} in the middle of a HIT: they may finish it, hand it in and are paid.")
    if counts.late:
        people = "1 rater" if counts.late == 1 else f"{counts.late} raters"
        parts.append(f"{people} let the time run out, and may still come back to finish.")
    return " ".join(parts)
