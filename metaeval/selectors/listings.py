"""Any further table of a report, a page at a time: its columns named, its intervals behind their values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator

from metaeval.models import Report
from metaeval.report.naming import column_name, level_name, statistic_name, statistic_short, unit_name
from metaeval.report.numerals import interval, number

ROWS_PER_PAGE = 50
# Where a listing has these, one column says all three.
_VALUE, _LOW, _HIGH = "value", "ci_low", "ci_high"
_NAMES = {"level": level_name, "statistic": statistic_name, "ci_unit": unit_name}
_DIGITS = 3
_NAME = 32

Listing = Mapping[str, Any]


@dataclass(frozen=True)
class ListingColumn:
    title: str
    hint: str
    is_number: bool


@dataclass(frozen=True)
class ListingCell:
    """`sort` is what a number is sorted by; text sorts by itself."""

    text: str
    sort: str = ""
    interval: str = ""
    is_number: bool = False

    @property
    def is_short(self) -> bool:
        """A name, not a sentence: it stays on one line."""
        return len(self.text) <= _NAME


@dataclass(frozen=True)
class ListingTable:
    name: str
    title: str
    note: str
    columns: tuple[ListingColumn, ...]
    page: Page[Any]


def listing_titles(report: Report) -> list[tuple[str, str, int]]:
    """Name, title and number of rows of each."""
    return [(listing["name"], _title(listing), len(listing["rows"])) for listing in _listings(report)]


def listing_table(report: Report, name: str, *, page: str = "1") -> ListingTable | None:
    """None if there is no such table."""
    listing = next((each for each in _listings(report) if each["name"] == name), None)
    if listing is None:
        return None
    places = _shown(listing)
    found: Page[Any] = Paginator(listing["rows"], ROWS_PER_PAGE).get_page(page)
    found.object_list = [[_cell(listing, row, place) for place in places] for row in found.object_list]
    columns = tuple(_column(listing, place) for place in places)
    return ListingTable(name, _title(listing), listing.get("note") or "", columns, found)


def _listings(report: Report) -> Sequence[Listing]:
    found: Sequence[Listing] = report.results.get("listings", [])
    return found


def _title(listing: Listing) -> str:
    return str(listing.get("title") or listing["name"])


def _has_interval(listing: Listing) -> bool:
    return {_VALUE, _LOW, _HIGH} <= set(listing["columns"])


def _shown(listing: Listing) -> list[int]:
    """Without bounds that stand behind their value, and without columns that are empty in every row."""
    names, rows = listing["columns"], listing["rows"]
    inside = (_LOW, _HIGH) if _has_interval(listing) else ()
    return [
        place
        for place, name in enumerate(names)
        if name not in inside and (not rows or any(row[place] not in (None, "") for row in rows))
    ]


def _column(listing: Listing, place: int) -> ListingColumn:
    name = listing["columns"][place]
    named = column_name(name)
    is_known = named != name.replace("_", " ")
    hint = "" if is_known or statistic_name(name) == named else statistic_name(name)
    is_number = any(_is_number(row[place]) for row in listing["rows"])
    return ListingColumn(named if is_known else statistic_short(name), hint, is_number)


def _cell(listing: Listing, row: Sequence[Any], place: int) -> ListingCell:
    name, value = listing["columns"][place], row[place]
    if not _is_number(value):
        text = "" if value is None else str(value)
        return ListingCell(_NAMES[name](text) if name in _NAMES and text else text)
    bounds = ""
    if name == _VALUE and _has_interval(listing):
        low, high = (row[listing["columns"].index(bound)] for bound in (_LOW, _HIGH))
        bounds = interval(low, high, digits=_DIGITS)
    return ListingCell(number(value, digits=_DIGITS), repr(value), bounds, is_number=True)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
