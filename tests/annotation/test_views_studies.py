"""A manager makes and runs a study in the browser: new, settings, rubric, state, clone, as a rater, codebook."""

import csv as csv_reader
import io
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from annotation.errors import NothingToRate
from annotation.models import (
    Assignment,
    AssignmentState,
    BatchKind,
    BatchState,
    Enrolment,
    Item,
    Rating,
    Rubric,
    Seat,
    Study,
    StudyState,
)
from annotation.rubric_presets import BINARY, FIVE_FACET, LIKERT_0_4, PRESETS
from annotation.rubric_text import rubric_write
from annotation.selectors.codebook import FIELDS
from annotation.selectors.exports import RATING_COLUMNS, rating_export
from annotation.selectors.stages import study_stages
from annotation.services.assignments import assignment_take
from annotation.services.batches import batch_create, batch_publish
from annotation.services.labels import accepted_ratings, label_set_freeze
from annotation.services.raters import rater_pseudonym
from annotation.services.ratings import assignment_submit, item_open, rating_save
from annotation.services.studies import study_transition
from annotation.services.study_making import study_clone
from annotation.services.study_rubric import study_change_rubric
from annotation.services.study_settings import study_update
from config.audit.models import AuditEvent
from tests.annotation.campaign import ACTOR, enrol, open_study, rate_all
from tests.e2e.small_study import SmallStudy, make_study
from tests.factories import ManagerFactory, ResearcherFactory, StudyFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def user() -> User:
    return ManagerFactory()


@pytest.fixture
def manager(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def made(files: Path) -> SmallStudy:
    return make_study()


def filled(client: Client, path: str = "/manage/new/", **changes: Any) -> dict[str, Any]:
    """What the page would send, as it stands, with changes; None leaves a field out."""
    form = client.get(path).context["form"]
    values = {name: form[name].value() for name in form.fields}
    values = {name: "on" if value is True else value for name, value in values.items() if value is not False}
    return {name: value for name, value in (values | changes).items() if value is not None}


def new(client: Client, **changes: Any) -> Any:
    return client.post(
        "/manage/new/", filled(client, code="first", title="A first study", **changes) | {"do": "create"}
    )


def page(answer: Any) -> str:
    return " ".join(answer.content.decode().split())


# --- Who --------------------------------------------------------------------------------------------------------------

PATHS = ("", "settings/", "rubric/", "state/", "clone/", "as-rater/", "codebook.csv", "codebook.json")


@pytest.mark.parametrize("path", ["/manage/new/", *(f"/manage/small/{path}" for path in PATHS)])
def test_a_manager_is_let_in_and_a_stranger_is_not(manager: Client, made: SmallStudy, path: str) -> None:
    assert manager.get(path).status_code == 200
    assert Client().get(path)["Location"].startswith("/accounts/login/")


def test_a_researcher_reads_the_codebook_and_makes_no_study(client: Client, made: SmallStudy) -> None:
    client.force_login(ResearcherFactory())
    assert client.get("/manage/small/codebook.csv").status_code == 200
    for path in ("/manage/new/", "/manage/small/settings/", "/manage/small/state/", "/manage/small/rubric/"):
        assert client.get(path).status_code == 403
        assert client.post(path).status_code == 403


# --- New --------------------------------------------------------------------------------------------------------------


def test_a_code_and_a_title_are_enough_for_a_study(manager: Client, user: User) -> None:
    answer = new(manager)
    assert answer["Location"] == "/manage/first/"
    study = Study.objects.get()
    assert (study.state, study.created_by, str(study.rubric)) == (StudyState.DRAFT, user, "likert-0-4 v1")
    assert (study.samples_per_hit, study.gold_per_hit, study.ratings_per_sample) == (20, 5, 3)
    assert study.pay_per_hit == Decimal("1.25")
    assert "made-up name" in study.consent_text
    assert AuditEvent.objects.filter(action="study.created", actor=f"user:{user.username}").exists()


def test_two_studies_with_the_same_preset_ask_the_same_rubric(manager: Client) -> None:
    new(manager)
    manager.post("/manage/new/", filled(manager, code="second", title="Second") | {"do": "create"})
    assert Rubric.objects.count() == 1
    assert Study.objects.count() == 2


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_makes_a_study(manager: Client, name: str) -> None:
    assert new(manager, rubric=f"preset:{name}").status_code == 302
    assert Study.objects.get().rubric.name == name


def test_the_salt_of_a_study_is_its_own(manager: Client) -> None:
    new(manager)
    manager.post("/manage/new/", filled(manager, code="second", title="Second") | {"do": "create"})
    assert len(set(Study.objects.values_list("salt", flat=True))) == 2


@pytest.mark.parametrize(
    ("changes", "field", "words"),
    [
        ({"code": "two words"}, "code", "valid"),
        ({"code": "new"}, "code", "other than new"),
        ({"code": "First"}, "code", "small letters"),
        ({"title": ""}, "title", "required"),
        ({"pixels": "385"}, "pixels", "even number"),
        ({"view": "sideways"}, "view", "known: own, front"),
        ({"drawing": "vemo/stick"}, "drawing", "vemo/stick"),
        ({"gold_per_hit": "2", "gold_failures_allowed": "2"}, "gold_failures_allowed", "fewer than the 2"),
        ({"ratings_per_sample": "0"}, "ratings_per_sample", "greater than or equal to 1"),
        ({"pay_per_hit": "-1"}, "pay_per_hit", "greater than or equal to 0"),
        ({"currency": "$"}, "currency", "three letters"),
        ({"rater_share": "101"}, "rater_share", "less than or equal to 100"),
        ({"rubric": "preset:nothing"}, "rubric", "valid choice"),
        ({"rubric": "own", "rubric_own": "name: x"}, "rubric_own", "2 problems"),
    ],
)
def test_what_cannot_be_is_said_at_its_field_and_nothing_is_made(
    manager: Client, changes: dict[str, str], field: str, words: str
) -> None:
    answer = manager.post(
        "/manage/new/", filled(manager) | {"code": "first", "title": "T"} | changes | {"do": "create"}
    )
    assert answer.status_code == 400
    assert words in " ".join(answer.context["form"].errors[field])
    assert f"id_{field}_error" in answer.content.decode()
    assert not Study.objects.exists()
    assert not Rubric.objects.exists()


def test_a_code_that_is_taken_is_refused(manager: Client) -> None:
    new(manager)
    answer = new(manager)
    assert answer.status_code == 400
    assert "Another study has this code." in page(answer)


def test_a_preview_shows_the_questions_keeps_what_was_filled_in_and_writes_nothing(manager: Client) -> None:
    before = AuditEvent.objects.count()
    data = filled(manager, code="", title="Half done", rubric="preset:binary", reopen_left_out=None)
    answer = manager.post("/manage/new/", data | {"do": "preview"})
    assert answer.status_code == 200
    assert "Could a real person have moved like this?" in page(answer)
    assert "<code>faithfulness and naturalness</code>" in page(answer)
    assert answer.context["form"]["title"].value() == "Half done"
    assert not answer.context["form"]["reopen_left_out"].value()
    assert "This field is required" not in page(answer)
    assert (Study.objects.count(), Rubric.objects.count(), AuditEvent.objects.count()) == (0, 0, before)


def test_a_preset_is_taken_over_as_text_that_can_be_changed(manager: Client) -> None:
    answer = manager.post("/manage/new/", filled(manager, rubric="preset:five-facet") | {"do": "take-over"})
    form = answer.context["form"]
    assert form["rubric"].value() == "own"
    assert form["rubric_own"].value() == rubric_write(FIVE_FACET)
    text = rubric_write(FIVE_FACET).replace("five-facet", "six-facet").replace("\n", "\r\n")
    assert new(manager, rubric="own", rubric_own=text).status_code == 302
    assert Study.objects.get().rubric.name == "six-facet"


def test_problems_of_an_own_rubric_stand_in_a_table_with_their_lines(manager: Client) -> None:
    text = rubric_write(BINARY).replace("formula: faithfulness and", "formula: beauty and")
    answer = manager.post("/manage/new/", filled(manager, rubric="own", rubric_own=text) | {"do": "preview"})
    (problem,) = answer.context["problems"]
    assert (problem.line, problem.field) == (19, "criteria 3.formula")
    assert "&#x27;beauty&#x27; is not one of faithfulness, naturalness" in page(answer)


# --- Settings ---------------------------------------------------------------------------------------------------------


def change(client: Client, study: Study, **changes: Any) -> Any:
    path = f"/manage/{study.code}/settings/"
    return client.post(path, filled(client, path, **changes), follow=True)


def test_settings_are_changed_and_the_change_is_on_record(manager: Client) -> None:
    study = StudyFactory(code="first")
    answer = change(manager, study, title="Better", pay_per_hit="2.00", rater_share="50", currency="eur")
    assert "Changed: Title, Share of one rater, %, Pay per HIT, Currency." in page(answer)
    study.refresh_from_db()
    assert (study.title, study.pay_per_hit, study.rater_share, study.currency) == ("Better", 2, 0.5, "EUR")
    event = AuditEvent.objects.get(action="study.changed")
    assert event.details["before"]["pay_per_hit"] == "1.25"
    assert event.details["after"]["pay_per_hit"] == "2.00"


def test_saving_what_is_there_changes_nothing(manager: Client) -> None:
    answer = change(manager, StudyFactory(rater_share=1 / 3))
    assert "Nothing was different" in page(answer)
    assert not AuditEvent.objects.filter(action="study.changed").exists()


def test_once_raters_have_begun_the_pictures_stay(manager: Client, files: Path) -> None:
    study = open_study()
    rate_all(enrol(study))
    answer = change(manager, study, drawing="stick-dark/stick", pixels="128", seed="9", title="New")
    study.refresh_from_db()
    assert (study.look, study.pixels, study.seed, study.title) == ("stick", 384, 0, "New")
    assert "Raters have begun, and must all see the same pictures." in page(answer)


def test_a_locked_setting_is_refused_by_the_service_too(files: Path) -> None:

    study = open_study()
    rate_all(enrol(study))
    with pytest.raises(ValidationError) as refused:
        study_update(study=study, changes={"look": "stick-dark", "seed": 4}, actor=ACTOR)
    assert set(refused.value.error_dict) == {"look", "seed"}


def test_a_changed_consent_is_a_new_version_once_somebody_agreed(manager: Client) -> None:
    study = open_study(consent_text="One.")
    change(manager, study, consent_text="Two.")
    study.refresh_from_db()
    assert study.consent_version == 1
    enrolment = enrol(study)
    answer = change(manager, study, consent_text="Three.")
    study.refresh_from_db()
    enrolment.refresh_from_db()
    assert (study.consent_version, enrolment.consent_version) == (2, 1)
    assert "The consent is version 2 now." in page(answer)


def test_a_closed_study_keeps_all_but_its_title_and_contact(manager: Client) -> None:
    study = StudyFactory(state=StudyState.CLOSED)
    change(manager, study, title="Over", contact="ada@example.org", purpose="Other", pay_per_hit="9")
    study.refresh_from_db()
    assert (study.title, study.contact, study.purpose, study.pay_per_hit) == (
        "Over",
        "ada@example.org",
        "",
        Decimal("1.25"),
    )


def test_a_batch_that_is_made_keeps_the_settings_it_was_made_with(manager: Client) -> None:
    study = open_study(minimum_seconds=0)
    change(manager, study, minimum_seconds="30", pay_per_hit="3")
    batch = study.batches.get()
    assert (batch.settings["minimum_seconds"], batch.pay_per_hit) == (0, Decimal("1.25"))


# --- Rubric -----------------------------------------------------------------------------------------------------------

SIMPLER = rubric_write(LIKERT_0_4).replace("How natural is the movement?", "Is it natural?")


def test_the_rubric_page_shows_the_widgets_of_the_rating_page_and_they_are_disabled(
    manager: Client, made: SmallStudy
) -> None:
    text = page(manager.get("/manage/small/rubric/"))
    assert "How natural is the movement?" in text
    assert 'class="questions as-rater" disabled' in text


def test_what_a_change_does_is_said_before_it_happens(manager: Client) -> None:
    study = open_study()
    rate_all(enrol(study))
    study_transition(study=study, state=StudyState.PAUSED, actor=ACTOR)
    path, before = f"/manage/{study.code}/rubric/", AuditEvent.objects.count()
    answer = manager.post(path, {"rubric": SIMPLER, "do": "preview"})
    ratings = Rating.objects.count()
    assert f"<strong>{ratings} ratings</strong> stay with the version they answer" in page(answer)
    assert "likert-0-4 v2" in page(answer)
    assert "2 gold samples keep the right answers." in page(answer)
    assert (Rubric.objects.count(), AuditEvent.objects.count()) == (1, before)


def test_a_new_version_leaves_old_ratings_with_the_old_one_and_out_of_labels(manager: Client) -> None:
    study = open_study()
    rate_all(enrol(study))
    study_transition(study=study, state=StudyState.PAUSED, actor=ACTOR)
    manager.post(f"/manage/{study.code}/rubric/", {"rubric": SIMPLER, "do": "change"})
    study.refresh_from_db()
    assert str(study.rubric) == "likert-0-4 v2"
    assert set(Rating.objects.values_list("criterion__rubric__version", flat=True)) == {1}
    assert AuditEvent.objects.get(action="study.rubric_changed").details["before"] == "likert-0-4 v1"

    assert accepted_ratings(study)[0].count() == 0


def test_gold_keeps_the_answers_that_are_still_asked_and_the_rest_waits(manager: Client) -> None:
    study = open_study()
    study_transition(study=study, state=StudyState.PAUSED, actor=ACTOR)
    same, path = rubric_write(LIKERT_0_4).replace("Fully", "Wholly"), f"/manage/{study.code}/rubric/"
    manager.post(path, {"rubric": same, "do": "change"})
    study.refresh_from_db()
    answers = {a.criterion.rubric_id for gold in study.gold.filter(is_active=True) for a in gold.answers.all()}
    assert answers == {study.rubric_id}
    answer = manager.post(path, {"rubric": rubric_write(FIVE_FACET), "do": "preview"})
    assert "<strong>2 gold samples</strong> have no right answer" in page(answer)
    manager.post(path, {"rubric": rubric_write(FIVE_FACET), "do": "change"})
    assert study.gold.filter(is_active=True).count() == 0
    assert study.gold.filter(inactive_reason__contains="five-facet v1").count() == 2


@pytest.mark.parametrize("state", [StudyState.LIVE, StudyState.PILOT])
def test_an_open_study_is_paused_before_its_questions_change(manager: Client, state: StudyState) -> None:
    study = open_study()
    Study.objects.update(state=state)
    answer = manager.post(f"/manage/{study.code}/rubric/", {"rubric": SIMPLER, "do": "change"})
    assert answer.status_code == 409
    assert "Pause it first." in page(answer)
    study.refresh_from_db()
    assert study.rubric.version == 1


def test_who_is_in_the_middle_of_a_hit_keeps_the_questions(manager: Client) -> None:

    study = open_study()
    assignment_take(enrolment=enrol(study))
    study_transition(study=study, state=StudyState.PAUSED, actor=ACTOR)
    answer = manager.post(f"/manage/{study.code}/rubric/", {"rubric": SIMPLER, "do": "change"})
    assert answer.status_code == 409
    assert "1 rater is in the middle of a HIT" in page(answer)


def test_raters_rate_by_the_new_rubric_afterwards(manager: Client) -> None:
    study = open_study()
    study_transition(study=study, state=StudyState.PAUSED, actor=ACTOR)
    study = study_change_rubric(study=study, text=BINARY, actor=ACTOR)
    assert rubric_write(BINARY) == manager.get(f"/manage/{study.code}/rubric/").context["written"]
    study.gold.update(is_active=True)
    study_transition(study=study, state=StudyState.LIVE, actor=ACTOR)
    rate_all(enrol(study), {"faithfulness": 1, "naturalness": 0})
    assert set(Rating.objects.values_list("criterion__rubric__name", flat=True)) == {"binary"}


def test_asking_the_same_again_makes_no_version(manager: Client, made: SmallStudy) -> None:
    answer = manager.post("/manage/small/rubric/", {"rubric": rubric_write(LIKERT_0_4), "do": "preview"})
    assert "This is what is asked already" in page(answer)
    manager.post("/manage/small/rubric/", {"rubric": rubric_write(LIKERT_0_4), "do": "change"})
    assert Rubric.objects.count() == 1


# --- State ------------------------------------------------------------------------------------------------------------


def go(client: Client, study: Study, to: str, **more: str) -> Any:
    study.refresh_from_db()
    data = {"from": study.state, "to": to} | more
    answer = client.post(f"/manage/{study.code}/state/", data, follow=True)
    study.refresh_from_db()
    return answer


def test_a_study_goes_from_draft_over_a_pilot_to_live_and_ends(manager: Client) -> None:
    study = StudyFactory()
    for to, more in (("pilot", {}), ("paused", {}), ("pilot", {}), ("live", {"sure": "yes"}), ("paused", {})):
        go(manager, study, to, **more)
        assert study.state == to
    assert "pilot" not in {move.state for move in manager.get(f"/manage/{study.code}/state/").context["moves"]}
    go(manager, study, "live")
    go(manager, study, "closed", sure="yes")
    assert study.state == "closed"
    assert manager.get(f"/manage/{study.code}/state/").context["moves"] == ()


def test_a_study_that_was_live_resumes_live_and_never_as_a_pilot(manager: Client) -> None:
    study = open_study()
    go(manager, study, "paused")
    go(manager, study, "pilot")
    assert study.state == "paused"
    go(manager, study, "live")
    assert study.state == "live"


def test_closing_asks_with_counts(manager: Client) -> None:
    study = open_study()
    rate_all(enrol(study))
    answer = go(manager, study, "closed")
    assert study.state == "live"
    assert f"Close with {Rating.objects.count()} ratings?" in page(answer)
    go(manager, study, "closed", sure="yes")
    assert study.state == "closed"


def test_an_old_page_changes_nothing(manager: Client) -> None:
    study = open_study()
    data = {"from": "draft", "to": "paused"}
    answer = manager.post(f"/manage/{study.code}/state/", data, follow=True)
    study.refresh_from_db()
    assert study.state == "live"
    assert "Nothing was done: the study is live by now." in page(answer)


@pytest.mark.parametrize("to", ["draft", "pilot", "nonsense", ""])
def test_what_is_not_allowed_is_not_done(manager: Client, to: str) -> None:
    study = open_study()
    go(manager, study, to)
    assert study.state == "live"


def test_every_button_says_what_it_means_for_raters_in_the_middle(manager: Client) -> None:

    study = open_study()
    assignment_take(enrolment=enrol(study))
    text = page(manager.get(f"/manage/{study.code}/state/"))
    assert text.count("1 rater is in the middle of a HIT: they may finish it, hand it in and are paid.") == 2


@pytest.mark.parametrize("to", [StudyState.PAUSED, StudyState.CLOSED])
def test_who_is_in_the_middle_finishes_whatever_the_state(to: StudyState) -> None:

    study, at = open_study(), timezone.now() - timedelta(minutes=1)
    enrolment = enrol(study)
    assignment = assignment_take(enrolment=enrolment)
    study_transition(study=study, state=to, actor=ACTOR)
    enrolment = Enrolment.objects.get(pk=enrolment.pk)
    for item in assignment.items.all():
        item_open(item=item, at=at)
        rating_save(item=item, enrolment=enrolment, answers={"naturalness": 4, "faithfulness": 4})
    assert assignment_submit(assignment=assignment, enrolment=enrolment).state == AssignmentState.SUBMITTED


# --- Pilot ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def pilot(files: Path) -> Study:
    """Of two raters, who have rated everything in a pilot batch; a main batch is published too."""
    study = open_study()
    study.batches.update(number=2)
    Study.objects.update(state=StudyState.PILOT, went_live_at=None)
    study.refresh_from_db()
    batch_publish(batch=batch_create(study=study, seed=3, kind=BatchKind.PILOT, actor=ACTOR), actor=ACTOR)
    for name in ("anna", "bert"):
        enrolment = enrol(study, name)
        with suppress(NothingToRate):
            while True:
                rate_all(enrolment)
    return study


def test_a_pilot_leads_nobody_into_hits_that_count(pilot: Study) -> None:
    assert set(Assignment.objects.values_list("seat__hit__batch__kind", flat=True)) == {BatchKind.PILOT}


def test_the_pilot_is_summed_up_and_says_why_what_is_undefined(manager: Client, pilot: Study) -> None:
    answer = manager.get(f"/manage/{pilot.code}/state/")
    summary = answer.context["pilot"]
    assert (summary.handed_in, summary.gold_pass_rate, summary.left_out) == (4, 1.0, 0)
    assert summary.seconds_per_item == 4
    assert [each.samples for each in summary.alphas] == [8, 8]
    assert "every answer is the same" in page(answer)
    Rating.objects.filter(item__enrolment=Enrolment.objects.first(), item__gold=None).update(value=3)
    alphas = manager.get(f"/manage/{pilot.code}/state/").context["pilot"].alphas
    assert all(each.alpha is not None and each.alpha < 0 for each in alphas)


def test_going_live_accepts_the_pilot_closes_its_hits_and_remembers_what_it_showed(
    manager: Client, pilot: Study
) -> None:
    go(manager, pilot, "live")
    assert pilot.state == "live"
    assert pilot.went_live_at is not None
    assert pilot.batches.get(kind=BatchKind.PILOT).state == BatchState.CLOSED
    assert pilot.batches.get(kind=BatchKind.MAIN).state == BatchState.PUBLISHED
    assert AuditEvent.objects.get(action="study.live", details__before="pilot").details["pilot"]["handed_in"] == 4


def test_a_pilot_that_nobody_handed_in_is_not_accepted_by_one_click(manager: Client) -> None:
    study = StudyFactory(state=StudyState.PILOT)
    answer = go(manager, study, "live")
    assert study.state == "pilot"
    assert "No HIT of the pilot was handed in yet." in page(answer)
    go(manager, study, "live", sure="yes")
    assert study.state == "live"


def test_ratings_of_the_pilot_stay_out_of_the_labels(manager: Client, pilot: Study) -> None:
    before = Rating.objects.count()
    go(manager, pilot, "live")
    rate_all(enrol(pilot, "carla"))
    label_set = label_set_freeze(study=pilot, actor=ACTOR)
    assert label_set.counts["collected"] == Rating.objects.count() > before
    assert label_set.counts["main_batches"] == 8


def exported(study: Study, *include: str) -> int:
    return len(list(rating_export(ratings=Rating.objects.filter(item__enrolment__study=study), include=include).rows))


def test_the_pilot_is_left_out_of_the_export_and_of_the_progress_unless_asked_for(pilot: Study) -> None:
    assert exported(pilot) == 0
    assert exported(pilot, "pilot") == 32
    assert study_stages(pilot).stage("ratings").done == 0


def test_answers_to_an_old_version_are_left_out_of_the_export_and_of_the_progress() -> None:
    study = open_study()
    rate_all(enrol(study))
    assert exported(study) == study_stages(study).stage("ratings").done == 8
    study_transition(study=study, state=StudyState.PAUSED, actor=ACTOR)
    study = study_change_rubric(study=study, text=BINARY, actor=ACTOR)
    assert exported(study) == study_stages(study).stage("ratings").done == 0
    assert exported(study, "old_rubrics") == 8


# --- Clone ------------------------------------------------------------------------------------------------------------


def test_a_clone_has_settings_rubric_samples_and_gold_and_nobody_in_it(manager: Client, user: User) -> None:
    study = open_study(pay_per_hit=Decimal("2.50"), seed=7)
    rate_all(enrol(study))
    answer = manager.post(
        f"/manage/{study.code}/clone/", {"code": "again", "title": "Again", "samples": "on", "gold": "on"}
    )
    assert answer["Location"] == "/manage/again/settings/"
    clone = Study.objects.get(code="again")
    assert (clone.state, clone.pay_per_hit, clone.seed, clone.rubric) == ("draft", Decimal("2.50"), 7, study.rubric)
    assert list(clone.samples.values_list("pk")) == list(study.samples.values_list("pk"))
    assert clone.gold.count() == 2
    assert all(gold.answers.count() == 2 for gold in clone.gold.all())
    assert not clone.enrolments.exists()
    assert not clone.batches.exists()
    assert clone.salt != study.salt
    rater = study.enrolments.get().rater
    assert rater_pseudonym(clone, rater) != rater_pseudonym(study, rater)
    assert clone.created_by == user


def test_a_clone_takes_only_what_is_wanted(user: User) -> None:
    cloned = study_clone(study=open_study(), code="again", title="Again", created_by=user, samples=False, gold=False)
    assert (cloned.samples, cloned.gold) == (0, 0)
    assert not cloned.study.samples.exists()


def test_a_clone_can_be_rated_at_once(user: User) -> None:
    clone = study_clone(study=open_study(), code="again", title="Again", created_by=user).study
    clone = study_transition(study=clone, state=StudyState.LIVE, actor=ACTOR)
    batch_publish(batch=batch_create(study=clone, seed=1, actor=ACTOR), actor=ACTOR)
    assert rate_all(enrol(clone)).state == AssignmentState.SUBMITTED


def test_a_clone_cannot_have_the_code_of_another(manager: Client, made: SmallStudy) -> None:
    answer = manager.post("/manage/small/clone/", {"code": "small", "title": "Again"})
    assert answer.status_code == 400
    assert Study.objects.count() == 1


# --- As a rater -------------------------------------------------------------------------------------------------------


def test_the_page_as_a_rater_sees_it_writes_nothing(manager: Client, made: SmallStudy) -> None:
    counts = [model.objects.count() for model in (Assignment, Item, Rating, Enrolment, Seat, AuditEvent)]
    answer = manager.get(f"/manage/small/as-rater/?sample={made.samples[1].pk}")
    text = page(answer)
    assert made.samples[1].prompt.text in text
    assert "How natural is the movement?" in text
    assert answer.context["clip_token"]
    assert manager.get(f"/clips/{answer.context['clip_token']}.mp4").status_code == 200
    assert counts == [model.objects.count() for model in (Assignment, Item, Rating, Enrolment, Seat, AuditEvent)]
    assert not Item.objects.filter(opened_at__isnull=False).exists()


def test_a_sample_of_another_study_is_not_shown(manager: Client, made: SmallStudy) -> None:
    other = StudyFactory()
    for wanted in (str(made.samples[0].pk), "x", "9" * 30):
        assert manager.get(f"/manage/{other.code}/as-rater/?sample={wanted}").status_code == 404
    assert "No samples yet" in page(manager.get(f"/manage/{other.code}/as-rater/"))


# --- Codebook ---------------------------------------------------------------------------------------------------------


def test_the_codebook_describes_every_column_of_the_export() -> None:
    assert set(FIELDS) == set(RATING_COLUMNS)


def test_the_codebook_has_every_version_that_was_answered(manager: Client) -> None:
    study = open_study()
    rate_all(enrol(study))
    study_transition(study=study, state=StudyState.PAUSED, actor=ACTOR)
    study_change_rubric(study=study, text=BINARY, actor=ACTOR)
    document = manager.get(f"/manage/{study.code}/codebook.json").json()
    assert [(each["name"], each["version"], each["is_current"]) for each in document["rubrics"]] == [
        ("binary", 1, True),
        ("likert-0-4", 1, False),
    ]
    assert [each["ratings"] for each in document["rubrics"]] == [0, Rating.objects.count()]
    assert document["rubrics"][0]["criteria"][2]["formula"] == "faithfulness and naturalness"
    rows = list(csv_reader.DictReader(io.StringIO(_csv(manager, study))))
    assert [row["name"] for row in rows if row["part"] == "field"] == list(RATING_COLUMNS)
    fully = [
        row for row in rows if (row["rubric"], row["criterion"], row["value"]) == ("likert-0-4 v1", "naturalness", "4")
    ]
    assert [(row["text"], row["help"]) for row in fully] == [("Fully", "Could be a recording of a real person.")]
    assert [row["text"] for row in rows if row["part"] == "derived"] == ["faithfulness and naturalness"]


def _csv(client: Client, study: Study) -> str:
    answer: Any = client.get(f"/manage/{study.code}/codebook.csv")
    assert answer["Content-Disposition"] == f'attachment; filename="codebook-{study.code}.csv"'
    return b"".join(answer.streaming_content).decode()
