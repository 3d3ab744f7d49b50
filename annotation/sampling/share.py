"""A cap on one rater's share of a study, so that no study rests on the judgement of a few."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """`cap` is the part (0 to 1) of `samples` that one rater may be given; `given` is what they were given so far."""

    samples: int
    cap: float
    given: int

    @property
    def allowed(self) -> int:
        # A cap of 0.29 of 100 is 29, although 0.29 * 100 is a hair less.
        return int(self.cap * self.samples + 1e-9)

    @property
    def left(self) -> int:
        return max(self.allowed - self.given, 0)

    @property
    def percent(self) -> str:
        return f"{100 * self.cap:.3g}%"
