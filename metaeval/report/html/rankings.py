"""The main table, and one table for each criterion and level: how well each metric follows people."""

from collections.abc import Sequence
from dataclasses import replace

from metaeval.report.html.cells import (
    Column,
    Table,
    TableCell,
    kind_of_rows,
    number_cell,
    probability_cell,
    text_cell,
    value_cell,
    without_empty_notes,
)
from metaeval.report.html.forest import Forest
from metaeval.report.naming import cluster_letter, level_name, slugs, statistic_name, statistic_short
from metaeval.report.numerals import count_range
from metaeval.report.ranking import (
    Family,
    criteria_of,
    levels_of,
    metrics_in_order,
    primary_family,
    searched,
    statistics_of,
    two_best,
)
from metaeval.report.results import Correlation, Finding, MetricFacts, confidence_of


def main_table(finding: Finding) -> Table | None:
    """The primary criterion, level and statistic: clusters, values with intervals, n and p."""
    family = primary_family(finding)
    rows = {row.metric: row for row in finding.correlations if family.holds(row)}
    if not rows:
        return None
    facts = {fact.name: fact for fact in finding.metrics}
    forest = Forest(list(rows.values()))
    names = [name for name in metrics_in_order(finding) if name in rows]
    table = Table(
        name="main",
        caption=f"{family.criterion}, {level_name(family.level)}, by {statistic_name(family.statistic)}",
        columns=(
            Column("metric"),
            Column("cluster", hint="metrics with one letter share a rank cluster; a is the best"),
            Column(statistic_short(family.statistic), is_number=True),
            Column("interval"),
            Column("n", is_number=True),
            Column("p", is_number=True, hint="of no association"),
            Column("p (Holm)", is_number=True),
            Column("better", hint="higher, lower, or near a target"),
            Column("note"),
        ),
        rows=[_main_row(rows[name], facts.get(name), forest) for name in names],
        note=kind_of_rows(list(rows.values()), confidence_of(finding)),
    )
    return without_empty_notes(
        table
        if any(facts[name].direction != "higher" for name in names if name in facts)
        else _without(table, "better")
    )


def _without(table: Table, title: str) -> Table:
    """Without a column that says the same in every row."""
    place = [column.title for column in table.columns].index(title)
    rows = [[*row[:place], *row[place + 1 :]] for row in table.rows]
    return replace(table, columns=(*table.columns[:place], *table.columns[place + 1 :]), rows=rows)


def _main_row(row: Correlation, fact: MetricFacts | None, forest: Forest) -> list[TableCell]:
    letter = "" if row.cluster is None else cluster_letter(row.cluster)
    notes = [*(fact.notes if fact else ()), *([row.note] if row.note and row.value is not None else [])]
    if fact is not None and fact.is_reference_based:
        notes.insert(0, "reference-based")
    if fact is not None and fact.missing and fact.scored:
        notes.insert(0, f"{fact.missing:,} samples have no score")
    return [
        text_cell(row.metric),
        TableCell(letter, sort="" if row.cluster is None else str(row.cluster), kind="letter"),
        value_cell(row),
        TableCell("", picture=forest.picture(row)),
        number_cell(row.n),
        probability_cell(row.p),
        probability_cell(row.p_holm),
        text_cell(fact.direction if fact else ""),
        text_cell("; ".join(notes), kind="aside"),
    ]


def level_tables(finding: Finding, *, at_other_cuts: bool = False) -> list[Table]:
    """Of the statistics that come first, or of those at cuts other than the stated one."""
    names = slugs(criteria_of(finding))
    kind = "cuts" if at_other_cuts else "follows"
    return [
        _level_table(finding, criterion, level, statistics, name=f"{kind}-{names[criterion]}-{level.replace('_', '-')}")
        for criterion in names
        for level in levels_of(finding, criterion)
        if (statistics := statistics_of(finding, criterion, level, at_other_cuts=at_other_cuts))
    ]


def _level_table(finding: Finding, criterion: str, level: str, statistics: Sequence[str], *, name: str) -> Table:
    rows = {
        (row.metric, row.statistic): row
        for row in finding.correlations
        if (row.criterion, row.level) == (criterion, level) and row.statistic in statistics
    }
    order = metrics_in_order(finding, Family(criterion, level, statistics[0]))
    apart = searched(finding)
    best = {
        column: two_best(finding, [row for row in rows.values() if row.statistic == column]) for column in statistics
    }
    return Table(
        name=name,
        caption=f"{criterion}, {level_name(level)}",
        columns=(
            Column("metric"),
            *(_statistic_column(column, list(rows.values())) for column in statistics),
            Column("n", is_number=True),
        ),
        rows=[
            _level_row(metric, statistics, rows, {} if metric in apart else best)
            for metric in order
            if any((metric, column) in rows for column in statistics)
        ],
        note=kind_of_rows(list(rows.values()), confidence_of(finding)),
    )


def _statistic_column(statistic: str, rows: Sequence[Correlation]) -> Column:
    confirmed = any(row.role == "confirmatory" for row in rows if row.statistic == statistic)
    tag = "confirmatory" if confirmed else ""
    return Column(statistic_short(statistic), is_number=True, hint=statistic_name(statistic), tag=tag)


def _level_row(
    metric: str,
    statistics: Sequence[str],
    rows: dict[tuple[str, str], Correlation],
    best: dict[str, list[float]],
) -> list[TableCell]:
    entries = [rows.get((metric, column)) for column in statistics]
    cells = [text_cell(metric)]
    for column, entry in zip(statistics, entries, strict=True):
        values = best.get(column, [])
        place = values.index(entry.value) if entry is not None and entry.value in values else None
        kind = {0: "best", 1: "second"}.get(-1 if place is None else place, "")
        cells.append(text_cell("") if entry is None else value_cell(entry, kind=kind))
    counts = [entry.n for entry in entries if entry is not None]
    cells.append(TableCell(count_range(counts), sort=str(max(counts, default=0)), kind="number"))
    return cells
