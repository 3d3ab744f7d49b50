"""What a batch would be, before anything is written: its HITs, how even they are, the hours and the money."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from decimal import Decimal
from statistics import median
from typing import Any

from annotation.models import (
    Assignment,
    AssignmentState,
    BatchKind,
    Generator,
    Seat,
    Study,
    StudyState,
    Terms,
)
from annotation.qc import MiddleGold
from annotation.sampling import (
    Composition,
    CompositionSummary,
    HitPlan,
    SampleKey,
    Share,
    Spread,
    compose_hits,
    summarise_hits,
)
from annotation.selectors.clips import study_motions_missing
from annotation.selectors.gold import Rule, study_catch_rates

SECONDS_PER_CLIP = 15
WORDS_PER_MINUTE = 200
MOST_SEED = 2**63 - 1


@dataclass(frozen=True)
class BatchWish:
    """What the person chooses; everything else is the study's settings. A pilot may be `hits` HITs only."""

    seed: int
    kind: BatchKind = BatchKind.MAIN
    hits: int | None = None


@dataclass(frozen=True)
class BatchPlan:
    """The HITs that a wish comes to, each with its number of seats."""

    wish: BatchWish
    keys: tuple[SampleKey, ...]
    hits: tuple[HitPlan, ...]
    seats_per_hit: int
    terms: Terms

    @property
    def seats(self) -> int:
        return len(self.hits) * self.seats_per_hit

    @property
    def digest(self) -> str:
        """Changes when what would be made changes: so nothing else is made than what was looked at."""
        content = [[plan.pass_number, *plan.positions] for plan in self.hits]
        text = json.dumps([content, self.seats_per_hit, asdict(self.terms)])
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def study_sample_keys(study: Study) -> tuple[SampleKey, ...]:
    """What is rated: gold samples only stand at gold positions."""
    samples = (
        study.places.filter(is_active=True)
        .exclude(sample__in=study.gold.values("sample"))
        .order_by("sample_id")
        .values_list("sample_id", "sample__prompt_id", "sample__generator_id")
    )
    return tuple(SampleKey(*row) for row in samples)


def batch_plan(study: Study, wish: BatchWish) -> BatchPlan:
    """A main batch composes anew for each pass, one seat a HIT. A few HITs for a pilot have all their seats in one
    composition: else no sample would be rated twice, and agreement could not be told."""
    keys = study_sample_keys(study)
    passes = study.ratings_per_sample if wish.hits is None else 1
    hits = compose_hits(keys, Composition(study.samples_per_hit, study.gold_per_hit, passes), seed=wish.seed)
    seats = 1 if wish.hits is None else study.ratings_per_sample
    return BatchPlan(wish, keys, tuple(hits[: wish.hits]), seats, Terms.of_study(study))


# --- Time and money ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Effort:
    """How long a HIT takes, and where that is known from."""

    seconds_per_hit: float
    words: str

    @property
    def minutes(self) -> float:
        return self.seconds_per_hit / 60


def study_effort(study: Study, clips_per_hit: float) -> Effort:
    """The pilot's median; before there is one, 15 s a clip and the time to read the instructions."""
    if seconds := _pilot_seconds_per_clip(study):
        typical = median(seconds)
        assignments = "1 assignment" if len(seconds) == 1 else f"{len(seconds)} assignments"
        return Effort(typical * clips_per_hit, f"the pilot's median, {typical:.0f} s a clip, from {assignments}")
    per_clip = max(SECONDS_PER_CLIP, study.minimum_seconds)
    words = _words_to_read(study)
    reading = 60 * words / WORDS_PER_MINUTE
    return Effort(
        per_clip * clips_per_hit + reading,
        f"{per_clip} s a clip, and {words} words of consent and instructions at {WORDS_PER_MINUTE} a minute; "
        "there is no pilot to learn from yet",
    )


def _pilot_seconds_per_clip(study: Study) -> list[float]:
    done = Assignment.objects.filter(
        seat__hit__batch__study=study,
        seat__hit__batch__kind=BatchKind.PILOT,
        state=AssignmentState.SUBMITTED,
    ).prefetch_related("items")
    return [
        _seconds(assignment.taken_at, assignment.submitted_at) / len(assignment.items.all())
        for assignment in done
        if assignment.submitted_at and len(assignment.items.all())
    ]


def _seconds(start: datetime, end: datetime) -> float:
    return (end - start).total_seconds()


def _words_to_read(study: Study) -> int:
    texts = [study.purpose, study.consent_text, study.rubric.instructions]
    for criterion in study.rubric.criteria.filter(formula="").prefetch_related("options"):
        texts += [criterion.question, *(f"{option.label} {option.help}" for option in criterion.options.all())]
    return sum(len(text.split()) for text in texts)


@dataclass(frozen=True)
class Money:
    cost: Decimal
    currency: str
    pay_per_hit: Decimal
    hourly: Decimal
    hourly_floor: Decimal
    pay_for_floor: Decimal

    @property
    def is_below_floor(self) -> bool:
        return self.hourly < self.hourly_floor


def _money(study: Study, seats: int, effort: Effort) -> Money:
    hours = Decimal(str(effort.seconds_per_hit)) / 3600
    hourly = (study.pay_per_hit / hours).quantize(Decimal("0.01")) if hours else Decimal(0)
    cents = math.ceil(study.hourly_floor * hours * 100)
    return Money(
        cost=study.pay_per_hit * seats,
        currency=study.currency,
        pay_per_hit=study.pay_per_hit,
        hourly=hourly,
        hourly_floor=study.hourly_floor,
        pay_for_floor=(Decimal(cents) / 100).quantize(Decimal("0.01")),
    )


# --- The preview ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GeneratorSpread:
    name: str
    samples: int
    per_hit: Spread


@dataclass(frozen=True)
class HitGlance:
    """The first HITs, place by place: True where gold will stand."""

    number: int
    pass_number: int
    places: tuple[bool, ...]
    generators: str

    @property
    def gold_at(self) -> str:
        return ", ".join(str(place) for place, is_gold in enumerate(self.places, start=1) if is_gold)


@dataclass(frozen=True)
class BatchPreview:
    plan: BatchPlan
    summary: CompositionSummary
    generators: tuple[GeneratorSpread, ...]
    prompts: int
    glance: tuple[HitGlance, ...]
    effort: Effort
    money: Money
    obstacles: tuple[str, ...]  # it cannot be published like this
    warnings: tuple[str, ...]
    middle: MiddleGold
    rule: Rule

    @property
    def hours(self) -> float:
        return self.effort.seconds_per_hit * self.plan.seats / 3600

    @property
    def passes(self) -> int:
        return max((plan.pass_number for plan in self.plan.hits), default=0)

    @property
    def clips_per_hit(self) -> Spread:
        lengths = [len(plan.positions) for plan in self.plan.hits]
        return Spread(min(lengths, default=0), max(lengths, default=0))


GLANCE = 6


def batch_preview(study: Study, wish: BatchWish) -> BatchPreview:
    plan = batch_plan(study, wish)
    shown = {sample for hit in plan.hits for sample in hit.positions}
    keys = [key for key in plan.keys if key.sample in shown]
    summary = summarise_hits(plan.hits, keys)
    names = dict(Generator.objects.filter(pk__in=summary.generators).values_list("pk", "name"))
    clips = sum(len(hit.positions) for hit in plan.hits) / max(len(plan.hits), 1)
    effort = study_effort(study, clips)
    catch = study_catch_rates(study)
    return BatchPreview(
        plan=plan,
        summary=summary,
        generators=_generators(keys, summary, names),
        prompts=len({key.prompt for key in keys}),
        glance=_glance(plan, summary, names),
        effort=effort,
        money=_money(study, plan.seats, effort),
        obstacles=tuple(study_obstacles(study, plan, gold=catch.gold)),
        warnings=tuple(_warnings(study, plan)),
        middle=catch.middle,
        rule=catch.rule,
    )


def _generators(
    keys: list[SampleKey], summary: CompositionSummary, names: Mapping[int, str]
) -> tuple[GeneratorSpread, ...]:
    found = [
        GeneratorSpread(names[pk], sum(key.generator == pk for key in keys), spread)
        for pk, spread in summary.generators.items()
    ]
    return tuple(sorted(found, key=lambda row: row.name))


def _glance(plan: BatchPlan, summary: CompositionSummary, names: Mapping[int, str]) -> tuple[HitGlance, ...]:
    return tuple(
        HitGlance(
            hit.number,
            hit.pass_number,
            tuple(sample is None for sample in places.positions),
            ", ".join(f"{count} {name}" for name, count in sorted((names[pk], n) for pk, n in hit.generators.items())),
        )
        for hit, places in zip(summary.hits[:GLANCE], plan.hits, strict=False)
    )


def study_obstacles(study: Study, plan: BatchPlan, *, gold: int) -> list[str]:
    """Why the batch cannot be made or published; each says what to do."""
    found = []
    if not plan.keys:
        found.append("There is nothing to rate: the study has no samples that are not gold.")
    if gold < study.gold_per_hit:
        found.append(f"Each HIT wants {study.gold_per_hit} gold samples, and the study has {gold}. Add gold first.")
    if message := share_obstacle(study, largest=_largest(plan), samples=len(plan.keys)):
        found.append(message)
    if study.state == StudyState.CLOSED:
        found.append("The study is closed: nobody can rate in it any more.")
    return found


def _largest(plan: BatchPlan) -> int:
    return max((sum(sample is not None for sample in hit.positions) for hit in plan.hits), default=0)


def share_obstacle(study: Study, *, largest: int, samples: int) -> str:
    """A cap that is smaller than a HIT keeps everybody out."""
    share = Share(samples=samples, cap=study.rater_share, given=0)
    if study.rater_share >= 1 or largest <= share.allowed:
        return ""
    return (
        f"One rater may be given {share.percent} of the study's {samples} samples, which is {share.allowed}, but a HIT "
        f"has {largest}: nobody could take a seat. Make the share larger or the HITs smaller."
    )


def _warnings(study: Study, plan: BatchPlan) -> list[str]:
    found = []
    if missing := study_motions_missing(study).count():
        found.append(f"{missing} clips are not planned yet. Publishing has them drawn, those of the first HITs first.")
    earlier = Seat.objects.filter(hit__batch__study=study, hit__batch__kind=BatchKind.MAIN).exists()
    if earlier and plan.wish.kind == BatchKind.MAIN:
        found.append(
            "The study has a main batch already. This one asks for as many ratings of every sample again; who has "
            "rated a sample does not get it twice."
        )
    if study.state == StudyState.DRAFT:
        found.append("The study is a draft: raters come in when it is in its pilot or live.")
    if study.state == StudyState.PILOT and plan.wish.kind == BatchKind.MAIN:
        found.append("The study is in its pilot: seats of a main batch are given out when it is live.")
    return found


def seed_suggested(study: Study) -> int:
    """Another one for each batch, and the same for the same study."""
    return study.seed + study.batches.count()


def as_wish(values: Mapping[str, Any], *, seed: int) -> BatchWish:
    """What a form or an address asks for; what makes no sense is the default."""
    kind = BatchKind.PILOT if values.get("kind") == BatchKind.PILOT else BatchKind.MAIN
    hits = _number(values.get("hits"), most=1000)
    return BatchWish(
        seed=given if (given := _number(values.get("seed"), most=MOST_SEED)) is not None else seed,
        kind=kind,
        hits=max(hits if hits is not None else 2, 1) if kind == BatchKind.PILOT else None,
    )


def _number(text: object, *, most: int) -> int | None:
    word = str(text or "").strip()
    if not (word.isascii() and word.isdigit() and len(word) < 20):
        return None
    return min(int(word), most)
