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
    instructions="Watch the whole clip, then answer both questions with yes or no. When in doubt, say no.",
    criteria=(
        CriterionText(
            "faithfulness",
            "Does the movement match the description?",
            Scale.BINARY,
            (
                OptionText(
                    0, "No", "Something described is missing, wrong or out of order, or something else is added."
                ),
                OptionText(1, "Yes", "Everything described happens, in the right order."),
            ),
        ),
        CriterionText(
            "naturalness",
            "Could a real person have moved like this?",
            Scale.BINARY,
            (
                OptionText(0, "No", "The body jumps, slides, shakes, floats or bends as no body can."),
                OptionText(1, "Yes", "It could be a recording of a person."),
            ),
        ),
        # Aligned, as VeMo has it: right and believable at once.
        CriterionText("alignment", "", Scale.BINARY, _YES_NO, formula="faithfulness and naturalness"),
    ),
)


def _points(most: int, helps: dict[int, str]) -> tuple[OptionText, ...]:
    """One option a point; words stand at some of them, and between two of them the rater interpolates."""
    return tuple(OptionText(value, str(value), helps.get(value, "")) for value in range(most + 1))


FIVE_FACET = RubricText(
    name="five-facet",
    title="Five facets of a movement, in points",
    instructions=(
        "Watch the whole clip, then give points for each of the five. More is better, also for the first: all its "
        "points mean that nothing was added. A number between two that have words lies between them."
    ),
    criteria=(
        CriterionText(
            "extra_actions",
            "Is the movement free of actions that were not asked for?",
            Scale.LIKERT,
            _points(
                10,
                {
                    0: "Most of what happens was not asked for.",
                    5: "One clear action was added, beside what was asked for.",
                    10: "Nothing was added.",
                },
            ),
        ),
        CriterionText(
            "completeness",
            "How much of the description happens?",
            Scale.LIKERT,
            _points(
                20,
                {
                    0: "None of it.",
                    5: "A trace of it.",
                    10: "About half of it.",
                    15: "All but a detail.",
                    20: "All of it, to the end.",
                },
            ),
        ),
        CriterionText(
            "order",
            "Does what happens come in the order described?",
            Scale.LIKERT,
            _points(
                10,
                {
                    0: "The order is wrong throughout.",
                    5: "Two actions have changed places, or run into one another.",
                    10: "Everything in its place. Also when there is only one action.",
                },
            ),
        ),
        CriterionText(
            "body_parts",
            "Do the right parts of the body do it, on the right side?",
            Scale.LIKERT,
            _points(
                10,
                {
                    0: "Other parts of the body move.",
                    5: "The right kind of part, on the wrong side; or a part that should move stays still.",
                    10: "Every part and side is right.",
                },
            ),
        ),
        CriterionText(
            "plausibility",
            "Could a real body move like this?",
            Scale.LIKERT,
            _points(
                10,
                {
                    0: "No body could: it breaks, jumps or floats.",
                    5: "Believable in places, with sliding feet, shaking or stiffness in others.",
                    10: "It could be a recording of a person.",
                },
            ),
        ),
    ),
)

PRESETS = {preset.name: preset for preset in (LIKERT_0_4, BINARY, FIVE_FACET)}
