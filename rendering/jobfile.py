"""The two files between a render worker and `python -m rendering --job`: the request in and the result out.

Both ends use these types, so they cannot differ. Light on purpose: the server imports it, so no NumPy here.
"""

import json
import math
import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Literal, Self

__all__ = [
    "FAILURE_KINDS",
    "FailureKind",
    "JobFileError",
    "RenderFailure",
    "RenderRequest",
    "RenderResult",
    "StageCosts",
    "read_outcome",
    "read_request",
    "result_path",
    "write_outcome",
    "write_request",
]

# input: the same request will fail again, do not retry. renderer: something broke while drawing, a retry may help.
FailureKind = Literal["input", "renderer"]
FAILURE_KINDS: Final[tuple[FailureKind, ...]] = ("input", "renderer")


class JobFileError(ValueError):
    """A request or result file that cannot be used; the message names the file and the field."""


@dataclass(frozen=True)
class RenderRequest:
    """One clip to draw. Relative paths in a job file count from the job file's folder."""

    motion: Path
    clip: Path
    fps: float
    look: str
    view: str
    backend: str
    pixels: int
    poster: Path | None = None
    strip: Path | None = None  # every third frame side by side
    preview: Path | None = None  # a small picture that moves
    result: Path | None = None
    motion_hash: str | None = None  # when given, a motion with another content is refused
    label: str | None = None  # a text that goes along above the head
    body: Path | None = None  # a person's own SMPL file; else our own body

    def to_json(self) -> str:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return _dump({name: str(value) if isinstance(value, Path) else value for name, value in values.items()})

    @classmethod
    def from_json(cls, text: str, *, name: str = "job", folder: Path | None = None) -> Self:
        """The request in `text`; `folder` is what its relative paths count from."""
        values = _Fields(_object(text, name=name), name)
        request = cls(
            motion=values.path("motion", folder),
            clip=values.path("clip", folder),
            fps=values.number("fps"),
            look=values.text("look"),
            view=values.text("view"),
            backend=values.text("backend"),
            pixels=values.whole("pixels"),
            poster=values.optional_path("poster", folder),
            strip=values.optional_path("strip", folder),
            preview=values.optional_path("preview", folder),
            result=values.optional_path("result", folder),
            motion_hash=values.optional_text("motion_hash"),
            label=values.optional_text("label"),
            body=values.optional_path("body", folder),
        )
        values.nothing_left()
        return request


@dataclass(frozen=True)
class StageCosts:
    """What each stage took: wall seconds, and the drawing process's peak memory by its end (VeMo's cost table).

    Drawing and encoding overlap (two processes), so `encode` is only what drawing waited for it.
    """

    read: float
    pose: float  # joints to body, and where the camera stands
    draw: float
    encode: float
    total: float
    cpu: float  # of all stages, children included
    read_peak_bytes: int
    pose_peak_bytes: int
    draw_peak_bytes: int


@dataclass(frozen=True)
class RenderResult:
    """What was drawn."""

    motion_hash: str
    look: str
    view: str
    backend: str
    renderer_version: str
    clip_key: str
    fps: float
    frames: int
    seconds: float
    width: int
    height: int
    bytes: int
    sha256: str  # of the clip's file
    poster_sha256: str | None
    strip_sha256: str | None
    strip_stride: int | None  # frames from one picture of the strip to the next
    preview_sha256: str | None
    coverage: tuple[float, ...]  # of each frame, the body's box as a share of the picture's area
    coverage_min: float
    coverage_mean: float
    stages: StageCosts
    peak_memory_bytes: int  # of the drawing process; the encoder's is not counted

    def to_json(self) -> str:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["stages"] = {field.name: getattr(self.stages, field.name) for field in fields(self.stages)}
        return _dump(values)

    @classmethod
    def from_json(cls, text: str, *, name: str = "result") -> Self:
        values = _Fields(_object(text, name=name), name)
        stages = values.inner("stages")
        result = cls(
            motion_hash=values.text("motion_hash"),
            look=values.text("look"),
            view=values.text("view"),
            backend=values.text("backend"),
            renderer_version=values.text("renderer_version"),
            clip_key=values.text("clip_key"),
            fps=values.number("fps"),
            frames=values.whole("frames"),
            seconds=values.number("seconds"),
            width=values.whole("width"),
            height=values.whole("height"),
            bytes=values.whole("bytes"),
            sha256=values.text("sha256"),
            poster_sha256=values.optional_text("poster_sha256"),
            strip_sha256=values.optional_text("strip_sha256"),
            strip_stride=values.optional_whole("strip_stride"),
            preview_sha256=values.optional_text("preview_sha256"),
            coverage=values.numbers("coverage"),
            coverage_min=values.number("coverage_min"),
            coverage_mean=values.number("coverage_mean"),
            stages=_costs(stages),
            peak_memory_bytes=values.whole("peak_memory_bytes"),
        )
        stages.nothing_left()
        values.nothing_left()
        return result


def _costs(values: "_Fields") -> StageCosts:
    return StageCosts(
        read=values.number("read"),
        pose=values.number("pose"),
        draw=values.number("draw"),
        encode=values.number("encode"),
        total=values.number("total"),
        cpu=values.number("cpu"),
        read_peak_bytes=values.whole("read_peak_bytes"),
        pose_peak_bytes=values.whole("pose_peak_bytes"),
        draw_peak_bytes=values.whole("draw_peak_bytes"),
    )


@dataclass(frozen=True)
class RenderFailure:
    """Why nothing was drawn, in one line."""

    error: str
    kind: FailureKind

    def to_json(self) -> str:
        return _dump({"error": self.error, "kind": self.kind})

    @classmethod
    def from_json(cls, text: str, *, name: str = "result") -> Self:
        values = _Fields(_object(text, name=name), name)
        error, found = values.text("error"), values.text("kind")
        values.nothing_left()
        for kind in FAILURE_KINDS:
            if kind == found:
                return cls(error=error, kind=kind)
        raise JobFileError(f"{name}: 'kind' must be one of {', '.join(FAILURE_KINDS)}, found {found!r}")


def read_request(path: Path) -> RenderRequest:
    """The request in a job file."""
    return RenderRequest.from_json(_read(path), name=path.name, folder=path.parent)


def result_path(path: Path) -> Path | None:
    """Where a job file that may be bad wants its result, if that much of it can be read."""
    try:
        wanted = _object(_read(path), name=path.name).get("result")
    except JobFileError:
        return None
    return path.parent / wanted if isinstance(wanted, str) and wanted else None


def write_request(path: Path, request: RenderRequest) -> None:
    """Write a job file; it appears whole or not at all."""
    _write(path, request.to_json())


def read_outcome(path: Path) -> RenderResult | RenderFailure:
    """What the child left in its result file."""
    text = _read(path)
    if "error" in _object(text, name=path.name):
        return RenderFailure.from_json(text, name=path.name)
    return RenderResult.from_json(text, name=path.name)


def write_outcome(path: Path, outcome: RenderResult | RenderFailure) -> None:
    """Write a result file; it appears whole or not at all."""
    _write(path, outcome.to_json())


class _Fields:
    """Takes fields out of a JSON object by type, with errors that name the file and the field."""

    def __init__(self, values: Mapping[str, object], name: str) -> None:
        self._values = dict(values)
        self._name = name

    def text(self, field: str) -> str:
        value = self._take(field)
        if isinstance(value, str) and value:
            return value
        raise self._wrong(field, "a text", value)

    def optional_text(self, field: str) -> str | None:
        if self._values.get(field) is None:
            self._values.pop(field, None)
            return None
        return self.text(field)

    def path(self, field: str, folder: Path | None) -> Path:
        path = Path(self.text(field))
        return folder / path if folder is not None else path

    def optional_path(self, field: str, folder: Path | None) -> Path | None:
        text = self.optional_text(field)
        if text is None:
            return None
        return folder / text if folder is not None else Path(text)

    def number(self, field: str) -> float:
        value = self._take(field)
        # bool is an int to Python, never to a person.
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
        raise self._wrong(field, "a number", value)

    def whole(self, field: str) -> int:
        value = self._take(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise self._wrong(field, "a whole number", value)

    def optional_whole(self, field: str) -> int | None:
        if self._values.get(field) is None:
            self._values.pop(field, None)
            return None
        return self.whole(field)

    def numbers(self, field: str) -> tuple[float, ...]:
        value = self._take(field)
        if isinstance(value, list) and all(isinstance(each, int | float) for each in value):
            return tuple(float(each) for each in value)
        raise self._wrong(field, "a list of numbers", value)

    def inner(self, field: str) -> "_Fields":
        value = self._take(field)
        if isinstance(value, dict):
            return _Fields(value, f"{self._name}: {field}")
        raise self._wrong(field, "an object", value)

    def nothing_left(self) -> None:
        if self._values:
            raise JobFileError(f"{self._name}: unknown field {next(iter(self._values))!r}")

    def _take(self, field: str) -> object:
        try:
            return self._values.pop(field)
        except KeyError:
            raise JobFileError(f"{self._name}: {field!r} is missing") from None

    def _wrong(self, field: str, expected: str, found: object) -> JobFileError:
        return JobFileError(f"{self._name}: {field!r} must be {expected}, found {found!r}")


def _object(text: str, *, name: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise JobFileError(f"{name}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise JobFileError(f"{name}: expected a JSON object, found {type(value).__name__}")
    return value


def _dump(values: Mapping[str, object]) -> str:
    return json.dumps(values, indent=2, allow_nan=False) + "\n"


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise JobFileError(f"{path.name}: cannot be read: {reason} ({path})") from error


def _write(path: Path, text: str) -> None:
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        aside.write_text(text, encoding="utf-8")
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
