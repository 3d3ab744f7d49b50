"""What a form sends (a manifest and a zip, or a zip with both) as what the import takes."""

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import PurePath
from typing import Final

from django.core.files.uploadedfile import UploadedFile

from annotation.services.motion_import.archive import ArchiveFiles
from annotation.services.motion_import.files import MotionFiles
from annotation.services.motion_import.refusing import UploadRefused
from config.bulk.importing import KIND_BY_ENDING, Readable, TooLarge, Upload, spool

MAX_ZIP_BYTES: Final = 2**30
MAX_MANIFEST_BYTES: Final = 2**26


@contextmanager
def motions_arrived(
    *, manifest: UploadedFile | None, files: UploadedFile | None
) -> Iterator[tuple[Upload, MotionFiles]]:
    """Open for as long as the import takes; `UploadRefused` says what else was expected."""
    if files is None:
        raise UploadRefused("files", "Expected a zip of motion files; found no file.")
    if (files.size or 0) > MAX_ZIP_BYTES:
        raise UploadRefused(
            "files",
            f"Expected a zip of at most {MAX_ZIP_BYTES:,} bytes; found {files.size:,}. Send the motions in parts.",
        )
    archive = ArchiveFiles(files)
    if manifest is None:
        content = archive.manifest()
        upload = manifest_opened(BytesIO(content.data), content.name)
    else:
        upload = manifest_opened(manifest, manifest.name or "")
    try:
        yield upload, archive
    finally:
        upload.file.close()


def kind_of(name: str) -> str:
    ending = PurePath(name).suffix.lower()
    if ending not in KIND_BY_ENDING:
        raise UploadRefused("manifest", f"Expected a name that ends in {', '.join(KIND_BY_ENDING)}; found {name!r}.")
    return KIND_BY_ENDING[ending]


def manifest_opened(stream: Readable, name: str) -> Upload:
    """The manifest whole, by whichever way it came."""
    kind = kind_of(name)
    try:
        return spool(stream, kind=kind, limit=MAX_MANIFEST_BYTES)
    except TooLarge:
        message = f"Expected a manifest of at most {MAX_MANIFEST_BYTES:,} bytes; found more. Send it in parts."
        raise UploadRefused("manifest", message) from None
