"""`Material` from a choice of ratings: only what is left gets a code."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from metaeval.report.assembly.derived import with_derived
from metaeval.report.assembly.join import Join, join
from metaeval.report.assembly.long import LongRatings, check_scales, facts_of, long_of, turned
from metaeval.report.assembly.metrics import Scored, scored, subsets_of
from metaeval.report.assembly.names import check_names, included_criteria
from metaeval.report.config import AnalysisConfig, ConfigError
from metaeval.report.inputs import RatingRows, ScoreRows
from metaeval.report.inputs.columns import NOTHING
from metaeval.report.material import CriterionFacts, Material, Metric, Ratings
from metaeval.stats.design import Bools, Design, Ints


@dataclass(frozen=True)
class Whole:
    """Both files, joined and checked, before anything is left out."""

    ratings: LongRatings
    scores: ScoreRows
    joined: Join
    scored: Scored
    subsets: Mapping[str, Bools]
    facts: Mapping[str, CriterionFacts]
    criteria: tuple[str, ...]  # those that are analysed
    config: AnalysisConfig


def whole_of(ratings: RatingRows, scores: ScoreRows, config: AnalysisConfig) -> Whole:
    derived = [name for name, criterion in config.criteria.items() if criterion.derived]
    known = tuple(dict.fromkeys([*ratings.criterion.names, *derived]))
    check_names(known, ratings, scores, config)
    check_scales(ratings, config)
    long = with_derived(long_of(ratings), config)
    joined = join(ratings, scores)
    return Whole(
        ratings=long,
        scores=scores,
        joined=joined,
        scored=scored(ratings, scores, joined, config),
        subsets=subsets_of(ratings, scores, joined),
        facts=facts_of({name: config.criterion(name) for name in known}),
        criteria=tuple(included_criteria(known, config)),
        config=config,
    )


def build(whole: Whole, keep: Bools, *, step: str) -> Material:
    """The material of the ratings in `keep`."""
    long, rows = whole.ratings, whole.ratings.rows
    if not keep.any():
        raise ConfigError(f"{whole.config.source}: {step}: expected to leave some ratings, found none left")
    samples = _present(long.sample[keep], len(rows.sample.names))
    raters = _present(long.rater[keep], len(rows.rater.names))
    prompts = _present(rows.prompt_of[samples], len(rows.prompt.names))
    generators = _present(rows.generator_of[samples], len(rows.generator.names))
    new_sample, new_rater = _codes(samples, len(rows.sample.names)), _codes(raters, len(rows.rater.names))
    new_generator = _codes(generators, len(whole.joined.generators))
    names = tuple(whole.joined.generators[code] for code in generators.tolist())
    ratings = {}
    for name in whole.criteria:
        chosen = np.flatnonzero(keep & (long.criterion == long.criteria.index(name)))
        if len(chosen):
            values = turned(long.value[chosen], whole.facts[name])
            codes = new_sample[long.sample[chosen]], new_rater[long.rater[chosen]]
            ratings[name] = Ratings(*codes, value=values, occasion=long.occasion[chosen])
    rater_names = tuple(rows.rater.names[code] for code in raters.tolist())
    return Material(
        samples=tuple(rows.sample.names[code] for code in samples.tolist()),
        prompts=tuple(rows.prompt.names[code] for code in prompts.tolist()),
        generators=names,
        raters=rater_names,
        design=Design(
            _codes(prompts, len(rows.prompt.names))[rows.prompt_of[samples]],
            new_generator[rows.generator_of[samples]],
        ),
        ratings=ratings,
        metrics=tuple(_chosen(metric, samples, generators, new_generator) for metric in whole.scored.metrics),
        reference=_place(whole.config.generators.reference, names),
        subsets={name: members[samples] for name, members in whole.subsets.items() if members[samples].any()},
        criteria={name: whole.facts[name] for name in ratings},
        oracle=_place(whole.config.labels.oracle, rater_names),
    )


def _chosen(metric: Metric, samples: Ints, generators: Ints, new_generator: Ints) -> Metric:
    return replace(
        metric,
        values=metric.values[samples],
        of_generators=metric.of_generators[generators],
        of_subsets={
            (int(new_generator[generator]), subset): value
            for (generator, subset), value in metric.of_subsets.items()
            if new_generator[generator] != NOTHING
        },
    )


def _present(codes: Ints, count: int) -> Ints:
    """The codes that occur, in the order of the file."""
    return np.flatnonzero(np.bincount(codes, minlength=count))


def _codes(present: Ints, count: int) -> Ints:
    """Old code -> new code, -1 for what is gone."""
    new = np.full(count, NOTHING, dtype=np.intp)
    new[present] = np.arange(len(present))
    return new


def _place(name: str, names: tuple[str, ...]) -> int | None:
    return names.index(name) if name and name in names else None
