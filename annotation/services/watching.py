"""The watch gate: an answer counts only if its clip can have been watched. Our clock decides, then the browser's word.

The browser is asked how much it played; a page without JavaScript cannot say, and then the clock decides alone.
"""

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from annotation.errors import BadAnswer, NotWatched, TooSoon
from annotation.models import Item
from rendering.models import Clip

# Not all of it: a player may skip the last frame or start behind the first.
ENOUGH_COVERAGE: Final = 0.95


@dataclass(frozen=True)
class Playback:
    """What the browser says of the playing; None where nobody can know."""

    coverage: float | None = None
    replays: int = 0


UNKNOWN: Final = Playback()


def seconds_to_wait(item: Item, *, minimum_seconds: int, at: datetime) -> float:
    """Until the clip can have been watched once: the study's minimum or the clip's length, whichever is longer."""
    clip, opened_at = _shown(item)
    opens = opened_at + timedelta(seconds=max(minimum_seconds, clip.motion.seconds))
    return max((opens - at).total_seconds(), 0)


def refuse_unwatched(item: Item, playback: Playback, *, minimum_seconds: int, at: datetime) -> None:
    if wait := seconds_to_wait(item, minimum_seconds=minimum_seconds, at=at):
        raise TooSoon(f"Please watch the whole clip first: {math.ceil(wait)} more seconds.", wait=wait)
    if playback.coverage is not None and playback.coverage < ENOUGH_COVERAGE:
        seen = math.floor(100 * playback.coverage)
        raise NotWatched(f"Please watch the whole clip first: {seen}% of it was played. Nothing was stored.")


def _shown(item: Item) -> tuple[Clip, datetime]:
    if item.clip is None:
        raise BadAnswer("This item has no clip yet, so it cannot be rated.")
    if item.opened_at is None:
        raise TooSoon("Watch the clip first.")
    return item.clip, item.opened_at
