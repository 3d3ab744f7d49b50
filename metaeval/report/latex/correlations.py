"""One table a criterion and level: the best in bold, the second underlined, clusters as superscripts."""

from collections.abc import Sequence

from metaeval.report.latex.escape import escape
from metaeval.report.latex.floats import Float, chunks, heading, signed, small
from metaeval.report.naming import cluster_letter, interval_name, level_name, statistic_name
from metaeval.report.numerals import count_range, interval, number
from metaeval.report.ranking import Family, metrics_in_order, searched, statistics_of, two_best
from metaeval.report.results import Correlation, Finding, confidence_of

# What fits on a page of an article.
STATISTICS_PER_TABLE = 6
METRICS_PER_TABLE = 22


def correlations_table(finding: Finding, criterion: str, level: str, *, label: str, at_other_cuts: bool = False) -> str:
    """Metrics by the primary statistic (rows) and all statistics (columns), each with its interval below it."""
    statistics = statistics_of(finding, criterion, level, at_other_cuts=at_other_cuts)
    rows = {
        (row.metric, row.statistic): row
        for row in finding.correlations
        if (row.criterion, row.level) == (criterion, level) and row.statistic in statistics
    }
    family = Family(criterion, level, statistics[0] if statistics else "")
    metrics = [name for name in metrics_in_order(finding, family) if any((name, key) in rows for key in statistics)]
    ranks = {name: _ranks(finding, [rows[key] for key in rows if key[1] == name]) for name in statistics}
    floats: list[Float] = []
    for columns in chunks(statistics, STATISTICS_PER_TABLE):
        for names in chunks(metrics, METRICS_PER_TABLE):
            first = not floats
            caption = _caption(finding, family, list(rows.values())) if first else _continued(criterion, level)
            floats.append(
                Float(
                    caption,
                    label if first else f"{label}-{len(floats) + 1}",
                    "l" + "c" * len(columns) + "r",
                    ["Metric", *(heading(name) for name in columns), "$n$"],
                    [line for name in names for line in (None, *_lines(finding, name, columns, rows, ranks))][1:],
                )
            )
    return "\n".join(map(str, floats))


def _lines(
    finding: Finding,
    metric: str,
    columns: Sequence[str],
    rows: dict[tuple[str, str], Correlation],
    ranks: dict[str, dict[str, int]],
) -> list[list[str]]:
    entries = [rows.get((metric, column)) for column in columns]
    direction = next((fact.direction for fact in finding.metrics if fact.name == metric), "higher")
    turned = {"lower": r"~$\downarrow$", "target": r"~$\circ$"}.get(direction, "")
    counts = count_range([entry.n for entry in entries if entry is not None])
    values = [
        "" if entry is None else _value(entry, ranks[column].get(metric))
        for entry, column in zip(entries, columns, strict=True)
    ]
    lines = [[escape(metric) + turned, *values, escape(counts)]]
    intervals = ["" if entry is None else small(interval(entry.ci_low, entry.ci_high)) for entry in entries]
    if any(intervals):
        lines.append(["", *intervals, ""])
    return lines


def _value(entry: Correlation, rank: int | None) -> str:
    if entry.value is None:
        return "--"
    text = signed(number(entry.value))
    text = rf"\textbf{{{text}}}" if rank == 1 else rf"\underline{{{text}}}" if rank == 2 else text
    return text if entry.cluster is None else rf"{text}$^\mathrm{{{cluster_letter(entry.cluster)}}}$"


def _ranks(finding: Finding, rows: Sequence[Correlation]) -> dict[str, int]:
    """1 for the best and 2 for the second best value; equal values share a place. Members of searches have none."""
    values, apart = two_best(finding, rows), searched(finding)
    return {row.metric: values.index(row.value) + 1 for row in rows if row.value in values and row.metric not in apart}


def _caption(finding: Finding, family: Family, rows: Sequence[Correlation]) -> str:
    counts = count_range([row.n for row in rows if row.value is not None])
    parts = [f"How well each metric follows people on {family.criterion}, {level_name(family.level)} (n = {counts})"]
    parts[0] += f", sorted by {statistic_name(family.statistic)}."
    methods = sorted({(row.ci_method, row.ci_unit) for row in rows if row.ci_method})
    if methods:
        named = "; ".join(interval_name(method, unit, confidence_of(finding)) for method, unit in methods)
        parts.append(f"Brackets: {named}.")
    parts.append("Best in bold, second underlined.")
    if any(row.cluster is not None for row in rows):
        parts.append("Letters are rank clusters, a the best.")
    if searched(finding) & {row.metric for row in rows}:
        parts.append("Members of a search (last) are not ranked.")
    if any(row.value is None for row in rows):
        parts.append("A dash is undefined.")
    roles = sorted({row.statistic for row in rows if row.role == "confirmatory"})
    confirmed = ", ".join(statistic_name(name) for name in roles)
    parts.append(f"Confirmatory: {confirmed}; all else is exploratory." if roles else "Exploratory.")
    parts.append(f"Seed {finding.seed}.")
    turned = r" $\downarrow$: lower is better, sign turned; $\circ$: distance to a target, sign turned."
    return escape(" ".join(parts)) + turned


def _continued(criterion: str, level: str) -> str:
    return escape(f"How well each metric follows people on {criterion}, {level_name(level)} (continued).")
