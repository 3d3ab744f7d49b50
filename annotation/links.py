"""Signed tokens: what a rater has instead of an account.

Each kind has its own salt, so a token of one kind is no token of another. A token names rows by number and nothing
else: no hash, generator, file or gold can be read from it.

The ids that a platform adds to an open link are taken at their word, because platforms do not sign them: whoever has
the open link and knows a worker's id can enter as that worker. So an open link is given to the platform and to nobody
else, and no page or export shows a worker's id.
"""

from dataclasses import dataclass
from typing import Final

from django.core.signing import BadSignature, Signer
from django.http import QueryDict
from django.urls import reverse

from annotation.models import Assignment, AssignmentState, Item, Platform, Rater, Study
from rendering.models import Clip, ClipState

# The dot needs no escaping in a path.
_PERSONAL: Final = Signer(salt="annotation.links.personal", sep=".")
_OPEN: Final = Signer(salt="annotation.links.open", sep=".")
_ITEM: Final = Signer(salt="annotation.links.item", sep=".")
_EXAMPLE: Final = Signer(salt="annotation.links.example", sep=".")

MTURK_PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"
MAX_PLATFORM_ID: Final = 200


class BadLink(Exception):
    """A token that we did not make, or whose rows are gone."""


@dataclass(frozen=True)
class Visitor:
    """Who the platform says is coming. Without a `platform_id` they only look (MTurk's preview)."""

    platform: Platform
    platform_id: str

    @property
    def is_preview(self) -> bool:
        return not self.platform_id


def personal_token(study: Study, rater: Rater) -> str:
    return _PERSONAL.sign(f"{study.pk}-{rater.pk}")


def personal_path(study: Study, rater: Rater) -> str:
    """The address to give to one rater."""
    return reverse("rater_landing", args=[personal_token(study, rater)])


def read_personal_token(token: str) -> tuple[Study, Rater]:
    study, rater = _numbers(_PERSONAL, token, count=2)
    try:
        return Study.objects.select_related("rubric").get(pk=study), Rater.objects.get(pk=rater)
    except (Study.DoesNotExist, Rater.DoesNotExist):
        raise BadLink(token) from None


def open_token(study: Study) -> str:
    return _OPEN.sign(str(study.pk))


def open_path(study: Study) -> str:
    """The address to give to a platform, which adds its worker's id."""
    return reverse("rater_landing", args=[open_token(study)])


def read_open_token(token: str) -> Study:
    (study,) = _numbers(_OPEN, token, count=1)
    try:
        return Study.objects.select_related("rubric").get(pk=study)
    except Study.DoesNotExist:
        raise BadLink(token) from None


def read_visitor(query: QueryDict) -> Visitor | None:
    """Whom the platform's query parameters name; None when there are none, or they cannot be an id."""
    if prolific := query.get("PROLIFIC_PID", "").strip():
        return Visitor(Platform.PROLIFIC, prolific) if _can_be_an_id(prolific) else None
    if query.get("assignmentId") == MTURK_PREVIEW:
        return Visitor(Platform.MTURK, "")
    if worker := query.get("workerId", "").strip():
        return Visitor(Platform.MTURK, worker) if _can_be_an_id(worker) else None
    return None


def _can_be_an_id(text: str) -> bool:
    return len(text) <= MAX_PLATFORM_ID and text.isprintable()


def item_token(item: Item) -> str:
    return _ITEM.sign(str(item.pk))


def read_item_token(token: str) -> int:
    """The number of the item; whose it is, the caller must ask."""
    (item,) = _numbers(_ITEM, token, count=1)
    return item


def example_token(clip: Clip) -> str:
    return _EXAMPLE.sign(str(clip.pk))


def read_clip_token(token: str) -> Clip:
    """The rendered clip of an item whose assignment is open, or of an example."""
    try:
        return _item_clip(token)
    except BadLink:
        (clip,) = _numbers(_EXAMPLE, token, count=1)
    found = Clip.objects.filter(pk=clip, state=ClipState.READY).first()
    if found is None:
        raise BadLink(token)
    return found


def _item_clip(token: str) -> Clip:
    item = read_item_token(token)
    # What was handed in is closed, so its clips are too: a leaked address does not stay good for ever.
    open_assignments = Assignment.objects.filter(state__in=[AssignmentState.ACTIVE, AssignmentState.EXPIRED])
    found = Item.objects.filter(pk=item, assignment__in=open_assignments).select_related("clip").first()
    if found is None or found.clip is None or found.clip.state != ClipState.READY:
        raise BadLink(token)
    return found.clip


def _numbers(signer: Signer, token: str, *, count: int) -> list[int]:
    try:
        numbers = [int(part) for part in signer.unsign(token).split("-")]
    except (BadSignature, ValueError):
        raise BadLink(token) from None
    if len(numbers) != count:
        raise BadLink(token)
    return numbers
