"""Any further table of an analysis: its columns named, its intervals in brackets behind their values."""

from dataclasses import replace

from metaeval.report.html.cells import Column, Table, TableCell, number_cell, text_cell
from metaeval.report.naming import column_name, level_name, statistic_name, statistic_short
from metaeval.report.numerals import interval
from metaeval.report.results import Cell, Listing

# Where a listing has these, one column says all three.
_VALUE, _LOW, _HIGH = "value", "ci_low", "ci_high"


def listing_table(listing: Listing) -> Table:
    columns = [name for name in listing.columns if not (_has_interval(listing) and name in (_LOW, _HIGH))]
    places = [listing.columns.index(name) for name in columns]
    kept = [place for place in places if not listing.rows or any(row[place] not in (None, "") for row in listing.rows)]
    return Table(
        name=f"listing-{listing.name}",
        caption=listing.title,
        columns=tuple(_column(listing, place) for place in kept),
        rows=[[_cell(listing, row, place) for place in kept] for row in listing.rows],
        note=listing.note,
    )


def _has_interval(listing: Listing) -> bool:
    return {_VALUE, _LOW, _HIGH} <= set(listing.columns)


def _column(listing: Listing, place: int) -> Column:
    name = listing.columns[place]
    is_number = any(isinstance(row[place], int | float) for row in listing.rows)
    named = column_name(name)
    is_known = named != name.replace("_", " ")
    hint = "" if is_known or statistic_name(name) == named else statistic_name(name)
    return Column(named if is_known else statistic_short(name), is_number=is_number, hint=hint)


def _cell(listing: Listing, row: tuple[Cell, ...], place: int) -> TableCell:
    name, cell = listing.columns[place], row[place]
    if isinstance(cell, str):
        names = {"level": level_name, "statistic": statistic_name}
        return text_cell(names[name](cell), kind="nowrap") if name in names else text_cell(cell)
    found = number_cell(cell, digits=3)
    if name != _VALUE or not _has_interval(listing):
        return found
    low, high = (row[listing.columns.index(bound)] for bound in (_LOW, _HIGH))
    if isinstance(low, str) or isinstance(high, str):
        return found
    return replace(found, aside=interval(low, high, digits=3))
