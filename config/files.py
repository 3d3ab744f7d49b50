"""Putting a finished file into storage: it appears there whole or not at all."""

import logging
import os
import shutil
import uuid
from collections.abc import Collection
from pathlib import Path
from typing import IO

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

logger = logging.getLogger(__name__)


def store_file(source: Path, name: str) -> None:
    """Copy a local file into storage under exactly `name`, replacing what was there."""
    with source.open("rb") as content:
        _store(File(content), name)


def store_bytes(content: bytes, name: str) -> None:
    """Write bytes into storage under exactly `name`, unless they are there: names are content hashes."""
    if not (default_storage.exists(name) and default_storage.size(name) == len(content)):
        _store(ContentFile(content), name)


def fetch_file(name: str, target: Path) -> None:
    """Copy a stored file to a local path, for a child process to read."""
    with default_storage.open(name, "rb") as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy)


def discard_others(folder: str, prefix: str, *, keep: Collection[str]) -> None:
    """Delete what killed or overtaken workers left in `folder` under names that start with `prefix`, whole or not.

    Only tidying: a storage that cannot list or delete is logged, and what was stored stays stored.
    """
    try:
        _, names = default_storage.listdir(folder)
        for name in names:
            if name.removeprefix(".").startswith(prefix) and name not in keep:
                default_storage.delete(f"{folder}/{name}")
    except (OSError, NotImplementedError) as error:
        logger.warning("could not tidy %s: %s", folder, error)


def _store(content: "File[bytes]", name: str) -> None:
    try:
        target = Path(default_storage.path(name))
    except NotImplementedError:  # not a local storage; an object store writes whole objects
        default_storage.delete(name)
        default_storage.save(name, content)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    # Not named by process: machines that share the folder have the same numbers.
    aside = target.with_name(f".{target.name}.{uuid.uuid4().hex}.part")
    try:
        with aside.open("wb") as file:
            _copy(content, file)
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


def _copy(content: "File[bytes]", file: IO[bytes]) -> None:
    shutil.copyfileobj(content, file)
    file.flush()
    os.fsync(file.fileno())  # or a power cut could leave the new name with nothing behind it
