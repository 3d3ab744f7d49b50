"""Which format a file is in, by its name; and its hash for the provenance."""

import gzip
import hashlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from metaeval.report.inputs.columns import Table
from metaeval.report.inputs.delimited import read_delimited
from metaeval.report.inputs.errors import InputError
from metaeval.report.inputs.jsonlines import read_json_lines
from metaeval.report.inputs.parquet import read_parquet

_EXPECTED = ".csv, .tsv, .jsonl (each also with .gz) or .parquet"


def read_table(path: Path, *, names: Collection[str], values: Collection[str]) -> Table:
    """The columns called `names` as text and those called `values` as numbers; the others are not read."""
    kind, is_packed = _kind(path)
    try:
        if kind in (".parquet", ".pq"):
            return read_parquet(path, names=names, values=values)
        with _opened(path, is_packed=is_packed) as stream:
            if kind in (".jsonl", ".ndjson"):
                return read_json_lines(stream, path.name, names=names, values=values)
            delimiter = "\t" if kind == ".tsv" else ","
            return read_delimited(stream, path.name, delimiter=delimiter, names=names, values=values)
    except UnicodeDecodeError as error:
        found = error.object[error.start : error.end]
        raise InputError(f"{path.name}: expected UTF-8 text, found the bytes {found!r}") from None
    except (gzip.BadGzipFile, EOFError) as error:
        raise InputError(f"{path.name}: expected a whole gzip file, found {error}") from None
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None


def sha256_of(path: Path) -> str:
    """Of the bytes as they lie on disk."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _kind(path: Path) -> tuple[str, bool]:
    endings = [ending.lower() for ending in path.suffixes[-2:]]
    is_packed = endings[-1:] == [".gz"]
    kind = "".join((endings[:-1] if is_packed else endings)[-1:])
    if kind not in (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".pq"):
        raise InputError(f"{path.name}: expected a file that ends in {_EXPECTED}")
    return kind, is_packed


@contextmanager
def _opened(path: Path, *, is_packed: bool) -> Iterator[IO[str]]:
    if is_packed:
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as packed:
            yield packed
    else:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
