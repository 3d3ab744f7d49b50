"""Agreement, and comparisons of metrics, as tables of the page."""

from collections.abc import Sequence
from dataclasses import dataclass

from metaeval.report.html.cells import (
    Column,
    Table,
    difference_cell,
    number_cell,
    probability_cell,
    text_cell,
    value_cell,
    without_empty_notes,
)
from metaeval.report.naming import interval_name, level_name, statistic_name, unit_name
from metaeval.report.ranking import Family, families_compared, primary_family
from metaeval.report.results import Comparison, Finding, alpha_of, confidence_of

# All pairs of a hundred metrics would make a page that no browser likes; comparisons.csv has them.
MOST_PAIRS = 1500


@dataclass(frozen=True)
class Pairs:
    """The comparisons within one family; the primary one is open, and too many are only counted."""

    table: Table
    role: str
    is_open: bool


def agreement_table(finding: Finding) -> Table:
    table = Table(
        name="agreement-table",
        caption="Agreement of raters",
        columns=(
            Column("criterion"),
            Column("statistic"),
            Column("value", is_number=True),
            Column("brackets"),
            Column("samples", is_number=True),
            Column("raters", is_number=True),
            Column("note"),
        ),
        rows=[
            [
                text_cell(row.criterion),
                text_cell(statistic_name(row.statistic)),
                value_cell(row),
                text_cell(interval_name(row.ci_method, row.ci_unit, confidence_of(finding)) if row.ci_method else ""),
                number_cell(row.n_units),
                number_cell(row.n_raters),
                text_cell(row.note if row.value is not None else "", kind="aside"),
            ]
            for row in finding.agreement
        ],
    )
    return without_empty_notes(table)


def families_table(finding: Finding) -> Table | None:
    """What was compared: how many pairs, and how many of them differ."""
    families = families_compared(finding)
    if not families:
        return None
    return Table(
        name="families",
        caption="What was compared",
        columns=(
            Column("criterion"),
            Column("level"),
            Column("statistic"),
            Column("role"),
            Column("pairs", is_number=True),
            Column("differ", is_number=True, hint=f"p < {alpha_of(finding):g} after Holm"),
            Column("undefined", is_number=True),
        ),
        rows=[
            [
                text_cell(family.criterion),
                text_cell(level_name(family.level)),
                text_cell(statistic_name(family.statistic)),
                text_cell(_role(rows)),
                number_cell(len(rows)),
                number_cell(sum(row.p_holm is not None and row.p_holm < alpha_of(finding) for row in rows)),
                number_cell(sum(row.p is None for row in rows)),
            ]
            for family in families
            if (rows := _rows(finding, family))
        ],
        note=f"Pairs differ where p after Holm, within one row of this table, is below {alpha_of(finding):g}.",
    )


def pairs(finding: Finding) -> tuple[list[Pairs], int]:
    """The families that fit on the page, and the number of pairs that do not."""
    shown: list[Pairs] = []
    left = MOST_PAIRS
    primary = primary_family(finding)
    for place, family in enumerate(families_compared(finding)):
        rows = sorted(_rows(finding, family), key=lambda row: 2.0 if row.p is None else row.p)
        if family == primary or len(rows) <= left:
            table = _pairs_table(family, rows[:MOST_PAIRS], f"pairs-{place + 1}")
            shown.append(Pairs(table, _role(rows), is_open=family == primary))
            left -= len(table.rows)
    return shown, len(finding.comparisons) - sum(len(entry.table.rows) for entry in shown)


def _pairs_table(family: Family, rows: Sequence[Comparison], name: str) -> Table:
    tests = sorted({row.p_method for row in rows if row.p_method})
    units = sorted({unit_name(row.unit) for row in rows if row.unit})
    most = max((row.permutations for row in rows), default=0)
    note = f"{', '.join(tests) or 'not tested'}{', by ' + ' and '.join(units) if units else ''}"
    table = Table(
        name=name,
        caption=f"{family.criterion}, {level_name(family.level)}, by {statistic_name(family.statistic)}",
        columns=(
            Column("metric A"),
            Column("metric B"),
            Column("A", is_number=True),
            Column("B", is_number=True),
            Column("A − B", is_number=True),
            Column("p", is_number=True),
            Column("p (Holm)", is_number=True),
            Column("p (B-H)", is_number=True, hint="Benjamini-Hochberg"),
            Column("n", is_number=True, hint="samples that both metrics have"),
            Column("note"),
        ),
        rows=[
            [
                text_cell(row.metric_a),
                text_cell(row.metric_b),
                number_cell(row.value_a),
                number_cell(row.value_b),
                difference_cell(row),
                probability_cell(row.p),
                probability_cell(row.p_holm),
                probability_cell(row.p_bh),
                number_cell(row.n),
                text_cell(row.note if row.difference is not None else "", kind="aside"),
            ]
            for row in rows
        ],
        note=f"{note}; up to {most:,} permutations." if most else f"{note}.",
    )
    return without_empty_notes(table)


def _rows(finding: Finding, family: Family) -> list[Comparison]:
    return [row for row in finding.comparisons if family.holds(row)]


def _role(rows: Sequence[Comparison]) -> str:
    return "confirmatory" if any(row.role == "confirmatory" for row in rows) else "exploratory"
