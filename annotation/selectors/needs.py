"""What waits for the manager, study by study."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum
from django.utils import timezone

from annotation.models import Assignment, AssignmentState, Decision, Study, StudyState
from annotation.selectors.clips import study_clips_failed


@dataclass(frozen=True)
class Need:
    """One thing that waits. Heavier ones come first. `page` names the study's page where it is dealt with."""

    code: str
    count: int
    words: str
    weight: int
    page: str = ""


@dataclass(frozen=True)
class StudyNeeds:
    study: Study
    needs: tuple[Need, ...]

    @property
    def urgency(self) -> int:
        return max((need.weight for need in self.needs), default=0)


def studies_by_need() -> list[StudyNeeds]:
    """Every study, the most urgent first; closed ones with nothing waiting last."""
    studies = [StudyNeeds(study, study_needs(study)) for study in Study.objects.select_related("rubric")]
    return sorted(studies, key=lambda entry: (-entry.urgency, entry.study.state == StudyState.CLOSED))


def study_needs(study: Study) -> tuple[Need, ...]:
    counts = Assignment.objects.filter(enrolment__study=study).aggregate(
        stuck=Count("pk", filter=Q(state=AssignmentState.ACTIVE, lease_until__lt=timezone.now())),
        left_out=Count("pk", filter=Q(state=AssignmentState.SUBMITTED, use_data=Decision.NO)),
        due=Count("pk", filter=Q(state=AssignmentState.SUBMITTED, pay=Decision.YES)),
        money=Sum("seat__hit__batch__pay_per_hit", filter=Q(state=AssignmentState.SUBMITTED, pay=Decision.YES)),
    )
    # SQLite adds decimals as floating-point numbers.
    money = Decimal(counts["money"] or 0).quantize(Decimal("0.01"))
    needs = (
        Need("failed_renders", study_clips_failed(study).count(), "clips failed to render", 4, "manage_queue"),
        Need("stuck_seats", counts["stuck"], "seats held past their time", 3),
        Need("left_out", counts["left_out"], "assignments left out by gold", 2),
        Need("pay_due", counts["due"], f"assignments to pay: {money} {study.currency}", 1),
    )
    return tuple(need for need in needs if need.count)
