"""What a study costs: HITs and pay."""

from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True)
class Pay:
    """The terms of a HIT. The defaults are those of a batch: 20 samples and 5 gold for 1.25.

    fee: the platform's share on top of the pay (MTurk: 0.2, or 0.4 from ten assignments on).
    """

    samples_per_hit: int = 20
    gold_per_hit: int = 5
    per_hit: float = 1.25
    fee: float = 0.0

    def __post_init__(self) -> None:
        if self.samples_per_hit < 1:
            raise ValueError(f"samples_per_hit: expected at least 1, found {self.samples_per_hit}")
        for name in ("gold_per_hit", "per_hit", "fee"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}: expected 0 or more, found {getattr(self, name)}")


def assignments_needed(*, samples: int, raters: int, pay: Pay) -> int:
    """Seats to pay: every HIT is done by each of `raters` raters. Gold is rated besides and costs nothing extra."""
    return ceil(samples / pay.samples_per_hit) * raters


def study_cost(*, samples: int, raters: int, pay: Pay) -> float:
    """Pay and fee for all of them."""
    return assignments_needed(samples=samples, raters=raters, pay=pay) * pay.per_hit * (1 + pay.fee)
