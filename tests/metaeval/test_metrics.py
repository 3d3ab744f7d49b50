"""Metrics against the reference implementations' numbers, and on input that has none."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metaeval.metrics import Undefined, all_metrics, get_metric
from metaeval.metrics.registry import metric

SHARED = Path(__file__).resolve().parents[3] / "shared"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="../shared (golden numbers and real motions) is absent")

GOLDEN_NAMES = {
    "Jitter_Degree": "jitter_degree",
    "Ground_Penetration": "ground_penetration",
    "Foot_Sliding": "foot_sliding",
    "Dynamic_Degree": "dynamic_degree",
}


@pytest.fixture(scope="module")
def clips() -> Any:
    with np.load(SHARED / "data" / "cmu22" / "cmu22_clips.npz", allow_pickle=False) as archive:
        return dict(archive)


@needs_shared
@pytest.mark.parametrize("case", ["zup", "zup_sunk_3cm"])
def test_physical_metrics_reproduce_mbench_on_real_motions(clips: Any, case: str) -> None:
    golden = json.loads((SHARED / "golden" / "mbench_physical.json").read_text())["results"][case]
    compared = 0
    for name, expected in golden.items():
        if not name.startswith("cmu_"):
            continue
        joints = clips[name.removeprefix("cmu_")].copy()
        if case == "zup_sunk_3cm":
            joints[..., 1] -= np.float32(0.03)
        for theirs, ours in GOLDEN_NAMES.items():
            value = get_metric(ours).score(joints)
            assert value == pytest.approx(expected[theirs], rel=1e-4, abs=1e-6), (name, ours)
            compared += 1
    assert compared == 24 * len(GOLDEN_NAMES)


@needs_shared
def test_average_error_reproduces_temos_on_real_motions(clips: Any) -> None:
    identical = clips["000026"]
    moved = identical + np.array([0.3, 0.0, 0.4], dtype=np.float32)
    assert get_metric("ae_pose_position").score(identical, identical) == 0
    assert get_metric("ae_root_position").score(moved, identical) == pytest.approx(0.5, rel=1e-5)


@pytest.mark.parametrize("spec", all_metrics(), ids=lambda spec: spec.name)
@pytest.mark.parametrize(
    ("joints", "reason"),
    [
        (np.zeros((10, 24, 3)), "expected (frames, 22, 3)"),
        (np.zeros((0, 22, 3)), "needs"),
        (np.full((10, 22, 3), np.nan), "not finite"),
        (np.full((10, 22, 3), np.inf), "not finite"),
        (np.zeros(5), "expected (frames, 22, 3)"),
    ],
)
def test_bad_input_gives_undefined_with_the_reason(spec: Any, joints: Any, reason: str) -> None:
    result = spec.score(joints, joints)
    assert isinstance(result, Undefined)
    assert reason in result.reason


def test_a_foot_that_never_touches_is_undefined_and_not_perfect() -> None:
    joints = np.zeros((20, 22, 3))
    joints[..., 1] = 1.0
    joints[..., 0] = np.arange(20)[:, None] * 0.1
    result = get_metric("foot_sliding").score(joints)
    assert isinstance(result, Undefined)
    assert "never touches" in result.reason


def test_a_reference_based_metric_without_a_reference_is_undefined() -> None:
    result = get_metric("ae_pose_position").score(np.zeros((5, 22, 3)))
    assert result == Undefined("no reference motion")


def test_an_unknown_metric_is_named_beside_the_known_ones() -> None:
    with pytest.raises(KeyError, match=r"unknown metric 'jiter'; known: .*jitter_degree"):
        get_metric("jiter")


def test_a_name_cannot_be_registered_twice() -> None:
    with pytest.raises(ValueError, match="registered twice"):
        metric(name="jitter_degree", title="", family="", direction="lower", units="", citation="", min_frames=1)(
            lambda joints: 0.0
        )
