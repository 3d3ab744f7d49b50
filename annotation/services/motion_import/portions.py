"""Long lists of values for `IN`, cut so that every database takes them."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
SIZE = 500


def portions(values: Iterable[T]) -> Iterator[list[T]]:
    iterator = iter(values)
    while portion := list(islice(iterator, SIZE)):
        yield portion
