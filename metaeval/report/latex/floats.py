"""A `table` environment in booktabs, and the cells in it. Long tables go on in a second one: a float cannot break."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from metaeval.report.latex.escape import escape
from metaeval.report.naming import column_name, statistic_latex, statistic_short
from metaeval.report.numerals import MINUS, number
from metaeval.report.results import Cell

Item = TypeVar("Item")

ROWS_PER_TABLE = 45


@dataclass(frozen=True)
class Float:
    """One `table` environment. `rows` are finished cells; None is some space."""

    caption: str
    label: str
    alignment: str
    head: Sequence[str]
    rows: Sequence[Sequence[str] | None]

    def __str__(self) -> str:
        body = [r"\addlinespace[2pt]" if row is None else " & ".join(row) + r" \\" for row in self.rows]
        return "\n".join(
            [
                r"\begin{table}[tbp]",
                r"\centering",
                r"\small",
                r"\setlength{\tabcolsep}{4pt}",
                rf"\caption{{{self.caption}}}",
                rf"\label{{tab:{self.label}}}",
                rf"\begin{{tabular}}{{@{{}}{self.alignment}@{{}}}}",
                r"\toprule",
                " & ".join(self.head) + r" \\",
                r"\midrule",
                *body,
                r"\bottomrule",
                r"\end{tabular}",
                r"\end{table}",
                "",
            ]
        )


def floats_of(*, caption: str, label: str, alignment: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    parts = chunks(rows, ROWS_PER_TABLE) or [[]]
    return "\n".join(
        str(
            Float(
                caption if not place else f"{caption} (Continued.)",
                label if not place else f"{label}-{place + 1}",
                alignment,
                head,
                chunk,
            )
        )
        for place, chunk in enumerate(parts)
    )


def heading(name: str) -> str:
    known = statistic_latex(name)
    if known is not None:
        return known
    return escape(column_name(name) if "@" not in name else statistic_short(name))


def any_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return escape(cell)
    return "--" if cell is None else signed(number(cell, digits=3))


def signed(text: str) -> str:
    return text.replace(MINUS, "$-$")


def small(text: str) -> str:
    return rf"{{\scriptsize {signed(text)}}}" if text else ""


def chunks(items: Sequence[Item], size: int) -> list[Sequence[Item]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
