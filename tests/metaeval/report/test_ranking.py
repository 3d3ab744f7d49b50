"""What comes first."""

from dataclasses import replace

from metaeval.report.ranking import (
    Family,
    criteria_of,
    families_compared,
    levels_of,
    metrics_in_order,
    primary_family,
    statistics_of,
    two_best,
)
from metaeval.report.results import Correlation
from tests.metaeval.report.example import make_example

FINDING = make_example(prompts=12).finding


def test_the_primary_family_is_the_one_that_was_named() -> None:
    assert primary_family(FINDING) == Family("naturalness", "sample", "kendall_b")
    other = replace(FINDING, primary={"criterion": "faithfulness", "level": "generator", "statistic": "ks"})
    assert primary_family(other) == Family("faithfulness", "generator", "ks")
    assert criteria_of(other) == ("faithfulness", "naturalness")
    assert statistics_of(other, "naturalness", "sample")[0] == "ks"


def test_without_a_name_or_with_a_wrong_one_something_that_was_computed_comes_first() -> None:
    for primary in ({}, {"criterion": "no such", "statistic": "no such"}):
        assert primary_family(replace(FINDING, primary=primary)) == Family("naturalness", "sample", "kendall_b")


def test_metrics_are_ordered_by_the_primary_statistic_and_undefined_ones_come_last() -> None:
    order = metrics_in_order(FINDING)
    values = {row.metric: row.value for row in FINDING.correlations if primary_family(FINDING).holds(row)}
    defined = [values[name] for name in order[:-2]]
    assert defined == sorted(defined, key=lambda value: -(value or 0.0))
    assert set(order[-2:]) == {"constant", "FID"}
    assert len(order) == len(FINDING.metrics)


def test_other_cuts_stand_apart() -> None:
    assert "auc_roc@>=4" not in statistics_of(FINDING, "naturalness", "sample")
    assert statistics_of(FINDING, "naturalness", "sample", at_other_cuts=True) == ("auc_roc@>=4",)


def test_what_was_compared_starts_with_the_primary_family() -> None:
    assert families_compared(FINDING)[0] == primary_family(FINDING)
    assert levels_of(FINDING, "naturalness") == ("sample", "prompt", "generator")


def test_an_empty_finding_has_no_family() -> None:
    empty = replace(FINDING, correlations=(), comparisons=(), agreement=(), metrics=())
    assert primary_family(empty) == Family("", "", "")
    assert metrics_in_order(empty) == ()


def test_a_count_which_grows_with_n_has_no_best_value() -> None:
    def rows(statistic: str) -> list[Correlation]:
        return [
            Correlation("naturalness", name, "sample", statistic, value, 9) for name, value in (("a", 5.0), ("b", 3.0))
        ]

    assert two_best(FINDING, rows("kendall_b")) == [5.0, 3.0]
    assert two_best(FINDING, rows("mann_whitney_u")) == []
    assert two_best(FINDING, rows("mann_whitney_u@>=3")) == []
