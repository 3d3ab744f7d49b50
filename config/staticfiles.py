"""The one file that we want of the plotly package; the rest of it (datasets, templates) stays where it is."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.files.storage import FileSystemStorage

NAME = "plotly/plotly.min.js"


def _package_data() -> Path | None:
    """Without importing plotly, which takes a while."""
    spec = find_spec("plotly")
    return Path(spec.origin).parent / "package_data" if spec and spec.origin else None


@cache
def plotly_style_ids() -> tuple[str, ...]:
    """The ids of the style elements that plotly.js puts into a page as it loads, unless something has the id already.

    They are for maps, which we do not draw, and our content security policy forbids them. The id is the hash of the
    styles, so it changes with the version.
    """
    folder = _package_data()
    text = (folder / Path(NAME).name).read_text(encoding="utf-8") if folder else ""
    return tuple(dict.fromkeys(re.findall(r'getElementById\("([0-9a-f]{64})"\)', text)))


class PlotlyFinder(BaseFinder):
    """`static/plotly/plotly.min.js`, as the wheel ships it."""

    def check(self, **_: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **_: Any) -> Any:
        folder = _package_data()
        found = str(folder / Path(NAME).name) if folder and path == NAME else None
        if find_all:
            return [found] if found else []
        return found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[Any]:
        folder = _package_data()
        if folder:
            storage = FileSystemStorage(location=folder)
            storage.prefix = Path(NAME).parent.name  # type: ignore[attr-defined]
            yield Path(NAME).name, storage
