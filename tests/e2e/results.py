"""What `python -m metaeval analyse` writes, in small: something good, something bad, something undefined."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.files.storage import default_storage

from metaeval.models import Report, ReportArchive
from metaeval.report.results import Agreement, Comparison, Correlation, Finding, Listing, MetricFacts
from metaeval.services.analysis_files import pack, store

LEVELS = ("sample", "generator")
STATISTICS = ("pearson", "spearman", "kendall_b")
CRITERIA = ("naturalness", "faithfulness")
# metric, value, note; on the generators' level the order is another.
METRICS = (
    ("flat", None, "undefined: constant scores"),
    ("worse", -0.2, ""),
    ("better", 0.4712, "sign turned: lower is better"),
)


def _correlation(
    criterion: str, level: str, statistic: str, metric: str, value: float | None, note: str
) -> Correlation:
    shown = None if value is None else value * (1 if level == "sample" else -1)
    low, high = (None, None) if shown is None or level == "generator" else (shown - 0.06, shown + 0.05)
    is_primary = (criterion, level, statistic) == ("naturalness", "sample", "spearman")
    return Correlation(
        criterion=criterion,
        metric=metric,
        level=level,
        statistic=statistic,
        value=shown,
        n=9 if level == "sample" else 3,
        ci_low=low,
        ci_high=high,
        ci_method="percentile" if low is not None else "",
        ci_unit="prompt" if low is not None else "",
        p=None if shown is None else 0.0004,
        p_method="permutation of prompts",
        note=note,
        role="confirmatory" if is_primary else "exploratory",
        cluster={"better": 1, "worse": 2}.get(metric) if level == "sample" else None,
        p_holm=None if shown is None else 0.0012,
    )


FINDING = Finding(
    summary="better follows people best.",
    warnings=("The best metric differs between levels.",),
    methods="Spearman correlation over 9 samples; intervals resample whole prompts 1,000 times (seed 7).",
    agreement=(
        Agreement("naturalness", "alpha_ordinal", 0.61, 9, 4, ci_low=0.5, ci_high=0.7, ci_method="percentile"),
        Agreement("naturalness", "alpha_nominal", None, 9, 4, note="undefined: no two raters differ"),
    ),
    correlations=tuple(
        _correlation(criterion, level, statistic, *metric)
        for criterion in CRITERIA
        for level in LEVELS
        for statistic in STATISTICS
        for metric in METRICS
    ),
    comparisons=tuple(
        Comparison(
            criterion="naturalness",
            level="sample",
            statistic="spearman",
            metric_a="better",
            metric_b=f"rival-{number}",
            value_a=0.4712,
            value_b=0.4712 - number / 100,
            difference=number / 100,
            p=1 / number,
            p_holm=min(1.0, 25 / number),
            p_method="paired permutation",
            unit="prompt",
            n=9,
            permutations=9999,
            role="confirmatory",
        )
        for number in range(1, 26)
    ),
    listings=(
        Listing("people", "Held-out people", ("criterion", "statistic", "value"), (("naturalness", "pearson", 0.66),)),
    ),
    metrics=(
        MetricFacts("better", "lower", is_reference_based=True, scored=9, missing=1),
        MetricFacts("worse", "higher", is_reference_based=False, scored=9, missing=0),
        MetricFacts("flat", "higher", is_reference_based=False, scored=9, missing=0),
    ),
    primary={"criterion": "naturalness", "level": "sample", "statistic": "spearman"},
    settings={"resampling": {"replicates": 1000}},
    settings_hash="a" * 64,
    seed=7,
)
RESULTS: dict[str, Any] = json.loads(json.dumps(asdict(FINDING)))

REPORT_HTML = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Report</title>
<style>h1 { color: rgb(1, 2, 3); }</style></head><body><main><h1>The report</h1><p id="said">no script</p></main>
<script>document.getElementById("said").textContent = "script ran at " + self.origin;</script></body></html>"""


def add_archive(report: Report, folder: Path) -> ReportArchive:
    """As the worker leaves it."""
    files = {
        "report.html": REPORT_HTML,
        "results.json": json.dumps(report.results),
        "tables/correlations.csv": "criterion,metric\nnaturalness,better\n",
        "figures/heat.svg": '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><title>heat</title></svg>',
        "inputs/ratings.csv": "sample\n",
    }
    for name, text in files.items():
        path = folder / "out" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    packed = pack(folder / "out", folder / "out.zip")
    stored_as = store(packed)
    assert default_storage.exists(stored_as)
    return ReportArchive.objects.create(
        report=report, file=stored_as, sha256=packed.sha256, size=packed.size, names=list(packed.names)
    )
