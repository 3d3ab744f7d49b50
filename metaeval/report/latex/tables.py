"""Agreement, comparisons and any further listing."""

from metaeval.report.latex.escape import escape
from metaeval.report.latex.floats import any_cell, floats_of, heading, signed, small
from metaeval.report.naming import interval_name, level_name, statistic_name, unit_name
from metaeval.report.numerals import interval, number, probability
from metaeval.report.ranking import primary_family
from metaeval.report.results import Agreement, Finding, Listing, confidence_of


def agreement_table(finding: Finding) -> str:
    def row(entry: Agreement) -> list[str]:
        value = "--" if entry.value is None else signed(number(entry.value))
        bounds = small(interval(entry.ci_low, entry.ci_high))
        counts = [f"{entry.n_units:,}", f"{entry.n_raters:,}"]
        return [escape(entry.criterion), heading(entry.statistic), value, bounds, *counts]

    units = sorted({(entry.ci_method, entry.ci_unit) for entry in finding.agreement if entry.ci_method})
    methods = "; ".join(interval_name(method, unit, confidence_of(finding)) for method, unit in units)
    brackets = f" Brackets: {methods}." if methods else ""
    return floats_of(
        caption=escape(f"Agreement of raters.{brackets} A dash is undefined. Seed {finding.seed}."),
        label="agreement",
        alignment="llrlrr",
        head=["Criterion", "Statistic", "Value", "Interval", "Samples", "Raters"],
        rows=[row(entry) for entry in finding.agreement],
    )


def comparisons_table(finding: Finding) -> str:
    """The pairs of the primary family; the others are in comparisons.csv."""
    family = primary_family(finding)
    rows = [entry for entry in finding.comparisons if family.holds(entry)]
    units = ", ".join(sorted({unit_name(entry.unit) for entry in rows if entry.unit})) or "no unit"
    caption = (
        f"Pairs of metrics on {family.criterion}, {level_name(family.level)}, by {statistic_name(family.statistic)}; "
        f"swapped or resampled by {units}. Seed {finding.seed}."
    )
    return floats_of(
        caption=escape(caption),
        label="comparisons",
        alignment="llrlrrr",
        head=["Metric A", "Metric B", "$A-B$", "Interval", "$p$", r"$p_\mathrm{Holm}$", "$n$"],
        rows=[
            [
                escape(entry.metric_a),
                escape(entry.metric_b),
                "--" if entry.difference is None else signed(number(entry.difference, digits=3)),
                small(interval(entry.ci_low, entry.ci_high, digits=3)),
                escape(probability(entry.p)),
                escape(probability(entry.p_holm)),
                f"{entry.n:,}",
            ]
            for entry in rows
        ],
    )


def listing_table(listing: Listing, *, label: str) -> str:
    numeric = [all(not isinstance(row[place], str) for row in listing.rows) for place in range(len(listing.columns))]
    return floats_of(
        caption=escape(f"{listing.title}. {listing.note}".strip()),
        label=label,
        alignment="".join("r" if is_number else "l" for is_number in numeric),
        head=[heading(name) for name in listing.columns],
        rows=[[any_cell(cell) for cell in row] for row in listing.rows],
    )
