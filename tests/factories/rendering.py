"""Motions, clips and render jobs: rows only, without files behind them."""

import hashlib

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from rendering.models import Clip, ClipState, Motion, RenderJob


def digest(*parts: object) -> str:
    """A SHA-256 that differs when the parts do."""
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()


class MotionFactory(DjangoModelFactory[Motion]):
    class Meta:
        model = Motion

    content_hash = factory.Sequence(lambda n: digest("motion", n))
    file = factory.LazyAttribute(lambda motion: f"motions/{motion.content_hash}.npy")
    frames = 60
    fps = 20.0


class ClipFactory(DjangoModelFactory[Clip]):
    """A planned clip; `ready=True` gives one that was rendered."""

    class Meta:
        model = Clip

    class Params:
        ready = factory.Trait(
            state=ClipState.READY,
            file=factory.LazyAttribute(lambda clip: f"clips/{clip.key}.mp4"),
            poster=factory.LazyAttribute(lambda clip: f"clips/{clip.key}.jpg"),
            file_hash=factory.LazyAttribute(lambda clip: digest("file", clip.key)),
            rendered_at=factory.LazyFunction(timezone.now),
        )

    key = factory.Sequence(lambda n: digest("clip", n))
    motion = factory.SubFactory(MotionFactory)
    look = "stick"
    view = "front"
    pixels = 384
    backend = "stick"
    renderer_version = "1"


class RenderJobFactory(DjangoModelFactory[RenderJob]):
    class Meta:
        model = RenderJob

    clip = factory.SubFactory(ClipFactory)
