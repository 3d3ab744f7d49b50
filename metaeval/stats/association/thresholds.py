"""How well a threshold on the score tells the classes apart, the threshold chosen on other prompts."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.folds import folds_by_prompt
from metaeval.stats.association.ties import tie_groups
from metaeval.stats.design import Bools, Floats, Ints


@dataclass(frozen=True)
class Thresholds:
    """F1 and accuracy over all held-out samples, beside what needs no metric. None where a class is empty."""

    f1: float | None
    accuracy: float | None
    majority_accuracy: float | None
    f1_always_positive: float | None
    f1_threshold: float | None  # chosen on all data: for use, not for judging
    accuracy_threshold: float | None
    folds: int
    n: int


def best_thresholds(scores: Floats, labels: Floats, prompt: Ints, *, folds: int = 5, seed: int = 0) -> Thresholds:
    """Cross-validated by prompt: samples of one prompt never choose the threshold that judges them."""
    if not np.isin(labels, (0.0, 1.0)).all():
        raise ValueError(f"labels: expected 0 and 1 only, found {np.unique(labels)[:5].tolist()}")
    positive = labels == 1.0
    fold = folds_by_prompt(prompt, folds=folds, seed=seed)
    count = len(np.unique(fold))
    if count < 2 or positive.all() or not positive.any():
        return Thresholds(None, None, None, None, None, None, folds=count, n=len(labels))
    by_f1, by_accuracy = np.zeros(len(labels), dtype=bool), np.zeros(len(labels), dtype=bool)
    for part in np.unique(fold):
        held, others = fold == part, fold != part
        f1_threshold, accuracy_threshold = _choose(scores[others], positive[others])
        by_f1[held] = scores[held] >= f1_threshold
        by_accuracy[held] = scores[held] >= accuracy_threshold
    whole = _choose(scores, positive)
    return Thresholds(
        f1=f1_score(by_f1, positive),
        accuracy=float((by_accuracy == positive).mean()),
        majority_accuracy=float(max(positive.mean(), 1.0 - positive.mean())),
        f1_always_positive=f1_score(np.ones(len(labels), dtype=bool), positive),
        f1_threshold=whole[0],
        accuracy_threshold=whole[1],
        folds=count,
        n=len(labels),
    )


def f1_score(predicted: Bools, positive: Bools) -> float:
    """van Rijsbergen (1979); 0 where nothing is predicted and nothing is there."""
    right = float((predicted & positive).sum())
    everything = float(predicted.sum() + positive.sum())
    return 2.0 * right / everything if everything else 0.0


def _choose(scores: Floats, positive: Bools) -> tuple[float, float]:
    """The thresholds with the best F1 and the best accuracy; of equals, the one that calls fewest positive."""
    groups = tie_groups(-scores)
    labelled = positive[groups.order].astype(np.float64)
    true = np.append(0.0, np.cumsum(np.add.reduceat(labelled, groups.starts)))
    called = np.append(0.0, np.cumsum(groups.sizes))
    f1 = np.divide(2.0 * true, called + positive.sum(), out=np.zeros_like(true), where=called + positive.sum() > 0)
    right = 2.0 * true - called  # accuracy up to a constant: true positives less false ones
    between = _between(scores[groups.order][groups.starts])
    return float(between[int(np.argmax(f1))]), float(between[int(np.argmax(right))])


def _between(descending: Floats) -> Floats:
    """Thresholds that call the first 0, 1, ... values positive: midway, since held-out scores fall in between."""
    middle = descending[1:] + (descending[:-1] - descending[1:]) / 2.0
    # Midway may round down to the lower of two neighbouring doubles.
    middle = np.where(middle > descending[1:], middle, descending[:-1])
    return np.concatenate([[np.inf], middle, [-np.inf]])
