"""The human half: minimal valid rows that agree with each other (an item's enrolment is its assignment's, ...)."""

from datetime import timedelta
from decimal import Decimal

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from annotation.models import (
    Assignment,
    Batch,
    Criterion,
    Enrolment,
    Generator,
    Gold,
    GoldAnswer,
    Hit,
    HitPosition,
    Item,
    Label,
    LabelSet,
    LabelSetMark,
    MarkKind,
    Option,
    Platform,
    PlatformIdentity,
    Prompt,
    Rater,
    Rating,
    Rubric,
    Sample,
    Scale,
    Seat,
    Study,
    StudySample,
)
from rendering.models import Clip, ClipState, Motion
from tests.factories.rendering import ClipFactory, MotionFactory, digest


class PromptFactory(DjangoModelFactory[Prompt]):
    class Meta:
        model = Prompt

    code = factory.Sequence(lambda n: f"p{n:04}")
    text = factory.Sequence(lambda n: f"a person walks {n} steps forward")
    text_hash = factory.LazyAttribute(lambda prompt: digest(prompt.text))


class GeneratorFactory(DjangoModelFactory[Generator]):
    class Meta:
        model = Generator

    name = factory.Sequence(lambda n: f"generator-{n}")


class SampleFactory(DjangoModelFactory[Sample]):
    class Meta:
        model = Sample

    code = factory.Sequence(lambda n: f"sample-{n}")
    prompt = factory.SubFactory(PromptFactory)
    generator = factory.SubFactory(GeneratorFactory)
    motion = factory.SubFactory(MotionFactory)


class RubricFactory(DjangoModelFactory[Rubric]):
    class Meta:
        model = Rubric

    name = factory.Sequence(lambda n: f"rubric-{n}")
    title = "How well does the motion fit the text?"


class CriterionFactory(DjangoModelFactory[Criterion]):
    """A Likert question; give it answers with `options=[1, 2, 3]`."""

    class Meta:
        model = Criterion
        skip_postgeneration_save = True

    rubric = factory.SubFactory(RubricFactory)
    code = factory.Sequence(lambda n: f"criterion-{n}")
    position = factory.Sequence(lambda n: n % 30_000 + 1)
    question = "Does the motion show what the text says?"
    scale = Scale.LIKERT

    @factory.post_generation
    def options(self: Criterion, create: bool, extracted: list[int] | None, **_: object) -> None:
        for value in extracted or ():
            OptionFactory(criterion=self, value=value)


class OptionFactory(DjangoModelFactory[Option]):
    class Meta:
        model = Option

    criterion = factory.SubFactory(CriterionFactory)
    value = factory.Sequence(lambda n: n % 30_000)
    label = factory.LazyAttribute(lambda option: f"answer {option.value}")


class StudyFactory(DjangoModelFactory[Study]):
    class Meta:
        model = Study

    code = factory.Sequence(lambda n: f"study-{n}")
    title = factory.LazyAttribute(lambda study: study.code.title())
    rubric = factory.SubFactory(RubricFactory)


class StudySampleFactory(DjangoModelFactory[StudySample]):
    class Meta:
        model = StudySample

    study = factory.SubFactory(StudyFactory)
    sample = factory.SubFactory(SampleFactory)


class GoldFactory(DjangoModelFactory[Gold]):
    class Meta:
        model = Gold

    study = factory.SubFactory(StudyFactory)
    sample = factory.SubFactory(SampleFactory)


class GoldAnswerFactory(DjangoModelFactory[GoldAnswer]):
    class Meta:
        model = GoldAnswer

    gold = factory.SubFactory(GoldFactory)
    criterion = factory.SubFactory(
        CriterionFactory, rubric=factory.SelfAttribute("..gold.study.rubric"), options=[1, 2, 3, 4, 5]
    )
    value = 5


class BatchFactory(DjangoModelFactory[Batch]):
    """A draft; `published=True` opens it to raters."""

    class Meta:
        model = Batch

    class Params:
        published = factory.Trait(state="published", published_at=factory.LazyFunction(timezone.now))

    study = factory.SubFactory(StudyFactory)
    number = factory.Sequence(lambda n: n + 1)
    seed = 1
    settings = factory.LazyFunction(lambda: {"ratings_per_sample": 3})
    pay_per_hit = Decimal("1.25")


class HitFactory(DjangoModelFactory[Hit]):
    class Meta:
        model = Hit

    batch = factory.SubFactory(BatchFactory, published=True)
    number = factory.Sequence(lambda n: n + 1)


class HitPositionFactory(DjangoModelFactory[HitPosition]):
    class Meta:
        model = HitPosition

    hit = factory.SubFactory(HitFactory)
    position = factory.Sequence(lambda n: n % 30_000 + 1)
    sample = factory.SubFactory(SampleFactory)


class SeatFactory(DjangoModelFactory[Seat]):
    class Meta:
        model = Seat

    hit = factory.SubFactory(HitFactory)
    number = factory.Sequence(lambda n: n % 30_000 + 1)


class RaterFactory(DjangoModelFactory[Rater]):
    class Meta:
        model = Rater


class PlatformIdentityFactory(DjangoModelFactory[PlatformIdentity]):
    class Meta:
        model = PlatformIdentity

    rater = factory.SubFactory(RaterFactory)
    platform = Platform.PROLIFIC
    platform_id = factory.Sequence(lambda n: f"P{n:06}")


class EnrolmentFactory(DjangoModelFactory[Enrolment]):
    class Meta:
        model = Enrolment

    study = factory.SubFactory(StudyFactory)
    rater = factory.SubFactory(RaterFactory)
    pseudonym = factory.Sequence(lambda n: f"R{n:06}")
    consent_version = 1
    consented_at = factory.LazyFunction(timezone.now)


class AssignmentFactory(DjangoModelFactory[Assignment]):
    """An active one, its rater enrolled in the seat's study; `submitted=True` gives one that was handed in."""

    class Meta:
        model = Assignment

    class Params:
        submitted = factory.Trait(state="submitted", submitted_at=factory.LazyFunction(timezone.now), lease_until=None)

    seat = factory.SubFactory(SeatFactory)
    enrolment = factory.SubFactory(EnrolmentFactory, study=factory.SelfAttribute("..seat.hit.batch.study"))
    seed = 1
    taken_at = factory.LazyFunction(timezone.now)
    lease_until = factory.LazyFunction(lambda: timezone.now() + timedelta(minutes=30))
    completion_code = factory.Sequence(lambda n: f"CODE{n:06}")


def _ready_clip(motion: Motion) -> Clip:
    """The clip that was drawn of the motion: there is only one of each look and view."""
    return Clip.objects.filter(motion=motion, state=ClipState.READY).first() or ClipFactory(ready=True, motion=motion)


class ItemFactory(DjangoModelFactory[Item]):
    """A sample to rate; `gold=` (of the same study) makes it a gold item that shows the gold's sample."""

    class Meta:
        model = Item

    assignment = factory.SubFactory(AssignmentFactory)
    enrolment = factory.SelfAttribute("assignment.enrolment")
    position = factory.Sequence(lambda n: n % 30_000 + 1)
    gold = None
    sample = factory.Maybe(
        "gold", yes_declaration=factory.SelfAttribute("gold.sample"), no_declaration=factory.SubFactory(SampleFactory)
    )
    clip = factory.LazyAttribute(lambda item: _ready_clip(item.sample.motion))


class RatingFactory(DjangoModelFactory[Rating]):
    class Meta:
        model = Rating

    item = factory.SubFactory(ItemFactory)
    criterion = factory.SubFactory(
        CriterionFactory,
        rubric=factory.SelfAttribute("..item.assignment.seat.hit.batch.study.rubric"),
        options=[1, 2, 3, 4, 5],
    )
    value = 4
    clip_key = factory.LazyAttribute(lambda rating: rating.item.clip.key if rating.item.clip else digest("clip"))
    shown_at = factory.LazyFunction(timezone.now)
    answered_at = factory.LazyAttribute(lambda rating: rating.shown_at + timedelta(seconds=20))


class LabelSetFactory(DjangoModelFactory[LabelSet]):
    """Open for labels; `frozen=True` gives one that is closed from the start."""

    class Meta:
        model = LabelSet

    class Params:
        frozen = factory.Trait(frozen_at=factory.LazyFunction(timezone.now), content_hash=digest("labels"))

    study = factory.SubFactory(StudyFactory)
    number = factory.Sequence(lambda n: n + 1)
    code_version = "0.1.0"
    created_by = "user:manager"


class LabelFactory(DjangoModelFactory[Label]):
    class Meta:
        model = Label

    label_set = factory.SubFactory(LabelSetFactory)
    sample = factory.SubFactory(SampleFactory)
    criterion = factory.SubFactory(CriterionFactory, rubric=factory.SelfAttribute("..label_set.study.rubric"))
    value = 3.5
    ratings = 3


class LabelSetMarkFactory(DjangoModelFactory[LabelSetMark]):
    class Meta:
        model = LabelSetMark

    label_set = factory.SubFactory(LabelSetFactory, frozen=True)
    kind = MarkKind.STALE
    reason = "an assignment was left out later"
