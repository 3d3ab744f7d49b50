"""What statistics, levels and columns are called where a person reads them: in report.html, in LaTeX, on the pages."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Name:
    """`text` for a page, `short` for a column or an axis, `latex` for a paper."""

    text: str
    short: str
    latex: str


def _plain(text: str, short: str = "") -> Name:
    return Name(text, short or text, short or text)


STATISTICS: dict[str, Name] = {
    "pearson": Name("Pearson r", "Pearson r", r"Pearson $r$"),
    "spearman": Name("Spearman ρ", "Spearman ρ", r"Spearman $\rho$"),
    "kendall_b": Name("Kendall τ-b", "Kendall τ-b", r"Kendall $\tau_b$"),
    "kendall_c": Name("Kendall τ-c", "Kendall τ-c", r"Kendall $\tau_c$"),
    "somers_d": Name("Somers’ D", "Somers’ D", r"Somers' $D$"),
    "acc_eq": Name("pairwise accuracy with ties", "acc-eq", r"acc$_\mathrm{eq}$"),
    "acc_eq_chance": Name("pairwise accuracy by chance", "acc-eq chance", r"acc$_\mathrm{eq}$ chance"),
    "acc_eq_calibrated": Name("pairwise accuracy, ties calibrated", "acc-eq*", r"acc$_\mathrm{eq}^{*}$"),
    "pairwise_accuracy": _plain("pairwise accuracy", "pairwise acc."),
    "soft_pairwise_accuracy": _plain("soft pairwise accuracy", "soft acc."),
    "auc_roc": _plain("AUC-ROC"),
    "average_precision": _plain("AUPR (average precision)", "AUPR (AP)"),
    "aupr_trapezoid": _plain("AUPR (trapezoid)", "AUPR (trap.)"),
    "ks": _plain("Kolmogorov-Smirnov", "KS"),
    "ks_statistic": _plain("Kolmogorov-Smirnov", "KS"),
    "mann_whitney_u": Name("Mann-Whitney U", "M-W U", r"M-W $U$"),
    "ks_by_prompt": _plain("Kolmogorov-Smirnov, p by prompt", "KS (prompt)"),
    "mann_whitney_u_by_prompt": _plain("Mann-Whitney U, p by prompt", "M-W U (prompt)"),
    "f1": _plain("F1 at the best threshold (cross-validated)", "F1"),
    "best_f1": _plain("F1 at the best threshold (cross-validated)", "F1"),
    "accuracy": _plain("accuracy at the best threshold (cross-validated)", "accuracy"),
    "best_accuracy": _plain("accuracy at the best threshold (cross-validated)", "accuracy"),
    "alpha_nominal": Name("Krippendorff α, nominal", "α nominal", r"$\alpha$ nominal"),
    "alpha_ordinal": Name("Krippendorff α, ordinal", "α ordinal", r"$\alpha$ ordinal"),
    "alpha_interval": Name("Krippendorff α, interval", "α interval", r"$\alpha$ interval"),
    "alpha_ratio": Name("Krippendorff α, ratio", "α ratio", r"$\alpha$ ratio"),
    "fleiss_kappa": Name("Fleiss’ κ", "Fleiss’ κ", r"Fleiss' $\kappa$"),
    "cohen_kappa": Name("Cohen’s κ", "Cohen’s κ", r"Cohen's $\kappa$"),
    "cohen_kappa_linear": Name("Cohen’s κ, linear weights", "κ linear", r"Cohen's $\kappa$, linear"),
    "cohen_kappa_quadratic": Name("Cohen’s κ, quadratic weights", "κ quadratic", r"Cohen's $\kappa$, quadratic"),
    "gwet_ac1": _plain("Gwet’s AC1"),
    "gwet_ac2": _plain("Gwet’s AC2"),
    "percent_agreement": _plain("raw agreement"),
    "icc_1_1": _plain("ICC(1,1), one rater", "ICC(1,1)"),
    "icc_1_k": _plain("ICC(1,k), mean of the raters", "ICC(1,k)"),
    "icc_2_1": _plain("ICC(2,1), one rater", "ICC(2,1)"),
    "icc_2_k": _plain("ICC(2,k), mean of the raters", "ICC(2,k)"),
    "icc_3_1": _plain("ICC(3,1), one rater", "ICC(3,1)"),
    "icc_3_k": _plain("ICC(3,k), mean of the raters", "ICC(3,k)"),
}
OVER_RATERS = "_over_raters"
# Counts, not shares: their size depends on n, so that they stay out of figures that compare.
NOT_A_SHARE = frozenset({"mann_whitney_u", "mann_whitney_u_by_prompt", "ks_by_prompt"})

LEVELS: dict[str, str] = {
    "sample": "sample by sample",
    "prompt": "within prompts",
    "within_generator": "within generators",
    "generator": "generator by generator",
    "subsplit": "over sub-splits of generators",
}
UNITS: dict[str, str] = {
    "prompt": "prompts",
    "sample": "samples",
    "generator": "generators",
    "rater": "raters",
    "prompt+generator": "prompts and generators",
}
DIRECTIONS: dict[str, str] = {
    "higher": "higher is better",
    "lower": "lower is better",
    "target": "nearer its target is better",
}
COLUMNS: dict[str, str] = {
    "ci_low": "CI low",
    "ci_high": "CI high",
    "ci_method": "interval",
    "ci_unit": "resampled",
    "n_units": "samples",
    "n_raters": "raters",
    "p_holm": "p (Holm)",
    "p_bh": "p (Benjamini-Hochberg)",
    "p_method": "test",
    "metric_a": "metric A",
    "metric_b": "metric B",
    "value_a": "A",
    "value_b": "B",
    "difference": "A − B",
    "n": "n",
    "p": "p",
}


def statistic_name(statistic: str) -> str:
    """`kendall_b` is "Kendall τ-b"; `auc_roc@>=3`, at another cut, "AUC-ROC (≥ 3)"; what is unknown, its own words."""
    return _named(statistic).text


def statistic_short(statistic: str) -> str:
    return _named(statistic).short


def statistic_latex(statistic: str) -> str | None:
    """As LaTeX source, or None: then the caller escapes `statistic_short`."""
    if statistic in STATISTICS or statistic.removesuffix(OVER_RATERS) in STATISTICS:
        return _named(statistic).latex
    return None


def level_name(level: str) -> str:
    return LEVELS.get(level, _words(level))


def unit_name(unit: str) -> str:
    return UNITS.get(unit, _words(unit))


def interval_name(method: str, unit: str, confidence: float = 0.95) -> str:
    """What the brackets behind a value are: "95% bootstrap percentile over prompts", or a range, which has no 95%."""
    over = f" over {unit_name(unit)}" if unit else ""
    return f"{method}{over}" if "range" in method or "leave" in method else f"{100 * confidence:g}% {method}{over}"


def is_at_another_cut(statistic: str) -> bool:
    return "@" in statistic


def direction_name(direction: str) -> str:
    return DIRECTIONS.get(direction, _words(direction))


def column_name(column: str) -> str:
    return COLUMNS.get(column, _words(column))


def cluster_letter(cluster: int) -> str:
    """1 is a, 26 is z, 27 is aa: letters, because a raised number would read as a power."""
    letters = ""
    while cluster > 0:
        cluster, place = divmod(cluster - 1, 26)
        letters = chr(ord("a") + place) + letters
    return letters


def slug(text: str) -> str:
    """A file name of any text: ASCII letters, digits and hyphens."""
    ascii_text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", ascii_text.lower()).strip("-") or "unnamed"


def slugs(texts: Iterable[str]) -> dict[str, str]:
    """A different file name for each text, also where only their punctuation differs."""
    found: dict[str, str] = {}
    for text in texts:
        name, number = slug(text), 2
        while name in found.values():
            name, number = f"{slug(text)}-{number}", number + 1
        found.setdefault(text, name)
    return found


def _named(statistic: str) -> Name:
    if statistic in STATISTICS:
        return STATISTICS[statistic]
    base, mark, variant = statistic.partition("@")
    if mark and base in STATISTICS:
        name = STATISTICS[base]
        at = variant.replace(">=", "≥ ")
        return Name(f"{name.text} ({at})", f"{name.short} ({at})", name.latex)
    if statistic.removesuffix(OVER_RATERS) in STATISTICS:
        name = STATISTICS[statistic.removesuffix(OVER_RATERS)]
        return Name(f"{name.text}, over raters", f"{name.short}, raters", f"{name.latex}, over raters")
    return _plain(_words(statistic))


def _words(name: str) -> str:
    return name.replace("_", " ")
