"""A value with its interval and its p: the draws are made once and shared by all metrics, so that they are paired."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from metaeval.report.analysis.intervals import interval_of, method_of, needs_left_out, over_units
from metaeval.report.analysis.notes import joined, no_interval, no_p
from metaeval.report.config import AnalysisConfig
from metaeval.report.material import Material
from metaeval.report.results import Role
from metaeval.stats.agreement.alpha_raters import FEWEST_RATERS_FOR_BOOTSTRAP
from metaeval.stats.association import STATISTICS, Evaluation, evaluate, evaluate_many, merge_noise
from metaeval.stats.design import Bools, Design, Floats, Level, Unit, Weights
from metaeval.stats.resampling import (
    FEWEST_GENERATORS,
    Interval,
    draw_weights,
    jackknife_range,
    jackknife_weights,
)
from metaeval.stats.significance import PValue, TwoSampleTest, association_ps, holm, ks_test, mann_whitney_test

# What has a test of no association; the others are shown with their intervals alone.
TESTED_AT: dict[Level, tuple[str, ...]] = {
    "sample": ("pearson", "spearman", "kendall_b", "auc_roc", "ks", "mann_whitney_u"),
    "prompt": ("pearson", "spearman", "kendall_b", "auc_roc"),
    "within_generator": ("pearson", "spearman", "kendall_b", "auc_roc"),
    "generator": ("pearson", "spearman", "kendall_b"),
}
# Permuting labels leaves the denominators alone: over all samples these have the p of Kendall's tau-b, and over
# generators; averaged over groups, whose denominators differ, they have not.
SAME_TEST = {"kendall_c": "kendall_b", "somers_d": "kendall_b"}
ONE_GROUP: tuple[Level, ...] = ("sample", "generator")


def _mann_whitney(positives: Floats, negatives: Floats) -> TwoSampleTest:
    """One-sided, for that is the question; the p that most papers print stands in the note."""
    test = mann_whitney_test(positives, negatives)
    both = mann_whitney_test(positives, negatives, alternative="two-sided").p
    return test if both is None else replace(test, note=joined(test.note, f"two-sided p {both!r}"))


TEXTBOOK: dict[str, Callable[[Floats, Floats], TwoSampleTest]] = {"ks": ks_test, "mann_whitney_u": _mann_whitney}
FEW_GENERATORS = 4


@dataclass(frozen=True)
class Shown:
    """One cell of a table."""

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    ci_method: str = ""
    ci_unit: str = ""
    p: float | None = None
    p_method: str = ""
    note: str = ""
    undefined_as_zero: float | None = None  # within prompts: the value with undefined groups counted as 0
    by_prompt: PValue | None = None  # of a test that takes samples for independent: the p that does not

    @staticmethod
    def undefined(reason: str, n: int = 0) -> "Shown":
        return Shown(None, n, note=reason)


@dataclass(frozen=True)
class Estimation:
    """The settings and draws of one analysis."""

    material: Material
    config: AnalysisConfig

    @property
    def levels(self) -> Sequence[Level]:
        return self.config.levels.which

    @cached_property
    def weights(self) -> Weights:
        return self._draw(self.config.resampling.unit)

    @cached_property
    def prompts(self) -> Weights:
        """Draws of whole prompts, whatever the unit of the correlations is."""
        if self.config.resampling.unit == "prompt":
            return self.weights
        return self._draw("prompt")

    def _draw(self, unit: Unit) -> Weights:
        """Without replicates there are no draws, and so no intervals."""
        resampling = self.config.resampling
        drawn = draw_weights(
            self.material.design, unit=unit, replicates=max(resampling.replicates, 1), seed=resampling.seed
        )
        return drawn if resampling.replicates else drawn.block(0, 0)

    @cached_property
    def prompts_left_out(self) -> Weights:
        return jackknife_weights(self.material.design, "prompt")

    @cached_property
    def left_out(self) -> Weights:
        """One replicate for each unit left out."""
        return jackknife_weights(self.material.design, self.config.resampling.unit)

    def role(self, criterion: str, level: str, statistic: str) -> Role:
        named = self.config.is_confirmatory(criterion=criterion, level=level, statistic=statistic)
        return "confirmatory" if named else "exploratory"

    def holm(self, p: Sequence[float]) -> list[float]:
        return [float(value) for value in holm(np.asarray(p))]

    def point(self, scores: Floats, labels: Floats, mask: Bools, *, statistic: str, level: Level) -> float | None:
        found = evaluate(scores, labels, self.material.design.take(mask), statistic=statistic, level=level)
        return _finite(found.values[0])

    def estimate(
        self,
        scores: Floats,
        labels: Floats,
        mask: Bools,
        *,
        statistic: str,
        level: Level,
        with_p: bool,
        without_one: Floats | None = None,
    ) -> list[Shown]:
        """A cell for each row of `scores` (metrics, samples of the mask).

        `without_one` has the labels without each rater, where raters are the resampling unit.
        """
        design = self.material.design.take(mask)
        points = evaluate_many(scores, labels, design, statistic=statistic, level=level)
        tests = self._tests(scores, labels, design, statistic, level) if with_p else [None] * len(points)
        textbook = _textbook(scores, labels, statistic) if level == "sample" else [None] * len(points)
        if level == "generator" and len(np.unique(design.generator)) < FEWEST_GENERATORS:
            intervals = self._without_one_generator(scores, labels, design, statistic)
            unit = "generator"
        else:
            intervals = self._intervals(points, scores, labels, mask, statistic, level, without_one)
            unit = self.config.resampling.unit
        return [
            _shown(point, interval, unit, (test, known), level=level, generators=len(np.unique(design.generator)))
            for point, interval, test, known in zip(points, intervals, tests, textbook, strict=True)
        ]

    def of_generators(self, scores: Floats, labels: Floats, *, statistic: str) -> Shown:
        """A number imported for each generator against the generator's mean label."""
        design = self.material.design
        rated = ~np.isnan(labels)
        found = [g for g in range(len(scores)) if not np.isnan(scores[g]) and (rated & (design.generator == g)).any()]
        # The mean of equal labels may be off by its last bit.
        means = merge_noise(np.array([labels[rated & (design.generator == g)].mean() for g in found]))
        points = Design(np.arange(len(found)), np.arange(len(found)))
        return self.estimate_points(scores[found], means, points, statistic)

    def estimate_points(self, scores: Floats, labels: Floats, design: Design, statistic: str) -> Shown:
        point = evaluate(scores, labels, design, statistic=statistic, level="generator")
        if not np.isfinite(point.values[0]):
            return Shown.undefined(point.reason, len(scores))
        [interval] = self._without_one_generator(scores[None], labels, design, statistic)
        [test] = self._tests(scores[None], labels, design, statistic, "generator")
        return _shown(point, interval, "generator", (test, None), level="generator", generators=len(scores))

    def _tests(
        self, scores: Floats, labels: Floats, design: Design, statistic: str, level: Level
    ) -> Sequence[PValue | None]:
        """Permutations are drawn once for all statistics of the same labels, and kept until the labels change."""
        tested = SAME_TEST.get(statistic, statistic) if level in ONE_GROUP else statistic
        if tested not in TESTED_AT[level] or len(labels) < 2 or not self.config.resampling.permutations:
            return [None] * len(scores)
        kind = STATISTICS[statistic].needs
        if level == "generator" and kind == "classes":
            return [None] * len(scores)
        key = (level, kind, scores.tobytes(), labels.tobytes())
        if key not in self._tested:
            self._tested.clear()
            resampling = self.config.resampling
            self._tested[key] = association_ps(
                scores,
                labels,
                design,
                statistics=[name for name in TESTED_AT[level] if STATISTICS[name].needs == kind],
                level=level,
                permutations=resampling.permutations,
                seed=resampling.seed,
            )
        return self._tested[key][tested]

    @cached_property
    def _tested(self) -> dict[tuple[str, str, bytes, bytes], dict[str, list[PValue]]]:
        return {}

    def _intervals(
        self,
        points: Sequence[Evaluation],
        scores: Floats,
        labels: Floats,
        mask: Bools,
        statistic: str,
        level: Level,
        without_one: Floats | None,
    ) -> list[Interval]:
        resampling = self.config.resampling
        if statistic == "mann_whitney_u":
            return self._of_u(points, scores, labels, mask, level, without_one)
        if not resampling.replicates:
            return [Interval(None, None, "")] * len(points)
        if without_one is not None:
            return self._over_raters(points, scores, without_one, mask, statistic, level)
        if resampling.unit == "rater":
            return [Interval(None, None, "", note="undefined: the labels are the oracle's alone")] * len(points)
        by_t = method_of(resampling.interval, statistic, level) == "jackknife_t"
        can_leave_out = resampling.unit != "prompt+generator"
        empty: Sequence[Evaluation | None] = [None] * len(points)

        def under(weights: Weights) -> Sequence[Evaluation]:
            design = self.material.design.take(mask)
            return evaluate_many(scores, labels, design, statistic=statistic, level=level, weights=weights.take(mask))

        draws = empty if by_t and can_leave_out else under(self.weights)
        needed = needs_left_out(resampling.interval, statistic, level) and can_leave_out
        left_out = under(self.left_out) if needed else empty
        rare_units = _rare_units(labels, self.weights.take(mask)) if STATISTICS[statistic].needs == "classes" else None
        return [
            interval_of(
                float(point.values[0]),
                None if drawn is None else drawn.values,
                None if without is None else without.values,
                method=resampling.interval,
                confidence=resampling.confidence,
                statistic=statistic,
                level=level,
                rare_units=rare_units,
                units=len(np.unique(self.weights.unit_of[mask])),
            )
            for point, drawn, without in zip(points, draws, left_out, strict=True)
        ]

    def _of_u(
        self,
        points: Sequence[Evaluation],
        scores: Floats,
        labels: Floats,
        mask: Bools,
        level: Level,
        without_one: Floats | None,
    ) -> list[Interval]:
        """U is the AUC times the number of pairs, which another draw of prompts would change by itself."""
        pairs = float(labels.sum() * (len(labels) - labels.sum()))
        areas = [replace(point, values=point.values / pairs) for point in points] if pairs else points
        found = self._intervals(areas, scores, labels, mask, "auc_roc", level, without_one)
        return [
            each
            if each.low is None or each.high is None
            else replace(each, low=each.low * pairs, high=each.high * pairs)
            for each in found
        ]

    def _over_raters(
        self,
        points: Sequence[Evaluation],
        scores: Floats,
        without_one: Floats,
        mask: Bools,
        statistic: str,
        level: Level,
    ) -> list[Interval]:
        """What other raters might have given, from labels without each rater in turn.

        Not from raters drawn with replacement: the mean of a rater and their copy is noisier than that of two raters,
        and every correlation with it lower. With few raters a range, as for alpha.
        """
        design = self.material.design.take(mask)
        values = np.full((len(without_one), len(scores)), np.nan)
        for row, labels in enumerate(without_one):
            rated = np.isfinite(labels)
            found = evaluate_many(scores[:, rated], labels[rated], design.take(rated), statistic=statistic, level=level)
            values[row] = [each.values[0] for each in found]
        if len(without_one) < FEWEST_RATERS_FOR_BOOTSTRAP:
            return [jackknife_range(column) for column in values.T]
        return [
            over_units(float(point.values[0]), column, statistic, self.config.resampling.confidence)
            for point, column in zip(points, values.T, strict=True)
        ]

    def _without_one_generator(self, scores: Floats, labels: Floats, design: Design, statistic: str) -> list[Interval]:
        weights = jackknife_weights(design, "generator")
        found = evaluate_many(scores, labels, design, statistic=statistic, level="generator", weights=weights)
        return [jackknife_range(each.values) for each in found]


def _rare_units(labels: Floats, weights: Weights) -> int:
    """How many resampling units hold samples of the rarer class."""
    rarer = labels == (1.0 if labels.mean() < 0.5 else 0.0)
    return len(np.unique(weights.unit_of[rarer]))


def _textbook(scores: Floats, labels: Floats, statistic: str) -> list[TwoSampleTest | None]:
    """What papers print for two groups of samples; it takes the samples of a prompt for independent."""
    if statistic not in TEXTBOOK:
        return [None] * len(scores)
    return [TEXTBOOK[statistic](each[labels == 1], each[labels == 0]) for each in scores]


def _shown(
    point: Evaluation,
    interval: Interval,
    unit: str,
    tests: tuple[PValue | None, TwoSampleTest | None],
    *,
    level: Level,
    generators: int,
) -> Shown:
    value = _finite(point.values[0])
    by_units, textbook = tests
    test = textbook or by_units
    if value is None:
        return Shown.undefined(point.reason or "undefined", point.n)
    notes = [no_interval(interval.note), no_p(test.note) if test else ""]
    if level in ("prompt", "within_generator"):
        groups = "prompts" if level == "prompt" else "generators"
        notes.append(f"defined in {point.n} of {point.total} {groups}")
        if point.if_undefined_zero is not None and point.n < point.total:
            notes.append(f"{point.if_undefined_zero:.3f} with undefined as 0")
    if level == "prompt" and generators < FEW_GENERATORS:
        notes.append(f"{generators} generators: prefer pairwise accuracy (acc_eq)")
    return Shown(
        value=value,
        n=point.n,
        low=interval.low,
        high=interval.high,
        ci_method=interval.method if interval.low is not None else "",
        ci_unit=unit if interval.low is not None else "",
        p=None if test is None else _finite(test.p),
        p_method="" if test is None or test.p is None else test.method,
        note=joined(*notes),
        undefined_as_zero=_finite(point.if_undefined_zero),
        by_prompt=by_units if textbook else None,
    )


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
