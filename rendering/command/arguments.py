"""The options of `python -m rendering`."""

import argparse
from pathlib import Path

__all__ = ["make_parser"]

_EPILOG = """\
examples:
  python -m rendering walk.npy -o walk.mp4
  python -m rendering walk.npy -o walk.mp4 --look vemo --view 0 --view 90 --backend gl
  python -m rendering motions/ -o clips/ --look parts --stills
  python -m rendering walk.bvh -o walk.mp4 --units cm --label "a person walks"
"""


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rendering",
        description="Draw motions of 22 joints as video clips.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("motion", nargs="*", type=Path, help="motion files (.npy, .npz, .bvh), or a folder of them")
    parser.add_argument("-o", "--output", type=Path, metavar="CLIP", help="the .mp4 to write, or a folder for several")
    _add_reading(parser.add_argument_group("how the motion is read"))
    _add_drawing(parser.add_argument_group("how it is drawn"))
    _add_stills(parser.add_argument_group("what else is written"))
    parser.add_argument("--job", type=Path, help="take the request from this JSON file instead")
    parser.add_argument("--backends", action="store_true", help="list the backends and whether they can run here")
    return parser


def _add_reading(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--fps", type=float, help="frames a second (default: the file's own, else 20)")
    group.add_argument("--up", help="the axis that points up: y, z, -y, -z (default: the format's own)")
    group.add_argument("--units", default="m", help="of lengths: m, cm, mm, in, cmu (default: m)")
    group.add_argument("--mean", type=Path, help="Mean.npy of normalised HumanML3D features")
    group.add_argument("--std", type=Path, help="Std.npy of normalised HumanML3D features")
    group.add_argument(
        "--heading",
        choices=("keep", "face"),
        default="keep",
        help="face: turn the motion so that it begins facing +Z, over the origin (default: keep)",
    )
    group.add_argument("--stature", type=float, metavar="METRES", help="scale the body to this height (default: keep)")


def _add_drawing(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--look", help="stick, stick-dark, vemo, studio, parts (default: vemo, or stick where it must)")
    group.add_argument(
        "--view",
        action="append",
        metavar="VIEW",
        help="own, front, left, ..., azimuth-N; a number turns the look's own camera; repeat for several clips; "
        "A+B puts two into one picture (default: own)",
    )
    group.add_argument("--random-views", type=int, metavar="K", help="K views at seeded random angles")
    group.add_argument("--seed", type=int, default=0, help="of the random views (default: 0)")
    group.add_argument("--backend", help="gl, blender or stick (default: the first that draws the look here)")
    group.add_argument("--body", type=Path, metavar="FILE", help="your own SMPL, SMPL-H or SMPL-X .npz (default: ours)")
    group.add_argument("--pixels", type=int, help="each side of the picture (default: the look's own)")
    group.add_argument("--label", help="a text that goes along above the head (default: none)")


def _add_stills(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--poster", type=Path, help="the middle frame, .png or .jpg")
    group.add_argument("--strip", type=Path, help="every third frame side by side, .png or .jpg")
    group.add_argument("--preview", type=Path, help="a small moving picture, .webp")
    group.add_argument(
        "--stills",
        action="store_true",
        help="all three and a .json of what was drawn, beside each clip; a clip that is there is not drawn again",
    )
