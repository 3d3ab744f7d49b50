"""The statistics as other libraries compute them, on plain data: what weighted kernels must equal on copies."""

import warnings
from collections.abc import Callable

import numpy as np
from scipy import stats
from sklearn import metrics

from metaeval.stats.design import Floats


def _acc_eq(x: Floats, y: Floats) -> float:
    first, second = np.triu_indices(len(x), 1)
    return float((np.sign(x[first] - x[second]) == np.sign(y[first] - y[second])).mean())


def _aupr_trapezoid(x: Floats, y: Floats) -> float:
    precision, recall, _ = metrics.precision_recall_curve(y, x)
    return float(metrics.auc(recall, precision))


ORACLES: dict[str, Callable[[Floats, Floats], float]] = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall_b": lambda x, y: stats.kendalltau(x, y).statistic,
    "kendall_c": lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
    "somers_d": lambda x, y: stats.somersd(y, x).statistic,
    "acc_eq": _acc_eq,
    "auc_roc": lambda x, y: metrics.roc_auc_score(y, x),
    "average_precision": lambda x, y: metrics.average_precision_score(y, x),
    "aupr_trapezoid": _aupr_trapezoid,
    "ks": lambda x, y: stats.ks_2samp(x[y == 1], x[y == 0]).statistic,
    "mann_whitney_u": lambda x, y: stats.mannwhitneyu(x[y == 1], x[y == 0]).statistic,
}
# Statistics that a constant score does not leave undefined.
DEFINED_FOR_CONSTANT_SCORES = {
    "acc_eq",
    "auc_roc",
    "average_precision",
    "aupr_trapezoid",
    "ks",
    "mann_whitney_u",
}


def oracle(name: str, x: Floats, y: Floats) -> float:
    """NaN where the statistic has no meaning."""
    if len(x) < 2 or (np.ptp(y) == 0 and name != "acc_eq"):
        return float("nan")
    if np.ptp(x) == 0 and name not in DEFINED_FOR_CONSTANT_SCORES:
        return float("nan")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(ORACLES[name](x, y))


def copies(values: Floats, weights: Floats) -> Floats:
    return np.repeat(values, weights.astype(int))
