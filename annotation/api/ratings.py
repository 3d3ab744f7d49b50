from typing import ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from annotation.api.wanted import wanted_study
from annotation.models import Decision, Rating
from annotation.selectors.exports import INCLUDES, rating_export
from config.api import filters
from config.api.exports import export_action, export_response, schema_of_export
from config.api.fields import NamedChoiceField
from config.api.resources import Resource, only


class RatingOutputSerializer(serializers.ModelSerializer[Rating]):
    item = serializers.IntegerField(source="item_id")
    sample = serializers.CharField(source="item.sample.code")
    rater = serializers.CharField(source="item.enrolment.pseudonym")
    rubric = serializers.CharField(source="criterion.rubric")
    criterion = serializers.CharField(source="criterion.code")
    occasion = serializers.IntegerField(source="item.occasion")
    position = serializers.IntegerField(source="item.position")
    is_gold = serializers.SerializerMethodField()
    use_data = NamedChoiceField(Decision, source="item.assignment.use_data")

    class Meta:
        model = Rating
        fields: ClassVar = [
            "id",
            "item",
            "sample",
            "rater",
            "rubric",
            "criterion",
            "value",
            "occasion",
            "clip_key",
            "shown_at",
            "answered_at",
            "position",
            "coverage",
            "replays",
            "device",
            "revision",
            "is_gold",
            "use_data",
        ]

    def get_is_gold(self, rating: Rating) -> bool:
        return rating.item.gold_id is not None


class RatingFilter(filters.FilterSet):
    study = filters.CharFilter("item__enrolment__study__code", label="the study's code")
    sample = filters.CharFilter("item__sample__code", label="the sample's code")
    prompt = filters.CharFilter("item__sample__prompt__code", label="the prompt's code")
    generator = filters.CharFilter("item__sample__generator__name", label="the generator's name")
    rater = filters.CharFilter("item__enrolment__pseudonym", label="the rater's pseudonym")
    assignment = filters.NumberFilter("item__assignment_id", label="the assignment's id")
    criterion = filters.CharFilter("criterion__code", label="the criterion's code")
    is_gold = filters.BooleanFilter("item__gold", "isnull", exclude=True, label="is gold")
    use_data = filters.ChoiceFilter(field_name="item__assignment__use_data", choices=Decision.choices)

    class Meta:
        model = Rating
        fields: ClassVar = ["value", "device"]


class RatingResource(Resource[Rating]):
    """Answers, each to one criterion on one item."""

    queryset = Rating.objects.select_related("item__sample", "item__enrolment", "item__assignment", "criterion__rubric")
    serializer_class = RatingOutputSerializer
    filterset_class = RatingFilter
    ordering_fields = ("id", "answered_at", "value")

    @schema_of_export(
        "Export ratings",
        about=(
            "Long form, one rating a row; `study` is required. Left out unless `include` asks for them: ratings of "
            "gold (`is_gold`), of assignments whose data is not used (`use_data` is `no`), of assignments that were "
            "not submitted (`state`), of the pilot, and of versions of the rubric that the study no longer asks."
        ),
        parameters=(
            OpenApiParameter("study", str, required=True, description="the study's code"),
            OpenApiParameter("include", str, description=f"Any of {', '.join(INCLUDES)}, with commas between."),
        ),
    )
    @export_action("include")
    def export(self, request: Request) -> StreamingHttpResponse:
        study = wanted_study(request)
        include = [word for word in request.query_params.get("include", "").split(",") if word]
        only("include", include, INCLUDES)
        ratings = self.filter_queryset(self.get_queryset())
        table = rating_export(ratings=ratings, include=frozenset(include))
        return export_response(request, table=table, name=f"ratings-{study.code}")
