"""What composed HITs look like: how even they are, and where a prompt could not be kept apart."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from annotation.sampling.dealing import SampleKey
from annotation.sampling.hits import HitPlan


@dataclass(frozen=True)
class Spread:
    """The fewest and the most in any HIT."""

    fewest: int
    most: int

    def __str__(self) -> str:
        return str(self.fewest) if self.fewest == self.most else f"{self.fewest} to {self.most}"


@dataclass(frozen=True)
class HitSummary:
    number: int
    pass_number: int
    samples: int
    gold_positions: tuple[int, ...]
    generators: Mapping[int, int]  # how many samples of each
    prompts_again: int  # samples whose prompt stood in the HIT before them


@dataclass(frozen=True)
class CompositionSummary:
    hits: tuple[HitSummary, ...]
    samples: Spread
    gold: Spread
    generators: Mapping[int, Spread]
    prompts_again: int
    prompts_again_at_least: int  # what no composition could avoid


def summarise_hits(plans: Sequence[HitPlan], keys: Sequence[SampleKey]) -> CompositionSummary:
    known = {key.sample: key for key in keys}
    hits = tuple(_summary(number, plan, known) for number, plan in enumerate(plans, start=1))
    generators = sorted({key.generator for key in keys})
    return CompositionSummary(
        hits=hits,
        samples=_spread([hit.samples for hit in hits]),
        gold=_spread([len(hit.gold_positions) for hit in hits]),
        generators={name: _spread([hit.generators.get(name, 0) for hit in hits]) for name in generators},
        prompts_again=sum(hit.prompts_again for hit in hits),
        prompts_again_at_least=_unavoidable(plans, keys),
    )


def _summary(number: int, plan: HitPlan, known: Mapping[int, SampleKey]) -> HitSummary:
    keys = [known[sample] for sample in plan.positions if sample is not None]
    return HitSummary(
        number=number,
        pass_number=plan.pass_number,
        samples=len(keys),
        gold_positions=tuple(place for place, sample in enumerate(plan.positions, start=1) if sample is None),
        generators=Counter(key.generator for key in keys),
        prompts_again=len(keys) - len({key.prompt for key in keys}),
    )


def _unavoidable(plans: Sequence[HitPlan], keys: Sequence[SampleKey]) -> int:
    """Per pass, a prompt with more samples than there are HITs must come again for each one too many."""
    hands: dict[int, int] = defaultdict(int)
    for plan in plans:
        hands[plan.pass_number] += 1
    prompts = Counter(key.prompt for key in keys)
    return sum(max(count - hits, 0) for hits in hands.values() for count in prompts.values())


def _spread(counts: Sequence[int]) -> Spread:
    return Spread(min(counts, default=0), max(counts, default=0))
