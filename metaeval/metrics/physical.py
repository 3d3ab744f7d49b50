"""Physical quality as MBench computes it and T2MBench reports it, with the up axis explicit (Y).

All speeds are displacements per frame at 20 fps. T2MBench's equation 6 and MBench's code differ on the sign of the
floor threshold; the code is followed.
"""

from typing import Final

import numpy as np

from metaeval.metrics.registry import Joints, Result, Undefined, metric

FEET: Final = (10, 11)
UP: Final = 1
GROUND: Final = (0, 2)
CONTACT_SPEED: Final = 0.01
CONTACT_HEIGHT: Final = 0.02
PENETRATION: Final = 0.005
CITATION: Final = "T2MBench; MBench motion_quality.py"


def forward_difference(values: Joints) -> Joints:
    """Difference to the next frame; the last row is repeated."""
    steps = np.diff(values, axis=0)
    return np.concatenate([steps, steps[-1:]])


def foot_contacts(joints: Joints) -> Joints:
    """(frames, 2) of 0 and 1: a toe that hardly moves, or is near the floor, is in contact."""
    feet = joints[:, FEET]
    slow = np.linalg.norm(forward_difference(feet), axis=-1) < CONTACT_SPEED
    contacts: Joints = (slow | (feet[..., UP] < CONTACT_HEIGHT)).astype(np.float64)
    return contacts


@metric(
    name="jitter_degree",
    title="Jitter degree",
    family="physical",
    direction="lower",
    units="m/frame²",
    citation=CITATION,
    min_frames=3,
)
def jitter_degree(joints: Joints) -> Result:
    """Mean acceleration of the joints, in the world and relative to the root."""
    local = joints - joints[:, :1]
    return float(sum(np.linalg.norm(np.diff(part, n=2, axis=0), axis=-1).mean() for part in (joints, local)))


@metric(
    name="dynamic_degree",
    title="Dynamic degree",
    family="physical",
    direction="higher",
    units="m/frame",
    citation=CITATION,
    min_frames=2,
)
def dynamic_degree(joints: Joints) -> Result:
    """Mean speed of the joints, in the world and relative to the root: more dynamic, which is not better by itself."""
    local = joints - joints[:, :1]
    return float(sum(np.linalg.norm(np.diff(part, axis=0), axis=-1).mean() for part in (joints, local)))


@metric(
    name="ground_penetration",
    title="Ground penetration",
    family="physical",
    direction="lower",
    units="m",
    citation=CITATION,
    min_frames=1,
)
def ground_penetration(joints: Joints) -> Result:
    """Mean depth of the toes over the moments when one is below the floor; 0 if never."""
    heights = joints[:, FEET, UP]
    below = heights[heights < -PENETRATION]
    return float(np.abs(below).mean()) if below.size else 0.0


@metric(
    name="foot_sliding",
    title="Foot sliding",
    family="physical",
    direction="lower",
    units="m/frame",
    citation=CITATION,
    min_frames=2,
)
def foot_sliding(joints: Joints) -> Result:
    """Mean horizontal speed of the toes while in contact. MBench calls no contact perfect; here it is undefined."""
    contacts = foot_contacts(joints)
    if not contacts.any(axis=0).all():
        return Undefined("a foot never touches the floor")
    steps = forward_difference(joints[:, FEET])
    speeds = np.linalg.norm(steps[..., GROUND], axis=-1)
    return float(((speeds * contacts).sum(axis=0) / (contacts.sum(axis=0) + 1e-6)).mean())
