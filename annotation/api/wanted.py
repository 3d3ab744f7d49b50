"""Filters that an export cannot do without."""

from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from annotation.models import LabelSet, Study


def wanted_study(request: Request) -> Study:
    """The study that the address names: a table that mixes studies, or an empty one after a typo, misleads."""
    code = request.query_params.get("study", "")
    if not code:
        raise ValidationError({"study": ["Expected the code of a study; found none."]})
    study = Study.objects.filter(code=code).first()
    if study is None:
        raise ValidationError({"study": [f"Expected the code of a study; found {code!r}, which is none."]})
    return study


def wanted_label_set(request: Request) -> LabelSet:
    number = request.query_params.get("label_set", "")
    label_set = LabelSet.objects.filter(pk=number).first() if number.isdecimal() and len(number) < 19 else None
    if label_set is None:
        raise ValidationError({"label_set": [f"Expected the id of a label set; found {number or 'none'}."]})
    return label_set
