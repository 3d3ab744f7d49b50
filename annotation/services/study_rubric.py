"""Another rubric for a study. Old ratings stay with the version they answered; what it does is counted beforehand."""

from dataclasses import dataclass

from django.db import transaction

from annotation.errors import AnnotationError
from annotation.models import Assignment, AssignmentState, Gold, GoldAnswer, Rating, Rubric, Study, StudyState
from annotation.rubric_presets import RubricText
from annotation.rubric_text import rubric_text_of
from annotation.services.rubrics import rubric_ensure, rubric_find
from config.audit.services import audit_record

# Raters must not find other questions on the next clip than on the last.
OPEN_STATES = (StudyState.PILOT, StudyState.LIVE)


@dataclass(frozen=True)
class RubricChange:
    """What changing the rubric would do. `refusal` says why it cannot be done now."""

    is_same: bool
    version: int
    is_new_version: bool
    ratings_kept_apart: int
    gold_kept: int
    gold_waiting: int
    raters_late: int
    refusal: str


def rubric_change_preview(*, study: Study, text: RubricText) -> RubricChange:
    stored = rubric_find(text)
    kept = sum(1 for gold in _active_gold(study) if _answers_left(gold, text) is not None)
    everyone = Assignment.objects.filter(enrolment__study=study)
    return RubricChange(
        is_same=rubric_text_of(study.rubric) == text,
        version=stored.version if stored else _next_version(text.name),
        is_new_version=stored is None,
        ratings_kept_apart=Rating.objects.filter(item__enrolment__study=study)
        .exclude(criterion__rubric=stored.pk if stored else None)
        .count(),
        gold_kept=kept,
        gold_waiting=study.gold.filter(is_active=True).count() - kept,
        raters_late=everyone.filter(state=AssignmentState.EXPIRED).count(),
        refusal=_refusal(study),
    )


@transaction.atomic
def study_change_rubric(*, study: Study, text: RubricText, actor: str) -> Study:
    """Ask something else from now on. Gold keeps its right answers where the question and the value are still there;
    gold that lacks one waits, unused, for a person to give it."""
    row = Study.objects.select_for_update(of=("self",)).select_related("rubric").get(pk=study.pk)
    if rubric_text_of(row.rubric) == text:
        return row
    if refusal := _refusal(row):
        raise AnnotationError(refusal)
    before, row.rubric = row.rubric, rubric_ensure(text=text, actor=actor)
    row.save(update_fields=["rubric"])
    kept, waiting = _gold_move(row, text, row.rubric)
    audit_record(
        actor=actor,
        action="study.rubric_changed",
        subject=row,
        details={"before": str(before), "after": str(row.rubric), "gold_kept": kept, "gold_waiting": waiting},
    )
    return row


def _refusal(study: Study) -> str:
    if study.state == StudyState.CLOSED:
        return "The study is closed: its questions are settled. A clone of it may ask others."
    if study.state in OPEN_STATES:
        now = "in its pilot" if study.state == StudyState.PILOT else "live"
        return f"The study is {now}, so raters may come at any moment. Pause it first."
    active = Assignment.objects.filter(enrolment__study=study, state=AssignmentState.ACTIVE).count()
    if active:
        people = "1 rater is" if active == 1 else f"{active} raters are"
        return (
            f"{people} in the middle of a HIT, and must not find other questions on the next clip. Wait until it is "
            f"handed in or its time has run out: {study.lease_minutes} minutes after the last answer at the latest."
        )
    return ""


def _next_version(name: str) -> int:
    latest = Rubric.objects.filter(name=name).order_by("-version").first()
    return latest.version + 1 if latest else 1


def _active_gold(study: Study) -> list[Gold]:
    return list(study.gold.filter(is_active=True).prefetch_related("answers__criterion"))


def _answers_left(gold: Gold, text: RubricText) -> dict[str, GoldAnswer] | None:
    """The right answers that the rubric still asks for; None when it asks for one that is not there."""
    asked = {each.code: {option.value for option in each.options} for each in text.criteria if not each.formula}
    left = {
        answer.criterion.code: answer
        for answer in gold.answers.all()
        if answer.value in asked.get(answer.criterion.code, ())
    }
    return left if left.keys() == asked.keys() else None


def _gold_move(study: Study, text: RubricText, rubric: Rubric) -> tuple[int, int]:
    criteria = {criterion.code: criterion for criterion in rubric.criteria.all()}
    kept = waiting = 0
    for gold in _active_gold(study):
        left = _answers_left(gold, text)
        if left is None:
            gold.is_active = False
            gold.inactive_reason = f"the rubric is {rubric} now, and asks for an answer that is not given here"
            gold.save(update_fields=["is_active", "inactive_reason"])
            waiting += 1
            continue
        gold.answers.all().delete()
        GoldAnswer.objects.bulk_create(
            GoldAnswer(gold=gold, criterion=criteria[code], value=answer.value, tolerance=answer.tolerance)
            for code, answer in left.items()
        )
        kept += 1
    return kept, waiting
