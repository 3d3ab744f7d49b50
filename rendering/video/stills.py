"""Pictures beside a clip, gathered while it is drawn: the strip of every third frame, and the small moving preview."""

import math
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

STRIDE: Final = 3  # T2MBench shows every third frame
MOST_IN_STRIP: Final = 240  # of a long motion fewer are shown, or the strip would not fit into memory
STRIP_SIDE: Final = 256
STRIP_COLUMNS: Final = 16  # rows wrap: 66 frames of 1088 pixels side by side are wider than a JPEG may be
PREVIEW_SIDE: Final = 160
PREVIEW_FPS: Final = 10.0
MOST_IN_PREVIEW: Final = 60

__all__ = ["Preview", "Strip"]

Picture = npt.NDArray[np.uint8]


class Strip:
    """Every third frame side by side, in rows."""

    def __init__(self, frames: int) -> None:
        self.stride = max(STRIDE, math.ceil(frames / MOST_IN_STRIP))
        self._pictures: list[Image.Image] = []

    def add(self, index: int, picture: Picture) -> None:
        if index % self.stride == 0:
            self._pictures.append(_small(picture, STRIP_SIDE))

    def write(self, path: Path, *, kind: str) -> None:
        wide, high = self._pictures[0].size
        columns = min(STRIP_COLUMNS, len(self._pictures))
        rows = math.ceil(len(self._pictures) / columns)
        sheet = Image.new("RGB", (columns * wide, rows * high), "white")
        for at, picture in enumerate(self._pictures):
            sheet.paste(picture, (at % columns * wide, at // columns * high))
        sheet.save(path, format=kind)


class Preview:
    """A small animated WebP of the whole motion, at its own speed."""

    def __init__(self, frames: int, fps: float) -> None:
        self._stride = max(1, round(fps / PREVIEW_FPS), math.ceil(frames / MOST_IN_PREVIEW))
        self._milliseconds = round(1000 * self._stride / fps)
        self._pictures: list[Image.Image] = []

    def add(self, index: int, picture: Picture) -> None:
        if index % self._stride == 0:
            self._pictures.append(_small(picture, PREVIEW_SIDE))

    def write(self, path: Path) -> None:
        first, *rest = self._pictures
        first.save(
            path,
            format="WEBP",
            save_all=True,
            append_images=rest,
            duration=self._milliseconds,
            loop=0,
            quality=70,
            method=2,
        )


def _small(picture: Picture, side: int) -> Image.Image:
    image = Image.fromarray(picture)
    if image.height <= side:
        return image
    return image.resize((round(image.width * side / image.height), side), Image.Resampling.BOX)
