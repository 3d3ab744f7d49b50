"""Derived criteria, computed per rater and occasion, before anything is aggregated."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from metaeval.report.assembly.long import LongRatings
from metaeval.report.config import AnalysisConfig, ConfigError, Criterion
from metaeval.report.config.formula import Formula, FormulaError
from metaeval.report.inputs.columns import combined
from metaeval.report.inputs.errors import did_you_mean, listed, shown_number
from metaeval.stats.design import Bools, Floats, Ints


def with_derived(ratings: LongRatings, config: AnalysisConfig) -> LongRatings:
    """The ratings, and one of each derived criterion wherever a rater gave all that its formula needs."""
    waiting = {name: criterion.derived for name, criterion in config.criteria.items() if criterion.derived}
    _check_names(waiting, ratings, config)
    while waiting:
        ready = [name for name, formula in waiting.items() if not set(formula.needs) & waiting.keys()]
        if not ready:
            name = next(iter(waiting))
            raise ConfigError(
                f"{config.source}: criteria.{name}.derived: expected criteria that do not need {name} in turn, "
                f"found a circle among {', '.join(waiting)}"
            )
        for name in ready:
            ratings = _with_one(ratings, name, waiting.pop(name), config)
    return ratings


def _check_names(formulas: Mapping[str, Formula], ratings: LongRatings, config: AnalysisConfig) -> None:
    known = dict.fromkeys([*ratings.criteria, *formulas])
    for name, formula in formulas.items():
        if unknown := [need for need in formula.needs if need not in known]:
            raise ConfigError(
                f"{config.source}: criteria.{name}.derived: expected criteria among {listed(known)}, "
                f"found {unknown[0]!r}{did_you_mean(unknown[0], known)}"
            )


def _with_one(ratings: LongRatings, name: str, formula: Formula, config: AnalysisConfig) -> LongRatings:
    places = _common([_keyed(ratings, need) for need in formula.needs])
    values = {need: ratings.value[rows] for need, rows in zip(formula.needs, places, strict=True)}
    positives = {
        need: _positive(values[need], criterion)
        for need in formula.needs
        if (criterion := config.criterion(need)).positive_cut is not None
    }
    try:
        found = formula.evaluate(values, positives=positives)
    except FormulaError as error:
        raise ConfigError(f"{config.source}: criteria.{name}.derived: {error}") from None
    # Gold, where any of the ratings it comes from was.
    is_gold = np.logical_or.reduce([ratings.is_gold[rows] for rows in places])
    is_new = np.ones(len(found), dtype=np.bool_)
    if name in ratings.criteria:
        is_new = ~_given(ratings, name, formula, at=places[0], found=found)
    return _extended(ratings, name, like=places[0][is_new], value=found[is_new], is_gold=is_gold[is_new])


def _extended(ratings: LongRatings, name: str, *, like: Ints, value: Floats, is_gold: Bools) -> LongRatings:
    """With ratings of one more criterion, by the raters and on the samples of the ratings `like`."""
    criteria = ratings.criteria if name in ratings.criteria else (*ratings.criteria, name)
    code = np.full(len(like), criteria.index(name), dtype=np.intp)
    return replace(
        ratings,
        criteria=criteria,
        sample=np.concatenate([ratings.sample, ratings.sample[like]]),
        rater=np.concatenate([ratings.rater, ratings.rater[like]]),
        criterion=np.concatenate([ratings.criterion, code]),
        value=np.concatenate([ratings.value, value]),
        occasion=np.concatenate([ratings.occasion, ratings.occasion[like]]),
        is_gold=np.concatenate([ratings.is_gold, is_gold]),
        row=np.concatenate([ratings.row, np.full(len(like), -1, dtype=np.intp)]),
    )


def _positive(values: Floats, criterion: Criterion) -> Bools:
    cut = criterion.positive_cut
    assert cut is not None
    return np.less_equal(values, cut) if criterion.order == "descending" else np.greater_equal(values, cut)


def _keys(ratings: LongRatings, places: Ints) -> Ints:
    """Sample, rater and occasion as one number."""
    return combined(
        (ratings.sample[places], len(ratings.rows.sample.names)),
        (ratings.rater[places], len(ratings.rows.rater.names)),
        (ratings.occasion[places], int(ratings.occasion.max())),
    )


def _keyed(ratings: LongRatings, criterion: str) -> tuple[Ints, Ints]:
    """The keys of a criterion's ratings, sorted, and the places of the ratings in that order."""
    places = ratings.of(criterion)
    keys = _keys(ratings, places)
    order = np.argsort(keys, kind="stable")
    return keys[order], places[order]


def _common(keyed: Sequence[tuple[Ints, Ints]]) -> list[Ints]:
    """For each criterion the places of the ratings whose key all of them have, in the order of the first one's file."""
    shared = keyed[0][0]
    for keys, _ in keyed[1:]:
        shared = np.intersect1d(shared, keys, assume_unique=True)
    aligned = [places[np.searchsorted(keys, shared)] for keys, places in keyed]
    order = np.argsort(aligned[0], kind="stable")
    return [places[order] for places in aligned]


def _given(ratings: LongRatings, name: str, formula: Formula, *, at: Ints, found: Floats) -> Bools:
    """Which of the derived ratings stand in the file already, as in the site's: the same values may, others not."""
    keys, places = _keyed(ratings, name)
    computed = _keys(ratings, at)
    spot = np.minimum(np.searchsorted(keys, computed), len(keys) - 1)
    is_given = np.equal(keys[spot], computed)
    if (differ := is_given & (ratings.value[places[spot]] != found)).any():
        place = int(np.argmax(differ))
        rating = int(places[spot[place]])
        raise ratings.rows.table.fault(
            int(ratings.row[rating]),
            "value",
            expected=f"{shown_number(float(found[place]))} for {name}, which is derived ({formula.text})",
            found=shown_number(float(ratings.value[rating])),
        )
    return is_given
