"""Parquet, by pyarrow: already columns, so names arrive as codes."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from metaeval.report.inputs.columns import Names, Table, first, parse_number, refuse_repeated, tidied
from metaeval.report.inputs.errors import InputError, shown
from metaeval.stats.design import Floats


def read_parquet(path: Path, *, names: Collection[str], values: Collection[str]) -> Table:
    with path.open("rb"):  # a missing file gets the same words as any other
        pass
    try:
        refuse_repeated(path.name, pq.read_schema(path).names)
        known = {name: name.strip() for name in pq.read_schema(path).names}
        wanted = [name for name, stripped in known.items() if stripped in names or stripped in values]
        table = pq.ParquetFile(path).read(columns=wanted)
    except InputError:
        raise
    except (pa.ArrowException, ValueError) as error:
        raise InputError(f"{path.name}: expected a Parquet file, found {str(error).splitlines()[0]}") from None
    coded: dict[str, Names] = {}
    floats: dict[str, Floats] = {}
    warnings: list[str] = []
    for name in wanted:
        column, stripped = table.column(name).combine_chunks(), known[name]
        if stripped in names:
            coded[stripped], remarks = _names(column, path.name, stripped)
        else:
            floats[stripped], remarks = _floats(column, path.name, stripped)
        warnings += [f"{path.name}: {stripped}: {remark}" for remark in remarks]
    numbers = np.arange(1, len(table) + 1, dtype=np.intp)
    return Table(path.name, "row", numbers, tuple(known.values()), coded, floats, tuple(warnings))


def _names(column: Any, file: str, name: str) -> tuple[Names, list[str]]:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_floating(column.type):  # what pandas makes of integers with gaps
        column = _cast(column, pa.int64(), file, name)
    encoded = _cast(column, pa.large_string(), file, name).dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    return tidied(encoded.dictionary.to_pylist(), codes)


def _floats(column: Any, file: str, name: str) -> tuple[Floats, list[str]]:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return _parsed(column.to_pylist(), file, name), []
    remarks = []
    if pa.types.is_float32(column.type) or pa.types.is_float16(column.type):
        remarks.append(f"{column.type} was widened to double: digits beyond the 7th are not those of the source")
    missing = pc.is_null(column).to_numpy(zero_copy_only=False)
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    found = _cast(column, pa.float64(), file, name).fill_null(0.0).to_numpy(zero_copy_only=False).copy()
    if (row := first(~np.isfinite(found))) is not None:
        raise InputError(f"{file}: row {row + 1}: {name}: expected a finite number, found {shown(found[row])}")
    found[missing] = np.nan
    return found, remarks


def _cast(column: Any, to: Any, file: str, name: str) -> Any:
    try:
        return column.cast(to)
    except pa.ArrowException:
        raise InputError(f"{file}: {name}: expected a column of type {to}, found {column.type}") from None


def _parsed(cells: list[str | None], file: str, name: str) -> Floats:
    found = np.empty(len(cells))
    for place, cell in enumerate(cells):
        try:
            found[place] = parse_number(cell or "")
        except ValueError as error:
            raise InputError(f"{file}: row {place + 1}: {name}: {error}") from None
    return found
