"""Synthetic studies whose truth is known: what intervals and plans are tried on. Generators fixed, prompts random.

A sample's quality is prompt effect + generator effect + what is the sample's own. Raters see it through noise and
answer on a scale of 0 to 4; the label is their mean, so three raters give 13 distinct values. A metric sees the quality
through noise that is in part the prompt's (some prompts score high whatever is made of them): both sides are clustered,
which is what makes samples of one prompt worth less than as many independent ones.
"""

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from scipy import stats

from metaeval.stats.agreement.alpha import krippendorff_alpha
from metaeval.stats.design import Bools, Design, Floats

SCALE_TOP = 4
ESTIMANDS = ("pearson", "spearman", "kendall_b", "auc_roc", "alpha_interval", "alpha_ordinal")


@dataclass(frozen=True)
class Population:
    """How studies come about. Shares are parts of a variance of 1, generator effects apart.

    correlation: of a sample's quality and its score, generator effects included; that with the labels is lower,
    for raters err (see `population_values`).
    """

    prompts: int = 40
    generators: int = 5
    raters: int = 3
    correlation: float = 0.6
    # As in the human ratings and metrics of TIFA160: about half the variance of labels and of scores is the prompt's.
    prompt_share: float = 0.6
    score_prompt_share: float = 0.5
    generator_spread: float = 0.5
    rater_noise: float = 0.7
    negatives: float = 0.04
    # For the question of other generators than these: drawn anew in every study, and treated by the metric with
    # favour or disfavour of its own.
    has_random_generators: bool = False
    score_generator_spread: float = 0.0

    def __post_init__(self) -> None:
        for name in ("prompts", "generators", "raters"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}: expected at least 1, found {getattr(self, name)}")
        for name in ("prompt_share", "score_prompt_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name}: expected a share between 0 and 1, found {getattr(self, name)}")
        if not -1 <= self.correlation <= 1:
            raise ValueError(f"correlation: expected -1 to 1, found {self.correlation}")
        if not 0 < self.negatives < 1:
            raise ValueError(f"negatives: expected a share between 0 and 1, found {self.negatives}")

    @property
    def generator_effects(self) -> Floats:
        """Fixed, evenly spaced, with mean 0 and standard deviation `generator_spread`."""
        steps = np.arange(self.generators) - (self.generators - 1) / 2
        spread = float(steps.std())
        return np.asarray(steps * (self.generator_spread / spread if spread else 0.0), dtype=np.float64)


@dataclass(frozen=True)
class SyntheticStudy:
    """One study: ratings on 0..4 by each rater, their mean, a binary criterion with rare negatives, and a metric."""

    design: Design
    ratings: Floats  # (raters, samples)
    labels: Floats
    is_positive: Bools
    scores: Floats


@dataclass(frozen=True)
class PopulationValue:
    """The value that intervals should cover, and the standard error of its own simulation."""

    statistic: str
    value: float
    error: float


@dataclass(frozen=True)
class _Draw:
    quality: Floats = field(repr=False)
    impressions: Floats = field(repr=False)
    scores: Floats = field(repr=False)


def draw_study(population: Population, *, seed: int | np.random.SeedSequence) -> SyntheticStudy:
    """One study; the same seed gives the same one."""
    draw = _draw(population, prompts=population.prompts, generator=np.random.default_rng(seed))
    ratings = _rate(draw.impressions)
    return SyntheticStudy(
        design=_crossed(population.prompts, population.generators),
        ratings=ratings,
        labels=ratings.mean(axis=0),
        is_positive=np.median(draw.impressions, axis=0) >= _negative_cut(population),
        scores=draw.scores,
    )


def population_values(
    population: Population, *, seed: int = 20250101, batches: int = 20, prompts: int = 20_000
) -> dict[str, PopulationValue]:
    """What each statistic tends to as prompts grow without end and generators stay: by one very large simulation."""
    if batches < 2:
        raise ValueError(f"batches: expected at least 2, found {batches}")
    seeds = np.random.SeedSequence(seed).spawn(batches)
    values = np.array([_values_of_a_batch(population, prompts=prompts, seed=one) for one in seeds])
    errors = values.std(axis=0, ddof=1) / np.sqrt(batches)
    return {
        name: PopulationValue(name, float(value), float(error))
        for name, value, error in zip(ESTIMANDS, values.mean(axis=0), errors, strict=True)
    }


def _draw(population: Population, *, prompts: int, generator: np.random.Generator) -> _Draw:
    shape = (prompts, population.generators)
    effects = _generator_effects(population, generator)
    quality = effects + _clustered(shape, share=population.prompt_share, generator=generator)
    noise = _clustered(shape, share=population.score_prompt_share, generator=generator)
    rho = population.correlation
    scale = np.sqrt(1 + population.generator_spread**2)
    if population.score_generator_spread:
        noise = noise + population.score_generator_spread * generator.standard_normal(population.generators)
    scores = rho * quality / scale + np.sqrt(1 - rho**2) * noise
    errors = generator.standard_normal((population.raters, quality.size)) * population.rater_noise
    return _Draw(quality.ravel(), quality.ravel() + errors, scores.ravel())


def _generator_effects(population: Population, generator: np.random.Generator) -> Floats:
    if population.has_random_generators:
        return population.generator_spread * generator.standard_normal(population.generators)
    return population.generator_effects


def _clustered(shape: tuple[int, int], *, share: float, generator: np.random.Generator) -> Floats:
    """(prompts, generators) of variance 1, of which `share` is common to a prompt."""
    of_prompt = generator.standard_normal((shape[0], 1))
    own = generator.standard_normal(shape)
    mixed: Floats = np.sqrt(share) * of_prompt + np.sqrt(1 - share) * own
    return mixed


def _rate(impressions: Floats) -> Floats:
    """On the scale of 0 to 4, whose middle is where the middle quality lies."""
    return np.clip(np.rint(impressions + SCALE_TOP / 2), 0, SCALE_TOP)


def _crossed(prompts: int, generators: int) -> Design:
    return Design(
        np.repeat(np.arange(prompts, dtype=np.intp), generators), np.tile(np.arange(generators, dtype=np.intp), prompts)
    )


@lru_cache(maxsize=64)
def _negative_cut(population: Population) -> float:
    """Below it lies the wanted share of negatives: a quantile of the population, found once by simulation."""
    prompts = max(200_000 // population.generators, 1)
    draw = _draw(population, prompts=prompts, generator=np.random.default_rng(4))
    return float(np.quantile(np.median(draw.impressions, axis=0), population.negatives))


def _values_of_a_batch(population: Population, *, prompts: int, seed: np.random.SeedSequence) -> tuple[float, ...]:
    draw = _draw(population, prompts=prompts, generator=np.random.default_rng(seed))
    ratings = _rate(draw.impressions)
    labels = ratings.mean(axis=0)
    is_positive = np.median(draw.impressions, axis=0) >= _negative_cut(population)
    return (
        float(np.corrcoef(draw.scores, labels)[0, 1]),
        float(stats.spearmanr(draw.scores, labels).statistic),
        float(stats.kendalltau(draw.scores, labels).statistic),
        _auc(draw.scores, is_positive),
        krippendorff_alpha(ratings, measurement="interval") or float("nan"),
        krippendorff_alpha(ratings, measurement="ordinal") or float("nan"),
    )


def generator_level_pearson(
    population: Population, *, seed: int = 20250102, batches: int = 20, generators: int = 2_000
) -> PopulationValue:
    """Pearson's r over the means of ever more generators of the same kind, each with the study's prompts."""
    if not population.has_random_generators:
        raise ValueError("population: expected has_random_generators, found fixed ones: there are no more of the kind")
    many = replace(population, generators=generators)
    values = []
    for one in np.random.SeedSequence(seed).spawn(batches):
        draw = _draw(many, prompts=many.prompts, generator=np.random.default_rng(one))
        labels = _rate(draw.impressions).mean(axis=0).reshape(many.prompts, generators).mean(axis=0)
        scores = draw.scores.reshape(many.prompts, generators).mean(axis=0)
        values.append(float(np.corrcoef(labels, scores)[0, 1]))
    return PopulationValue("pearson", float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(batches)))


def _auc(scores: Floats, is_positive: Bools) -> float:
    ranks = stats.rankdata(scores)
    positives = int(is_positive.sum())
    negatives = len(scores) - positives
    return float((ranks[is_positive].sum() - positives * (positives + 1) / 2) / (positives * negatives))
