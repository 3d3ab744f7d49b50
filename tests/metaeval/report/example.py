"""A made-up analysis with all that goes wrong in real ones: long and hostile names, holes, constants, a reference."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy import stats

from metaeval.report.material import CriterionFacts, Direction, Material, Metric, Ratings
from metaeval.report.results import Agreement, Comparison, Correlation, Finding, Listing, MetricFacts
from metaeval.stats.design import Design, Floats

HOSTILE = '<b>&"quoted"</b> 50% #1_$x$'
LONG = "VideoLLM-judge/chain-of-thought, 16 frames, averaged over five paraphrases (v2)"
NAMES = (
    "TMR-R@1",
    HOSTILE,
    LONG,
    "MotionCritic",
    "foot_sliding",
    "ground_penetration",
    "joint_position_error_root_aligned",
    "jitter",
    "T2M-matching-score",
    "MoBERT_alignment",
    "diversity",
    "pose-quality",
    "dynamic_degree",
    "constant",
    "FID",
)
GENERATORS = (
    "reference",
    "MDM",
    "MotionDiffuse",
    "T2M-GPT",
    "MLD",
    "MoMask",
    "a<generator>&co",
    "ReMoDiffuse-large_v2",
)
STATISTICS = ("kendall_b", "pearson", "spearman", "auc_roc", "auc_roc@>=4", "ks", "acc_eq", "mann_whitney_u")
LEVELS = ("sample", "prompt", "generator")


@dataclass(frozen=True)
class Example:
    finding: Finding
    material: Material
    labels: dict[str, Floats]


def make_example(*, prompts: int = 60, metrics: Sequence[str] = NAMES, seed: int = 1) -> Example:
    material, labels = _material(prompts, tuple(metrics), np.random.default_rng(seed))
    correlations = tuple(_correlations(material, labels))
    finding = Finding(
        summary="On naturalness, MotionCritic follows people best sample by sample (Kendall τ-b 0.47 [0.41, 0.52]).",
        warnings=("The best metric differs between levels: MotionCritic by sample, <i>FID</i> by generator.",),
        methods="Kendall’s τ-b with 1,000 bootstrap replicates over prompts, seed 7 & paired permutations (p < .05).",
        agreement=tuple(_agreement(material)),
        correlations=correlations,
        comparisons=tuple(_comparisons(correlations)),
        listings=(
            Listing(
                name="human_rows",
                title="People against people",
                columns=("criterion", "row", "pearson", "ci_low", "ci_high", "n", "note"),
                rows=(
                    ("naturalness", "held-out rating & others", 0.61, 0.5, 0.7, 480, ""),
                    ("faithfulness", HOSTILE, None, None, None, 3, "undefined: too few"),
                ),
                note="A held-out rating against the mean of the others: 100% of samples.",
            ),
            Listing(name="empty", title="Nothing to see", columns=("a", "b"), rows=(), note="No criterion has a cut."),
        ),
        metrics=tuple(_facts(material)),
        primary={"criterion": "naturalness", "level": "sample", "statistic": "kendall_b"},
        settings={"criteria": {"naturalness": {"positive_cut": 3.0}}, "resampling": {"replicates": 1000}},
        settings_hash="ab" * 32,
        seed=7,
    )
    return Example(finding, material, labels)


def _material(prompts: int, names: tuple[str, ...], rng: np.random.Generator) -> tuple[Material, dict[str, Floats]]:
    size = len(GENERATORS)
    prompt, generator = np.divmod(np.arange(prompts * size), size)
    quality = 0.9 * np.linspace(1, -1, size)[generator] + 0.5 * rng.normal(size=prompts)[prompt]
    quality = quality + 0.6 * rng.normal(size=len(prompt))
    given = {
        "naturalness": np.clip(np.rint(3 + quality + 0.7 * rng.normal(size=(4, len(prompt)))), 1, 5),
        "faithfulness": (quality + 0.8 * rng.normal(size=(4, len(prompt))) > 0).astype(float),
    }
    for table in given.values():
        table[rng.random(table.shape) < 0.2] = np.nan
        table[0, :3] = 3.0 if table.max() > 1 else 1.0  # every sample keeps a rating or two
    ratings = {name: _ratings(table) for name, table in given.items()}
    labels = {name: _mean(table) for name, table in given.items()}
    labels["faithfulness"][5] = np.nan
    material = Material(
        samples=tuple(f"p{p}.{GENERATORS[g]}" for p, g in zip(prompt, generator, strict=True)),
        prompts=tuple(f"p{p}" for p in range(prompts)),
        generators=GENERATORS,
        raters=("anna", "ben", "carla<script>", "rater-with-a-long-pseudonym-7f3a"),
        design=Design(prompt.astype(np.intp), generator.astype(np.intp)),
        ratings=ratings,
        metrics=tuple(_metric(index, name, quality, rng) for index, name in enumerate(names)),
        reference=0,
        criteria={"naturalness": CriterionFacts(positive_cut=3.0), "faithfulness": CriterionFacts(low=0.0, high=1.0)},
    )
    return material, labels


def _mean(table: Floats) -> Floats:
    counts = np.isfinite(table).sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean: Floats = np.nansum(table, axis=0) / counts
    return mean


def _ratings(table: Floats) -> Ratings:
    rater, sample = np.nonzero(np.isfinite(table))
    return Ratings(sample, rater, table[rater, sample], np.zeros(len(rater), dtype=np.intp))


def _metric(index: int, name: str, quality: Floats, rng: np.random.Generator) -> Metric:
    nowhere = np.full(len(GENERATORS), np.nan)
    if name == "FID":
        by_generator = np.linspace(0.1, 4.0, len(GENERATORS)) + 0.2 * rng.random(len(GENERATORS))
        return Metric(name, "lower", True, np.full(len(quality), np.nan), by_generator)
    if name == "constant":
        return Metric(name, "higher", False, np.full(len(quality), 2.0), nowhere)
    lower = any(word in name for word in ("foot", "ground", "jitter", "error"))
    noise = 0.4 + 0.25 * ((index * 5) % len(NAMES))
    values = (quality + noise * rng.normal(size=len(quality))) * (-3.0 if lower else 0.2) + 5
    if name == "TMR-R@1":
        values = (values > 5).astype(float)
    if name == "MoBERT_alignment":
        values[rng.random(len(values)) < 0.3] = np.nan
    target = 5.2 if name == "diversity" else None
    direction: Direction = "target" if target else "lower" if lower else "higher"
    return Metric(name, direction, "error" in name, values, nowhere, target=target)


def _correlations(material: Material, labels: dict[str, Floats]) -> list[Correlation]:
    rows = []
    for criterion, label in labels.items():
        for metric in material.metrics:
            score = metric.turned(metric.values)
            both = np.isfinite(score) & np.isfinite(label)
            n = int(both.sum())
            for level in LEVELS:
                for place, statistic in enumerate(STATISTICS):
                    reason = "constant scores" if metric.name == "constant" else "set metric" if n == 0 else ""
                    value = None if reason else _value(score[both], label[both]) * (1 - 0.05 * place)
                    if value is not None and statistic in ("auc_roc", "auc_roc@>=4", "acc_eq"):
                        value = (1 + value) / 2
                    if value is not None and statistic == "mann_whitney_u":
                        value = n * n * (1 + value) / 8
                    rows.append(_row(criterion, metric, level, statistic, value, n, reason))
    return _with_clusters(rows)


def _value(score: Floats, label: Floats) -> float:
    return float(stats.kendalltau(score, label).statistic)


def _row(
    criterion: str, metric: Metric, level: str, statistic: str, value: float | None, n: int, reason: str
) -> Correlation:
    width = 0.05 if level == "sample" else 0.09
    has_interval = value is not None and level != "generator" and statistic != "mann_whitney_u"
    turned = {"lower": "sign turned: lower is better", "target": "minus the distance to 5.2"}.get(metric.direction, "")
    return Correlation(
        criterion=criterion,
        metric=metric.name,
        level=level,
        statistic=statistic,
        value=value,
        n=n if level != "generator" else len(GENERATORS),
        ci_low=value - width if has_interval and value is not None else None,
        ci_high=value + width if has_interval and value is not None else None,
        ci_method="percentile" if has_interval else "",
        ci_unit="prompt" if has_interval else "",
        p=None if value is None else min(1.0, float(np.exp(-abs(value) * 12))),
        p_method="" if value is None else "permutation within prompts",
        note=f"undefined: {reason}" if reason else turned,
        role="confirmatory"
        if (criterion, level, statistic) == ("naturalness", "sample", "kendall_b")
        else "exploratory",
        p_holm=None if value is None else min(1.0, 5 * float(np.exp(-abs(value) * 12))),
    )


def _with_clusters(rows: list[Correlation]) -> list[Correlation]:
    def cluster(row: Correlation) -> int | None:
        return None if row.value is None else 1 + int((1 - min(row.value, 1.0)) * 5)

    return [replace(row, cluster=cluster(row)) for row in rows]


def _comparisons(correlations: Sequence[Correlation]) -> list[Comparison]:
    rows = []
    for criterion in ("naturalness", "faithfulness"):
        for level in LEVELS:
            family = [row for row in correlations if (row.criterion, row.level) == (criterion, level)]
            family = [row for row in family if row.statistic == "kendall_b"]
            rows += [_comparison(a, b) for a, b in combinations(family, 2)]
    return rows


def _comparison(a: Correlation, b: Correlation) -> Comparison:
    difference = None if a.value is None or b.value is None else a.value - b.value
    p = None if difference is None else max(0.0001, float(np.exp(-abs(difference) * 40)))
    return Comparison(
        criterion=a.criterion,
        level=a.level,
        statistic=a.statistic,
        metric_a=a.metric,
        metric_b=b.metric,
        value_a=a.value,
        value_b=b.value,
        difference=difference,
        ci_low=None if difference is None else difference - 0.04,
        ci_high=None if difference is None else difference + 0.04,
        p=p,
        p_holm=None if p is None else min(1.0, 4 * p),
        p_bh=None if p is None else min(1.0, 2 * p),
        p_method="paired permutation" if p is not None else "",
        unit="prompt",
        n=min(a.n, b.n),
        permutations=9999 if p is not None else 0,
        role=a.role,
        note="" if p is not None else "undefined: constant scores",
    )


def _agreement(material: Material) -> list[Agreement]:
    rows = []
    for criterion in material.ratings:
        for place, statistic in enumerate(("alpha_nominal", "alpha_ordinal", "alpha_interval", "icc_1_1")):
            value = 0.4 + 0.08 * place
            rows.append(
                Agreement(criterion, statistic, value, 480, 4, value - 0.05, value + 0.05, "percentile", "prompt")
            )
        rows.append(Agreement(criterion, "icc_2_1", None, 480, 4, note="undefined: raters are nested, use ICC(1)"))
    return rows


def _facts(material: Material) -> list[MetricFacts]:
    return [
        MetricFacts(
            name=metric.name,
            direction=metric.direction,
            is_reference_based=metric.is_reference_based,
            scored=int(np.isfinite(metric.values).sum()),
            missing=int((~np.isfinite(metric.values)).sum()),
            notes=("float noise: 3 values differ by less than 1e-12",) if metric.name == "jitter" else (),
        )
        for metric in material.metrics
    ]
