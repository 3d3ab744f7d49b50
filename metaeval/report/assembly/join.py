"""Which rated sample, and which generator, each score is of."""

from dataclasses import dataclass

import numpy as np

from metaeval.report.inputs import InputError, Names, RatingRows, ScoreRows
from metaeval.report.inputs.columns import NOTHING, first, owners
from metaeval.report.inputs.errors import listed, shown
from metaeval.stats.design import Ints


@dataclass(frozen=True)
class Join:
    """For each row of the scores, the sample and the generator it is of."""

    sample: Ints  # a code of the ratings' samples; -1 for whole generators and for samples that nobody rated
    generator: Ints  # a code of `generators`
    generators: tuple[str, ...]  # those of the ratings first, then those that only the scores know
    warnings: tuple[str, ...]


def join(ratings: RatingRows, scores: ScoreRows) -> Join:
    sample_of = np.append(_matches(ratings, scores), NOTHING)  # the last place is for rows without a sample
    sample: Ints = sample_of[scores.sample.codes]
    _refuse_strangers(ratings, scores, sample)
    _refuse_disagreement(scores, sample, "generator", scores.generator, ratings.generator, ratings.generator_of)
    _refuse_disagreement(scores, sample, "prompt", scores.prompt, ratings.prompt, ratings.prompt_of)
    generators = tuple(dict.fromkeys([*ratings.generator.names, *scores.generator.names]))
    code = {name: place for place, name in enumerate(generators)}
    written = np.array([*(code[name] for name in scores.generator.names), NOTHING], dtype=np.intp)
    known = np.append(ratings.generator_of, NOTHING)
    generator = np.where(sample == NOTHING, written[scores.generator.codes], known[sample])
    return Join(sample, generator, generators, tuple(_remarks(ratings, scores, sample_of[:-1])))


def _matches(ratings: RatingRows, scores: ScoreRows) -> Ints:
    """The ratings' code of each of the scores' samples, or -1: by name, or by prompt x generator where one of the
    files has no names for samples."""
    index = ratings.sample.index()
    by_name = [index.get(name, NOTHING) for name in scores.sample.names]
    if ratings.has_sample_column == scores.has_sample_column or not scores.prompt.names:
        return np.array(by_name, dtype=np.intp)
    pairs = _pairs(ratings)
    count = len(scores.sample.names)
    prompts = owners(scores.sample.codes, scores.prompt.codes, count).tolist()
    generators = owners(scores.sample.codes, scores.generator.codes, count).tolist()
    found = np.full(count, NOTHING, dtype=np.intp)
    for code, (prompt, generator) in enumerate(zip(prompts, generators, strict=True)):
        if NOTHING in (prompt, generator):
            found[code] = by_name[code]
            continue
        samples = pairs.get((scores.prompt.names[prompt], scores.generator.names[generator]), [NOTHING])
        if len(samples) > 1:
            row = first(scores.sample.codes == code) or 0
            names = listed([ratings.sample.names[sample] for sample in samples])
            raise scores.table.fault(
                row, "sample", expected=f"which of {names} it is, for they share prompt and generator", found="nothing"
            )
        found[code] = samples[0]
    return found


def _pairs(ratings: RatingRows) -> dict[tuple[str, str], list[int]]:
    pairs: dict[tuple[str, str], list[int]] = {}
    owned = zip(ratings.prompt_of.tolist(), ratings.generator_of.tolist(), strict=True)
    for sample, (prompt, generator) in enumerate(owned):
        pairs.setdefault((ratings.prompt.names[prompt], ratings.generator.names[generator]), []).append(sample)
    return pairs


def _refuse_strangers(ratings: RatingRows, scores: ScoreRows, sample: Ints) -> None:
    """Two files of different studies, or names that are written differently."""
    if scores.sample.names and (sample == NOTHING).all():
        row = first(~scores.sample.is_empty) or 0
        expected = f"samples that {ratings.table.file} has ({listed(ratings.sample.names, limit=3)})"
        raise scores.table.fault(row, "sample", expected=expected, found=f"only {listed(scores.sample.names, limit=3)}")
    if not scores.sample.names and not set(scores.generator.names) & set(ratings.generator.names):
        expected = f"generators that {ratings.table.file} has ({listed(ratings.generator.names, limit=3)})"
        found = f"only {listed(scores.generator.names, limit=3)}"
        raise InputError(f"{scores.table.file}: generator: expected {expected}, found {found}")


def _refuse_disagreement(
    scores: ScoreRows, sample: Ints, column: str, written: Names, rated: Names, owner_of: Ints
) -> None:
    index = rated.index()
    as_rated = np.array([*(index.get(name, -2) for name in written.names), NOTHING], dtype=np.intp)[written.codes]
    owner = np.append(owner_of, NOTHING)[sample]
    differ = (sample != NOTHING) & (as_rated != NOTHING) & (as_rated != owner)
    if (row := first(differ)) is not None:
        expected = f"{shown(rated.names[owner[row]])} for sample {shown(scores.sample.at(row))} as in the ratings"
        raise scores.table.fault(row, column, expected=expected, found=shown(written.at(row)))


def _remarks(ratings: RatingRows, scores: ScoreRows, sample_of: Ints) -> list[str]:
    remarks = []
    if unknown := [scores.sample.names[code] for code in np.flatnonzero(sample_of == NOTHING).tolist()]:
        some = listed(unknown, limit=3)
        word = "sample has scores but was" if len(unknown) == 1 else "samples have scores but were"
        remarks.append(f"{scores.table.file}: {len(unknown):,} {word} rated by nobody and left out: {some}")
    rows = np.flatnonzero(scores.sample.is_empty)
    rated = set(ratings.generator.names)
    whole = dict.fromkeys(scores.generator.names[code] for code in np.unique(scores.generator.codes[rows]).tolist())
    if strangers := [name for name in whole if name not in rated]:
        some = listed(strangers, limit=3)
        remarks.append(f"{scores.table.file}: generators that nobody rated have scores, which are left out: {some}")
    return remarks
