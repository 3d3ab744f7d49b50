"""New studies drawn from a pilot: prompts anew, generators anew where their number changes, raters' noise anew.

No more raters than the pilot has: R of each sample's own ratings are drawn, scale, ties and all. More raters: labels of
the pilot would carry its noise along, so they are taken apart first into what the metrics and the generator tell, what
else is in the sample, and the raters' noise. The noise is drawn again from the pilot's residuals, R a sample; the rest
is shrunk to the variance it has without noise (variance components), so that the new labels vary, and go along with the
scores, as those of R raters would.
"""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.design import Design, Floats, Ints
from metaeval.stats.people.ratings import check_table, rater_sums


@dataclass(frozen=True)
class Pilot:
    """The pilot as (prompts, generators) cells, NaN where there is no sample."""

    truth: Floats  # the label without the raters' noise
    ratings: Floats  # (raters, prompts, generators)
    fewest: int  # ratings that every sample has
    scores: Floats  # (metrics, prompts, generators)
    residuals: Floats  # rating - mean of its sample, blown up to the variance that single ratings have
    raters: float  # harmonic mean of ratings a sample
    reliability: float  # of the pilot's labels
    step: float | None  # between values of the scale; None where ratings are not on a grid
    bounds: tuple[float, float]

    @property
    def prompts(self) -> int:
        return len(self.truth)

    @property
    def generators(self) -> int:
        return len(self.truth.T)


@dataclass(frozen=True)
class Study:
    """One study drawn from the pilot."""

    design: Design
    labels: Floats
    scores: Floats  # (metrics, samples)


def read_pilot(table: Floats, scores: Floats, design: Design) -> Pilot:
    """Take the pilot's ratings apart. `scores` is (metrics, samples); samples without one of them are left out."""
    check_table(table, design)
    if scores.ndim != 2 or scores.shape[1] != design.size:
        raise ValueError(f"scores: expected (metrics, {design.size} samples), found {scores.shape}")
    sums = rater_sums(table)
    usable = (sums.counts > 0) & np.isfinite(scores).all(axis=0)
    repeated = sums.counts >= 2
    if not repeated.any():
        raise ValueError("table: expected samples with two ratings or more, found none: the raters' noise is unknown")
    if usable.sum() < 4:
        raise ValueError(f"table and scores: expected at least 4 samples with both, found {int(usable.sum())}")
    noise = float(sums.squares[repeated].sum() / (sums.counts[repeated] - 1).sum())
    inverse = float(np.mean(1 / sums.counts[usable]))
    labels, here = sums.means[usable], design.take(usable)
    truth = _without_noise(labels, scores[:, usable], here, noise=noise * inverse)
    variance = float(labels.var(ddof=1))
    given = table[~np.isnan(table)]
    return Pilot(
        truth=_cells(truth, here),
        ratings=np.array([_cells(row, here) for row in table[:, usable]]),
        fewest=int(sums.counts[usable].min()),
        scores=np.array([_cells(row, here) for row in scores[:, usable]]),
        residuals=_residuals(table, noise),
        raters=1 / inverse,
        reliability=1 - noise * inverse / variance if variance else float("nan"),
        step=_step(given),
        bounds=(float(given.min()), float(given.max())),
    )


def draw_study(pilot: Pilot, *, prompts: int, generators: int, raters: int, rng: np.random.Generator) -> Study:
    """Prompts with replacement; each draw is a new prompt. As many generators as the pilot: the same ones."""
    rows = rng.integers(0, pilot.prompts, prompts)
    columns = _drawn_generators(pilot.generators, generators, rng)
    truth = pilot.truth[np.ix_(rows, columns)]
    new_prompt, new_generator = np.nonzero(~np.isnan(truth))
    cells = rows[new_prompt], columns[new_generator]
    if raters <= pilot.fewest:
        labels = _some_of_the_ratings(pilot.ratings[:, *cells], raters, rng)
    else:
        noise = rng.choice(pilot.residuals, (raters, len(new_prompt))).mean(axis=0)
        labels = _on_the_scale(pilot.truth[cells] + noise, pilot, raters)
    scores = pilot.scores[:, *cells]
    return Study(Design(new_prompt.astype(np.intp), new_generator.astype(np.intp)), labels, scores)


def _some_of_the_ratings(ratings: Floats, raters: int, rng: np.random.Generator) -> Floats:
    """The mean of `raters` ratings of each sample, drawn without replacement from those that it has."""
    keys = np.where(np.isnan(ratings), 2.0, rng.random(ratings.shape))
    chosen = np.argsort(keys, axis=0)[:raters]
    return np.asarray(np.take_along_axis(ratings, chosen, axis=0).mean(axis=0), dtype=np.float64)


def _drawn_generators(known: int, wanted: int, rng: np.random.Generator) -> Ints:
    """The pilot's own, some of them, or with replacement where more are wanted than the pilot has."""
    if wanted == known:
        return np.arange(known)
    return rng.choice(known, wanted, replace=wanted > known).astype(np.intp)


def _without_noise(labels: Floats, scores: Floats, design: Design, *, noise: float) -> Floats:
    """Keep what scores and generators predict, and shrink the rest by the share of it that is raters' noise."""
    _, generator = np.unique(design.generator, return_inverse=True)
    known = np.column_stack([np.eye(int(generator.max()) + 1)[generator], scores.T])
    solution, _, rank, _ = np.linalg.lstsq(known, labels, rcond=None)
    predicted = known @ solution
    rest = labels - predicted
    freedom = max(len(labels) - int(rank), 1)
    variance = float(np.sum(rest**2)) / freedom
    kept = max(1 - noise / variance, 0.0) if variance > 0 else 0.0
    return np.asarray(predicted + np.sqrt(kept) * rest, dtype=np.float64)


def _residuals(table: Floats, noise: float) -> Floats:
    sums = rater_sums(table)
    found = (table - sums.means)[:, sums.counts >= 2]
    found = found[~np.isnan(found)]
    spread = float(np.mean(found**2))
    return np.asarray(found * np.sqrt(noise / spread) if spread else found, dtype=np.float64)


def _cells(values: Floats, design: Design) -> Floats:
    _, prompt = np.unique(design.prompt, return_inverse=True)
    _, generator = np.unique(design.generator, return_inverse=True)
    cells = np.full((int(prompt.max()) + 1, int(generator.max()) + 1), np.nan)
    cells[prompt, generator] = values
    return cells


def _step(given: Floats) -> float | None:
    values = np.unique(given)
    if len(values) < 2:
        return None
    step = float(np.diff(values).min())
    places = (values - values[0]) / step
    return step if np.allclose(places, np.rint(places), atol=1e-6) and len(values) <= 101 else None


def _on_the_scale(labels: Floats, pilot: Pilot, raters: int) -> Floats:
    """Means of R ratings lie on steps of 1/R: ties are part of what Kendall's tau meets."""
    low, high = pilot.bounds
    if pilot.step is not None:
        step = pilot.step / raters
        labels = low + np.rint((labels - low) / step) * step
    return np.asarray(np.clip(labels, low, high), dtype=np.float64)
