"""The manager's pages: who may see them, and that their counts are the database's."""

from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from annotation import links
from annotation.models import Assignment, Decision, PlatformIdentity
from annotation.selectors.needs import study_needs
from annotation.selectors.raters import study_raters
from annotation.selectors.samples import SampleQuery, study_samples
from annotation.selectors.stages import study_stages
from config.jobs.models import JobState
from rendering.models import Clip, RenderJob
from tests.e2e.small_study import ITEMS, SmallStudy, let_time_pass, make_study
from tests.factories import LabelSetFactory, ManagerFactory, ResearcherFactory, StudyFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def made(files: Path) -> SmallStudy:
    return make_study()


@pytest.fixture
def manager() -> Client:
    client = Client()
    client.force_login(ManagerFactory())
    return client


def rate_everything(made: SmallStudy, value: str) -> Assignment:
    client, link = Client(), links.personal_path(made.study, made.rater)
    client.post(link, {"consent": "yes"})
    for position in range(1, ITEMS + 1):
        client.get(f"{link}rate/")
        let_time_pass()
        client.post(f"{link}rate/", {"item": str(position), "naturalness": value, "faithfulness": value})
    client.post(f"{link}review/")
    return Assignment.objects.get()


# --- Roles ------------------------------------------------------------------------------------------------------------

PAGES = ("/manage/", "/manage/small/", "/manage/small/stages/", "/manage/small/samples/", "/manage/small/raters/")


@pytest.mark.parametrize("path", PAGES)
def test_a_stranger_is_sent_to_sign_in_and_a_manager_is_let_in(
    client: Client, manager: Client, made: SmallStudy, path: str
) -> None:
    assert client.get(path)["Location"] == f"/accounts/login/?next={path}"
    assert manager.get(path).status_code == 200


@pytest.mark.parametrize("factory", [ResearcherFactory, UserFactory])
def test_other_roles_are_told_whose_page_it_is(client: Client, made: SmallStudy, factory: type[UserFactory]) -> None:
    client.force_login(factory())
    for path in PAGES:
        response = client.get(path)
        assert response.status_code == 403
        assert "This page is for managers" in response.content.decode()
    assert client.post("/manage/small/links/").status_code == 403


def test_a_manager_is_no_researcher(manager: Client) -> None:
    assert manager.get("/research/").status_code == 403


def test_the_door_for_all_is_open_and_signing_out_needs_a_post(client: Client, manager: Client) -> None:
    assert "Sign in" in client.get("/").content.decode()
    assert manager.get("/accounts/logout/").status_code == 405
    assert manager.post("/accounts/logout/").status_code == 302
    assert manager.get("/manage/").status_code == 302


def test_an_unknown_study_is_not_found(manager: Client) -> None:
    response = manager.get("/manage/nothing/")
    assert response.status_code == 404
    assert "nothing at this address" in response.content.decode()


# --- Counts -----------------------------------------------------------------------------------------------------------


def counts(made: SmallStudy) -> dict[str, tuple[int, int | None]]:
    return {stage.code: (stage.done, stage.wanted) for stage in study_stages(made.study).line}


def test_the_line_of_stages_counts_what_is_there(made: SmallStudy) -> None:
    assert counts(made) == {
        "prompts": (3, None),
        "motions": (5, None),
        "clips": (5, 5),
        "hits": (0, 1),
        "ratings": (0, 8),
        "labels": (0, None),
        "analyses": (0, None),
    }
    assert study_stages(made.study).bottleneck == study_stages(made.study).stage("hits")


def test_ratings_move_the_line_and_gold_does_not_count(made: SmallStudy) -> None:
    rate_everything(made, "4")
    assert counts(made)["hits"] == (1, 1)
    assert counts(made)["ratings"] == (8, 8)
    bottleneck = study_stages(made.study).bottleneck
    assert bottleneck is not None
    assert bottleneck.code == "labels"
    LabelSetFactory(study=made.study, frozen=True)
    assert counts(made)["labels"] == (1, None)


def test_what_gold_left_out_is_no_progress(made: SmallStudy) -> None:
    assignment = rate_everything(made, "0")
    assert assignment.use_data == Decision.NO
    assert counts(made)["hits"] == (0, 1)
    assert counts(made)["ratings"] == (0, 8)


def test_clips_are_the_bottleneck_while_they_are_drawn_and_the_page_asks_again(files: Path, manager: Client) -> None:
    made = make_study(ready=False)
    stages = study_stages(made.study)
    assert counts(made)["clips"] == (0, 5)
    assert stages.is_rendering
    assert stages.stage("clips").is_bottleneck
    assert 'hx-trigger="every 3s"' in manager.get("/manage/small/stages/").content.decode()


def test_the_page_stops_asking_when_all_clips_are_ready(made: SmallStudy, manager: Client) -> None:
    assert not study_stages(made.study).is_rendering
    assert "every 3s" not in manager.get("/manage/small/").content.decode()


def test_what_waits_is_counted_and_the_most_urgent_study_comes_first(files: Path, manager: Client) -> None:
    quiet = StudyFactory(title="Nothing to do")
    made = make_study()
    rate_everything(made, "0")
    Clip.objects.filter(motion=made.samples[0].motion).update(state="planned")
    RenderJob.objects.create(
        clip=Clip.objects.get(motion=made.samples[0].motion),
        state=JobState.FAILED,
        error="broke",
        finished_at=timezone.now(),
    )
    assert {need.code: need.count for need in study_needs(made.study)} == {
        "failed_renders": 1,
        "left_out": 1,
        "pay_due": 1,
    }
    page = manager.get("/manage/").content.decode()
    assert "assignments to pay: 1.25 USD" in page
    assert page.index("A small study") < page.index(quiet.title)


def test_an_empty_platform_says_what_will_be_here(manager: Client) -> None:
    assert "No studies yet" in manager.get("/manage/").content.decode()


# --- Raters -----------------------------------------------------------------------------------------------------------


def test_quality_control_is_seen(made: SmallStudy, manager: Client) -> None:
    rate_everything(made, "0")
    (row,) = study_raters(made.study).rows
    assert (row.gold_failed, row.gold_shown, row.verdict, row.demo_name) == (1, 1, "no", "careful-01")
    page = manager.get("/manage/small/").content.decode()
    assert "careful-01" in page
    assert "left out" in page


def test_a_real_platforms_id_is_never_shown(made: SmallStudy, manager: Client) -> None:
    PlatformIdentity.objects.update(platform="mturk", platform_id="WORKER-SECRET")
    rate_everything(made, "4")
    page = manager.get("/manage/small/").content.decode()
    assert "WORKER-SECRET" not in page
    assert "Simulated as" not in page


# --- Samples ----------------------------------------------------------------------------------------------------------


def test_samples_are_filtered_and_sorted_by_the_server(made: SmallStudy, manager: Client) -> None:
    assert len(study_samples(made.study, SampleQuery()).rows) == 5
    rows = study_samples(made.study, SampleQuery(generator="mocap-truth", text="WAVES t")).rows
    assert {row.sample.generator.name for row in rows} == {"mocap-truth"}
    assert len(rows) == 2
    turned = study_samples(made.study, SampleQuery.read({"sort": "-prompt"})).rows
    assert turned[0].sample.prompt.text == "a person waves two times"
    assert SampleQuery.read({"sort": "password"}).sort == "prompt"
    page = manager.get("/manage/small/samples/?text=four&generator=hidden-model").content.decode()
    assert "a person waves four times" in page
    assert "a person waves two times" not in page


def test_htmx_gets_the_table_alone(made: SmallStudy, manager: Client) -> None:
    part = manager.get("/manage/small/samples/", headers={"HX-Request": "true"})
    assert "<html" not in part.content.decode()
    assert "HX-Request" in part["Vary"]


def test_ratings_of_a_sample_are_counted_once_each(made: SmallStudy) -> None:
    rate_everything(made, "4")
    given = {row.sample.pk: row.ratings for row in study_samples(made.study, SampleQuery()).rows}
    assert given == {made.gold.pk: 0} | {sample.pk: 2 for sample in made.samples}


# --- Links and clips --------------------------------------------------------------------------------------------------


def test_a_new_personal_link_works(made: SmallStudy, manager: Client, client: Client) -> None:
    page = manager.post("/manage/small/links/").content.decode()
    address = page.split('id="personal-link">')[1].split("<")[0]
    assert client.get(address).status_code == 200


def test_staff_see_clips_and_strangers_do_not(made: SmallStudy, manager: Client, client: Client) -> None:
    clip = Clip.objects.first()
    assert clip is not None
    for path in (f"/staff/clips/{clip.pk}.mp4", f"/staff/clips/{clip.pk}.jpg", f"/staff/clips/{clip.pk}/"):
        assert client.get(path).status_code == 302
        assert manager.get(path).status_code == 200
    client.force_login(UserFactory())
    assert client.get(f"/staff/clips/{clip.pk}.mp4").status_code == 403
    assert manager.get("/staff/clips/999999.mp4").status_code == 404
