import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.stats.association.registry import STATISTICS
from metaeval.stats.design import Floats
from tests.metaeval.association.oracles import copies, oracle

pytestmark = pytest.mark.slow

tied = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0])
untied = st.floats(-1e3, 1e3, allow_subnormal=False).map(lambda value: round(value, 6))
sizes = st.integers(2, 40)
names = pytest.mark.parametrize("name", list(STATISTICS))
RANKED = [name for name in STATISTICS if name != "pearson"]
SYMMETRIC = ["pearson", "spearman", "kendall_b", "kendall_c", "acc_eq"]
# What turning the score's sign makes of the value; the areas under precision-recall have no such rule.
TURNED = {
    "pearson": lambda value: -value,
    "spearman": lambda value: -value,
    "kendall_b": lambda value: -value,
    "kendall_c": lambda value: -value,
    "somers_d": lambda value: -value,
    "auc_roc": lambda value: 1.0 - value,
    "ks": lambda value: value,
}


def draw_case(data: st.DataObject, name: str) -> tuple[Floats, Floats, Floats]:
    size = data.draw(sizes)
    x = data.draw(arrays(float, size, elements=data.draw(st.sampled_from([tied, untied]))))
    y = data.draw(arrays(float, size, elements=data.draw(st.sampled_from([tied, untied]))))
    if STATISTICS[name].needs == "classes":
        y = (y > np.median(y)).astype(float)
    weights = data.draw(arrays(float, (3, size), elements=st.sampled_from([0.0, 1.0, 1.0, 2.0, 5.0])))
    return x, y, weights


def large_case(name: str, *, size: int, labels: int | None, seed: int = 0) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    y = rng.normal(size=size) if labels is None else rng.integers(0, labels, size) / 3.0
    x = np.round(y + rng.normal(size=size), 2)
    return x, (y > y.mean()).astype(float) if STATISTICS[name].needs == "classes" else y


@names
@settings(max_examples=25)
@given(data=st.data())
def test_a_weight_stands_for_so_many_copies(name: str, data: st.DataObject) -> None:
    x, y, weights = draw_case(data, name)
    expected = [oracle(name, copies(x, row), copies(y, row)) for row in weights]
    statistic = STATISTICS[name]
    assert statistic.pooled(x, y, weights) == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert statistic.rows is not None
    stacked = [np.tile(side, (3, 1)) for side in (x, y)]
    assert statistic.rows(stacked[0], stacked[1], weights) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@names
@pytest.mark.parametrize(("size", "labels"), [(700, 13), (1500, None), (900, 2)])
def test_large_samples_equal_the_oracle_on_copies(name: str, size: int, labels: int | None) -> None:
    x, y = large_case(name, size=size, labels=labels)
    weights = np.random.default_rng(1).multinomial(size, np.full(size, 1 / size), size=70).astype(float)
    values = STATISTICS[name].pooled(x, y, weights)
    # scipy's Somers' D takes a second for a thousand continuous labels.
    for replicate in (0, 40, 69) if name != "somers_d" or labels else ():
        expected = oracle(name, copies(x, weights[replicate]), copies(y, weights[replicate]))
        assert values[replicate] == pytest.approx(expected, abs=1e-9)


def test_one_tie_group_larger_than_a_block_is_counted_right() -> None:
    rng = np.random.default_rng(2)
    x = np.where(rng.random(2000) < 0.6, 0.0, rng.normal(size=2000))
    y = np.where(rng.random(2000) < 0.5, 0.0, x + rng.normal(size=2000))
    values = STATISTICS["kendall_b"].pooled(x, y, np.ones((1, 2000)))
    assert values[0] == pytest.approx(oracle("kendall_b", x, y), abs=1e-12)


@pytest.mark.parametrize("scale", [0.5, 100.0, 1e4])
def test_pair_counts_are_exact_for_weights_that_single_precision_cannot_hold(scale: float) -> None:
    x, y = large_case("kendall_b", size=600, labels=13)
    weights = np.random.default_rng(3).integers(0, 5, (4, 600)).astype(float)
    small = STATISTICS["kendall_b"].pooled(x, y, weights)
    assert STATISTICS["kendall_b"].pooled(x, y, weights * scale) == pytest.approx(small, abs=1e-12)


@names
@settings(max_examples=10)
@given(data=st.data())
def test_order_of_samples_does_not_matter(name: str, data: st.DataObject) -> None:
    x, y, weights = draw_case(data, name)
    order = np.random.default_rng(0).permutation(len(x))
    turned = STATISTICS[name].pooled(x[order], y[order], weights[:, order])
    assert turned == pytest.approx(STATISTICS[name].pooled(x, y, weights), abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", RANKED)
@settings(max_examples=10)
@given(data=st.data())
def test_rank_statistics_see_only_the_order_of_scores(name: str, data: st.DataObject) -> None:
    x, y, weights = draw_case(data, name)
    ranks = np.asarray(np.unique(x, return_inverse=True)[1] ** 3.0 + 7.0, dtype=np.float64)
    assert STATISTICS[name].pooled(ranks, y, weights) == pytest.approx(
        STATISTICS[name].pooled(x, y, weights), abs=1e-12, nan_ok=True
    )


@pytest.mark.parametrize("name", list(TURNED))
@settings(max_examples=10)
@given(data=st.data())
def test_turning_the_sign_of_scores_turns_the_value(name: str, data: st.DataObject) -> None:
    x, y, weights = draw_case(data, name)
    expected = TURNED[name](STATISTICS[name].pooled(x, y, weights))
    assert STATISTICS[name].pooled(-x, y, weights) == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", SYMMETRIC)
@settings(max_examples=10)
@given(data=st.data())
def test_symmetric_statistics_do_not_tell_scores_from_labels(name: str, data: st.DataObject) -> None:
    x, y, weights = draw_case(data, name)
    pooled = STATISTICS[name].pooled
    assert pooled(x, y, weights) == pytest.approx(pooled(y, x, weights), abs=1e-9, nan_ok=True)


@settings(max_examples=25)
@given(data=st.data())
def test_two_by_two_identities_hold(data: st.DataObject) -> None:
    """For 0/1 scores against 0/1 labels KS = |2 AUC - 1| and tau-b = rho = phi (Pearson)."""
    size = data.draw(sizes)
    x, y = (data.draw(arrays(float, size, elements=st.sampled_from([0.0, 1.0]))) for _ in range(2))
    weights = data.draw(arrays(float, (2, size), elements=st.sampled_from([0.0, 1.0, 3.0])))
    value = {name: STATISTICS[name].pooled(x, y, weights) for name in STATISTICS}
    assert value["ks"] == pytest.approx(np.abs(2.0 * value["auc_roc"] - 1.0), abs=1e-12, nan_ok=True)
    somers = np.where(np.isnan(value["pearson"]), np.nan, 2.0 * value["auc_roc"] - 1.0)
    assert value["somers_d"] == pytest.approx(somers, abs=1e-12, nan_ok=True)
    for name in ("spearman", "kendall_b"):
        assert value[name] == pytest.approx(value["pearson"], abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", ["pearson", "spearman", "kendall_b", "kendall_c", "somers_d"])
def test_a_replicate_that_holds_one_value_only_is_undefined_to_the_last_digit(name: str) -> None:
    x = np.array([0.1, 0.1, 0.1, 0.7, 1e6])
    weights = np.array([[3.0, 1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 0.0, 4.0, 0.0], [1.0, 0.0, 0.0, 2.0, 0.0]])
    values = STATISTICS[name].pooled(x, np.array([1.0, 2.0, 3.0, 4.0, 5.0]), weights)
    assert np.isnan(values[:2]).all()
    assert values[2] == pytest.approx(oracle(name, np.array([0.1, 0.7, 0.7]), np.array([1.0, 4.0, 4.0])), abs=1e-9)


def test_pearson_keeps_its_digits_where_values_share_a_large_part() -> None:
    rng = np.random.default_rng(4)
    x = 1e8 + rng.normal(size=50)
    x[0] = -1e8  # never drawn: what the others share then cancels
    y = rng.normal(size=50)
    weights = np.ones((1, 50))
    weights[0, 0] = 0.0
    expected = oracle("pearson", x[1:] - 1e8, y[1:])
    assert STATISTICS["pearson"].pooled(x, y, weights)[0] == pytest.approx(expected, abs=1e-7)
