"""The part of docs/coverage.md about AUPR and KS: do their intervals hold the truth, for rare and common classes?"""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np

from metaeval.stats.association.levels import evaluate
from metaeval.stats.design import Floats, Weights
from metaeval.stats.resampling.draws import draw_weights, jackknife_weights
from metaeval.stats.resampling.intervals import Interval, percentile_interval
from metaeval.stats.resampling.studentised import jackknife_t_interval
from metaeval.stats.simulation import Population, SyntheticStudy, draw_study

SHARES = (0.04, 0.3, 0.7)
NAMES = {"average_precision": "AUPR, average precision", "aupr_trapezoid": "AUPR, trapezoid", "ks": "KS"}
SEED, REPLICATES, PROMPTS = 3, 1_000, 100_000
HEADING = """
## Areas under precision-recall, and KS

{studies:,} studies of each kind (Monte Carlo error about {error:.1%}), unit prompt. Percentiles fail here as they do
for the AUC, so `auto` takes jackknife t. No interval does for KS: it is the largest of many gaps and leans upward, in a
study and again in every replicate. Its rows carry jackknife t with a warning; test with its p by prompt, and compare
metrics by AUC.

| statistic | negatives | true value | percentile | jackknife t |
| --- | --- | --- | --- | --- |"""


def section(pool: ProcessPoolExecutor, studies: int) -> Iterator[str]:
    yield HEADING.format(studies=studies, error=np.sqrt(0.0475 / studies))
    for share in SHARES:
        large = draw_study(Population(prompts=PROMPTS, negatives=share), seed=np.random.SeedSequence([SEED, 9]))
        truth = {name: float(_values(large, name, None)[0]) for name in NAMES}
        found = list(pool.map(partial(_one, share=share, truth=truth), range(studies), chunksize=8))
        for name in NAMES:
            held = np.array([row[name] for row in found], dtype=float)
            coverage = np.nanmean(held, axis=0)
            yield f"| {NAMES[name]} | {share:.0%} | {truth[name]:.3f} | {coverage[0]:.1%} | {coverage[1]:.1%} |"


def _one(number: int, share: float, truth: dict[str, float]) -> dict[str, tuple[float, float]]:
    """Whether each of the two intervals held the truth; NaN where there is none."""
    study = draw_study(Population(negatives=share), seed=np.random.SeedSequence([SEED, 8, number]))
    if study.is_positive.all() or not study.is_positive.any():
        return dict.fromkeys(NAMES, (np.nan, np.nan))
    weights = draw_weights(study.design, unit="prompt", replicates=REPLICATES, seed=number)
    left_out = jackknife_weights(study.design, "prompt")
    found = {}
    for name in NAMES:
        point = float(_values(study, name, None)[0])
        by_t = jackknife_t_interval(point, _values(study, name, left_out), scale="logit")
        by_percentile = percentile_interval(_values(study, name, weights))
        found[name] = (_held(by_percentile, truth[name]), _held(by_t, truth[name]))
    return found


def _values(study: SyntheticStudy, statistic: str, weights: Weights | None) -> Floats:
    labels = study.is_positive.astype(np.float64)
    return evaluate(study.scores, labels, study.design, statistic=statistic, level="sample", weights=weights).values


def _held(interval: Interval, truth: float) -> float:
    if interval.low is None or interval.high is None:
        return float("nan")
    return float(interval.low <= truth <= interval.high)
