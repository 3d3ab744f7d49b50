"""Scores as arrays over all rated samples and generators; directions, targets and subsets."""

from dataclasses import dataclass

import numpy as np

from metaeval.report.assembly.join import Join
from metaeval.report.assembly.names import included_metrics
from metaeval.report.config import AnalysisConfig, ConfigError
from metaeval.report.inputs import RatingRows, ScoreRows
from metaeval.report.inputs.columns import NOTHING
from metaeval.report.material import Direction, Metric
from metaeval.stats.design import Bools, Ints


@dataclass(frozen=True)
class Scored:
    """All metrics of the file; arrays are over all samples of the ratings and all generators of the join."""

    metrics: tuple[Metric, ...]
    warnings: tuple[str, ...]


def scored(ratings: RatingRows, scores: ScoreRows, joined: Join, config: AnalysisConfig) -> Scored:
    metrics, warnings = [], []
    order = np.argsort(scores.metric.codes, kind="stable")
    ends = np.cumsum(np.bincount(scores.metric.codes, minlength=len(scores.metric.names)))
    rows_of = dict(zip(scores.metric.names, np.split(order, ends[:-1]), strict=True))
    is_left_out = _left_out(ratings, scores, joined, config)
    for name in included_metrics(scores.metric.names, config):
        rows = rows_of[name]
        metric, remarks = _metric(name, rows, ratings, scores, joined, config, is_left_out)
        if metric is not None:
            metrics.append(metric)
        warnings += remarks
    return Scored(tuple(metrics), tuple(warnings))


def subsets_of(ratings: RatingRows, scores: ScoreRows, joined: Join) -> dict[str, Bools]:
    """Named sub-split -> which of the ratings' samples are in it."""
    found: dict[str, Bools] = {}
    for names, samples in ((ratings.subset, ratings.sample.codes), (scores.subset, joined.sample)):
        for code, name in enumerate(names.names):
            members = samples[(names.codes == code) & (samples != NOTHING)]
            found.setdefault(name, np.zeros(len(ratings.sample.names), dtype=np.bool_))[members] = True
    return {name: members for name, members in found.items() if members.any()}


def _metric(
    name: str,
    rows: Ints,
    ratings: RatingRows,
    scores: ScoreRows,
    joined: Join,
    config: AnalysisConfig,
    is_left_out: Bools,
) -> tuple[Metric | None, list[str]]:
    code, settings = int(scores.metric.codes[rows[0]]), config.metric(name)
    said = scores.direction_of[code]
    direction: Direction = settings.direction or _direction(said or _of_judge(name, config))
    notes = []
    if said and settings.direction and said != settings.direction:
        notes.append(f"direction {direction} by {config.source}; the scores file says {said}")
    target = None
    if direction == "target":
        target = _target(name, rows[~is_left_out[rows]], scores, joined, config)
        if target is None:
            return None, [_no_target(name, scores, config)]
    is_reference_based = settings.reference_based
    if is_reference_based is None and scores.reference_based_of[code] != NOTHING:
        is_reference_based = bool(scores.reference_based_of[code] == 1)
    if is_reference_based is None:
        # What the target was taken from lies at it, or nearest to it: a leverage point like any error against itself.
        source = settings.target or config.generators.reference
        is_reference_based = direction == "target" and source == config.generators.reference
    of_sample = rows[joined.sample[rows] != NOTHING]
    of_generator = rows[scores.sample.is_empty[rows] & scores.subset.is_empty[rows]]
    of_subset = rows[scores.sample.is_empty[rows] & ~scores.subset.is_empty[rows]]
    values = np.full(len(ratings.sample.names), np.nan)
    values[joined.sample[of_sample]] = scores.value[of_sample]
    of_generators = np.full(len(joined.generators), np.nan)
    of_generators[joined.generator[of_generator]] = scores.value[of_generator]
    metric = Metric(
        name=name,
        direction=direction,
        is_reference_based=is_reference_based,
        values=values,
        of_generators=of_generators,
        of_subsets={
            (int(joined.generator[row]), scores.subset.at(row)): float(scores.value[row])
            for row in of_subset.tolist()
            if not np.isnan(scores.value[row])
        },
        target=target,
        won_search=settings.search,
        notes=tuple(notes),
    )
    return metric, [f"metric {name}: {note}" for note in notes]


def _of_judge(name: str, config: AnalysisConfig) -> str:
    """A judge answers as a rater would: where a low rating is good, so is a low answer."""
    judge = config.judges.get(name)
    return "lower" if judge and config.criterion(judge.criterion).order == "descending" else ""


def _direction(said: str) -> Direction:
    if said == "lower":
        return "lower"
    return "target" if said == "target" else "higher"


def _left_out(ratings: RatingRows, scores: ScoreRows, joined: Join, config: AnalysisConfig) -> Bools:
    """Scores of samples that never count towards a target either: gold, and what is excluded by name."""
    out = {*config.exclude.gold, *config.exclude.samples}
    by_name = np.array([*(name in out for name in scores.sample.names), False])[scores.sample.codes]
    by_prompt = np.array([*(name in config.exclude.prompts for name in scores.prompt.names), False])
    rated = np.zeros(len(ratings.sample.names) + 1, dtype=np.bool_)
    rated[ratings.sample.codes[ratings.is_gold]] = True
    excluded = np.array([name in config.exclude.prompts for name in ratings.prompt.names], dtype=np.bool_)
    rated[:-1] |= excluded[ratings.prompt_of]
    out_of: Bools = by_name | by_prompt[scores.prompt.codes] | rated[joined.sample]
    return out_of


def _target(name: str, rows: Ints, scores: ScoreRows, joined: Join, config: AnalysisConfig) -> float | None:
    """A number as it stands; of a generator, what was imported for the whole of it, else the mean of its samples."""
    target = config.metric(name).target
    if isinstance(target, float):
        return target
    generator = target or config.generators.reference
    if generator not in joined.generators:
        return None
    own = rows[(joined.generator[rows] == joined.generators.index(generator)) & ~np.isnan(scores.value[rows])]
    whole = own[scores.sample.is_empty[own] & scores.subset.is_empty[own]]
    own = whole if len(whole) else own[~scores.sample.is_empty[own]]
    return float(scores.value[own].mean()) if len(own) else None


def _no_target(name: str, scores: ScoreRows, config: AnalysisConfig) -> str:
    """An error where analysis.toml asks for it; where only the scores file says target, the others are analysed."""
    generator = config.metric(name).target or config.generators.reference or "reference"
    missing = f"no number is given, and {generator} has no scores of it"
    if config.metric(name).direction == "target":
        raise ConfigError(
            f"{config.source}: metrics.{name}.target: expected a number, or a generator that has scores of {name}, "
            f"found {generator!r}"
        )
    return f"metric {name} is left out: its direction is target, but {missing}: set metrics.{name}.target"
