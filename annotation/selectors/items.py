"""What the rating page shows of an assignment. Nothing here knows of generators or gold: the page cannot leak them."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Max

from annotation.models import Assignment, Criterion, Item, Rating, Scale
from annotation.services.ratings import items_unanswered
from rendering.models import ClipState


@dataclass(frozen=True)
class Choice:
    value: int
    label: str
    help: str
    is_chosen: bool
    key: str


@dataclass(frozen=True)
class Question:
    code: str
    text: str
    choices: tuple[Choice, ...]
    revision: int

    @property
    def is_answered(self) -> bool:
        return any(choice.is_chosen for choice in self.choices)


@dataclass(frozen=True)
class ItemView:
    item: Item
    position: int
    total: int
    answered: int
    prompt: str
    instructions: str
    is_ready: bool
    questions: tuple[Question, ...]
    # An earlier item that can still be rated, and the item whose clip may be loaded ahead.
    previous: int | None
    following: Item | None

    @property
    def was_watched(self) -> bool:
        """An answer is on record, so the watch gate was passed."""
        return any(question.revision for question in self.questions)


def open_position(assignment: Assignment, *, asked: int | None = None) -> int | None:
    """The item to show: the one asked for, if it is not beyond the first unanswered; None when all are answered."""
    unanswered = items_unanswered(assignment)
    first = unanswered[0] if unanswered else None
    if asked is None:
        return first
    reachable = assignment.items.filter(position=asked, problem="").exists() and (first is None or asked <= first)
    return asked if reachable else first


def item_view(assignment: Assignment, position: int, *, chosen: Mapping[str, int] | None = None) -> ItemView:
    """The item at a position, with the answers given so far or, after a refused attempt, those just chosen."""
    items = assignment.items.select_related("sample__prompt", "clip")
    item = items.get(position=position)
    rubric = assignment.seat.hit.batch.study.rubric
    given = {rating.criterion_id: rating for rating in Rating.objects.filter(item=item)}
    criteria = rubric.criteria.filter(formula="").prefetch_related("options").order_by("position")
    total, unanswered = items.count(), items_unanswered(assignment)
    rateable = items.filter(problem="")
    return ItemView(
        item=item,
        position=position,
        total=total,
        answered=total - len(unanswered),
        prompt=item.sample.prompt.text,
        instructions=rubric.instructions,
        is_ready=item.clip is not None and item.clip.state == ClipState.READY,
        questions=tuple(_question(criterion, given.get(criterion.pk), chosen) for criterion in criteria),
        previous=rateable.filter(position__lt=position).aggregate(last=Max("position"))["last"],
        following=rateable.filter(position__in=unanswered, position__gt=position).order_by("position").first(),
    )


def _question(criterion: Criterion, given: Rating | None, chosen: Mapping[str, int] | None) -> Question:
    stored = given.value if given else None
    value = stored if chosen is None else chosen.get(criterion.code)
    options = list(criterion.options.all())
    keys = _keys(criterion, [option.value for option in options])
    return Question(
        criterion.code,
        criterion.question,
        tuple(
            Choice(option.value, option.label, option.help, option.value == value, key)
            for option, key in zip(options, keys, strict=True)
        ),
        given.revision if given else 0,
    )


def _keys(criterion: Criterion, values: list[int]) -> list[str]:
    """The key that gives each answer; none where a value has more than one digit."""
    if criterion.scale == Scale.BINARY and set(values) == {0, 1}:
        return ["Y" if value else "N" for value in values]
    if all(0 <= value <= 9 for value in values):
        return [str(value) for value in values]
    return ["" for _ in values]


@dataclass(frozen=True)
class AnsweredItem:
    position: int
    prompt: str
    answers: tuple[str, ...]
    is_released: bool


def assignment_answers(assignment: Assignment) -> list[AnsweredItem]:
    """Every item with the words that were chosen, to look over before handing in."""
    labels: dict[tuple[int, int], str] = {}
    criteria = assignment.seat.hit.batch.study.rubric.criteria.filter(formula="").prefetch_related("options")
    for criterion in criteria:
        for option in criterion.options.all():
            labels[criterion.pk, option.value] = option.label
    items = assignment.items.select_related("sample__prompt").prefetch_related("ratings").order_by("position")
    return [
        AnsweredItem(
            item.position,
            item.sample.prompt.text,
            tuple(
                labels.get((rating.criterion_id, rating.value), str(rating.value))
                for rating in sorted(item.ratings.all(), key=lambda rating: rating.criterion_id)
            ),
            bool(item.problem),
        )
        for item in items
    ]
