"""What comes first: the primary criterion, level and statistic, and the order of metrics in every table and figure."""

from collections.abc import Iterable
from dataclasses import dataclass

from metaeval.report.naming import NOT_A_SHARE, is_at_another_cut
from metaeval.report.results import Comparison, Correlation, Finding

_LEVEL_ORDER = ("sample", "prompt", "within_generator", "generator", "subsplit")
_STATISTIC_DEFAULTS = ("kendall_b", "spearman", "pearson", "auc_roc", "acc_eq")


@dataclass(frozen=True)
class Family:
    """The rows that are compared with each other, and corrected together."""

    criterion: str
    level: str
    statistic: str

    def holds(self, row: Correlation | Comparison) -> bool:
        return (row.criterion, row.level, row.statistic) == (self.criterion, self.level, self.statistic)


def primary_family(finding: Finding) -> Family:
    """What analysis.toml names; where it names nothing that was computed, the first thing that was."""
    rows = finding.correlations
    criterion = _choose(finding.primary.get("criterion"), (), criteria_of(finding))
    level = _choose(
        finding.primary.get("level"), _LEVEL_ORDER, (row.level for row in rows if row.criterion == criterion)
    )
    statistics = (row.statistic for row in rows if (row.criterion, row.level) == (criterion, level))
    return Family(criterion, level, _choose(finding.primary.get("statistic"), _STATISTIC_DEFAULTS, statistics))


def criteria_of(finding: Finding) -> tuple[str, ...]:
    """Every criterion once, the primary one first."""
    found = dict.fromkeys(
        [row.criterion for row in finding.correlations] + [row.criterion for row in finding.agreement]
    )
    first = finding.primary.get("criterion")
    return tuple(sorted(found, key=lambda name: name != first))


def levels_of(finding: Finding, criterion: str) -> tuple[str, ...]:
    found = dict.fromkeys(row.level for row in finding.correlations if row.criterion == criterion)
    return tuple(sorted(found, key=lambda name: _LEVEL_ORDER.index(name) if name in _LEVEL_ORDER else len(found)))


def statistics_of(finding: Finding, criterion: str, level: str, *, at_other_cuts: bool = False) -> tuple[str, ...]:
    """As they were computed, the primary one first; those at cuts other than the stated one apart."""
    rows = (row for row in finding.correlations if (row.criterion, row.level) == (criterion, level))
    found = dict.fromkeys(row.statistic for row in rows if is_at_another_cut(row.statistic) == at_other_cuts)
    primary = primary_family(finding).statistic
    return tuple(sorted(found, key=lambda name: name != primary))


def metrics_in_order(finding: Finding, family: Family | None = None) -> tuple[str, ...]:
    """Best first by the family's statistic (the primary one, so that all figures agree).

    Then the members of searches, which are not ranked among fixed metrics, and undefined ones last.
    """
    family = family or primary_family(finding)
    values = {row.metric: row.value for row in finding.correlations if family.holds(row)}
    names = dict.fromkeys((*(fact.name for fact in finding.metrics), *(row.metric for row in finding.correlations)))

    apart = searched(finding)

    def place(name: str) -> tuple[bool, bool, float]:
        value = values.get(name)
        return (value is None, name in apart, -(value or 0.0))

    return tuple(sorted(names, key=place))


def searched(finding: Finding) -> frozenset[str]:
    """Members of searches: the best of many tries is lucky, so that none is called best."""
    return frozenset(fact.name for fact in finding.metrics if fact.search)


def two_best(finding: Finding, rows: Iterable[Correlation]) -> list[float]:
    """The best and the second best value of a column; equal values share a place.

    None of a count: where metrics have scores on different samples, the largest may just have the most.
    """
    apart = searched(finding)
    found = {
        row.value
        for row in rows
        if row.value is not None and row.metric not in apart and row.statistic.partition("@")[0] not in NOT_A_SHARE
    }
    return sorted(found, reverse=True)[:2]


def families_compared(finding: Finding) -> tuple[Family, ...]:
    """Every family that has comparisons, the primary one first, then what else is confirmatory."""
    found: dict[Family, bool] = {}
    for row in finding.comparisons:
        family = Family(row.criterion, row.level, row.statistic)
        found[family] = found.get(family, False) or row.role == "confirmatory"
    primary = primary_family(finding)
    return tuple(sorted(found, key=lambda family: (family != primary, not found[family])))


def _choose(named: str | None, defaults: Iterable[str], found: Iterable[str]) -> str:
    present = dict.fromkeys(found)
    wanted = (named, *defaults, *present)
    return next((name for name in wanted if name is not None and name in present), "")
