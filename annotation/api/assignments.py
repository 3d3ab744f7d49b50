from typing import Any, ClassVar

from rest_framework import serializers

from annotation.models import Assignment, AssignmentState, Decision, Item
from config.api import filters
from config.api.fields import NamedChoiceField
from config.api.resources import Resource
from config.roles import MANAGER, has_role


class AssignmentOutputSerializer(serializers.ModelSerializer[Assignment]):
    study = serializers.CharField(source="enrolment.study.code")
    rater = serializers.CharField(source="enrolment.pseudonym")
    batch = serializers.IntegerField(source="seat.hit.batch_id")
    hit = serializers.IntegerField(source="seat.hit_id")
    seat = serializers.IntegerField(source="seat.number")
    state = NamedChoiceField(AssignmentState)
    use_data = NamedChoiceField(Decision)
    pay = NamedChoiceField(Decision)
    invite_again = NamedChoiceField(Decision)
    completion_code = serializers.CharField(required=False, help_text="what the rater gives for pay: managers only")

    class Meta:
        model = Assignment
        fields: ClassVar = [
            "id",
            "study",
            "batch",
            "hit",
            "seat",
            "rater",
            "state",
            "holds_seat",
            "seed",
            "taken_at",
            "lease_until",
            "submitted_at",
            "completion_code",
            "comment",
            "gold_shown",
            "gold_failed",
            "use_data",
            "pay",
            "invite_again",
            "decision_reason",
        ]

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        fields = super().get_fields()
        if not self.context.get("shows_completion_code", True):
            del fields["completion_code"]
        return fields


class AssignmentFilter(filters.FilterSet):
    study = filters.CharFilter("enrolment__study__code", label="the study's code")
    batch = filters.NumberFilter("seat__hit__batch_id", label="the batch's id")
    hit = filters.NumberFilter("seat__hit_id", label="the HIT's id")
    rater = filters.CharFilter("enrolment__pseudonym", label="the rater's pseudonym")

    class Meta:
        model = Assignment
        fields: ClassVar = ["state", "holds_seat", "use_data", "pay", "invite_again"]


class AssignmentResource(Resource[Assignment]):
    """One rater in one seat of a HIT."""

    queryset = Assignment.objects.select_related("enrolment__study", "seat__hit")
    serializer_class = AssignmentOutputSerializer
    filterset_class = AssignmentFilter
    ordering_fields = ("id", "taken_at", "submitted_at")

    def get_serializer_context(self) -> dict[str, Any]:
        context = super().get_serializer_context()
        # The schema is made without a user, and describes what a manager sees.
        shown = getattr(self, "swagger_fake_view", False) or has_role(self.request.user, MANAGER)
        return {**context, "shows_completion_code": shown}


class ItemOutputSerializer(serializers.ModelSerializer[Item]):
    assignment = serializers.IntegerField(source="assignment_id")
    rater = serializers.CharField(source="enrolment.pseudonym")
    sample = serializers.CharField(source="sample.code")
    gold = serializers.IntegerField(source="gold_id", allow_null=True)
    clip = serializers.CharField(source="clip.key", default=None, allow_null=True)

    class Meta:
        model = Item
        fields: ClassVar = [
            "id",
            "assignment",
            "rater",
            "position",
            "sample",
            "gold",
            "clip",
            "occasion",
            "opened_at",
            "problem",
        ]


class ItemFilter(filters.FilterSet):
    study = filters.CharFilter("enrolment__study__code", label="the study's code")
    assignment = filters.NumberFilter("assignment_id", label="the assignment's id")
    rater = filters.CharFilter("enrolment__pseudonym", label="the rater's pseudonym")
    sample = filters.CharFilter("sample__code", label="the sample's code")
    is_gold = filters.BooleanFilter("gold", "isnull", exclude=True, label="is gold")

    class Meta:
        model = Item
        fields: ClassVar = ["position", "occasion"]


class ItemResource(Resource[Item]):
    """What stood at each position of an assignment."""

    queryset = Item.objects.select_related("enrolment", "sample", "clip")
    serializer_class = ItemOutputSerializer
    filterset_class = ItemFilter
    ordering_fields = ("id", "position", "opened_at")
