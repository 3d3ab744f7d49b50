"""Rubrics as text: what is written reads back, and what is wrong is said with its line and field."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.models import Rubric, Scale
from annotation.rubric_presets import BINARY, FIVE_FACET, LIKERT_0_4, PRESETS, CriterionText, OptionText, RubricText
from annotation.rubric_text import RubricFormatError, rubric_read, rubric_text_of, rubric_write
from annotation.services.rubrics import rubric_ensure

GOOD = """\
name: mine
title: Mine
criteria:
  - code: natural
    question: Is it natural?
    scale: binary
  - code: points
    question: How much?
    options:
      - {value: 0, label: No}
      - {value: 10, label: Yes, help: "All of it: really"}
  - code: fine
    formula: natural
"""


def problems(text: str) -> list[tuple[int, str]]:
    with pytest.raises(RubricFormatError) as refused:
        rubric_read(text)
    return [(problem.line, problem.field) for problem in refused.value.problems]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_preset_reads_back_as_it_was_written(preset: RubricText) -> None:
    assert rubric_read(rubric_write(preset)) == preset


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
@pytest.mark.django_db
def test_a_stored_rubric_says_what_its_text_said_and_is_stored_once(preset: RubricText) -> None:
    rubric = rubric_ensure(text=preset, actor="user:ada")
    assert rubric_text_of(rubric) == preset
    assert rubric_ensure(text=preset, actor="user:ada") == rubric
    assert Rubric.objects.count() == 1


def test_the_presets_ask_what_the_papers_ask() -> None:
    likert = {each.code: [option.value for option in each.options] for each in LIKERT_0_4.criteria}
    assert likert == {"naturalness": [0, 1, 2, 3, 4], "faithfulness": [0, 1, 2, 3, 4]}
    assert all(option.help for criterion in LIKERT_0_4.criteria for option in criterion.options)
    assert [each.formula for each in BINARY.criteria] == ["", "", "faithfulness and naturalness"]
    facets = {each.code: each.options[-1].value for each in FIVE_FACET.criteria}
    assert facets == {"extra_actions": 10, "completeness": 20, "order": 10, "body_parts": 10, "plausibility": 10}


def test_words_that_yaml_takes_for_truth_values_stay_words() -> None:
    rubric = rubric_read(GOOD)
    assert rubric.criteria[0].options == (OptionText(0, "No"), OptionText(1, "Yes"))
    assert rubric.criteria[1].options == (OptionText(0, "No"), OptionText(10, "Yes", "All of it: really"))
    assert rubric.criteria[1].scale == Scale.LIKERT
    assert rubric.criteria[2] == CriterionText(
        "fine", "", Scale.BINARY, (OptionText(0, "No"), OptionText(1, "Yes")), "natural"
    )


def test_json_is_read_too_with_tabs() -> None:
    text = json.dumps(
        {"name": "mine", "title": "Größe/“x”", "criteria": [{"code": "a", "question": "?\t", "scale": "binary"}]},
        indent="\t",
    )
    assert rubric_read(text).title == "Größe/“x”"


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (("name: mine", "name: My Rubric"), (1, "name")),
        (("name: mine", "nmae: mine"), (1, "rubric")),
        (("title: Mine", "title: ''"), (2, "title")),
        (("title: Mine", "title: [a]"), (2, "title")),
        (("title: Mine", f"title: {'x' * 121}"), (2, "title")),
        (("code: natural", "code: is natural"), (4, "criteria 1.code")),
        (("code: points", "code: natural"), (7, "criteria 2.code")),
        (("code: points", "code: item"), (7, "criteria 2.code")),
        (("    question: How much?\n", ""), (7, "criteria 2.question")),
        (("scale: binary", "scale: stars"), (6, "criteria 1.scale")),
        (("value: 10", "value: ten"), (11, "criteria 2.options 2.value")),
        (("value: 10", "value: 0"), (11, "criteria 2.options 2.value")),
        (("value: 10", "value: 1.5"), (11, "criteria 2.options 2.value")),
        (("label: No", "help: No"), (10, "criteria 2.options 1.label")),
        (("formula: natural", "formula: points"), (13, "criteria 3.formula")),
        (("formula: natural", "formula: natural +"), (13, "criteria 3.formula")),
        (("formula: natural", "formula: __import__('os')"), (13, "criteria 3.formula")),
        (("title: Mine", "title: Mine\ntitle: Yours"), (3, "rubric.title")),
        (("title: Mine", "title: &a Mine\ninstructions: *a"), (3, "rubric")),
        (("title: Mine", "title: 'Mine"), (14, "rubric")),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_field(change: tuple[str, str], where: tuple[int, str]) -> None:
    assert where in problems(GOOD.replace(*change, 1))


def test_all_problems_are_said_at_once() -> None:
    assert problems("name: A b\ntitle: ''\ncriteria: 3\n") == [(1, "name"), (3, "criteria"), (2, "title")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "- 1",
        "3",
        "{",
        '{"name": 1,}',
        "[" * 3000,
        "name: \ud800",
        "a: b: c",
        "---\na: 1\n---\nb: 2",
        "\0",
        "x" * 60_000,
    ],
)
def test_what_is_no_rubric_at_all_is_refused_in_words(text: str) -> None:
    assert problems(text)


_WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co", "Zl", "Zp")), max_size=60)


@given(
    title=_WORDS.filter(str.strip),
    instructions=_WORDS,
    question=_WORDS.filter(str.strip),
    label=_WORDS.filter(str.strip),
)
@settings(max_examples=150, deadline=None)
def test_whatever_people_write_reads_back(title: str, instructions: str, question: str, label: str) -> None:
    options = (OptionText(-3, label.strip(), question.strip()), OptionText(4, label.strip()))
    criterion = CriterionText("a-b_c", question.strip(), Scale.LIKERT, options)
    rubric = RubricText("mine", title.strip(), instructions.strip(), (criterion,))
    assert rubric_read(rubric_write(rubric)) == rubric


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_no_text_breaks_the_reader(text: str) -> None:
    with suppress(RubricFormatError):
        rubric_read(text)
