"""Rubrics to start from, as data. Meanings follow the papers; the words are ours."""

from dataclasses import dataclass, field

from annotation.models import Scale


@dataclass(frozen=True)
class OptionText:
    value: int
    label: str
    help: str = ""


@dataclass(frozen=True)
class CriterionText:
    code: str
    question: str
    scale: Scale
    options: tuple[OptionText, ...]
    formula: str = ""


@dataclass(frozen=True)
class RubricText:
    name: str
    title: str
    instructions: str
    criteria: tuple[CriterionText, ...] = field(default=())


_YES_NO = (OptionText(0, "No"), OptionText(1, "Yes"))

LIKERT_0_4 = RubricText(
    name="likert-0-4",
    title="Naturalness and faithfulness, 0 to 4",
    instructions=(
        "Watch the whole clip, then answer both questions. Judge the movement alone: the figure is plain on purpose."
    ),
    criteria=(
        CriterionText(
            code="naturalness",
            question="How natural is the movement?",
            scale=Scale.LIKERT,
            options=(
                OptionText(0, "Not at all", "No person could move like this: the body breaks, jumps or floats."),
                OptionText(1, "Hardly", "Clearly wrong for most of the clip: sliding feet, shaking, stiff joints."),
                OptionText(2, "Partly", "Believable in places, disturbing in others."),
                OptionText(3, "Mostly", "Looks like a person, with small flaws that you notice on a second look."),
                OptionText(4, "Fully", "Could be a recording of a real person."),
            ),
        ),
        CriterionText(
            code="faithfulness",
            question="How well does the movement match the description?",
            scale=Scale.LIKERT,
            options=(
                OptionText(0, "Not at all", "Something else happens."),
                OptionText(1, "Hardly", "A trace of the description, most of it missing or wrong."),
                OptionText(2, "Partly", "The main idea is there, but a part is missing, wrong or out of order."),
                OptionText(3, "Mostly", "All that is described happens; a detail such as a side or a count is off."),
                OptionText(4, "Fully", "Everything described happens, in the right order, and nothing else."),
            ),
        ),
    ),
)

BINARY = RubricText(
    name="binary",
    title="Faithful and natural, yes or no",
    instructions="Watch the whole clip, then answer both questions with yes or no.",
    criteria=(
        CriterionText("faithfulness", "Does the movement match the description?", Scale.BINARY, _YES_NO),
        CriterionText("naturalness", "Could a real person have moved like this?", Scale.BINARY, _YES_NO),
        CriterionText("alignment", "", Scale.BINARY, _YES_NO, formula="faithfulness and naturalness"),
    ),
)

PRESETS = {preset.name: preset for preset in (LIKERT_0_4, BINARY)}
