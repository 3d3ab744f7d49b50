"""The frame of every import: read in chunks, keep each, answer with counts or with what is wrong."""

import hashlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import IO, Protocol

from config.bulk.cells import Cell
from config.bulk.problems import Problem, Problems, ReadingStopped
from config.bulk.reading import READERS, Row

CHUNK_ROWS = 1000
# The kind of a table, by the ending of its file's name.
KIND_BY_ENDING = {".csv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl"}
_IN_MEMORY = 1_000_000
_COPY_BYTES = 1 << 16


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class TooLarge(Exception):
    """The file is longer than an import may be."""


@dataclass(frozen=True)
class Upload:
    """A file that has arrived whole: on disk when it is large, so that no transaction waits for a slow sender."""

    file: IO[bytes]
    kind: str  # csv or jsonl
    sha256: str


def spool(stream: Readable, *, kind: str, limit: int) -> Upload:
    file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  the Upload's owner closes it
    digest, size = hashlib.sha256(), 0
    while block := stream.read(_COPY_BYTES):
        size += len(block)
        if size > limit:
            file.close()
            raise TooLarge
        digest.update(block)
        file.write(block)
    file.seek(0)
    return Upload(file=file, kind=kind, sha256=digest.hexdigest())


@dataclass(frozen=True)
class Counts:
    created: int = 0
    unchanged: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(self.created + other.created, self.unchanged + other.unchanged)


@dataclass(frozen=True)
class ImportResult:
    """With problems nothing was kept, and the counts are nought."""

    counts: Counts
    problems: Sequence[Problem] = ()
    stopped_at: int | None = None


def import_rows(
    upload: Upload, columns: Sequence[Cell], keep: Callable[[Sequence[Row], Problems], Counts]
) -> ImportResult:
    """Give `keep` the rows by the thousand. The caller rolls back what was kept when there are problems."""
    problems, counts = Problems(), Counts()
    with suppress(ReadingStopped):
        for rows in _chunks(READERS[upload.kind](upload.file, columns, problems)):
            counts += keep(rows, problems)
    if problems:
        found = sorted(problems.found, key=lambda problem: problem.line)
        return ImportResult(Counts(), found, problems.stopped_at)
    return ImportResult(counts)


def _chunks(rows: Iterator[Row]) -> Iterator[list[Row]]:
    while chunk := list(islice(rows, CHUNK_ROWS)):
        yield chunk
