"""How large a study must be, by drawing studies of every size from a pilot and analysing each as it would be.

Two aims: to tell metric A from metric B (the share of studies in which their difference is significant at .05), or an
interval of metric A that is no wider than wanted. Each drawn study is tested by leaving out prompts, in 40 groups at
most: Student's t of the paired difference, the same unit as the paired permutation by prompt and 100 times cheaper.
Where A and B do not differ in the pilot, no size will tell them apart: the power then only shows the level of the test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from metaeval.stats.association.levels import evaluate_many
from metaeval.stats.association.registry import STATISTICS
from metaeval.stats.design import Bools, Design, Floats, Level, Weights
from metaeval.stats.people.estimates import prompt_groups
from metaeval.stats.power.cost import Pay, assignments_needed, study_cost
from metaeval.stats.power.pilot import Pilot, Study, draw_study, read_pilot
from metaeval.stats.resampling.studentised import SCALE_OF, jackknife_t_interval

Aim = Literal["tell_apart", "width"]
ALPHA: Final = 0.05
POWER: Final = 0.8
STUDIES: Final = 200
MC_ERRORS: Final = 1.96  # on either side: 95 % of what luck does to a simulation of this length
# KS leans upward and has no interval that holds (docs/coverage.md): nothing to plan with.
PLANNED: Final = tuple(name for name in STATISTICS if name in SCALE_OF and name != "ks")


@dataclass(frozen=True)
class Size:
    """How many of each a study has."""

    prompts: int
    generators: int
    raters: int

    def __post_init__(self) -> None:
        for name, least in (("prompts", 3), ("generators", 1), ("raters", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name}: expected at least {least}, found {getattr(self, name)}")


@dataclass(frozen=True)
class PlanRow:
    """One size: the power (tell_apart) or the mean width of the interval (width), and what it costs."""

    prompts: int
    generators: int
    raters: int
    samples: int
    value: float | None
    mc_error: float | None
    studies: int  # drawn studies in which the statistic was defined
    hits: int  # seats to pay
    cost: float
    is_sufficient: bool
    note: str = ""


@dataclass(frozen=True)
class Plan:
    """Every size that was tried, from cheap to dear, and the cheapest that suffices."""

    aim: Aim
    target: float
    statistic: str
    level: Level
    pilot_values: tuple[float | None, ...]  # of metric A (and B) in the pilot
    pilot_prompts: int
    pilot_generators: int
    pilot_raters: float
    pilot_reliability: float
    rows: tuple[PlanRow, ...]
    cheapest: PlanRow | None
    pay: Pay
    studies: int
    seed: int
    test: str
    warnings: tuple[str, ...] = ()


def plan_study(
    table: Floats,
    scores: Floats,
    design: Design,
    *,
    aim: Aim = "tell_apart",
    target: float | None = None,
    statistic: str = "pearson",
    level: Level = "sample",
    cut: float | None = None,
    sizes: Sequence[Size] | None = None,
    pay: Pay | None = None,
    studies: int = STUDIES,
    seed: int = 0,
) -> Plan:
    """Plan from a pilot: (raters, samples) ratings and (metrics, samples) scores, higher is better; A is first.

    target: the power wanted (default .8), or the widest interval allowed. cut: from which label on a sample is
    positive, for statistics that need classes.
    """
    _check(scores, aim, target, statistic, level, cut, studies)
    wanted = POWER if target is None else target
    terms = pay or Pay()
    pilot = read_pilot(table, scores, design)
    tried = tuple(sizes) if sizes is not None else default_sizes(pilot)
    seeds = np.random.SeedSequence(seed).spawn(len(tried))
    rows = [
        _row(pilot, size, aim, wanted, statistic, level, cut, terms, studies, np.random.default_rng(one))
        for size, one in zip(tried, seeds, strict=True)
    ]
    rows.sort(key=lambda row: (row.cost, row.samples))
    return Plan(
        aim=aim,
        target=wanted,
        statistic=statistic,
        level=level,
        pilot_values=_values_in_pilot(table, scores, design, statistic, level, cut),
        pilot_prompts=pilot.prompts,
        pilot_generators=pilot.generators,
        pilot_raters=pilot.raters,
        pilot_reliability=pilot.reliability,
        rows=tuple(rows),
        cheapest=next((row for row in rows if row.is_sufficient), None),
        pay=terms,
        studies=studies,
        seed=seed,
        test="Student's t on leave-out of prompts, in 40 groups at most" + (", paired" if aim == "tell_apart" else ""),
        warnings=_warnings(pilot, tried),
    )


def default_sizes(pilot: Pilot) -> tuple[Size, ...]:
    """Twelve sizes around the pilot: 50 to 400 prompts, its own generators, 1, 3 and 5 raters."""
    return tuple(Size(prompts, pilot.generators, raters) for prompts in (50, 100, 200, 400) for raters in (1, 3, 5))


def _check(
    scores: Floats, aim: Aim, target: float | None, statistic: str, level: Level, cut: float | None, studies: int
) -> None:
    if aim not in ("tell_apart", "width"):
        raise ValueError(f"aim: expected tell_apart or width, found {aim!r}")
    metrics = 2 if aim == "tell_apart" else 1
    if scores.ndim != 2 or len(scores) != metrics:
        raise ValueError(f"scores: expected {metrics} metric(s) x samples for {aim}, found {scores.shape}")
    if aim == "width" and (target is None or target <= 0):
        raise ValueError(f"target: expected the widest interval allowed, above 0, found {target}")
    if aim == "tell_apart" and target is not None and not 0 < target < 1:
        raise ValueError(f"target: expected a power between 0 and 1, found {target}")
    if statistic not in PLANNED:
        raise ValueError(f"statistic: expected one of {', '.join(PLANNED)}, found {statistic!r}")
    if level not in ("sample", "prompt", "within_generator") and (level, statistic) != ("generator", "pearson"):
        raise ValueError(
            f"level: expected sample, prompt, within_generator (or generator for pearson), found {level!r}"
        )
    if STATISTICS[statistic].needs == "classes" and cut is None:
        raise ValueError(f"cut: expected a value from which on a sample is positive, for {statistic}; found none")
    if studies < 2:
        raise ValueError(f"studies: expected at least 2, found {studies}")


def _row(
    pilot: Pilot,
    size: Size,
    aim: Aim,
    target: float,
    statistic: str,
    level: Level,
    cut: float | None,
    pay: Pay,
    studies: int,
    rng: np.random.Generator,
) -> PlanRow:
    outcomes = np.array(
        [
            _outcome(
                draw_study(pilot, prompts=size.prompts, generators=size.generators, raters=size.raters, rng=rng),
                aim,
                statistic,
                level,
                cut,
            )
            for _ in range(studies)
        ]
    )
    defined = outcomes[np.isfinite(outcomes)]
    value, error = _summary(defined, aim)
    samples = size.prompts * size.generators
    is_enough = value is not None and error is not None and _is_enough(value, error, target, aim)
    return PlanRow(
        prompts=size.prompts,
        generators=size.generators,
        raters=size.raters,
        samples=samples,
        value=value,
        mc_error=error,
        studies=len(defined),
        hits=assignments_needed(samples=samples, raters=size.raters, pay=pay),
        cost=study_cost(samples=samples, raters=size.raters, pay=pay),
        is_sufficient=is_enough,
        note="" if len(defined) == studies else f"undefined in {studies - len(defined)} of {studies} studies",
    )


def _is_enough(value: float, error: float, target: float, aim: Aim) -> bool:
    """Surely, not by the luck of the draw: the whole Monte Carlo interval must be on the right side."""
    return value - MC_ERRORS * error >= target if aim == "tell_apart" else value + MC_ERRORS * error <= target


def _outcome(study: Study, aim: Aim, statistic: str, level: Level, cut: float | None) -> float:
    """1 or 0 for significant or not, or the width of the interval; NaN where undefined."""
    groups = prompt_groups(study.design)
    # The whole study first, then without each group: one call, for ordering the samples is what takes time.
    whole_first = Weights(np.vstack([np.ones(groups.counts.shape[1]), groups.counts]), groups.unit_of)
    labels = _as_needed(study.labels, statistic, cut)
    found = evaluate_many(study.scores, labels, study.design, statistic=statistic, level=level, weights=whole_first)
    values = found[0].values if aim == "width" else found[0].values - found[1].values
    scale = SCALE_OF[statistic] if aim == "width" else "identity"
    interval = jackknife_t_interval(float(values[0]), values[1:], scale=scale, level=1 - ALPHA)
    if interval.low is None or interval.high is None:
        return float("nan")
    return interval.high - interval.low if aim == "width" else float(not interval.low <= 0 <= interval.high)


def _summary(outcomes: Floats, aim: Aim) -> tuple[float | None, float | None]:
    """The mean over studies and its Monte Carlo error; that of a share as if two more of each kind had been seen."""
    if len(outcomes) < 2:
        return None, None
    if aim == "width":
        return float(outcomes.mean()), float(outcomes.std(ddof=1) / np.sqrt(len(outcomes)))
    share = (outcomes.sum() + 2) / (len(outcomes) + 4)
    return float(outcomes.mean()), float(np.sqrt(share * (1 - share) / (len(outcomes) + 4)))


def _as_needed(labels: Floats, statistic: str, cut: float | None) -> Floats:
    return labels if cut is None or STATISTICS[statistic].needs == "values" else (labels >= cut).astype(np.float64)


def _values_in_pilot(
    table: Floats, scores: Floats, design: Design, statistic: str, level: Level, cut: float | None
) -> tuple[float | None, ...]:
    usable: Bools = np.asarray((~np.isnan(table)).any(axis=0) & np.isfinite(scores).all(axis=0))
    labels = _as_needed(np.nanmean(table[:, usable], axis=0), statistic, cut)
    found = evaluate_many(scores[:, usable], labels, design.take(usable), statistic=statistic, level=level)
    return tuple(float(one.values[0]) if np.isfinite(one.values[0]) else None for one in found)


def _warnings(pilot: Pilot, sizes: Sequence[Size]) -> tuple[str, ...]:
    found = []
    if pilot.prompts < 20:
        found.append(f"the pilot has {pilot.prompts} prompts: what is drawn from so few says little")
    if not pilot.reliability > 0:
        found.append("the pilot's labels have no reliability above 0: raters' noise explains all of their spread")
    if any(size.generators > pilot.generators for size in sizes):
        found.append("more generators than the pilot has are copies of its own: new ones may differ more")
    return tuple(found)
