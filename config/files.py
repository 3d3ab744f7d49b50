"""Putting a finished file into storage: it appears there whole or not at all."""

import os
import shutil
from pathlib import Path

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage


def store_file(source: Path, name: str) -> None:
    """Copy a local file into storage under exactly `name`, replacing what was there."""
    try:
        target = Path(default_storage.path(name))
    except NotImplementedError:  # not a local storage; an object store writes whole objects
        default_storage.delete(name)
        with source.open("rb") as content:
            default_storage.save(name, File(content))
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        shutil.copyfile(source, aside)
        os.replace(aside, target)
    finally:
        aside.unlink(missing_ok=True)


def store_bytes(content: bytes, name: str) -> None:
    """Write bytes into storage under exactly `name`, unless it is there: names are content hashes."""
    if not default_storage.exists(name):
        default_storage.save(name, ContentFile(content))


def fetch_file(name: str, target: Path) -> None:
    """Copy a stored file to a local path, for a child process to read."""
    with default_storage.open(name, "rb") as source, target.open("wb") as copy:
        shutil.copyfileobj(source, copy)
