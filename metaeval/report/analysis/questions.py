"""Each criterion as the metrics meet it: one label a sample, and the cuts at which it becomes yes or no."""

from dataclasses import dataclass

import numpy as np

from metaeval.report.config import AnalysisConfig, ConfigError
from metaeval.report.cuts import cuts_of
from metaeval.report.material import Material
from metaeval.stats.aggregation import Aggregate, AggregationRefused, aggregate
from metaeval.stats.agreement import Measurement
from metaeval.stats.design import Bools, Floats

AS_PLANNED = ("seed ", "converged")  # what an aggregation says when there is nothing to warn of


@dataclass(frozen=True)
class Question:
    """One criterion: its ratings (raters x samples) and what they come to."""

    criterion: str
    raters: tuple[str, ...]  # of the rows of `table`; without the oracle
    table: Floats
    oracle: Floats | None
    labels: Floats  # (samples,), NaN where there is none
    measurement: Measurement
    cut: float | None  # positive is a label of at least this
    cuts: tuple[float, ...]  # every cut, the primary one first
    cut_is_stated: bool
    notes: tuple[str, ...]
    redrawn: Floats | None = None  # (replicates, samples): labels from drawn raters, where raters are the unit

    @property
    def rated(self) -> Bools:
        return ~np.isnan(self.labels)


def questions(material: Material, config: AnalysisConfig) -> list[Question]:
    return [_question(material, config, criterion) for criterion in material.ratings]


def _question(material: Material, config: AnalysisConfig, criterion: str) -> Question:
    table, raters, oracle = material.table(criterion), material.raters, None
    notes: list[str] = []
    if config.labels.oracle:
        row = raters.index(config.labels.oracle)
        labels = oracle = table[row].copy()
        given = table
        table, raters = np.delete(table, row, axis=0), raters[:row] + raters[row + 1 :]
    else:
        outcome = _aggregate(table, config, criterion)
        labels = outcome.values
        given = table
        said = [part for part in outcome.note.split("; ") if part and not part.startswith(AS_PLANNED)]
        notes += [f"labels of {criterion} by {config.labels.aggregation}: {part}" for part in said]
    facts = material.criteria[criterion]
    stated = facts.positive_cut
    every = cuts_of(given, labels, stated)
    notes += _one_sided(criterion, labels, stated)
    return Question(
        criterion=criterion,
        raters=raters,
        table=table,
        oracle=oracle,
        labels=labels,
        measurement=facts.measurement,
        cut=every[0] if every else None,
        cuts=every,
        cut_is_stated=stated is not None,
        notes=tuple(notes),
        redrawn=_redrawn(table, config) if config.resampling.unit == "rater" and oracle is None else None,
    )


def _aggregate(table: Floats, config: AnalysisConfig, criterion: str) -> Aggregate:
    try:
        return aggregate(table, method=config.labels.aggregation)
    except AggregationRefused as error:
        raise ConfigError(f"{config.source}: labels.aggregation: {criterion}: {error}") from error


def _one_sided(criterion: str, labels: Floats, stated: float | None) -> list[str]:
    """A stated cut that no label, or every label, reaches makes no two classes."""
    known = labels[~np.isnan(labels)]
    positive = int((known >= stated).sum()) if stated is not None else 1
    if stated is None or 0 < positive < len(known):
        return []
    share = "no label" if not positive else "every label"
    return [f"{share} of {criterion} reaches its positive cut {stated:g}: AUC, KS and the like are undefined there"]


def _redrawn(table: Floats, config: AnalysisConfig) -> Floats:
    """Labels from raters drawn with replacement; a sample of which no rater was drawn has none in that replicate."""
    resampling = config.resampling
    if not resampling.replicates:
        return np.empty((0, table.shape[1]))
    rows = np.flatnonzero(~np.isnan(table).all(axis=1))
    drawn = np.random.default_rng(resampling.seed).choice(rows, (resampling.replicates, len(rows)))
    return np.stack([aggregate(table[some], method=config.labels.aggregation).values for some in drawn])
