"""What is left out, step by step, so that a report can show its numbers before and after each step."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.report.assembly.build import Whole, build, whole_of
from metaeval.report.assembly.long import LongRatings
from metaeval.report.assembly.remarks import remarks_on
from metaeval.report.config import AnalysisConfig
from metaeval.report.inputs import RatingRows, ScoreRows
from metaeval.report.inputs.errors import listed
from metaeval.report.material import Material
from metaeval.stats.design import Bools, Ints


@dataclass(frozen=True)
class FilterStep:
    """One filter, what it took away, and what is left after it.

    Ratings are counted as they stand in the file: derived ones are not.
    """

    name: str
    description: str
    material: Material
    removed_ratings: int = 0
    removed_samples: int = 0
    removed_raters: int = 0
    removed_prompts: int = 0


@dataclass(frozen=True)
class _Mask:
    name: str
    description: str
    keep: Bools


def filter_steps(ratings: RatingRows, scores: ScoreRows, config: AnalysisConfig) -> list[FilterStep]:
    """First everything but gold, which never enters; last what is analysed. Only the last one carries warnings."""
    whole = whole_of(ratings, scores, config)
    steps, before = [], _analysed(whole)
    for mask in _masks(whole):
        material = build(whole, mask.keep, step=mask.name)
        steps.append(FilterStep(mask.name, mask.description, material, *_removed(whole.ratings, before, mask.keep)))
        before = mask.keep
    last = steps[-1]
    steps[-1] = replace(last, material=_with_warnings(last.material, whole))
    return steps


def analysed(ratings: RatingRows, scores: ScoreRows, config: AnalysisConfig) -> Material:
    """The last step alone."""
    whole = whole_of(ratings, scores, config)
    last = list(_masks(whole))[-1]
    return _with_warnings(build(whole, last.keep, step=last.name), whole)


def _with_warnings(material: Material, whole: Whole) -> Material:
    return replace(material, warnings=remarks_on(material, whole))


def _analysed(whole: Whole) -> Bools:
    codes = [whole.ratings.criteria.index(name) for name in whole.criteria if name in whole.ratings.criteria]
    return np.isin(whole.ratings.criterion, codes)


def _masks(whole: Whole) -> Iterator[_Mask]:
    long, rows, exclude = whole.ratings, whole.ratings.rows, whole.config.exclude
    is_gold = long.is_gold | _named(rows.sample.names, exclude.gold)[long.sample]
    keep = _analysed(whole) & ~is_gold
    if is_gold.any():
        yield _Mask("all but gold", "all ratings, without gold", keep)
    else:
        yield _Mask("all ratings", "all ratings", keep)
    prompt, generator = rows.prompt_of[long.sample], rows.generator_of[long.sample]
    excluded: Sequence[tuple[str, Sequence[str], Sequence[str], Ints]] = (
        ("raters", exclude.raters, rows.rater.names, long.rater),
        ("samples", exclude.samples, rows.sample.names, long.sample),
        ("prompts", exclude.prompts, rows.prompt.names, prompt),
        ("generators", exclude.generators, rows.generator.names, generator),
    )
    for kind, names, known, codes in excluded:
        if names:
            keep = keep & ~_named(known, names)[codes]
            yield _Mask(f"exclude.{kind}", f"without the {kind} {listed(names, limit=5)}", keep)
    if least := whole.config.labels.ratings_at_least:
        keep = keep & _is_complete(long, keep, prompt, generator, least=least)
        words = (
            "only prompts that have at least 1 rating" if least == 1 else f"only prompts with at least {least} ratings"
        )
        yield _Mask("labels.ratings_at_least", f"{words} on every generator", keep)


def _named(known: Sequence[str], names: Collection[str]) -> Bools:
    wanted = set(names)
    return np.array([name in wanted for name in known], dtype=np.bool_)


def _is_complete(long: LongRatings, keep: Bools, prompt: Ints, generator: Ints, *, least: int) -> Bools:
    """Ratings whose prompt was rated by `least` raters on every generator, criterion by criterion (Voas et al., 2023).

    By criterion, because two criteria may have been rated by different people; every generator that has any rating of
    the criterion. A rater who rated a sample again counts once. Where a prompt has two samples of one generator, each
    of them needs as many.
    """
    result = np.zeros(len(keep), dtype=np.bool_)
    for code in range(len(long.criteria)):
        rows = np.flatnonzero(keep & (long.criterion == code))
        if not len(rows):
            continue
        pair = long.sample[rows] * len(long.rows.rater.names) + long.rater[rows]
        first = rows[np.unique(pair, return_index=True)[1]]
        counts = np.bincount(long.sample[first], minlength=len(long.rows.sample.names))
        samples = np.flatnonzero(counts)
        table = np.full((len(long.rows.prompt.names), len(long.rows.generator.names)), np.inf)
        cells = long.rows.prompt_of[samples], long.rows.generator_of[samples]
        np.minimum.at(table, cells, counts[samples])
        table[np.isinf(table)] = 0
        present = np.unique(generator[rows])
        is_whole = np.greater_equal(table[:, present], least).all(axis=1)
        result[rows] = is_whole[prompt[rows]]
    return result


def _removed(long: LongRatings, before: Bools, after: Bools) -> tuple[int, int, int, int]:
    gone = before & ~after & long.is_given
    prompt = long.rows.prompt_of[long.sample]
    lost = [len(np.unique(codes[before])) - len(np.unique(codes[after])) for codes in (long.sample, long.rater, prompt)]
    return int(gone.sum()), lost[0], lost[1], lost[2]
