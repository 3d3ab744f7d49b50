"""Draws the contact sheets of docs/images anew: `make sheets`. One for each look; some minutes.

A row is an action, a group of columns a generator of the demo, each with frames spread over the motion. The cartwheel
is made here: the demo's performer cannot do one.
"""

import math
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fixtures.generators import FPS, GENERATOR_NAMES, make_all  # noqa: E402
from fixtures.generators.gliding import apply_glide, glide_of  # noqa: E402
from fixtures.generators.trembling import apply_jitter, jitter_of  # noqa: E402
from rendering.backends import backend_for_look  # noqa: E402
from rendering.motion import Trajectory, trajectory_from_array  # noqa: E402
from rendering.scene import get_look, get_view  # noqa: E402

IMAGES: Final = ROOT / "docs" / "images"
LOOKS: Final = ("vemo", "studio", "parts", "stick")
ACTIONS: Final = {
    "walk": "walk-forward",
    "run": "run-forward",
    "kick": "kick-right",
    "sit": "sit-stand",
    "wave": "wave-right",
    "turn": "walk-turn-walk",
    "crawl": "crawl-forward",
}
SEED: Final = 2024
SIDE: Final = 112
MOMENTS: Final = (0.2, 0.5, 0.8)
KICK_MOMENTS: Final = (0.15, 0.28, 0.45)  # the foot is at its highest in the second
LEFT, TOP = 74, 26

Joints = npt.NDArray[np.float64]


def main() -> None:
    rows = {action: dict(cells) for action, cells in _rows()}
    for look in LOOKS:
        path = IMAGES / f"sheet-{look}.webp"
        _sheet(look, rows).save(path, quality=72, method=6)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size // 1024} KB")


def _rows() -> Iterator[tuple[str, Iterator[tuple[str, Trajectory]]]]:
    made = {(prompt.code, generator): each.joints for prompt, generator, each in make_all(SEED)}
    for action, code in ACTIONS.items():
        yield action, ((generator, _motion(made[code, generator])) for generator in GENERATOR_NAMES)
    yield "cartwheel", ((generator, _motion(joints)) for generator, joints in _cartwheels().items())


def _motion(joints: Joints) -> Trajectory:
    return trajectory_from_array(np.asarray(joints, dtype=np.float32), fps=FPS)


def _cartwheels() -> dict[str, Joints]:
    """One for each generator, damaged as that generator damages: sliding, trembling, cut short, played backwards."""
    wheel = _cartwheel()
    rng = np.random.default_rng(SEED)
    return {
        "reference": wheel,
        "glide": apply_glide(wheel, glide_of(0.7, rng), rng, fps=FPS),
        "tremor": apply_jitter(wheel, jitter_of(0.7), rng, fps=FPS),
        "muddle": wheel[: len(wheel) * 2 // 3],
        "scramble": wheel[::-1],
    }


def _cartwheel(frames: int = 50) -> Joints:
    """A star of arms and legs that goes round once to its left, its lowest hand or foot on the floor."""
    star = np.asarray(next(iter(make_all(SEED)))[2].joints[0], dtype=np.float64)
    star = _spread(star - star[0])
    turns = 0.5 - 0.5 * np.cos(np.pi * np.clip(np.linspace(-0.15, 1.15, frames), 0, 1))
    joints = np.empty((frames, 22, 3))
    for frame, share in enumerate(turns):
        angle = -2 * math.pi * share
        turn = np.array([[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]])
        posed = star @ turn.T
        posed[:, 1] -= posed[:, 1].min()
        posed[:, 0] += 2.2 * share
        joints[frame] = posed
    return joints


def _spread(pose: Joints) -> Joints:
    """Arms up and out, legs apart, every bone as long as before."""
    spread = pose.copy()
    for sign, shoulder, elbow, wrist, hip, knee, ankle, foot in (
        (1, 16, 18, 20, 1, 4, 7, 10),
        (-1, 17, 19, 21, 2, 5, 8, 11),
    ):
        reach, stride = _unit([0.55 * sign, 0.83, 0.05]), _unit([0.5 * sign, -0.87, 0.02])
        for chain, direction in (((shoulder, elbow, wrist), reach), ((hip, knee, ankle), stride)):
            for start, end in pairwise(chain):
                spread[end] = spread[start] + direction * np.linalg.norm(pose[end] - pose[start])
        spread[foot] = spread[ankle] + _unit([0.45 * sign, -0.5, 0.75]) * np.linalg.norm(pose[foot] - pose[ankle])
    return spread


def _unit(vector: list[float]) -> npt.NDArray[np.float64]:
    return np.asarray(vector) / np.linalg.norm(vector)


def _sheet(look: str, rows: dict[str, dict[str, Trajectory]]) -> Image.Image:
    wide, high = LEFT + len(GENERATOR_NAMES) * (len(MOMENTS) * SIDE + 6), TOP + len(rows) * (SIDE + 4)
    sheet = Image.new("RGB", (wide, high), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
    for row, (action, cells) in enumerate(rows.items()):
        top = TOP + row * (SIDE + 4)
        draw.text((6, top + SIDE / 2 - 8), action, fill="black", font=font)
        for column, (generator, motion) in enumerate(cells.items()):
            left = LEFT + column * (len(MOMENTS) * SIDE + 6)
            if row == 0:
                draw.text((left, 6), generator, fill="black", font=font)
            for at, picture in enumerate(_pictures(motion, look, KICK_MOMENTS if action == "kick" else MOMENTS)):
                sheet.paste(picture, (left + at * SIDE, top))
    return sheet


def _pictures(motion: Trajectory, look: str, moments: tuple[float, ...]) -> Iterator[Image.Image]:
    wanted = {round(share * (motion.frames - 1)) for share in moments}
    shot = backend_for_look(look).shoot(motion, get_look(look).at(2 * SIDE), get_view("own"))
    for index, picture in enumerate(shot.frames):
        if index in wanted:
            yield Image.fromarray(picture).resize((SIDE, SIDE), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    main()
