"""A value and its interval as a small picture in a table's row, all rows on one scale."""

from collections.abc import Sequence

from markupsafe import Markup

from metaeval.report.results import Correlation

WIDTH, HEIGHT, MARGIN = 160, 20, 6


class Forest:
    """The scale is the least range that holds zero and every interval."""

    def __init__(self, rows: Sequence[Correlation]) -> None:
        found = [bound for row in rows for bound in (row.value, row.ci_low, row.ci_high) if bound is not None]
        self.low, self.high = min([0.0, *found]), max([0.0, *found])

    def picture(self, row: Correlation) -> Markup | None:
        if row.value is None or self.high == self.low:
            return None
        middle = HEIGHT / 2
        bar = Markup("")
        if row.ci_low is not None and row.ci_high is not None:
            bar = Markup('<path class="bar" d="M{} {}H{}"/>').format(self._x(row.ci_low), middle, self._x(row.ci_high))
        return Markup(
            '<svg class="forest" viewBox="0 0 {} {}" aria-hidden="true"><path class="zero" d="M{} 0V{}"/>{}'
            '<circle cx="{}" cy="{}" r="3.5"/></svg>'
        ).format(WIDTH, HEIGHT, self._x(0.0), HEIGHT, bar, self._x(row.value), middle)

    def _x(self, value: float) -> str:
        share = (value - self.low) / (self.high - self.low)
        return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"
