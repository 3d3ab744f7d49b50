"""Quality control of a submitted assignment: three decisions, never one.

Is the data used, is the rater paid, are they invited again. The gold rule decides only the first; it never refuses pay.
"""

from collections.abc import Mapping

from django.db import transaction

from annotation.errors import AnnotationError
from annotation.models import Assignment, Decision, MarkKind
from annotation.qc import Counting, GoldQuestion, GoldRule, judge_gold
from annotation.services.raters import label_sets_mark
from config.audit.services import SYSTEM, audit_record

GOLD_WORDS = {Counting.QUESTION: "gold questions", Counting.RATING: "answers to gold"}


@transaction.atomic
def assignment_review(*, assignment: Assignment) -> Assignment:
    """Apply the gold rule that the batch was made with: nobody is judged by a rule that came after their work."""
    row = Assignment.objects.select_for_update().select_related("seat__hit__batch__study").get(pk=assignment.pk)
    terms = row.seat.hit.batch.terms
    rule = GoldRule(terms.gold_failures_allowed, Counting(terms.gold_counting))
    verdict = judge_gold(gold_questions(row), rule)
    row.gold_shown, row.gold_failed = verdict.shown, verdict.failed
    row.pay = Decision.YES
    row.use_data = Decision.YES if verdict.passes and row.holds_seat else Decision.NO
    row.invite_again = Decision.YES if verdict.passes else Decision.OPEN
    if not verdict.passes:
        row.decision_reason = f"{verdict.failed} of {verdict.shown} {GOLD_WORDS[rule.counting]} failed"
        row.holds_seat = row.holds_seat and not terms.reopen_left_out
    elif not row.holds_seat:
        row.decision_reason = "surplus: another rater had taken the seat by then"
    row.save()
    audit_record(
        actor=SYSTEM,
        action="assignment.reviewed",
        subject=row,
        details={"gold_failed": verdict.failed, "gold_shown": verdict.shown, "use_data": row.use_data},
    )
    return row


def gold_questions(assignment: Assignment) -> list[GoldQuestion]:
    # Gold that would not play was let go without penalty.
    items = assignment.items.filter(gold__isnull=False, problem="").prefetch_related(
        "gold__answers__criterion", "ratings__criterion"
    )
    return [
        GoldQuestion(
            expected={answer.criterion.code: answer.value for answer in item.gold.answers.all()},
            tolerance={answer.criterion.code: answer.tolerance for answer in item.gold.answers.all()},
            answered={rating.criterion.code: rating.value for rating in item.ratings.all()},
        )
        for item in items
        if item.gold is not None
    ]


@transaction.atomic
def assignment_decide(
    *, assignment: Assignment, decisions: Mapping[str, Decision], reason: str, actor: str
) -> Assignment:
    """A person overrides one or more of `use_data`, `pay` and `invite_again`."""
    if unknown := decisions.keys() - {"use_data", "pay", "invite_again"}:
        raise AnnotationError(f"There is no decision called {', '.join(sorted(unknown))}.")
    if decisions.get("pay") == Decision.NO and not reason:
        raise AnnotationError("Refusing pay needs a reason that the rater will see.")
    row = Assignment.objects.select_for_update().select_related("seat__hit__batch__study").get(pk=assignment.pk)
    before = {name: getattr(row, name) for name in decisions}
    for name, decision in decisions.items():
        setattr(row, name, decision)
    row.decision_reason = reason or row.decision_reason
    row.save()
    audit_record(
        actor=actor,
        action="assignment.decided",
        subject=row,
        details={"before": before, "after": dict(decisions), "reason": reason},
    )
    if before.get("use_data", row.use_data) != row.use_data:
        label_sets_mark(
            study=row.seat.hit.batch.study, kind=MarkKind.STALE, reason=f"assignment {row.pk} was decided anew"
        )
    return row
