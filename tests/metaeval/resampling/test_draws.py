"""Bootstrap and leave-one-out as matrices of weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats.design import Design, Unit
from metaeval.stats.resampling import draw_weights, jackknife_weights
from metaeval.stats.resampling.draws import JACKKNIFE_GROUPS

DESIGN = Design(np.array([4, 4, 7, 7, 9, 9, 9]), np.array([0, 1, 0, 1, 0, 1, 3]))


@given(st.sampled_from(["prompt", "sample", "generator"]), st.integers(1, 40), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_every_replicate_draws_as_many_units_as_there_are(unit: Unit, replicates: int, seed: int) -> None:
    weights = draw_weights(DESIGN, unit=unit, replicates=replicates, seed=seed)
    units = {"prompt": 3, "sample": 7, "generator": 3}[unit]
    assert weights.counts.shape == (replicates, units)
    assert np.all(weights.counts.sum(axis=1) == units)


def test_samples_of_one_prompt_are_drawn_together() -> None:
    expanded = draw_weights(DESIGN, unit="prompt", replicates=50, seed=1).expand()
    for prompt in np.unique(DESIGN.prompt):
        of_prompt = expanded[:, DESIGN.prompt == prompt]
        assert np.all(of_prompt == of_prompt[:, :1])


def test_prompts_and_generators_drawn_together_give_products() -> None:
    weights = draw_weights(DESIGN, unit="prompt+generator", replicates=200, seed=1)
    expanded = weights.expand()
    assert weights.counts.shape == (200, 7)
    # Two prompts that have the same two generators: their weights are proportional.
    assert np.all(expanded[:, 0] * expanded[:, 3] == expanded[:, 1] * expanded[:, 2])
    assert expanded.mean() == pytest.approx(1, abs=0.25)


def test_one_seed_gives_one_draw_and_another_another() -> None:
    first, again, other = (draw_weights(DESIGN, replicates=30, seed=seed).counts for seed in (5, 5, 6))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_the_jackknife_leaves_each_unit_out_once() -> None:
    left_out = jackknife_weights(DESIGN, "prompt").expand() == 0
    assert [set(DESIGN.prompt[row]) for row in left_out] == [{4}, {7}, {9}]


def test_many_units_are_left_out_in_groups_of_about_one_size() -> None:
    many = Design(np.arange(4_500), np.zeros(4_500, dtype=np.intp))
    weights = jackknife_weights(many, "sample")
    assert weights.replicates == JACKKNIFE_GROUPS
    assert set(np.bincount(weights.unit_of)) == {2, 3}


def test_units_that_cannot_be_drawn_are_named() -> None:
    with pytest.raises(
        ValueError, match="unit: expected prompt, sample, generator or prompt\\+generator, found 'rater'"
    ):
        draw_weights(DESIGN, unit="rater", replicates=3, seed=0)
    with pytest.raises(ValueError, match="replicates: expected at least 1, found 0"):
        draw_weights(DESIGN, replicates=0, seed=0)
    with pytest.raises(ValueError, match="use percentiles"):
        jackknife_weights(DESIGN, "prompt+generator")
