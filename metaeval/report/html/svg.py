"""A saved figure as part of a page: its own ids, the page's colours, no prologue."""

import re

from markupsafe import Markup

from metaeval.report.figures.style import FAINT, INK, LINE, MUTED, PAPER, SURFACE

# The page's variables, so that figures follow its theme; all else in a figure reads on both grounds.
_COLOURS = {
    INK: "var(--ink)",
    MUTED: "var(--muted)",
    LINE: "var(--line)",
    PAPER: "var(--ground)",
    SURFACE: "var(--surface)",
    FAINT: "var(--faint)",
}
_POINTS_TO_PIXELS = 4 / 3


def inline(svg: str, *, name: str, alt: str) -> Markup:
    """`svg` is matplotlib's own output, in which it escaped every text; `alt` is escaped here."""
    body = svg[svg.index("<svg") :]
    body = re.sub(r"<metadata>.*?</metadata>", "", body, flags=re.DOTALL)
    # It says how lines join, for every element of whatever page it is in.
    body = re.sub(r"<style\b.*?</style>", "", body, flags=re.DOTALL)
    body = re.sub(r"\s*<defs>\s*</defs>", "", body)
    body = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', body)
    body = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", body)
    body = re.sub(r'href="#([^"]+)"', rf'href="#{name}-\1"', body)
    body = re.sub(r'\bd="[^"]+"', _rounded, body)
    for colour, variable in _COLOURS.items():
        body = body.replace(colour, variable)
    head, rest = body.split(">", 1)
    return Markup(_opening(head, alt)) + Markup(rest.strip())


def _rounded(path: re.Match[str]) -> str:
    """A hundredth of a point is less than a screen shows; the files in figures/ keep all digits."""
    return re.sub(r"-?\d+\.\d{3,}", lambda number: f"{float(number.group()):.2f}", " ".join(path.group().split()))


def _opening(head: str, alt: str) -> str:
    box = re.search(r'viewBox="([^"]+)"', head)
    width = float(box.group(1).split()[2]) * _POINTS_TO_PIXELS if box else 640.0
    return str(
        Markup(
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" class="plot" role="img"'
            ' viewBox="{0}" width="{1:.0f}" style="--natural: {1:.0f}px" aria-label="{2}">'
        ).format(box.group(1) if box else "", width, alt)
    )
