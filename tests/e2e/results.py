"""What `python -m metaeval analyse` writes, in small: something good, something bad, something undefined."""

from typing import Any

RESULTS: dict[str, Any] = {
    "agreement": [
        {
            "criterion": "naturalness",
            "statistic": "alpha_ordinal",
            "value": 0.61,
            "n_units": 9,
            "n_raters": 4,
            "note": "",
        },
        {
            "criterion": "naturalness",
            "statistic": "alpha_nominal",
            "value": None,
            "n_units": 9,
            "n_raters": 4,
            "note": "undefined: no two raters differ",
        },
    ],
    "correlations": [
        {
            "criterion": "naturalness",
            "metric": metric,
            "level": "sample",
            "statistic": statistic,
            "value": value,
            "n": 9,
            "note": note,
        }
        for metric, value, note in (
            ("flat", None, "undefined: constant"),
            ("worse", -0.2, ""),
            ("better", 0.4712, "sign turned: lower is better"),
        )
        for statistic in ("pearson", "spearman")
    ],
    "summary": "better follows people best.",
}
