"""Every constraint of motions, clips and render jobs, broken on purpose: the database refuses, not Python."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import ProtectedError
from django.utils import timezone

from rendering.models import Clip, ClipState, RenderJob
from tests.config.refusals import Breaks, job_breaks, promises, refused, without
from tests.factories import ClipFactory, MotionFactory, RenderJobFactory, digest


def _the_same_clip_again() -> Clip:
    first = ClipFactory()
    return ClipFactory(motion=first.motion)


def _an_unknown_state() -> Clip:
    without("clip_ready_has_file", Clip)
    return ClipFactory(state="lost")


BREAKS: Breaks = {
    "motion.content_hash": lambda: MotionFactory(content_hash=MotionFactory().content_hash),
    "motion_hash_is_digest": lambda: MotionFactory(content_hash="A" * 64),
    "motion_has_frames": lambda: MotionFactory(frames=0),
    "motion_fps_in_range": lambda: MotionFactory(fps=0),
    "clip.key": lambda: ClipFactory(key=ClipFactory().key),
    "clip_key_is_digest": lambda: ClipFactory(key="clip"),
    "clip_state_known": _an_unknown_state,
    "clip_has_pixels": lambda: ClipFactory(pixels=15),
    "clip_drawn_once": _the_same_clip_again,
    "clip_ready_has_file": lambda: ClipFactory(ready=True, file=""),
    "renderjob_one_open_per_clip": lambda: RenderJobFactory(clip=RenderJobFactory().clip),
    **job_breaks("renderjob", RenderJobFactory),
}

# More ways to break the same promise.
VARIANTS: list[tuple[str, Callable[[], object]]] = [
    ("motion_hash_is_digest", lambda: MotionFactory(content_hash="")),
    ("motion_hash_is_digest", lambda: MotionFactory(content_hash="a" * 63)),
    ("motion_fps_in_range", lambda: MotionFactory(fps=240.5)),
    ("motion_fps_in_range", lambda: MotionFactory(fps=-20)),
    ("clip_ready_has_file", lambda: ClipFactory(ready=True, file_hash="")),
    ("clip_ready_has_file", lambda: ClipFactory(ready=True, rendered_at=None)),
    ("clip_ready_has_file", lambda: Clip.objects.filter(pk=ClipFactory().pk).update(state=ClipState.READY)),
    (
        "renderjob_leased_while_running",
        lambda: RenderJobFactory(state="running", lease_until=timezone.now() + timedelta(minutes=1), worker=""),
    ),
    ("renderjob_leased_while_running", lambda: RenderJobFactory(lease_until=timezone.now())),
    ("renderjob_finished_has_time", lambda: RenderJobFactory(finished_at=timezone.now())),
    ("renderjob_progress_is_share", lambda: RenderJobFactory(progress=-0.1)),
]


def test_every_promise_is_tested() -> None:
    assert set(BREAKS) == set(promises("rendering"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "break_it"), [*BREAKS.items(), *VARIANTS], ids=lambda value: value if isinstance(value, str) else ""
)
def test_the_database_refuses(name: str, break_it: Callable[[], object]) -> None:
    with refused(promises("rendering")[name]):
        break_it()


@pytest.mark.django_db
def test_a_clip_is_queued_again_once_its_job_is_over() -> None:
    done = RenderJobFactory(state="done", finished_at=timezone.now())
    RenderJobFactory(clip=done.clip)
    assert RenderJob.objects.filter(clip=done.clip).count() == 2


@pytest.mark.django_db
def test_the_same_motion_is_drawn_in_many_ways() -> None:
    first = ClipFactory()
    for other in ({"view": "side"}, {"look": "solid"}, {"pixels": 512}, {"backend": "gl"}, {"renderer_version": "2"}):
        ClipFactory(motion=first.motion, **other)
    assert Clip.objects.filter(motion=first.motion).count() == 6


@pytest.mark.django_db
def test_a_motion_with_clips_is_not_deleted() -> None:
    clip = ClipFactory(key=digest("kept"))
    with pytest.raises(ProtectedError):
        clip.motion.delete()
