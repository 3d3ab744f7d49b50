"""All that an analysis wrote, as one zip in storage: the same files give the same bytes on every machine."""

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from django.core.files.storage import default_storage

from config.files import store_file
from metaeval.selectors.archives import withdrawn_archives

# The earliest that a zip can carry. The real times would make two equal results differ.
MIDNIGHT = (1980, 1, 1, 0, 0, 0)
READABLE = 0o644 << 16


@dataclass(frozen=True)
class Packed:
    path: Path
    sha256: str
    size: int
    names: tuple[str, ...]

    @property
    def stored_as(self) -> str:
        """By content: an analysis that is run twice gives the same file."""
        return f"reports/{self.sha256[:2]}/{self.sha256}.zip"


def pack(folder: Path, target: Path) -> Packed:
    """Every file under `folder`, sorted by name, dates fixed."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    names = tuple(sorted(files))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            entry = zipfile.ZipInfo(name, MIDNIGHT)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, READABLE, 3
            with files[name].open("rb") as source, archive.open(entry, "w") as copy:
                while chunk := source.read(1 << 20):
                    copy.write(chunk)
    with target.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Packed(target, digest, target.stat().st_size, names)


def archives_forget() -> None:
    """Delete the files that hold the ratings of a rater who withdrew; pages refuse them from the moment they did.

    By sweep, because annotation, where raters withdraw, knows nothing of analyses; and one that was running then ends
    later.
    """
    for archive in withdrawn_archives():
        default_storage.delete(str(archive.file))


def store(packed: Packed) -> str:
    """Returns the name in storage."""
    store_file(packed.path, packed.stored_as)
    return packed.stored_as
