"""The gold pages and services: what is set is what raters are judged by, and the page says how well that works."""

from pathlib import Path

import pytest
from django.test import Client

from annotation.errors import AnnotationError
from annotation.models import Gold, GoldCounting, Item, Sample, Study
from annotation.rubric_presets import BINARY
from annotation.selectors.gold import study_catch_rates
from annotation.services.assignments import assignment_take
from annotation.services.gold import gold_deactivate, gold_rule_set, gold_set
from config.audit.models import AuditEvent
from tests.annotation.campaign import ACTOR, GOOD, enrol, open_study
from tests.e2e.small_study import SmallStudy, make_study
from tests.factories import ManagerFactory, ResearcherFactory, SampleFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PAGE = "/manage/small/gold/"
BAD = {"naturalness": 0, "faithfulness": 0}


@pytest.fixture
def made(files: Path) -> SmallStudy:
    return make_study()


@pytest.fixture
def manager() -> Client:
    client = Client()
    client.force_login(ManagerFactory())
    return client


def answers(*, natural: str, faithful: str, tolerance: str = "1", reason: str = "") -> dict[str, str]:
    return {
        "answer-naturalness": natural,
        "answer-faithfulness": faithful,
        "tolerance-naturalness": tolerance,
        "tolerance-faithfulness": tolerance,
        "reason": reason,
    }


def text(response: object) -> str:
    return " ".join(response.content.decode().split())  # type: ignore[attr-defined]


# --- Who --------------------------------------------------------------------------------------------------------------


def test_only_managers_see_gold_and_only_they_change_it(made: SmallStudy, client: Client) -> None:
    paths = (PAGE, f"{PAGE}{made.gold.pk}/")
    for path in paths:
        assert client.get(path)["Location"].startswith("/accounts/login/")
    client.force_login(ResearcherFactory())
    for path in paths:
        assert client.get(path).status_code == 403
    for path in (f"{PAGE}rule/", f"{PAGE}{made.gold.pk}/", f"{PAGE}{made.gold.pk}/out/"):
        assert client.post(path).status_code == 403


# --- The list and the editor ------------------------------------------------------------------------------------------


def test_the_page_lists_gold_with_its_answers(made: SmallStudy, manager: Client) -> None:
    page = text(manager.get(PAGE))
    assert page.count("4 ± 1") == 2
    assert f'Change<span class="hidden"> {made.gold.code}' in page


def test_gold_is_found_by_prompt_and_generator_and_set_with_the_studys_options(
    made: SmallStudy, manager: Client
) -> None:
    found = text(manager.get(f"{PAGE}?text=four&generator=hidden-model")).split('id="gold-choices"')[1]
    assert found.count("Set answers") == 1
    sample = next(each for each in made.samples if "four" in each.prompt.text)
    editor = text(manager.get(f"{PAGE}{sample.pk}/"))
    assert "How natural is the movement?" in editor
    assert "Could be a recording of a real person." in editor
    saved = manager.post(f"{PAGE}{sample.pk}/", answers(natural="0", faithful="1", reason="it floats"), follow=True)
    assert f"{sample.code} is gold now" in text(saved)
    gold = Gold.objects.get(sample=sample)
    assert set(gold.answers.values_list("criterion__code", "value", "tolerance")) == {
        ("naturalness", 0, 1),
        ("faithfulness", 1, 1),
    }
    assert gold.reason == "it floats"
    assert AuditEvent.objects.filter(action="gold.set").latest("id").actor.startswith("user:manager")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (answers(natural="7", faithful="1"), "expected one of 0, 1, 2, 3, 4, found 7"),
        (answers(natural="", faithful="1"), "right answer to “How natural is the movement?” is missing"),
        (answers(natural="1", faithful="1", tolerance="x"), "expected a whole number, found &#x27;x&#x27;"),
        (answers(natural="1", faithful="1", tolerance="-1"), "a tolerance is 0 or more"),
        (answers(natural="2", faithful="2", tolerance="2"), "with 2 ± 2 every answer passes"),
    ],
)
def test_what_cannot_be_gold_is_refused_and_what_was_typed_stays(
    made: SmallStudy, manager: Client, given: dict[str, str], message: str
) -> None:
    sample = made.samples[0]
    response = manager.post(f"{PAGE}{sample.pk}/", {**given, "reason": "my words"})
    assert response.status_code == 422
    assert message in text(response)
    assert "my words" in text(response)
    assert not Gold.objects.filter(sample=sample).exists()


def test_a_sample_of_another_study_is_not_found(made: SmallStudy, manager: Client) -> None:
    assert manager.get(f"{PAGE}{SampleFactory().pk}/").status_code == 404
    with pytest.raises(AnnotationError, match="not a sample of study small"):
        gold_set(study=made.study, sample=SampleFactory(), answers=GOOD, actor=ACTOR)


def test_gold_is_taken_out_with_a_reason_and_comes_back(made: SmallStudy, manager: Client) -> None:
    gold_set(study=made.study, sample=made.samples[0], answers=BAD, actor=ACTOR)
    out = f"{PAGE}{made.gold.pk}/out/"
    refused = manager.post(out, {"reason": "  "})
    assert (refused.status_code, Gold.objects.get(sample=made.gold).is_active) == (422, True)
    page = text(manager.post(out, {"reason": "experts disagree"}, follow=True))
    assert "is taken out" in page
    assert "Out: experts disagree" in page
    gold = Gold.objects.get(sample=made.gold)
    assert (gold.is_active, gold.inactive_reason) == (False, "experts disagree")
    assert AuditEvent.objects.get(action="gold.deactivated").details == {"reason": "experts disagree"}
    manager.post(f"{PAGE}{made.gold.pk}/", answers(natural="4", faithful="4"))
    gold.refresh_from_db()
    assert (gold.is_active, gold.inactive_reason) == (True, "")


def test_gold_that_open_hits_need_is_not_taken_out(made: SmallStudy, manager: Client) -> None:
    response = manager.post(f"{PAGE}{made.gold.pk}/out/", {"reason": "no longer wanted"})
    assert response.status_code == 422
    assert "Each HIT of batch 1 draws 1 gold, and 0 would be left" in text(response)
    assert Gold.objects.get(sample=made.gold).is_active


# --- The rates --------------------------------------------------------------------------------------------------------


def rates(study: Study) -> dict[str, str]:
    return {rate.model.name: rate.percent for rate in study_catch_rates(study).rates}


def study_with_gold(value: int) -> Study:
    both = {"naturalness": value, "faithfulness": value}
    return open_study(gold=6, gold_answers=both, gold_per_hit=5, gold_failures_allowed=2, prompts=2)


def test_the_page_computes_the_figures_of_the_specification(manager: Client) -> None:
    middle, extreme = study_with_gold(2), study_with_gold(4)
    assert rates(middle) == {
        "random-clicker": "75%",
        "always-the-middle": "0%",
        "lenient": "1%",
        "careful": "under 1%" if rates(middle)["careful"] != "0%" else "0%",
    }
    assert rates(extreme)["random-clicker"] == "97%"
    assert rates(extreme)["always-the-middle"] == "100%"
    page = text(manager.get(f"/manage/{middle.code}/gold/"))
    assert "12 of 12 gold answers lie in the middle: a rater who always presses the middle passes them." in page
    assert "lie in the middle" not in text(manager.get(f"/manage/{extreme.code}/gold/"))


def test_the_rates_change_with_the_saved_rule_and_published_batches_keep_theirs(manager: Client) -> None:
    study = study_with_gold(2)
    path = f"/manage/{study.code}/gold/"
    rule = {"gold_per_hit": "5", "failures_allowed": "4", "counting": GoldCounting.QUESTION}
    page = text(manager.post(f"{path}rule/", rule, follow=True))
    assert "The rule is saved" in page
    assert "11%" in page  # 0.64 ** 5
    assert "Batch 1 keeps its own: an assignment fails when more than 2 of its 5 gold questions fail." in page
    by_answer = {**rule, "failures_allowed": "2", "counting": GoldCounting.RATING}
    page = text(manager.post(f"{path}rule/", by_answer, follow=True))
    assert "fails when more than 2 answers to its 5 gold are off" in page
    assert "83%" in page  # more than 2 of 10 answers, each off with 0.4
    assert AuditEvent.objects.filter(action="study.gold_rule_set").count() == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gold_per_hit": "2", "failures_allowed": "2"}, "at most 1 failures can be allowed"),
        ({"gold_per_hit": "x", "failures_allowed": "2"}, "expected a whole number"),
        ({"gold_per_hit": "500", "failures_allowed": "2"}, "at most 50 gold"),
        ({"gold_per_hit": "5", "failures_allowed": "2", "counting": "luck"}, "Choose what is counted."),
    ],
)
def test_a_rule_that_cannot_be_is_refused_and_changes_nothing(
    made: SmallStudy, manager: Client, given: dict[str, str], message: str
) -> None:
    before = Study.objects.values().get(pk=made.study.pk)
    response = manager.post(f"{PAGE}rule/", given)
    assert response.status_code == 422
    assert message in text(response)
    assert Study.objects.values().get(pk=made.study.pk) == before


def test_a_rule_that_loses_good_raters_is_warned_of(made: SmallStudy, manager: Client) -> None:
    middle = {"naturalness": 2, "faithfulness": 2}
    gold_set(study=made.study, sample=made.samples[0], answers=middle, tolerance=0, actor=ACTOR)
    assert "of careful raters" in text(manager.get(PAGE))


def test_without_gold_the_page_says_what_to_do_first(manager: Client) -> None:
    study = open_study(gold=0, gold_per_hit=0)
    gold_rule_set(study=study, gold_per_hit=5, failures_allowed=2, counting=GoldCounting.QUESTION, actor=ACTOR)
    page = text(manager.get(f"/manage/{study.code}/gold/"))
    assert "No gold is in use yet." in page
    assert "Each HIT wants 5: add some below" in page


# --- What raters meet -------------------------------------------------------------------------------------------------


def test_a_yes_or_no_question_tolerates_nothing_unless_told() -> None:
    study = open_study(rubric=BINARY, gold_answers={"naturalness": 1, "faithfulness": 0})
    tolerances = Gold.objects.filter(study=study).values_list("answers__tolerance", flat=True)
    assert set(tolerances) == {0}


def test_gold_made_of_a_sample_of_a_published_hit_never_stands_in_that_hit_twice() -> None:
    study = open_study(prompts=2, generators=2, gold=1, gold_per_hit=1, ratings_per_sample=1)
    for sample in Sample.objects.filter(hit_positions__hit__batch__study=study):
        gold_set(study=study, sample=sample, answers=GOOD, actor=ACTOR)
    items = assignment_take(enrolment=enrol(study)).items.all()
    shown = [item.sample_id for item in items]
    assert len(shown) == len(set(shown)) == 5


def test_a_hit_without_any_gold_left_is_rated_without_gold() -> None:
    study = open_study(gold=1, gold_per_hit=1)
    Gold.objects.update(is_active=False)
    assignment = assignment_take(enrolment=enrol(study))
    assert not Item.objects.filter(assignment=assignment, gold__isnull=False).exists()
    assert assignment.items.count() == 4


def test_gold_of_a_closed_study_may_be_taken_out() -> None:
    study = open_study(gold=1, gold_per_hit=1)
    Study.objects.update(state="closed")
    gold_deactivate(gold=study.gold.get(), reason="tidying", actor=ACTOR)
    assert not study.gold.get().is_active
