"""A database with every noun in it, and the words in it that must never leave."""

from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from annotation.models import Criterion, Decision, Enrolment, Platform, Rating, Sample, Study
from metaeval.models import Metric
from tests.factories.annotation import (
    AssignmentFactory,
    BatchFactory,
    CriterionFactory,
    EnrolmentFactory,
    GeneratorFactory,
    GoldAnswerFactory,
    GoldFactory,
    HitFactory,
    HitPositionFactory,
    ItemFactory,
    LabelFactory,
    LabelSetFactory,
    LabelSetMarkFactory,
    PlatformIdentityFactory,
    PromptFactory,
    RatingFactory,
    SampleFactory,
    SeatFactory,
    StudyFactory,
    StudySampleFactory,
)
from tests.factories.metaeval import (
    AnalysisFactory,
    JudgeFactory,
    MetricFactory,
    PreregistrationFactory,
    ProbeFactory,
    ReportFactory,
    ScoreFactory,
)
from tests.factories.rendering import ClipFactory, RenderJobFactory, digest

SALT = "5a17" * 8
PLATFORM_ID = "A1MTURKWORKER9"
COMPLETION_CODE = "PAYME-7781"


@dataclass(frozen=True)
class Seed:
    study: Study
    criterion: Criterion
    sample: Sample
    gold_sample: Sample
    enrolment: Enrolment
    metric: Metric
    generator_metric: Metric
    ratings: dict[str, Rating]  # usable, gold, left_out, unfinished
    label_set: Any
    render_job: Any


def seed(code: str = "walks") -> Seed:
    """One study with a rating of each kind, labels, scores and a report."""
    first = code == "walks"
    study = StudyFactory(code=code, salt=SALT if first else "other-salt")
    criterion = CriterionFactory(rubric=study.rubric, code="faithfulness", options=[1, 2, 3, 4, 5])
    prompt = PromptFactory(code=f"{code}-p1", corpus="humanml3d", category="walking", subtype="slow")
    generator = GeneratorFactory(name=f"{code}-mdm")
    sample = SampleFactory(code=f"{prompt.code}.{generator.name}", prompt=prompt, generator=generator)
    gold_sample = SampleFactory(code=f"{code}-gold", generator=generator)
    for each in (sample, gold_sample):
        StudySampleFactory(study=study, sample=each)
    gold = GoldFactory(study=study, sample=gold_sample)
    GoldAnswerFactory(gold=gold, criterion=criterion)
    hit = HitFactory(batch=BatchFactory(study=study, published=True, number=1), number=1)
    HitPositionFactory(hit=hit, position=1, sample=sample)
    HitPositionFactory(hit=hit, position=2, sample=None)
    enrolment = EnrolmentFactory(study=study, pseudonym=f"R{code}1")
    if first:
        PlatformIdentityFactory(rater=enrolment.rater, platform=Platform.MTURK, platform_id=PLATFORM_ID)
    ratings = _ratings(study, criterion, hit, enrolment, sample, gold, COMPLETION_CODE if first else f"CODE-{code}")
    label_set = LabelSetFactory(study=study, number=1)
    LabelFactory(label_set=label_set, sample=sample, criterion=criterion, value=1 / 3)
    label_set.frozen_at, label_set.content_hash = timezone.now(), digest("labels", code)
    label_set.save()
    LabelSetMarkFactory(label_set=LabelSetFactory(study=study, number=2, frozen=True))
    metric = MetricFactory(name=f"{code}-matching")
    generator_metric = MetricFactory(name=f"{code}-fid", level="generator", direction="lower")
    JudgeFactory(metric=MetricFactory(name=f"{code}-judge"))
    ScoreFactory(metric=metric, sample=sample, value=0.1 + 0.2)
    ScoreFactory(of_generator=True, metric=generator_metric, generator=generator, study=study, value=12.5)
    ProbeFactory(metric=metric)
    PreregistrationFactory(study=study)
    analysis = AnalysisFactory(label_set=label_set)
    analysis.metrics.add(metric, generator_metric)
    ReportFactory(analysis=analysis)
    return Seed(
        study=study,
        criterion=criterion,
        sample=sample,
        gold_sample=gold_sample,
        enrolment=enrolment,
        metric=metric,
        generator_metric=generator_metric,
        ratings=ratings,
        label_set=label_set,
        render_job=RenderJobFactory(),
    )


def _ratings(
    study: Study, criterion: Criterion, hit: Any, enrolment: Enrolment, sample: Sample, gold: Any, completion_code: str
) -> dict[str, Rating]:
    submitted = AssignmentFactory(
        seat=SeatFactory(hit=hit, number=1), enrolment=enrolment, submitted=True, completion_code=completion_code
    )
    left_out = AssignmentFactory(
        seat=SeatFactory(hit=hit, number=2), submitted=True, use_data=Decision.NO, holds_seat=False
    )
    active = AssignmentFactory(seat=SeatFactory(hit=hit, number=3))
    clip = ClipFactory(motion=sample.motion, ready=True)
    items = {
        "usable": ItemFactory(assignment=submitted, position=1, sample=sample, clip=clip),
        "gold": ItemFactory(assignment=submitted, position=2, gold=gold),
        "left_out": ItemFactory(assignment=left_out, position=1, sample=sample, clip=clip),
        "unfinished": ItemFactory(assignment=active, position=1, sample=sample, clip=clip),
    }
    return {kind: RatingFactory(item=item, criterion=criterion, value=4) for kind, item in items.items()}


def secrets_of(seed: Seed) -> list[str]:
    public = str(seed.enrolment.rater.public_id)
    return [SALT, PLATFORM_ID, public, public.replace("-", "")]
