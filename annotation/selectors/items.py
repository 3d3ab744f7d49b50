"""What the rating page shows of an assignment. Nothing here knows of generators or gold: the page cannot leak them."""

from collections.abc import Mapping
from dataclasses import dataclass

from annotation.models import Assignment, Item, Rating
from annotation.services.ratings import items_unanswered
from rendering.models import ClipState


@dataclass(frozen=True)
class Choice:
    value: int
    label: str
    help: str
    is_chosen: bool


@dataclass(frozen=True)
class Question:
    code: str
    text: str
    choices: tuple[Choice, ...]

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

    @property
    def previous(self) -> int:
        return self.position - 1


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
    if chosen is None:
        chosen = dict(Rating.objects.filter(item=item).values_list("criterion__code", "value"))
    criteria = rubric.criteria.filter(formula="").prefetch_related("options").order_by("position")
    total = items.count()
    return ItemView(
        item=item,
        position=position,
        total=total,
        answered=total - len(items_unanswered(assignment)),
        prompt=item.sample.prompt.text,
        instructions=rubric.instructions,
        is_ready=item.clip is not None and item.clip.state == ClipState.READY,
        questions=tuple(
            Question(
                criterion.code,
                criterion.question,
                tuple(
                    Choice(option.value, option.label, option.help, chosen.get(criterion.code) == option.value)
                    for option in criterion.options.all()
                ),
            )
            for criterion in criteria
        ),
    )


@dataclass(frozen=True)
class AnsweredItem:
    position: int
    prompt: str
    answers: tuple[str, ...]


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
        )
        for item in items
    ]
