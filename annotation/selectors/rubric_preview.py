"""A rubric as raters see it: the questions of the rating page, with nothing chosen."""

from annotation.models import Criterion, Item, Sample, Study
from annotation.rubric_presets import CriterionText, RubricText
from annotation.rubric_text import rubric_text_of
from annotation.selectors.items import Choice, ItemView, Question, _keys
from rendering.models import Clip


def rubric_questions(text: RubricText) -> tuple[Question, ...]:
    return tuple(_question(criterion) for criterion in text.criteria if not criterion.formula)


def rubric_derived(text: RubricText) -> tuple[CriterionText, ...]:
    """What raters are never asked, because it follows from what they say."""
    return tuple(criterion for criterion in text.criteria if criterion.formula)


def item_as_rater(study: Study, sample: Sample, clip: Clip | None) -> ItemView:
    """The first item of a HIT, as if this sample stood there. The item is no row, and never becomes one."""
    text = rubric_text_of(study.rubric)
    return ItemView(
        item=Item(sample=sample, clip=clip, position=1),
        position=1,
        total=study.samples_per_hit + study.gold_per_hit,
        answered=0,
        prompt=sample.prompt.text,
        instructions=text.instructions,
        is_ready=clip is not None,
        questions=rubric_questions(text),
        previous=None,
        following=None,
    )


def _question(criterion: CriterionText) -> Question:
    options = sorted(criterion.options, key=lambda option: option.value)
    keys = _keys(Criterion(scale=criterion.scale), [option.value for option in options])
    choices = tuple(
        Choice(value=option.value, label=option.label, help=option.help, is_chosen=False, key=key)
        for option, key in zip(options, keys, strict=True)
    )
    return Question(code=criterion.code, text=criterion.question, choices=choices, revision=0)
