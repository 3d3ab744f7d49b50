"""A table as the template sees it: every text still to be escaped, every number beside the key it is sorted by."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from metaeval.report.naming import interval_name, statistic_short
from metaeval.report.numerals import interval, number, probability
from metaeval.report.results import Agreement, Comparison, Correlation

UNDEFINED = "undefined"


@dataclass(frozen=True)
class Column:
    title: str
    is_number: bool = False
    hint: str = ""
    tag: str = ""


@dataclass(frozen=True)
class TableCell:
    """`sort` orders a number's cell (text sorts by itself); `kind` is a class of report.css."""

    text: str
    sort: str = ""
    aside: str = ""
    hint: str = ""
    kind: str = ""
    picture: Markup | None = None


@dataclass(frozen=True)
class Table:
    name: str
    caption: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[TableCell]]
    note: str = ""


def without_empty_notes(table: Table) -> Table:
    """Without its last column, where that is of notes and no row has one."""
    is_empty = table.columns[-1].title == "note" and not any(row[-1].text for row in table.rows)
    if not is_empty:
        return table
    return replace(table, columns=table.columns[:-1], rows=[row[:-1] for row in table.rows])


def text_cell(text: str, *, kind: str = "") -> TableCell:
    return TableCell(text, kind=kind)


def number_cell(value: float | int | None, *, digits: int = 2) -> TableCell:
    return TableCell(number(value, digits=digits), sort=sort_key(value), kind="number")


def probability_cell(p: float | None) -> TableCell:
    kind = "number strong" if p is not None and p < 0.05 else "number"
    return TableCell(probability(p), sort=sort_key(p), kind=kind)


def value_cell(row: Correlation | Agreement, *, kind: str = "") -> TableCell:
    """0.47 [0.41, 0.52], n and p on hover; where it is undefined, the reason."""
    if row.value is None:
        return undefined_cell(row.note)
    return TableCell(
        number(row.value),
        sort=sort_key(row.value),
        aside=interval(row.ci_low, row.ci_high),
        hint=_hint(row),
        kind=f"number {kind}".strip(),
    )


def difference_cell(row: Comparison) -> TableCell:
    if row.difference is None:
        return undefined_cell(row.note)
    aside = interval(row.ci_low, row.ci_high, digits=3)
    return TableCell(number(row.difference, digits=3), sort=sort_key(row.difference), aside=aside, kind="number")


def undefined_cell(note: str) -> TableCell:
    reason = note.removeprefix(UNDEFINED).lstrip(": ")
    return TableCell(UNDEFINED, aside=reason, kind=UNDEFINED)


def sort_key(value: float | int | None) -> str:
    return "" if value is None else f"{value:.9g}"


def kind_of_rows(rows: Sequence[Correlation], confidence: float) -> str:
    """Which unit and method the intervals of a table have, and how p was found: the same words for all rows."""
    intervals = sorted({interval_name(row.ci_method, row.ci_unit, confidence) for row in rows if row.ci_method})
    tests = sorted({f"{statistic_short(row.statistic)}: {row.p_method}" for row in rows if row.p_method})
    if len({row.p_method for row in rows if row.p_method}) == 1:
        tests = [next(row.p_method for row in rows if row.p_method)]
    parts = [f"Brackets: {'; '.join(intervals)}." if intervals else "No intervals."]
    parts += [f"p, of no association: {'; '.join(tests)}."] if tests else []
    return " ".join(parts)


def _hint(row: Correlation | Agreement) -> str:
    if isinstance(row, Agreement):
        parts = [f"{row.n_units:,} samples, {row.n_raters:,} raters"]
    else:
        parts = [f"n = {row.n:,}"]
        parts += [f"p {_equals(row.p)}"] if row.p is not None else []
        parts += [f"Holm {_equals(row.p_holm)}"] if row.p_holm is not None else []
    return "; ".join([*parts, row.note] if row.note else parts)


def _equals(p: float) -> str:
    text = probability(p)
    return text if text.startswith("<") else f"= {text}"
