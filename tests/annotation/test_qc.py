import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.qc import FormulaError, GoldQuestion, GoldRule, evaluate_formula, judge_gold, parse_formula

values = st.integers(0, 4)


def question(expected: int, answered: int | None, tolerance: int = 1) -> GoldQuestion:
    return GoldQuestion(
        expected={"naturalness": expected},
        tolerance={"naturalness": tolerance},
        answered={} if answered is None else {"naturalness": answered},
    )


@given(values, values, st.integers(0, 4))
def test_a_gold_question_fails_when_off_by_more_than_the_tolerance(
    expected: int, answered: int, tolerance: int
) -> None:
    assert question(expected, answered, tolerance).failed == (abs(expected - answered) > tolerance)


def test_one_criterion_that_is_off_fails_the_question_and_so_does_none() -> None:
    half_right = GoldQuestion({"a": 4, "b": 0}, {"a": 1, "b": 1}, {"a": 4, "b": 3})
    assert half_right.failed
    assert question(4, None).failed


@pytest.mark.parametrize(("failures", "passes"), [(0, True), (2, True), (3, False), (5, False)])
def test_an_assignment_fails_with_more_than_two_of_five(failures: int, passes: bool) -> None:
    questions = [question(4, 0 if number < failures else 4) for number in range(5)]
    verdict = judge_gold(questions, GoldRule())
    assert (verdict.shown, verdict.failed, verdict.passes) == (5, failures, passes)


def test_without_gold_there_is_nothing_against_an_assignment() -> None:
    assert judge_gold([], GoldRule(0)).passes


@given(st.dictionaries(st.sampled_from(["a", "b"]), st.integers(0, 1), min_size=2, max_size=2))
def test_formulas_mean_what_python_means(answers: dict[str, int]) -> None:
    a, b = answers["a"], answers["b"]
    assert evaluate_formula("a and b", answers) == int(a and b)
    assert evaluate_formula("a or not b", answers) == int(a or not b)
    assert evaluate_formula("not (a and b)", answers) == int(not (a and b))


def test_a_formula_without_its_answers_has_no_value() -> None:
    assert evaluate_formula("a and b", {"a": 1}) is None


@pytest.mark.parametrize("formula", ["a + b", "__import__('os')", "a and", "a and c", "a if b else a", "1", "a.b"])
def test_anything_but_and_or_not_is_refused(formula: str) -> None:
    with pytest.raises(FormulaError, match="formula"):
        parse_formula(formula, known={"a", "b"})
