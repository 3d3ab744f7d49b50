"""Motions to clips, for a person: which files, which views, and what is written where."""

import argparse
import hashlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rendering.backends import BackendUnavailableError, backend_for_look, backend_named, with_body
from rendering.body import BodyFormatError
from rendering.command.outcome import EXIT_CODES, fail, one_line, render
from rendering.command.progress import Bar
from rendering.jobfile import JobFileError, RenderFailure, RenderRequest, RenderResult, read_outcome, write_outcome
from rendering.motion import MotionFormatError, Trajectory
from rendering.motion.normalise import face_forward, scale_to_stature
from rendering.motion.reading import SUFFIXES, read_motion
from rendering.scene import UnknownNameError, clip_key, get_look, random_views, view_name

_BODY_LOOK: Final = "vemo"
_ALWAYS_THERE: Final = "stick"

__all__ = ["UsageError", "run_clips"]


class UsageError(ValueError):
    """Arguments that do not go together."""


@dataclass(frozen=True)
class _Drawing:
    look: str
    backend: str
    pixels: int
    views: tuple[str, ...]


def run_clips(options: argparse.Namespace) -> int:
    """Draw everything that was asked for; a motion that cannot be drawn is named, and the others are."""
    try:
        drawing = _drawing(options)
        with_body(backend_named(drawing.backend), options.body)  # a body that cannot be read fails once, and first
        motions = list(_motions(options.motion))
        requests = list(_requests(options, drawing, motions))
    except (UsageError, UnknownNameError, BackendUnavailableError, BodyFormatError) as error:
        return fail(RenderFailure(one_line(error), "input"))
    worst = 0
    with Bar(len(requests)) as bar:
        for request in requests:
            bar.begin(request.clip.name)
            outcome = _draw(options, request, bar)
            worst = max(worst, _say(request, outcome, bar))
    return worst


def _drawing(options: argparse.Namespace) -> _Drawing:
    look, backend = options.look, options.backend
    if look is None and backend is None:
        look, backend = _what_can_be_drawn()
    elif look is None:
        look = _ALWAYS_THERE if backend_named(backend).draws(get_look(_ALWAYS_THERE)) else _BODY_LOOK
    elif backend is None:
        backend = backend_for_look(look).name
    views = tuple(_views(options))
    pixels = options.pixels if options.pixels is not None else get_look(look).pixels
    return _Drawing(look, backend, pixels, views)


def _what_can_be_drawn() -> tuple[str, str]:
    try:
        return _BODY_LOOK, backend_for_look(_BODY_LOOK).name
    except BackendUnavailableError as error:
        print(f"drawing a stick figure: {one_line(error)}", file=sys.stderr)
        return _ALWAYS_THERE, _ALWAYS_THERE


def _views(options: argparse.Namespace) -> Iterator[str]:
    if options.random_views is not None:
        if options.view or not 1 <= options.random_views <= 360:
            raise UsageError("--random-views: expected a number from 1 to 360, and no --view beside it")
        yield from (view.name for view in random_views(options.random_views, seed=options.seed))
        return
    for wanted in options.view or ["own"]:
        # A bare number turns the look's own camera.
        yield view_name("+".join(f"turn-{part}" if part.isdigit() else part for part in wanted.split("+")))


def _motions(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        found = sorted(each for each in path.rglob("*") if each.suffix.lower() in SUFFIXES and each.is_file())
        if not found:
            raise UsageError(f"{path}: expected a folder with {', '.join(SUFFIXES)} files, found none")
        yield from found


def _requests(options: argparse.Namespace, drawing: _Drawing, motions: list[Path]) -> Iterator[RenderRequest]:
    several = len(motions) * len(drawing.views) > 1
    into_folder = len(motions) > 1 or any(path.is_dir() for path in options.motion) or options.output.is_dir()
    if several and (options.poster or options.strip or options.preview):
        raise UsageError("--poster, --strip and --preview name one file: with several clips use --stills")
    if into_folder:
        options.output.mkdir(parents=True, exist_ok=True)
    names = _clip_names(options, motions) if into_folder else {motions[0]: options.output}
    for motion in motions:
        for view in drawing.views:
            clip = names[motion]
            if len(drawing.views) > 1:
                clip = clip.with_name(f"{clip.stem}-{view}{clip.suffix}")
            request = RenderRequest(
                motion=motion,
                clip=clip,
                fps=options.fps or 0.0,
                look=drawing.look,
                view=view,
                backend=drawing.backend,
                pixels=drawing.pixels,
                poster=options.poster,
                strip=options.strip,
                preview=options.preview,
                label=options.label,
                body=options.body,
            )
            yield _with_stills(request) if options.stills else request


def _clip_names(options: argparse.Namespace, motions: list[Path]) -> dict[Path, Path]:
    """Two motions of one name from different folders must not write one clip."""
    names: dict[Path, Path] = {}
    for motion in motions:
        clip = options.output / f"{motion.stem}.mp4"
        if clip in names.values():
            clip = options.output / f"{motion.parent.name}-{motion.name.replace('.', '-')}.mp4"
        if clip in names.values():
            raise UsageError(f"{motion}: another motion is drawn to {clip.name} already; draw the folders one by one")
        names[motion] = clip
    return names


def _with_stills(request: RenderRequest) -> RenderRequest:
    clip = request.clip
    return replace(
        request,
        poster=clip.with_suffix(".jpg"),
        strip=clip.with_name(f"{clip.stem}-strip.png"),
        preview=clip.with_suffix(".webp"),
        result=clip.with_suffix(".json"),
    )


def _draw(options: argparse.Namespace, request: RenderRequest, bar: Bar) -> RenderResult | RenderFailure | None:
    """None: the clip is there already."""
    try:
        trajectory = _read(options, request.motion)
    except MotionFormatError as error:
        return RenderFailure(one_line(error), "input")
    if _is_there(request, trajectory):
        return None
    return render(replace(request, fps=trajectory.fps), bar.advance, trajectory)


def _read(options: argparse.Namespace, path: Path) -> Trajectory:
    trajectory = read_motion(
        path, fps=options.fps, up=options.up, units=options.units, mean=options.mean, std=options.std
    )
    if options.heading == "face":
        trajectory = face_forward(trajectory)
    if options.stature is not None:
        trajectory = scale_to_stature(trajectory, options.stature)
    return trajectory


def _is_there(request: RenderRequest, trajectory: Trajectory) -> bool:
    """Whether the JSON beside the clip says that it shows this motion in this way, and the clip is what it says."""
    if request.result is None or not (request.result.exists() and request.clip.exists()):
        return False
    try:
        found = read_outcome(request.result)
    except JobFileError:
        return False
    version = with_body(backend_named(request.backend), request.body).version
    names = request.look, request.view, request.pixels, request.backend, version
    key = clip_key(trajectory.content_hash, *names, label=request.label)
    if isinstance(found, RenderFailure) or found.clip_key != key:
        return False
    return hashlib.sha256(request.clip.read_bytes()).hexdigest() == found.sha256


def _say(request: RenderRequest, outcome: RenderResult | RenderFailure | None, bar: Bar) -> int:
    bar.clear()
    if isinstance(outcome, RenderFailure):
        print(f"error: {outcome.error}", file=sys.stderr)
        return EXIT_CODES[outcome.kind]
    if outcome is None:
        print(f"{request.clip}: there already")
        return 0
    if request.result is not None:
        write_outcome(request.result, outcome)
    print(f"{request.clip}: {outcome.frames} frames, {outcome.seconds:g} s, {outcome.bytes} bytes")
    return 0
