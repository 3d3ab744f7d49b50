"""What things are called, and how numbers are printed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metaeval.report.naming import cluster_letter, interval_name, level_name, slug, slugs, statistic_name
from metaeval.report.numerals import count_range, interval, number, probability, with_interval
from metaeval.stats.association import STATISTICS


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("kendall_b", "Kendall τ-b"),
        ("auc_roc", "AUC-ROC"),
        ("auc_roc@>=3", "AUC-ROC (≥ 3)"),
        ("alpha_ordinal_over_raters", "Krippendorff α, ordinal, over raters"),
        ("something_new", "something new"),
    ],
)
def test_statistics_have_names_for_people(key: str, name: str) -> None:
    assert statistic_name(key) == name


def test_every_statistic_that_is_computed_has_a_name_of_its_own() -> None:
    assert [key for key in STATISTICS if statistic_name(key) == key] == []
    assert len({statistic_name(key) for key in STATISTICS}) == len(STATISTICS)


def test_levels_have_names_for_people() -> None:
    assert level_name("sample") == "sample by sample"


def test_a_range_is_not_called_a_95_percent_interval() -> None:
    assert interval_name("bootstrap percentile", "prompt") == "95% bootstrap percentile over prompts"
    assert interval_name("leave-one-out range", "generator") == "leave-one-out range over generators"


@pytest.mark.parametrize(("place", "letter"), [(1, "a"), (26, "z"), (27, "aa"), (52, "az"), (53, "ba")])
def test_clusters_are_lettered(place: int, letter: str) -> None:
    assert cluster_letter(place) == letter


@given(st.lists(st.text(max_size=12), unique=True, max_size=12))
def test_every_name_gets_a_file_name_of_its_own(names: list[str]) -> None:
    found = slugs(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    assert all(name and set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") for name in found.values())


def test_a_slug_keeps_letters_without_their_accents() -> None:
    assert slug("Natürlichkeit / Gesamt") == "naturlichkeit-gesamt"


def test_numbers_carry_their_interval_and_a_true_minus() -> None:
    assert with_interval(0.47123, 0.4099, 0.5211) == "0.47 [0.41, 0.52]"
    assert number(-0.3) == "−0.30"
    assert interval(-0.001, 0.2) == "[0.00, 0.20]"
    assert number(1234567.0) == "1,234,567"
    assert number(None) == interval(None, 0.3) == ""
    assert number(0.0) == "0.00"
    assert number(0.00003) == "3.0e−05"


def test_small_probabilities_are_bounded() -> None:
    assert probability(0.0004) == "< 0.001"
    assert probability(0.0341) == "0.034"
    assert count_range([480, 324]) == "324–480"
