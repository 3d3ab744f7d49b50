"""The researcher's pages: who may see them, what they say, and that undefined says why."""

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Study
from annotation.services.prompts import sample_create
from config.jobs.models import JobState
from metaeval.models import Analysis
from metaeval.selectors.generators import generator_means
from tests.factories import (
    AnalysisFactory,
    CriterionFactory,
    GeneratorFactory,
    ItemFactory,
    LabelFactory,
    LabelSetFactory,
    LabelSetMarkFactory,
    ManagerFactory,
    MetricFactory,
    MotionFactory,
    PromptFactory,
    RatingFactory,
    ReportFactory,
    SampleFactory,
    ScoreFactory,
    StudyFactory,
    StudySampleFactory,
)
from tests.factories import ResearcherFactory as Researcher

pytestmark = pytest.mark.django_db


@pytest.fixture
def researcher() -> Client:
    client = Client()
    client.force_login(Researcher())
    return client


@pytest.fixture
def study() -> Study:
    study = StudyFactory(code="paper", title="For the paper")
    label_set = LabelSetFactory(study=study)
    criterion = CriterionFactory(rubric=study.rubric, code="naturalness")
    for name, values in (("walker", (4.0, 3.0)), ("faller", (1.0,))):
        generator = GeneratorFactory(name=name)
        for value in values:
            sample = SampleFactory(generator=generator)
            StudySampleFactory(study=study, sample=sample)
            LabelFactory(label_set=label_set, sample=sample, criterion=criterion, value=value)
            ScoreFactory(sample=sample, metric=MetricFactory(name=f"metric-of-{sample.pk}", title="Some metric"))
    label_set.frozen_at, label_set.content_hash = timezone.now(), "a" * 64
    label_set.save()
    return study


def done(analysis: Analysis) -> Analysis:
    analysis.state, analysis.finished_at = JobState.DONE, timezone.now()
    analysis.save()
    return analysis


@pytest.mark.parametrize("path", ["/research/", "/research/paper/"])
def test_only_researchers_enter(client: Client, researcher: Client, study: Study, path: str) -> None:
    assert client.get(path).status_code == 302
    client.force_login(ManagerFactory())
    response = client.get(path)
    assert response.status_code == 403
    assert "for researchers" in response.content.decode()
    assert researcher.get(path).status_code == 200


def test_the_first_page_says_what_was_found(researcher: Client, study: Study) -> None:
    label_set = study.label_sets.get()
    ReportFactory(analysis=done(AnalysisFactory(label_set=label_set, title="Main table")), finding="It follows people.")
    page = researcher.get("/research/").content.decode()
    assert "For the paper" in page
    assert "Main table" in page
    assert "It follows people." in page


def test_without_labels_the_page_says_what_will_be_here(researcher: Client) -> None:
    StudyFactory(code="new")
    assert "frozen a label set" in researcher.get("/research/").content.decode()
    assert "No label set is frozen yet" in researcher.get("/research/new/").content.decode()


def test_means_are_those_of_the_latest_labels_with_their_interval(researcher: Client, study: Study) -> None:
    table = generator_means(study.label_sets.get())
    assert table.criteria == ("naturalness",)
    walker, faller = table.rows
    assert (walker.name, faller.name) == ("walker", "faller")
    assert walker.means[0] is not None
    assert walker.means[0].value == 3.5
    assert walker.means[0].low == pytest.approx(3.5 - 1.96 * 0.7071068 / 2**0.5)
    assert faller.means[0] is not None
    assert faller.means[0].low is None
    page = researcher.get("/research/paper/").content.decode()
    assert "3.50" in page
    assert "one sample: no interval" in page


def test_a_stale_label_set_is_said_to_be_one(researcher: Client, study: Study) -> None:
    LabelSetMarkFactory(label_set=study.label_sets.get(), reason="an assignment was decided anew")
    assert "an assignment was decided anew" in researcher.get("/research/paper/").content.decode()


def test_a_sample_page_shows_ratings_scores_and_why_one_is_missing(researcher: Client) -> None:
    sample = sample_create(
        prompt=PromptFactory(text="a person sits"), generator=GeneratorFactory(), motion=MotionFactory(), actor="user:x"
    )
    rating = RatingFactory(item=ItemFactory(sample=sample), value=2)
    ScoreFactory(sample=sample, value=None, undefined_reason="needs 3 frames, has 1")
    page = researcher.get(f"/research/samples/{sample.pk}/").content.decode()
    for words in ("a person sits", rating.item.enrolment.pseudonym, "needs 3 frames, has 1", "/staff/clips/"):
        assert words in page
    assert researcher.get("/research/samples/999999/").status_code == 404
