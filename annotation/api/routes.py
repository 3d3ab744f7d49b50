from typing import Any

from annotation.api.assignments import AssignmentResource, ItemResource
from annotation.api.batches import BatchResource, HitResource
from annotation.api.gold import GoldResource
from annotation.api.labels import LabelResource, LabelSetResource
from annotation.api.prompts import GeneratorResource, PromptResource, SampleResource
from annotation.api.raters import RaterResource
from annotation.api.ratings import RatingResource
from annotation.api.studies import RubricResource, StudyResource
from config.api.resources import Resource

ROUTES: dict[str, type[Resource[Any]]] = {
    "prompts": PromptResource,
    "generators": GeneratorResource,
    "samples": SampleResource,
    "studies": StudyResource,
    "rubrics": RubricResource,
    "gold": GoldResource,
    "batches": BatchResource,
    "hits": HitResource,
    "raters": RaterResource,
    "assignments": AssignmentResource,
    "items": ItemResource,
    "ratings": RatingResource,
    "label-sets": LabelSetResource,
    "labels": LabelResource,
}
