"""Each criterion as the metrics meet it: one label a sample, and the cuts at which it becomes yes or no."""

from dataclasses import dataclass

import numpy as np

from metaeval.report.config import AnalysisConfig, ConfigError
from metaeval.report.cuts import cuts_of
from metaeval.report.material import CriterionFacts, Material
from metaeval.stats.aggregation import Aggregate, AggregationRefused, aggregate
from metaeval.stats.agreement import Measurement
from metaeval.stats.association import FloatNoise, find_noise, merge_noise
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
    without_one: Floats | None = None  # (raters, samples): labels without each rater, where raters are the unit
    as_aggregated: Floats | None = None  # labels with the float noise that was taken out of `labels`

    @property
    def rated(self) -> Bools:
        return ~np.isnan(self.labels)

    @property
    def cut_chosen(self) -> str:
        """How the primary cut was found, where analysis.toml states none."""
        if self.cut_is_stated or self.cut is None:
            return ""
        known = np.concatenate([self.table[~np.isnan(self.table)], self.labels[self.rated & (self.oracle is not None)]])
        return "the majority" if set(np.unique(known).tolist()) <= {0.0, 1.0} else "the most even split"

    @property
    def noise(self) -> FloatNoise:
        """Of the labels before it was taken out; an oracle's are as they were given."""
        return find_noise(self.labels if self.as_aggregated is None else self.as_aggregated)


def questions(material: Material, config: AnalysisConfig) -> list[Question]:
    return [_question(material, config, criterion) for criterion in material.ratings]


def _question(material: Material, config: AnalysisConfig, criterion: str) -> Question:
    table, raters, oracle = material.table(criterion), material.raters, None
    facts, aggregated = material.criteria[criterion], None
    notes: list[str] = []
    if config.labels.oracle:
        row = raters.index(config.labels.oracle)
        labels = oracle = table[row].copy()
        given = table
        table, raters = np.delete(table, row, axis=0), raters[:row] + raters[row + 1 :]
    else:
        outcome = _aggregate(table, config, criterion, facts)
        given, aggregated = table, outcome.values
        labels = _without_noise(aggregated, given, facts)
        said = [part for part in outcome.note.split("; ") if part and not part.startswith(AS_PLANNED)]
        notes += [f"labels of {criterion} by {config.labels.aggregation}: {part}" for part in said]
        if noise := find_noise(aggregated).values:
            notes.append(f"labels of {criterion}: {noise} that differ from another by float noise only were made equal")
    stated = facts.positive_cut
    every = cuts_of(given, labels, stated)
    notes += _one_sided(criterion, labels, stated)
    notes += _without_order(criterion, table, facts)
    notes += _all_equal(criterion, labels, given)
    is_by_rater = config.resampling.unit == "rater" and oracle is None
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
        without_one=_without_one(table, config, facts) if is_by_rater else None,
        as_aggregated=aggregated,
    )


def _aggregate(table: Floats, config: AnalysisConfig, criterion: str, facts: CriterionFacts) -> Aggregate:
    try:
        return aggregate(table, method=config.labels.aggregation, ordered=_has_order(table, facts))
    except AggregationRefused as error:
        hint = "; majority, dawid_skene and mace need no order" if not _has_order(table, facts) else ""
        raise ConfigError(f"{config.source}: labels.aggregation: {criterion}: {error}{hint}") from error


def _one_sided(criterion: str, labels: Floats, stated: float | None) -> list[str]:
    """A stated cut that no label, or every label, reaches makes no two classes."""
    known = labels[~np.isnan(labels)]
    positive = int((known >= stated).sum()) if stated is not None else 1
    if stated is None or 0 < positive < len(known):
        return []
    share = "no label" if not positive else "every label"
    return [f"{share} of {criterion} reaches its positive cut {stated:g}: AUC, KS and the like are undefined there"]


def _all_equal(criterion: str, labels: Floats, given: Floats) -> list[str]:
    """Where ratings are equal too, the data are remarked upon already."""
    known, rated = np.unique(labels[~np.isnan(labels)]), np.unique(given[~np.isnan(given)])
    if len(known) != 1 or len(rated) < 2:
        return []
    return [f"all labels of {criterion} are {known[0]:g}, though ratings differ: nothing can be correlated with them"]


def _without_order(criterion: str, table: Floats, facts: CriterionFacts) -> list[str]:
    if _has_order(table, facts):
        return []
    return [
        f"{criterion} is nominal and has more than two values: correlations and cuts read an order into its numbers "
        "that raters did not give them"
    ]


def _has_order(table: Floats, facts: CriterionFacts) -> bool:
    """Two values have one whatever they are called: the mean is the share of the higher."""
    return facts.measurement != "nominal" or len(np.unique(table[~np.isnan(table)])) <= 2


def _without_noise(labels: Floats, given: Floats, facts: CriterionFacts) -> Floats:
    """The mean of 0.1, 0.2 and 0.3 depends on their order in its last digit; equal labels stay so, and one on a cut."""
    cut = [] if facts.positive_cut is None else [facts.positive_cut]
    return merge_noise(labels, exact=np.concatenate([np.unique(given[~np.isnan(given)]), cut]))


def _without_one(table: Floats, config: AnalysisConfig, facts: CriterionFacts) -> Floats:
    """Labels without each rater in turn; a sample that nobody else rated has none there."""
    rows = np.flatnonzero(~np.isnan(table).all(axis=1)).tolist()
    if len(rows) < 2:
        return np.empty((0, table.shape[1]))
    return np.stack([_labels_of(np.delete(table, row, axis=0), table, config, facts) for row in rows])


def _labels_of(part: Floats, table: Floats, config: AnalysisConfig, facts: CriterionFacts) -> Floats:
    """None at all where too little is left to aggregate."""
    try:
        found = aggregate(part, method=config.labels.aggregation, ordered=_has_order(table, facts))
    except AggregationRefused:
        return np.full(table.shape[1], np.nan)
    return _without_noise(found.values, table, facts)
