"""The one table of metrics."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

Joints = npt.NDArray[np.float64]
Direction = Literal["higher", "lower", "target"]


@dataclass(frozen=True)
class Undefined:
    """No number, and why."""

    reason: str


Result = float | Undefined


@dataclass(frozen=True)
class MetricSpec:
    """What a metric declares of itself. `function(joints)`, or `function(joints, reference)` if reference-based."""

    name: str
    title: str
    family: str
    direction: Direction
    units: str
    citation: str
    min_frames: int
    function: Callable[..., Result] = field(repr=False)
    version: str = "1"
    reference_based: bool = False

    def score(self, joints: npt.ArrayLike, reference: npt.ArrayLike | None = None) -> Result:
        """The metric's value on one motion, (frames, 22, 3) in metres, Y up, 20 fps."""
        motion = np.asarray(joints, dtype=np.float64)
        if problem := _problem(motion, self.min_frames):
            return Undefined(problem)
        if not self.reference_based:
            return _finite(self.function(motion))
        if reference is None:
            return Undefined("no reference motion")
        other = np.asarray(reference, dtype=np.float64)
        if problem := _problem(other, self.min_frames):
            return Undefined(f"reference: {problem}")
        return _finite(self.function(motion, other))


def _problem(joints: Joints, min_frames: int) -> str:
    if joints.ndim != 3 or joints.shape[1:] != (22, 3):
        return f"expected (frames, 22, 3), found {joints.shape}"
    if len(joints) < min_frames:
        return f"needs {min_frames} frames, has {len(joints)}"
    if not np.isfinite(joints).all():
        return "a joint position is not finite"
    return ""


def _finite(result: Result) -> Result:
    if isinstance(result, Undefined):
        return result
    return float(result) if math.isfinite(result) else Undefined(f"came out as {result}")


_REGISTRY: dict[str, MetricSpec] = {}


def metric(
    *,
    name: str,
    title: str,
    family: str,
    direction: Direction,
    units: str,
    citation: str,
    min_frames: int,
    reference_based: bool = False,
) -> Callable[[Callable[..., Result]], Callable[..., Result]]:
    """Register the decorated function."""

    def register(function: Callable[..., Result]) -> Callable[..., Result]:
        if name in _REGISTRY:
            raise ValueError(f"metric {name!r} is registered twice")
        _REGISTRY[name] = MetricSpec(
            name=name,
            title=title,
            family=family,
            direction=direction,
            units=units,
            citation=citation,
            min_frames=min_frames,
            reference_based=reference_based,
            function=function,
        )
        return function

    return register


def all_metrics() -> tuple[MetricSpec, ...]:
    return tuple(_REGISTRY.values())


def get_metric(name: str) -> MetricSpec:
    if name not in _REGISTRY:
        raise KeyError(f"unknown metric {name!r}; known: {', '.join(_REGISTRY)}")
    return _REGISTRY[name]
