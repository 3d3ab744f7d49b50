"""A small study that is open for rating, made through the services."""

from datetime import datetime, timedelta

from django.utils import timezone

from annotation.models import Assignment, Enrolment, Platform, Sample, Study, StudyState
from annotation.rubric_presets import LIKERT_0_4, RubricText
from annotation.services.assignments import assignment_take
from annotation.services.batches import batch_create, batch_publish
from annotation.services.gold import gold_set
from annotation.services.raters import rater_enrol, rater_identify
from annotation.services.ratings import assignment_submit, item_open, rating_save
from annotation.services.rubrics import rubric_create
from annotation.services.studies import study_add_samples, study_create, study_plan_clips, study_transition
from tests.factories.annotation import GeneratorFactory, PromptFactory, SampleFactory
from tests.factories.config import ManagerFactory

ACTOR = "user:tester"
GOOD = {"naturalness": 4, "faithfulness": 4}


def open_study(
    *,
    prompts: int = 4,
    generators: int = 2,
    gold: int = 2,
    rubric: RubricText = LIKERT_0_4,
    gold_answers: dict[str, int] | None = None,
    **settings: object,
) -> Study:
    """A live study with one published batch; gold samples come on top of prompts x generators."""
    defaults: dict[str, object] = {"samples_per_hit": 4, "gold_per_hit": gold, "gold_failures_allowed": 0}
    study = study_create(
        code=f"study-{Study.objects.count()}",
        title="A study",
        rubric=rubric_create(text=rubric, actor=ACTOR),
        created_by=ManagerFactory(),
        **(defaults | {"ratings_per_sample": 2, "minimum_seconds": 0} | settings),
    )
    made_by = [GeneratorFactory() for _ in range(generators)]
    samples: list[Sample] = [
        SampleFactory(prompt=prompt, generator=generator)
        for prompt in (PromptFactory() for _ in range(prompts))
        for generator in made_by
    ]
    golden = [SampleFactory() for _ in range(gold)]
    study_add_samples(study=study, samples=[*samples, *golden], actor=ACTOR)
    study_plan_clips(study=study, actor=ACTOR)
    for sample in golden:
        gold_set(study=study, sample=sample, answers=gold_answers or GOOD, actor=ACTOR)
    study = study_transition(study=study, state=StudyState.LIVE, actor=ACTOR)
    batch_publish(batch=batch_create(study=study, seed=1, actor=ACTOR), actor=ACTOR)
    return study


def enrol(study: Study, name: str = "anna") -> Enrolment:
    return rater_enrol(study=study, rater=rater_identify(platform=Platform.PROLIFIC, platform_id=name))


def rate_all(enrolment: Enrolment, answers: dict[str, int] | None = None, *, at: datetime | None = None) -> Assignment:
    """Take a HIT, answer every item alike, and hand it in."""
    at = at or timezone.now()
    assignment = assignment_take(enrolment=enrolment, at=at)
    for item in assignment.items.all():
        item_open(item=item, at=at)
        rating_save(item=item, enrolment=enrolment, answers=answers or GOOD, at=at + timedelta(seconds=4))
    return assignment_submit(assignment=assignment, enrolment=enrolment, at=at + timedelta(seconds=5))
