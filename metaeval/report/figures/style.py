"""One visual language: ink on paper, a palette that also differs in lightness, files that come out the same twice."""

import re
import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

# These are the site's colours; report.html finds them in the SVG and puts its variables there, for the dark theme.
INK = "#1d1b17"
MUTED = "#5f5b52"
LINE = "#dfdcd3"
PAPER = "#ffffff"
SURFACE = "#f7f6f2"
FAINT = "#c4bfb3"
# Text on a filled cell keeps its colour in both themes, so it is a shade off the variables' values.
ON_DARK = "#fefefe"
ON_LIGHT = "#010101"

# Okabe and Ito (2008), "Color universal design", ordered so that neighbours also differ in lightness.
PALETTE = (INK, "#d55e00", "#0072b2", "#e69f00", "#009e73", "#56b4e9", "#cc79a7")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 3)), "-", (0, (1, 3)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
POSITIVE, NEGATIVE = "#0072b2", "#d55e00"
# From nearly white to a deep blue; its lightness falls evenly, so that it reads the same in grey. None of them is one
# of the colours above, which change with the theme.
SHADES = LinearSegmentedColormap.from_list("touchstone", ["#f3f4f1", "#c9d9e6", "#7fabcb", "#2f74a8", "#0b3c61"])

WIDTH = 7.0  # inches: the text width of a two-column paper
MOST_PANELS = 24

_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "text.color": INK,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.4,
    "hatch.linewidth": 0.5,
    "text.parse_math": False,  # a metric may be called "a$b$"
    # Text as text: searchable and light. DejaVu Sans is wide, so what stands in for it where it is missing fits too.
    "svg.fonttype": "none",
    "svg.hashsalt": "touchstone",
    "pdf.fonttype": 42,
    "path.simplify_threshold": 0.2,
}


@contextmanager
def house_style() -> Iterator[None]:
    """Within it, figures are made and saved in our style; pyplot and the user's settings are left alone."""
    with matplotlib.rc_context(), warnings.catch_warnings():
        matplotlib.rcdefaults()
        for key, value in _STYLE.items():
            matplotlib.rcParams[key] = value  # type: ignore[index]
        # Names in scripts that DejaVu lacks are boxes in the PDF, and right in the SVG and the report.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def new_figure(width: float = WIDTH, height: float = 4.0) -> Figure:
    return Figure(figsize=(width, height), layout="constrained")


def panels(count: int, *, columns: int = 3, height: float = 1.9, extra: float = 0.0) -> tuple[Figure, list[Axes]]:
    """A grid of small panels; `extra` inches below for a key."""
    columns = min(columns, max(count, 1))
    rows = -(-count // columns)
    figure = new_figure(WIDTH if columns > 1 else 0.6 * WIDTH, rows * height + 0.5 + extra)
    grid = figure.subplots(rows, columns, squeeze=False)
    axes = list(grid.flat)
    for unused in axes[count:]:
        unused.remove()
    return figure, axes[:count]


def save(figure: Figure, path: Path) -> None:
    """As `path`.svg and `path`.pdf, with no date in them: the same numbers give the same bytes."""
    # Laid out once for both: it takes longer than the drawing. And drawn once for each, where `savefig` draws twice.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    figure.set_dpi(150)
    svg = {"Date": None, "Creator": None}
    FigureCanvasSVG(figure).print_svg(path.with_suffix(".svg"), metadata=svg)  # type: ignore[no-untyped-call]
    figure.set_dpi(200)
    pdf = {"CreationDate": None}
    FigureCanvasPdf(figure).print_pdf(path.with_suffix(".pdf"), metadata=pdf)  # type: ignore[no-untyped-call]


def wrapped(name: str, *, width: int = 26, lines: int = 2) -> str:
    """A long name over a few lines; what still does not fit ends in an ellipsis."""
    # Metric names have few spaces: let them break behind punctuation too, if not before a bracket that closes.
    loose = re.sub(r"(?<=[_\-/.,:;|])(?![)\]}])", "\u200b", name)
    pieces = textwrap.wrap(loose.replace("\u200b", " \u200b"), width=width, break_on_hyphens=False) or [""]
    parts = [piece.replace(" \u200b", "").replace("\u200b", "").strip() for piece in pieces]
    if len(parts) > lines:
        parts = [*parts[: lines - 1], parts[lines - 1][: width - 1] + "…"]
    return "\n".join(parts)


def shortened(name: str, *, width: int = 34) -> str:
    """On one line; the middle of a very long name goes, for the ends tell variants apart."""
    name = " ".join(name.split())
    if len(name) <= width:
        return name
    tail = (width - 1) // 2
    return f"{name[: width - 1 - tail]}…{name[-tail:]}"


def ink_on(shade: float) -> str:
    """The colour of text that has the higher contrast on `SHADES(shade)` (WCAG 2.2, relative luminance)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in SHADES(shade)[:3]
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return ON_DARK if 1.05 / (luminance + 0.05) > (luminance + 0.05) / 0.05 else ON_LIGHT
