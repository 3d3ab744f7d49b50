"""Derived criteria as formulas over arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.qc import evaluate_formula
from metaeval.report.config.formula import Formula, FormulaError

A, B = np.array([0.0, 1.0, 2.0, 4.0]), np.array([4.0, 3.0, 0.0, 4.0])

formulas = st.recursive(
    st.sampled_from(["a", "b", "c"]),
    lambda inner: st.one_of(
        inner.map(lambda part: f"not ({part})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})"),
    ),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(formula=formulas, answers=st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=5))
def test_on_binary_criteria_it_says_what_the_site_says(formula: str, answers: list[tuple[int, int, int]]) -> None:
    table = np.array(answers, dtype=float)
    values = {name: table[:, place] for place, name in enumerate("abc")}
    expected = [evaluate_formula(formula, dict(zip("abc", row, strict=True))) for row in answers]
    assert Formula.parse(formula).evaluate(values).tolist() == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a >= 2 and b >= 2", [0, 0, 0, 1]),
        ("a >= 2 or not b < 3", [1, 1, 1, 1]),
        ("1 <= a < 4", [0, 1, 1, 0]),
        ("(a + b) / 2", [2, 2, 1, 4]),
        ("a - -b * 0.5", [2, 2.5, 2, 6]),
        ("a == b", [0, 0, 0, 1]),
        ("a != b", [1, 1, 1, 0]),
        ("(a > 1) + (b > 1)", [1, 1, 1, 2]),
        ("a >= 2\n  and b >= 2", [0, 0, 0, 1]),
        ("`a` + b", [4, 4, 2, 8]),
    ],
)
def test_comparisons_and_arithmetic(text: str, expected: list[float]) -> None:
    formula = Formula.parse(text)
    assert formula.needs == ("a", "b")[: len(formula.needs)]
    assert formula.evaluate({"a": A, "b": B}).tolist() == expected


def test_names_that_are_no_identifiers_stand_in_backticks() -> None:
    formula = Formula.parse("`text-match 1` >= 2 and not `and`")
    assert formula.needs == ("text-match 1", "and")
    assert formula.evaluate({"text-match 1": A, "and": np.array([0.0, 1, 0, 1])}).tolist() == [0, 0, 1, 0]


def test_a_likert_criterion_is_no_yes_without_a_cut() -> None:
    with pytest.raises(FormulaError, match=r"expected 0 or 1 from a, found 2: compare it \(a >= ...\) or give it"):
        Formula.parse("a and b").evaluate({"a": A, "b": (A > 0).astype(float)})
    positives = {"a": A >= 2, "b": B >= 3}
    assert Formula.parse("a and b").evaluate({"a": A, "b": B}, positives=positives).tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "text",
    ["", "a and", "a.b", "f(a)", "a[0]", "a ** b", "a if b else a", "lambda: a", "[a]", "'a'", "a := 1", "1", "True",
     "a % 2", "a in b", "a is b", "a\0", "a)(b", "(" * 300 + "a" + ")" * 300, "a" * 2000, "a; b", "`a", "await a"],
)  # fmt: skip
def test_nothing_else_is_understood(text: str) -> None:
    with pytest.raises(FormulaError, match=r"^expected"):
        Formula.parse(text)


def test_a_division_by_zero_is_an_error_and_not_a_number() -> None:
    with pytest.raises(FormulaError, match="expected finite numbers"):
        Formula.parse("b / a").evaluate({"a": A, "b": B})


def test_a_number_is_no_yes() -> None:
    with pytest.raises(FormulaError, match="expected yes or no"):
        Formula.parse("a + b and b").evaluate({"a": A, "b": (B > 0).astype(float)})
