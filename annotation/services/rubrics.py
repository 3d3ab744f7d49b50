from django.db import transaction
from django.db.models import Max

from annotation.models import Criterion, Option, Rubric
from annotation.qc.derived import parse_formula
from annotation.rubric_presets import RubricText
from annotation.rubric_text import rubric_text_of
from config.audit.services import audit_record


@transaction.atomic
def rubric_create(*, text: RubricText, actor: str) -> Rubric:
    """A new version of the rubric of that name: an old version is never edited, its ratings refer to it."""
    asked = {criterion.code for criterion in text.criteria if not criterion.formula}
    for criterion in text.criteria:
        if criterion.formula:
            parse_formula(criterion.formula, known=asked)
    latest = Rubric.objects.filter(name=text.name).aggregate(version=Max("version"))["version"] or 0
    rubric = Rubric.objects.create(name=text.name, version=latest + 1, title=text.title, instructions=text.instructions)
    for position, criterion in enumerate(text.criteria, start=1):
        row = Criterion.objects.create(
            rubric=rubric,
            code=criterion.code,
            position=position,
            question=criterion.question,
            scale=criterion.scale,
            formula=criterion.formula,
        )
        Option.objects.bulk_create(
            Option(criterion=row, value=option.value, label=option.label, help=option.help)
            for option in criterion.options
        )
    audit_record(actor=actor, action="rubric.created", subject=rubric)
    return rubric


def rubric_find(text: RubricText) -> Rubric | None:
    """The newest stored version that says exactly this."""
    versions = Rubric.objects.filter(name=text.name, title=text.title, instructions=text.instructions)
    return next((rubric for rubric in versions.order_by("-version") if rubric_text_of(rubric) == text), None)


@transaction.atomic
def rubric_ensure(*, text: RubricText, actor: str) -> Rubric:
    """The version that says exactly this, or a new one: studies that ask the same have the same rubric."""
    return rubric_find(text) or rubric_create(text=text, actor=actor)
