"""What a reader of the report should know about the data: one sentence each."""

from collections.abc import Iterable, Iterator

import numpy as np

from metaeval.report.assembly.build import Whole
from metaeval.report.inputs.errors import listed, shown_number
from metaeval.report.material import Material, Metric
from metaeval.stats.association import merge_noise


def remarks_on(material: Material, whole: Whole) -> tuple[str, ...]:
    found = [
        *whole.ratings.rows.warnings,
        *whole.scores.warnings,
        *whole.joined.warnings,
        *whole.scored.warnings,
        *_names(material),
        *_design(material),
        *_ratings(material, whole),
        *(remark for metric in material.metrics for remark in _metric(metric, material)),
        *_unscored(material),
        *_subsets(material),
    ]
    return tuple(dict.fromkeys(found))


def _names(material: Material) -> Iterator[str]:
    """Anna and anna are two raters here, but perhaps one person."""
    metrics = [metric.name for metric in material.metrics]
    kinds: list[tuple[str, Iterable[str]]] = [
        ("raters", material.raters),
        ("generators", material.generators),
        ("criteria", material.ratings),
        ("metrics", metrics),
        ("prompts", material.prompts),
    ]
    for kind, names in kinds:
        seen: dict[str, str] = {}
        for name in names:
            before = seen.setdefault(" ".join(name.casefold().split()), name)
            if before != name:
                yield f"{kind}: {before!r} and {name!r} differ only in capitals or spaces; they are kept apart"


def _design(material: Material) -> Iterator[str]:
    if len(material.raters) == 1:
        yield "there is one rater: agreement among raters is undefined"
    if len(material.generators) == 1:
        yield "there is one generator: correlations over generators and within prompts are undefined"
    if len(material.prompts) == 1:
        yield "there is one prompt: intervals over prompts and correlations within generators are undefined"


def _ratings(material: Material, whole: Whole) -> Iterator[str]:
    for name, given in material.ratings.items():
        if (given.value == given.value[0]).all():
            value = shown_number(float(given.value[0]))
            yield f"{name}: all {len(given.value):,} ratings are {value}; nothing can be correlated with them"
    for name in whole.criteria:
        if name not in material.ratings:
            yield f"{name}: no ratings are left; the criterion is not analysed"


def _metric(metric: Metric, material: Material) -> Iterator[str]:
    has_score = ~np.isnan(metric.values)
    total, count = len(material.samples), int(has_score.sum())
    has_more = bool(metric.of_subsets) or not np.isnan(metric.of_generators).all()
    if not count and not has_more:
        yield f"metric {metric.name}: no rated sample and no rated generator has a score"
    elif 0 < count < total:
        yield f"metric {metric.name}: {total - count:,} of {total:,} rated samples have no score"
    scores = metric.values[has_score]
    merged = merge_noise(scores)
    if count > 1 and (merged == merged[0]).all():
        noise = "" if np.array_equal(merged, scores) else " but for float noise"
        value = shown_number(float(merged[0]))
        yield f"metric {metric.name}: all scores are {value}{noise}; its correlations are undefined"


def _unscored(material: Material) -> Iterator[str]:
    by_sample = [metric.values for metric in material.metrics if not np.isnan(metric.values).all()]
    if not by_sample:
        return
    is_bare = np.isnan(by_sample).all(axis=0)
    if is_bare.any():
        names = [material.samples[place] for place in np.flatnonzero(is_bare).tolist()]
        some, total = listed(names, limit=3), len(material.samples)
        yield f"{len(names):,} of {total:,} rated samples have no scores at all: {some}"


def _subsets(material: Material) -> Iterator[str]:
    named = dict.fromkeys(subset for metric in material.metrics for _, subset in metric.of_subsets)
    if strangers := [name for name in named if name not in material.subsets]:
        yield f"subsets that no sample belongs to have scores, which are not used: {listed(strangers, limit=3)}"
