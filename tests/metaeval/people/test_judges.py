"""Judges against people."""

import numpy as np
import pytest

from metaeval.stats.people.judges import CONSTANT, HELD_OUT, JudgeRow, judges_against_people
from metaeval.stats.simulation import Population, draw_study

STUDY = draw_study(Population(prompts=20, generators=3), seed=8)
N = STUDY.design.size


def rows_of(**judges: np.ndarray) -> dict[str, JudgeRow]:
    rows = judges_against_people(judges, STUDY.ratings, STUDY.design, criterion="faithful", scale=(0, 4))
    return {row.judge: row for row in rows}


def test_a_judge_is_measured_by_its_mean_absolute_difference_unrounded() -> None:
    answers = np.rint(STUDY.labels + 0.7)
    row = rows_of(judge=answers)["judge"]
    assert row.difference.value == pytest.approx(np.abs(answers - STUDY.labels).mean(), abs=1e-12)
    assert row.scaled == pytest.approx(np.abs(answers - STUDY.labels).mean() / 4)
    assert row.bias == pytest.approx((answers - STUDY.labels).mean())
    assert row.difference.ci_low is not None
    assert row.difference.ci_high is not None
    assert row.difference.value is not None
    assert row.difference.ci_low < row.difference.value < row.difference.ci_high
    assert row.difference.ci_unit == "prompt"


def test_failures_are_counted_and_never_filled_in() -> None:
    whole = STUDY.labels + 1
    holed = whole.copy()
    holed[:6] = np.nan
    rows = rows_of(whole=whole, holed=holed)
    assert (rows["holed"].failures, rows["whole"].failures) == (6, 0)
    assert (rows["holed"].difference.n, rows["whole"].difference.n) == (N - 6, N)
    assert {row.shared for row in rows.values()} == {N - 6}
    assert rows["whole"].on_shared == pytest.approx(1)


def test_the_constant_judge_gives_the_mean_of_the_other_samples() -> None:
    expected = np.mean([abs(np.delete(STUDY.labels, i).mean() - STUDY.labels[i]) for i in range(N)])
    row = rows_of(judge=STUDY.labels)[CONSTANT]
    assert row.is_yardstick
    assert row.difference.value == pytest.approx(expected)


def test_the_held_out_rater_is_the_mean_over_all_ways_to_hold_one_out() -> None:
    ways = [
        np.abs(STUDY.ratings[rater] - np.delete(STUDY.ratings, rater, axis=0).mean(axis=0)).mean() for rater in range(3)
    ]
    row = rows_of(judge=STUDY.labels)[HELD_OUT]
    assert row.difference.value == pytest.approx(np.mean(ways))
    assert row.bias == pytest.approx(0, abs=1e-12)


def test_a_judge_that_never_answers_is_a_named_undefined() -> None:
    row = rows_of(judge=np.full(N, np.nan))["judge"]
    assert row.difference.value is None
    assert row.difference.note.startswith("undefined: no sample")
    assert (row.failures, row.scaled, row.on_shared) == (N, None, None)


def test_a_scale_without_range_is_refused() -> None:
    with pytest.raises(ValueError, match="scale: expected its lowest and highest"):
        judges_against_people({}, STUDY.ratings, STUDY.design, criterion="x", scale=(4, 4))


def test_with_an_oracle_judges_and_raters_are_held_against_its_labels() -> None:
    oracle, users = STUDY.ratings[0].copy(), STUDY.ratings[1:]
    oracle[:4] = np.nan
    answers = {"judge": STUDY.ratings[1]}
    rows = judges_against_people(
        answers, users, STUDY.design, criterion="x", scale=(0, 4), labels=oracle, is_oracle=True
    )
    found = {row.judge: row.difference for row in rows}
    differences = np.abs(users - oracle)[:, 4:]
    assert found["judge"].value == pytest.approx(differences[0].mean())
    assert found[HELD_OUT].value == pytest.approx(differences.mean())
    assert {estimate.n for estimate in found.values()} == {N - 4}


def test_labels_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=f"labels: expected a label for each of {N} samples"):
        judges_against_people({}, STUDY.ratings, STUDY.design, criterion="x", scale=(0, 4), labels=STUDY.labels[1:])


def test_answers_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match=r"judges\['short'\]"):
        rows_of(short=STUDY.labels[1:])
