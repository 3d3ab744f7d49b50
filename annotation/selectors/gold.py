"""A study's gold, and how often its rule fails each kind of rater."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q

from annotation.models import (
    AssignmentState,
    BatchState,
    Criterion,
    Gold,
    GoldAnswer,
    GoldCounting,
    Item,
    Rating,
    Sample,
    Study,
)
from annotation.qc import (
    RATER_MODELS,
    Counting,
    GoldRule,
    KnownAnswer,
    KnownSample,
    MiddleGold,
    RaterModel,
    fail_probability,
    middle_gold,
)
from annotation.selectors.clips import study_clips
from annotation.services.gold import default_tolerance
from rendering.models import Clip

PAGE_SIZE = 20
# A rule that leaves out more of the good raters than this is worth a warning.
GOOD_LOST = 0.05


@dataclass(frozen=True)
class Rule:
    """The study's rule or a batch's, in numbers and in words."""

    gold_per_hit: int
    failures_allowed: int
    counting: str

    @property
    def judged(self) -> GoldRule:
        return GoldRule(self.failures_allowed, Counting(self.counting))

    @property
    def words(self) -> str:
        if not self.gold_per_hit:
            return "no gold is shown, so nothing can fail"
        if self.counting == GoldCounting.RATING:
            return f"fails when more than {self.failures_allowed} answers to its {self.gold_per_hit} gold are off"
        return f"fails when more than {self.failures_allowed} of its {self.gold_per_hit} gold questions fail"


@dataclass(frozen=True)
class CatchRate:
    model: RaterModel
    probability: float

    @property
    def percent(self) -> str:
        """Whole percents; never 0% or 100% for what can happen, or can fail to."""
        if 0.005 <= self.probability < 0.995 or self.probability in (0.0, 1.0):
            return f"{100 * self.probability:.0f}%"
        if self.probability < 1e-9 or self.probability > 1 - 1e-9:
            return f"{100 * round(self.probability)}%"
        return "under 1%" if self.probability < 0.5 else "over 99%"

    @property
    def is_lost(self) -> bool:
        return self.model.is_good and self.probability > GOOD_LOST


@dataclass(frozen=True)
class CatchTable:
    rule: Rule
    rates: tuple[CatchRate, ...]
    middle: MiddleGold
    toothless: int  # answers that pass whatever is answered
    gold: int

    @property
    def missing(self) -> int:
        return max(self.rule.gold_per_hit - self.gold, 0)

    @property
    def lost(self) -> list[CatchRate]:
        return [rate for rate in self.rates if rate.is_lost]


def study_rule(study: Study) -> Rule:
    return Rule(study.gold_per_hit, study.gold_failures_allowed, study.gold_counting)


def study_catch_rates(study: Study) -> CatchTable:
    """By the saved rule and the active gold."""
    gold, rule = study_known_gold(study), study_rule(study)
    rates = tuple(
        CatchRate(model, fail_probability(gold, rule.judged, model, per_hit=rule.gold_per_hit))
        for model in RATER_MODELS
    )
    toothless = sum(answer.everything_passes for sample in gold for answer in sample.values())
    return CatchTable(rule, rates, middle_gold(gold), toothless, len(gold))


def study_known_gold(study: Study) -> list[KnownSample]:
    """The active gold, as quality control computes with it: the questions that the study asks now."""
    options: dict[int, list[int]] = {}
    asked = study.rubric.criteria.filter(formula="")
    for criterion, value in asked.exclude(options=None).values_list("pk", "options__value"):
        options.setdefault(criterion, []).append(value)
    answers = GoldAnswer.objects.filter(gold__study=study, gold__is_active=True, criterion__in=options)
    gold: dict[int, dict[str, KnownAnswer]] = {
        pk: {} for pk in study.gold.filter(is_active=True).order_by("pk").values_list("pk", flat=True)
    }
    for pk, criterion, code, value, tolerance in answers.values_list(
        "gold", "criterion", "criterion__code", "value", "tolerance"
    ):
        gold[pk][code] = KnownAnswer(value, tolerance, tuple(sorted(options[criterion])))
    return list(gold.values())


# --- The list ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GoldRow:
    gold: Gold
    clip: Clip | None
    answers: tuple[GoldAnswer | None, ...]  # in the order of the table's questions
    shown: int
    failed: int
    in_middle: bool


@dataclass(frozen=True)
class GoldTable:
    criteria: tuple[Criterion, ...]
    rows: tuple[GoldRow, ...]
    page: Page[Any]


def study_gold(study: Study, *, page: int | str = 1) -> GoldTable:
    """A page of the study's gold: what is in use first."""
    criteria = tuple(study.rubric.criteria.filter(formula="").prefetch_related("options").order_by("position"))
    submitted = Q(items__assignment__state=AssignmentState.SUBMITTED)
    gold = (
        study.gold.select_related("sample__prompt", "sample__generator", "sample__motion")
        .prefetch_related("answers__criterion")
        .annotate(judged=Count("items", filter=submitted))
        .order_by("-is_active", "pk")
    )
    found: Page[Any] = Paginator(gold, PAGE_SIZE).get_page(page)
    motions = [row.sample.motion_id for row in found]
    clips = {clip.motion_id: clip for clip in study_clips(study).filter(motion__in=motions).order_by("id")}
    failed = _failed([row.pk for row in found])
    rows = tuple(_row(row, criteria, clips, failed.get(row.pk, 0)) for row in found)
    return GoldTable(criteria, rows, found)


def _row(gold: Any, criteria: Sequence[Criterion], clips: Mapping[int, Clip], failed: int) -> GoldRow:
    answers = {answer.criterion_id: answer for answer in gold.answers.all()}
    in_order = tuple(answers.get(criterion.pk) for criterion in criteria)
    known = [
        KnownAnswer(answer.value, answer.tolerance, _values(criterion))
        for criterion, answer in zip(criteria, in_order, strict=True)
        if answer is not None
    ]
    in_middle = bool(known) and all(answer.middle_passes for answer in known)
    return GoldRow(gold, clips.get(gold.sample.motion_id), in_order, gold.judged, failed, in_middle)


def _values(criterion: Criterion) -> tuple[int, ...]:
    return tuple(sorted(option.value for option in criterion.options.all()))


def _failed(gold: Sequence[int]) -> dict[int, int]:
    """Gold -> how many raters failed it as a question, by the answers that hold now."""
    answers = {
        (pk, criterion): (value, tolerance)
        for pk, criterion, value, tolerance in GoldAnswer.objects.filter(gold__in=gold).values_list(
            "gold", "criterion", "value", "tolerance"
        )
    }
    given = Rating.objects.filter(item__gold__in=gold, item__assignment__state=AssignmentState.SUBMITTED)
    failed: dict[int, set[int]] = {}
    for pk, item, criterion, value in given.values_list("item__gold", "item", "criterion", "value"):
        right = answers.get((pk, criterion))
        if right and abs(value - right[0]) > right[1]:
            failed.setdefault(pk, set()).add(item)
    return {pk: len(items) for pk, items in failed.items()}


# --- One sample in the editor -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class EditorChoice:
    value: int
    label: str
    help: str
    is_chosen: bool


@dataclass(frozen=True)
class EditorQuestion:
    code: str
    text: str
    choices: tuple[EditorChoice, ...]
    tolerance: str
    widest: int


@dataclass(frozen=True)
class GoldEditor:
    sample: Sample
    gold: Gold | None
    clip: Clip | None
    questions: tuple[EditorQuestion, ...]
    reason: str
    judged: int  # assignments that were judged by it
    ratings: int  # that labels will leave out
    in_hits: int  # open HITs that show it as a sample


def gold_editor(study: Study, sample: Sample, *, given: Mapping[str, str] | None = None) -> GoldEditor:
    """The form for one sample, with what is saved or, after a refusal, with what was `given`."""
    gold = study.gold.filter(sample=sample).prefetch_related("answers").first()
    saved = {answer.criterion_id: answer for answer in gold.answers.all()} if gold else {}
    criteria = study.rubric.criteria.filter(formula="").prefetch_related("options").order_by("position")
    submitted = Item.objects.filter(enrolment__study=study, sample=sample, assignment__state=AssignmentState.SUBMITTED)
    return GoldEditor(
        sample=sample,
        gold=gold,
        clip=study_clips(study).filter(motion=sample.motion_id).order_by("-id").first(),
        questions=tuple(_question(criterion, saved.get(criterion.pk), given) for criterion in criteria),
        reason=given.get("reason", "") if given is not None else (gold.reason if gold else ""),
        judged=submitted.filter(gold__isnull=False).count(),
        ratings=Rating.objects.filter(item__in=submitted.filter(gold__isnull=True)).count(),
        in_hits=sample.hit_positions.filter(hit__batch__study=study, hit__batch__state=BatchState.PUBLISHED).count(),
    )


def _question(criterion: Criterion, saved: GoldAnswer | None, given: Mapping[str, str] | None) -> EditorQuestion:
    if given is not None:
        chosen, tolerance = given.get(f"answer-{criterion.code}", ""), given.get(f"tolerance-{criterion.code}", "")
    else:
        chosen = str(saved.value) if saved else ""
        tolerance = str(saved.tolerance if saved else default_tolerance(criterion))
    options = sorted(criterion.options.all(), key=lambda option: option.value)
    values = [option.value for option in options]
    return EditorQuestion(
        criterion.code,
        criterion.question,
        tuple(EditorChoice(option.value, option.label, option.help, str(option.value) == chosen) for option in options),
        tolerance,
        max(values[-1] - values[0] - 1, 0) if values else 0,
    )
