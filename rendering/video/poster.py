"""The still that a player shows before it plays."""

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

__all__ = ["POSTER_FORMATS", "write_poster"]

POSTER_FORMATS: Final = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG"}


def write_poster(picture: npt.NDArray[np.uint8], path: Path, *, suffix: str) -> None:
    """Write one picture in the format that `suffix` names; given apart because `path` may be a name aside."""
    kind = POSTER_FORMATS[suffix.lower()]
    options = {"quality": 90} if kind == "JPEG" else {}
    Image.fromarray(picture).save(path, format=kind, **options)
