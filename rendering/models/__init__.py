"""Facts and constraints of motions, clips and render jobs."""

from rendering.models.clips import Clip, ClipState
from rendering.models.jobs import RenderJob
from rendering.models.motions import Motion

__all__ = ["Clip", "ClipState", "Motion", "RenderJob"]
