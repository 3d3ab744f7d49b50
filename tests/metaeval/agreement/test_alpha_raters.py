"""The uncertainty of alpha over raters, without the agreement of a rater with their own copy."""

import itertools

import numpy as np
import pytest

from metaeval.stats.agreement import Measurement, alpha_over_raters, krippendorff_alpha
from metaeval.stats.agreement.alpha import ratio_difference
from metaeval.stats.agreement.alpha_raters import weighted_alpha
from metaeval.stats.agreement.pairable import pairable

MEASUREMENTS: list[Measurement] = ["nominal", "ordinal", "interval", "ratio"]


def study(raters: int, *, units: int = 200, noise: float = 0.75, seed: int = 0, missing: float = 0.0) -> np.ndarray:
    random = np.random.default_rng(seed)
    ratings = np.clip(np.round(3 + random.normal(size=units) + noise * random.normal(size=(raters, units))), 1, 5)
    return np.where(random.random(ratings.shape) < missing, np.nan, ratings)


def by_definition(ratings: np.ndarray, weights: np.ndarray, measurement: Measurement) -> float:
    """The sums of the module's docstring, written out pair by pair."""
    given = [
        [(r, ratings[r, u]) for r in range(len(ratings)) if weights[r] and not np.isnan(ratings[r, u])]
        for u in range(ratings.shape[1])
    ]
    units = [unit for unit in given if len(unit) >= 2]
    entries = [(number, r, v) for number, unit in enumerate(units) for r, v in unit]
    times = {value: sum(weights[r] for _, r, v in entries if v == value) for value in {v for _, _, v in entries}}

    def rank(value: float) -> float:
        return sum(n for v, n in times.items() if v < value) + times[value] / 2

    def delta(a: float, b: float) -> float:
        if measurement == "nominal":
            return float(a != b)
        if measurement == "ratio":
            return float(ratio_difference(np.array(a), np.array(b)))
        return (rank(a) - rank(b)) ** 2 if measurement == "ordinal" else (a - b) ** 2

    observed = total = 0.0
    for unit in units:
        pairs = [(weights[r] * weights[s], delta(a, b)) for (r, a), (s, b) in itertools.permutations(unit, 2)]
        size = sum(weights[r] for r, _ in unit)
        observed += size * sum(w * d for w, d in pairs) / sum(w for w, _ in pairs)
        total += size
    between = [
        (weights[r] * weights[s], delta(a, b))
        for (u, r, a), (v, s, b) in itertools.product(entries, repeat=2)
        if (u, r) != (v, s)
    ]
    return 1 - (observed / total) / (sum(w * d for w, d in between) / sum(w for w, _ in between))


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_weighted_alpha_is_what_its_definition_says(measurement: Measurement) -> None:
    ratings = study(4, units=9, missing=0.25)
    for weights in ([1, 1, 1, 1], [2, 1, 0, 1], [3, 1, 0, 0]):
        found = weighted_alpha(pairable(ratings), np.array(weights, float), measurement=measurement)
        assert found == pytest.approx(by_definition(ratings, np.array(weights, float), measurement), abs=1e-12)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_every_rater_once_is_alpha_itself(measurement: Measurement) -> None:
    ratings = study(5, missing=0.3)
    found = weighted_alpha(pairable(ratings), np.ones(5), measurement=measurement)
    assert found == pytest.approx(krippendorff_alpha(ratings, measurement=measurement), abs=1e-12)


def test_naive_resampling_of_three_raters_inflates_alpha_and_ours_does_not() -> None:
    ratings = study(3, units=400)
    alpha = krippendorff_alpha(ratings, measurement="interval")
    assert alpha is not None
    pairs, naive, ours = pairable(ratings), [], []
    for rows in itertools.product(range(3), repeat=3):
        naive.append(krippendorff_alpha(ratings[list(rows)], measurement="interval"))
        ours.append(weighted_alpha(pairs, np.bincount(rows, minlength=3).astype(float), measurement="interval"))
    assert np.mean(np.array(naive, float)) > alpha + 0.08
    assert np.nanmean(ours) == pytest.approx(alpha, abs=0.01)


def test_one_rater_drawn_alone_has_no_agreement() -> None:
    assert np.isnan(weighted_alpha(pairable(study(3)), np.array([3.0, 0, 0]), measurement="ordinal"))


def test_few_raters_get_the_leave_one_out_range() -> None:
    ratings = study(4, missing=0.2)
    found = alpha_over_raters(ratings, measurement="ordinal")
    without = np.array(
        [krippendorff_alpha(np.delete(ratings, rater, axis=0), measurement="ordinal") for rater in range(4)], float
    )
    assert (found.method, found.low, found.high) == ("leave-one-out range", without.min(), without.max())


def test_two_raters_have_no_range_and_say_why() -> None:
    found = alpha_over_raters(study(2), measurement="ordinal")
    assert found.low is None
    assert found.note.startswith("undefined")


def test_ten_raters_get_a_bootstrap_interval_around_alpha() -> None:
    ratings = study(12, missing=0.5)
    found = alpha_over_raters(ratings, measurement="interval", replicates=200, seed=3)
    alpha = krippendorff_alpha(ratings, measurement="interval")
    assert found.method == "bootstrap percentile"
    assert alpha is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low < alpha < found.high
    again = alpha_over_raters(ratings, measurement="interval", replicates=200, seed=3)
    assert found.replicates is not None
    assert again.replicates is not None
    assert np.array_equal(found.replicates, again.replicates)
