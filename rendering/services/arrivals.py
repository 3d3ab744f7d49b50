"""Motions that arrive by the hundred: their files go into storage first, their rows in the caller's transaction."""

import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction

from config.files import store_bytes
from rendering.models import Motion
from rendering.services.motions import motion_file_name

logger = logging.getLogger(__name__)

_SOURCE_LENGTH = 300


@dataclass(frozen=True)
class ArrivedMotion:
    """A motion that was read and checked; its canonical file lies at `path`, outside storage."""

    content_hash: str
    path: Path
    frames: int
    fps: float
    source: str

    @property
    def name(self) -> str:
        return motion_file_name(self.content_hash)

    def row(self) -> Motion:
        return Motion(
            content_hash=self.content_hash,
            file=self.name,
            frames=self.frames,
            fps=self.fps,
            source=self.source[:_SOURCE_LENGTH],
        )


@contextmanager
def motion_files_stored(arrived: Sequence[ArrivedMotion]) -> Iterator[Collection[str]]:
    """The files stand in storage while the body makes their rows. When it fails, those that no row names go again.

    Yields the hashes whose files were there before, by whomever: they are not ours to take away.
    """
    new: list[ArrivedMotion] = []
    found: set[str] = set()
    try:
        for motion in arrived:
            if default_storage.exists(motion.name):
                found.add(motion.content_hash)
            else:
                new.append(motion)
            _store(motion)
        yield found
    except BaseException:
        _discard(new)
        raise


def motions_create(arrived: Sequence[ArrivedMotion], *, found: Collection[str]) -> list[Motion]:
    """Rows for motions that have none, in the caller's transaction."""
    rows = Motion.objects.bulk_create([motion.row() for motion in arrived], batch_size=500)
    for motion in arrived:
        if motion.content_hash in found:  # whoever put it there may have failed since, and taken it away
            _store(motion)
    return rows


def _store(motion: ArrivedMotion) -> None:
    store_bytes(motion.path.read_bytes(), motion.name)


def _discard(motions: Sequence[ArrivedMotion]) -> None:
    """Whoever makes a row of the same hash in this moment waits for our row of it, and looks for the file after."""
    try:
        with transaction.atomic():
            for motion in sorted(motions, key=lambda motion: motion.content_hash):
                if _reserve(motion):
                    default_storage.delete(motion.name)
            transaction.set_rollback(True)
    except Exception:  # the reason for which we came here matters more
        logger.exception("motion files that no row names may be left in storage")


def _reserve(motion: ArrivedMotion) -> bool:
    try:
        with transaction.atomic():
            motion.row().save(force_insert=True)
    except IntegrityError:
        return False
    return True
