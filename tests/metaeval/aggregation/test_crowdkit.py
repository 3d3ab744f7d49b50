"""Dawid-Skene and MACE against crowd-kit, which is too heavy to install with the tests.

`crowdkit.json` was made with crowd-kit 1.4.2 (NumPy 2.4.6, pandas 3.1.1, CPython 3.11) on 40 samples of 3 categories,
each rated by 5 of 7 simulated raters (NumPy's default_rng(20240607); accuracies .95, .9, .8, .75, .65, .5 and .34):
`DawidSkene(n_iter=N, tol=-inf).fit_predict_proba` for N = 1 and 20, and
`MACE(n_restarts=10, n_iter=50, random_state=0).fit_predict_proba` with `spamming_` normalised as the competence.
MACE's rows went in sorted by worker, label and task, so that the orders of appearance and of sorting are the same.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metaeval.stats.aggregation import aggregate, dawid_skene, mace


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    return json.loads((Path(__file__).parent / "crowdkit.json").read_text())


@pytest.fixture(scope="module")
def table(golden: dict[str, Any]) -> np.ndarray:
    return np.array([[np.nan if value is None else value for value in row] for row in golden["ratings"]], float)


@pytest.mark.parametrize("iterations", [1, 20])
def test_dawid_skene_has_crowd_kits_posteriors(golden: dict[str, Any], table: np.ndarray, iterations: int) -> None:
    # Without smoothing, from the same start, after the same number of rounds.
    found = dawid_skene(table, smoothing=0.0, iterations=iterations, tolerance=-np.inf)
    assert found.iterations == iterations
    np.testing.assert_allclose(found.posteriors, golden[f"dawid_skene_{iterations}"], atol=1e-6)


def test_mace_has_crowd_kits_labels_and_order_of_competence(golden: dict[str, Any], table: np.ndarray) -> None:
    # Both start at random, so they agree only as far as both have converged.
    found = mace(table)
    assert found.posteriors.argmax(axis=1).tolist() == golden["mace"]["labels"]
    assert np.argsort(found.competence).tolist() == np.argsort(golden["mace"]["competence"]).tolist()
    np.testing.assert_allclose(found.posteriors, golden["mace"]["posteriors"], atol=1e-4)
    np.testing.assert_allclose(found.competence, golden["mace"]["competence"], atol=1e-4)


def test_labels_without_an_order_are_the_most_probable_category(golden: dict[str, Any], table: np.ndarray) -> None:
    assert aggregate(table, method="mace", ordered=False).values.tolist() == golden["mace"]["labels"]
