"""What Dawid-Skene and MACE must do whatever the data: find good raters, and survive odd tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.stats.aggregation import AggregationRefused, Method, aggregate, dawid_skene, mace

nan = np.nan


def crowd(*, units: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two good raters and three who mostly guess, so that the majority is often wrong."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, 3, size=units).astype(float)
    accuracy = np.array([0.95, 0.9, 0.2, 0.15, 0.1])[:, None]
    guess = random.integers(0, 3, size=(5, units)).astype(float)
    return truth, np.where(random.random((5, units)) < accuracy, truth, guess)


@pytest.mark.parametrize("method", ["dawid_skene", "mace"])
def test_models_beat_the_majority_when_most_raters_guess(method: Method) -> None:
    truth, table = crowd()
    right = np.mean(aggregate(table, method=method, ordered=False).values == truth)
    assert right > np.mean(aggregate(table, method="majority", ordered=False).values == truth) + 0.05


def test_confusion_and_competence_name_the_good_raters() -> None:
    _, table = crowd()
    diagonal = dawid_skene(table).confusion.diagonal(axis1=1, axis2=2).mean(axis=1)
    competence = mace(table).competence
    assert diagonal[:2].min() > diagonal[2:].max()
    assert competence[:2].min() > competence[2:].max()


def test_a_rater_who_swaps_two_categories_still_informs_dawid_skene() -> None:
    random = np.random.default_rng(1)
    truth = random.integers(0, 2, size=200).astype(float)
    noisy = np.where(random.random((3, 200)) < 0.75, truth, 1 - truth)
    table = np.vstack([noisy, 1 - truth])  # the last one is always wrong, that is, always right
    assert np.mean(aggregate(table, method="dawid_skene", ordered=False).values == truth) > 0.97


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(arrays(float, (4, 8), elements=st.sampled_from([1.0, 2.0, 5.0, nan])))
def test_posteriors_are_probabilities_and_labels_stay_on_the_scale(table: np.ndarray) -> None:
    rated = (~np.isnan(table)).any(axis=0)
    for fitted in (dawid_skene(table), mace(table, restarts=2)):
        assert np.isnan(fitted.posteriors[~rated]).all()
        if rated.any():
            np.testing.assert_allclose(fitted.posteriors[rated].sum(axis=1), 1.0)
    for method in ("dawid_skene", "mace"):
        values = aggregate(table, method=method).values
        assert np.array_equal(np.isnan(values), ~rated)
        assert ((values[rated] >= 1 - 1e-9) & (values[rated] <= 5 + 1e-9)).all()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "table",
    [
        np.array([[1.0, 2.0, 3.0]]),  # one rater
        np.array([[1.0], [2.0], [2.0]]),  # one unit
        np.full((3, 4), 2.0),  # all equal
        np.full((3, 4), nan),  # all missing
        np.array([[1.0, nan], [nan, nan]]),
        np.empty((0, 3)),
        np.empty((3, 0)),
    ],
)
def test_odd_tables_are_survived_without_a_warning(table: np.ndarray) -> None:
    for method in ("mean", "median", "majority", "dawid_skene", "mace"):
        found = aggregate(table, method=method)
        assert np.array_equal(np.isnan(found.values), found.counts == 0)
    assert dawid_skene(table).posteriors.shape[0] == table.shape[1]
    assert mace(table).posteriors.shape[0] == table.shape[1]


@pytest.mark.parametrize("method", ["dawid_skene", "mace"])
def test_one_category_is_certain(method: Method) -> None:
    assert aggregate(np.full((3, 4), 2.0), method=method).values.tolist() == pytest.approx([2.0] * 4)


def test_the_same_seed_gives_the_same_mace() -> None:
    _, table = crowd(units=40)
    assert np.array_equal(mace(table, seed=4).posteriors, mace(table, seed=4).posteriors)


@pytest.mark.parametrize("method", ["dawid_skene", "mace"])
def test_continuous_ratings_are_refused_by_name(method: Method) -> None:
    with pytest.raises(AggregationRefused, match=f"{method}: expected at most 101 different values, found 200"):
        aggregate(np.random.default_rng(0).normal(size=(2, 100)), method=method)
