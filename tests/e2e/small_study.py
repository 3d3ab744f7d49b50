"""A small study that is ready to be rated: 4 samples of 2 generators, 1 gold, 1 HIT of 5 items, clips with files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db.models import F

from annotation.models import Item, Platform, Rater, Sample, Study, StudyState
from annotation.rubric_presets import LIKERT_0_4
from annotation.services.batches import batch_create, batch_publish
from annotation.services.gold import gold_set
from annotation.services.raters import rater_identify
from annotation.services.rubrics import rubric_create
from annotation.services.studies import study_add_samples, study_drawing
from config.files import store_bytes
from rendering.backends import backend_named
from rendering.models import Clip, Motion
from rendering.motion import trajectory_from_array, write_npy
from rendering.scene import clip_key, view_name
from tests.factories import (
    ClipFactory,
    GeneratorFactory,
    PromptFactory,
    RenderJobFactory,
    SampleFactory,
    StudyFactory,
    digest,
)
from tests.rendering.people import a_walk

ACTOR = "user:test"
# Words that no rater may ever read. They appear in the names of generators and samples, and nowhere else.
SECRETS = ("hidden-model", "mocap-truth", "reference", "gold", "sample-")
ITEMS = 5


@dataclass(frozen=True)
class SmallStudy:
    study: Study
    samples: Sequence[Sample]
    gold: Sample
    rater: Rater


def make_study(*, minimum_seconds: int = 0, video: bytes = b"0123456789" * 50, ready: bool = True) -> SmallStudy:
    study = StudyFactory(
        code="small",
        title="A small study",
        purpose="To see whether the pages work.",
        rubric=rubric_create(text=LIKERT_0_4, actor=ACTOR),
        state=StudyState.LIVE,
        samples_per_hit=4,
        gold_per_hit=1,
        gold_failures_allowed=0,
        ratings_per_sample=1,
        minimum_seconds=minimum_seconds,
        consent_text="You will watch clips.",
        contact="ada@example.org",
    )
    generators = [GeneratorFactory(name="hidden-model"), GeneratorFactory(name="mocap-truth", is_reference=True)]
    prompts = [PromptFactory(text=f"a person waves {count} times") for count in ("two", "three", "four")]
    samples = [
        SampleFactory(prompt=prompt, generator=generator, motion__frames=20)  # a second, as long as the video
        for prompt in prompts
        for generator in generators
    ]
    gold, *others = samples[:5]
    study_add_samples(study=study, samples=samples[:5], actor=ACTOR)
    _draw(study, samples[:5], video, ready=ready)
    gold_set(study=study, sample=gold, answers={"naturalness": 4, "faithfulness": 4}, actor=ACTOR)
    batch_publish(batch=batch_create(study=study, seed=1, actor=ACTOR), actor=ACTOR)
    rater = rater_identify(platform=Platform.DEMO, platform_id="careful-01")
    return SmallStudy(study, others, gold, rater)


def _draw(study: Study, samples: Iterable[Sample], video: bytes, *, ready: bool) -> None:
    drawing = study_drawing(study)
    view, version = view_name(drawing.view), backend_named(drawing.backend).version
    for sample in samples:
        store_motion(sample.motion)
        clip = ClipFactory(
            key=clip_key(sample.motion.content_hash, drawing.look, view, drawing.pixels, drawing.backend, version),
            renderer_version=version,
            motion=sample.motion,
            ready=ready,
            look=drawing.look,
            view=drawing.view,
            pixels=drawing.pixels,
            backend=drawing.backend,
        )
        if ready:
            store_clip(clip, video)
        else:
            RenderJobFactory(clip=clip)


def let_time_pass(seconds: int = 60) -> None:
    """As if every item that is open had been opened so much earlier: tests do not wait for the watch gate."""
    opened = Item.objects.filter(opened_at__isnull=False)
    opened.update(opened_at=F("opened_at") - timedelta(seconds=seconds))


def store_motion(motion: Motion) -> None:
    """The file that the row names: a person who stands still."""
    still = trajectory_from_array(np.repeat(a_walk(1).joints, motion.frames, axis=0), fps=motion.fps)
    store_bytes(write_npy(still), str(motion.file))


def store_clip(clip: Clip, video: bytes) -> None:
    default_storage.save(f"clips/{clip.key}.mp4", ContentFile(video))
    default_storage.save(f"clips/{clip.key}.jpg", ContentFile(b"\xff\xd8\xff\xd9"))


def finish_clips(study: Study, video: bytes) -> None:
    """What a render worker would do."""
    for clip in Clip.objects.filter(motion__samples__places__study=study):
        clip.jobs.all().delete()
        name = f"clips/{clip.key}"
        clip.state, clip.file, clip.poster = "ready", f"{name}.mp4", f"{name}.jpg"
        clip.file_hash, clip.rendered_at = digest("file", clip.key), clip.created_at
        clip.save()
        store_clip(clip, video)
