"""Coordinate error against a reference motion (Voas 4.1). The longer motion is clipped to the shorter."""

import numpy as np

from metaeval.metrics.registry import Joints, Result, metric

CITATION = "Voas et al.; TEMOS"


def _average_error(joints: Joints, reference: Joints) -> float:
    frames = min(len(joints), len(reference))
    return float(np.linalg.norm(joints[:frames] - reference[:frames], axis=-1).mean())


@metric(
    name="ae_root_position",
    title="Average error, root position",
    family="coordinate",
    direction="lower",
    units="m",
    citation=CITATION,
    min_frames=1,
    reference_based=True,
)
def ae_root_position(joints: Joints, reference: Joints) -> Result:
    return _average_error(joints[:, :1], reference[:, :1])


@metric(
    name="ae_pose_position",
    title="Average error, pose position",
    family="coordinate",
    direction="lower",
    units="m",
    citation=CITATION,
    min_frames=1,
    reference_based=True,
)
def ae_pose_position(joints: Joints, reference: Joints) -> Result:
    return _average_error(joints, reference)
