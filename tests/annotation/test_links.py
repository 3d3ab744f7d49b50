"""Tokens: what they open, and that nobody can make or change one."""

from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.http import QueryDict
from django.test import Client

from annotation import links
from annotation.models import AssignmentState, Item, Platform
from annotation.services.assignments import assignment_take
from annotation.services.raters import rater_enrol
from tests.e2e.small_study import make_study
from tests.factories import ClipFactory, ItemFactory, RaterFactory, StudyFactory

pytestmark = pytest.mark.django_db


def test_a_personal_token_opens_its_own_study_and_rater() -> None:
    study, rater = StudyFactory(), RaterFactory()
    assert links.read_personal_token(links.personal_token(study, rater)) == (study, rater)


def test_a_changed_token_opens_nothing() -> None:
    study, other, rater = StudyFactory(), StudyFactory(), RaterFactory()
    token = links.personal_token(study, rater)
    forged = token.replace(f"{study.pk}-", f"{other.pk}-", 1)
    for bad in (forged, token[:-1], token + "x", "", "1-1", "....", "1-1.", links.open_token(study)):
        with pytest.raises(links.BadLink):
            links.read_personal_token(bad)


def test_a_token_of_one_kind_is_no_token_of_another() -> None:
    study = StudyFactory()
    item = ItemFactory()
    with pytest.raises(links.BadLink):
        links.read_open_token(links.item_token(item))
    with pytest.raises(links.BadLink):
        links.read_clip_token(links.open_token(study))


def test_a_token_of_a_deleted_study_opens_nothing() -> None:
    study, rater = StudyFactory(), RaterFactory()
    token = links.personal_token(study, rater)
    study.delete()
    with pytest.raises(links.BadLink):
        links.read_personal_token(token)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", None),
        ("workerId=", None),
        ("hitId=H1&assignmentId=A1", None),
        ("workerId=W1&assignmentId=A1&hitId=H1", links.Visitor(Platform.MTURK, "W1")),
        ("assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1", links.Visitor(Platform.MTURK, "")),
        ("PROLIFIC_PID=P1", links.Visitor(Platform.PROLIFIC, "P1")),
        (f"PROLIFIC_PID={'x' * 300}", None),
    ],
)
def test_platforms_say_who_comes(query: str, expected: links.Visitor | None) -> None:
    assert links.read_visitor(QueryDict(query)) == expected


def test_a_clip_token_names_neither_hash_nor_file_nor_generator(client: Client, files: Path) -> None:
    made = make_study()
    item = _item(made.study, made.rater)
    assert item.clip is not None
    token = links.item_token(item)
    assert item.clip.key not in token
    assert item.clip.motion.content_hash not in token
    response = client.get(f"/clips/{token}.mp4", headers={"Range": "bytes=0-3"})
    assert response.status_code == 206
    assert not any(secret in str(response.headers) for secret in (item.clip.key, item.clip.file_hash, "hidden-model"))


def test_a_clip_is_closed_with_its_assignment(client: Client, files: Path) -> None:
    made = make_study()
    item = _item(made.study, made.rater)
    address = f"/clips/{links.item_token(item)}"
    assert client.get(f"{address}.mp4").status_code == 200
    assert client.get(f"{address}.jpg").status_code == 200
    item.assignment.state, item.assignment.lease_until = AssignmentState.WITHDRAWN, None
    item.assignment.holds_seat = False
    item.assignment.save()
    assert client.get(f"{address}.mp4").status_code == 404


def test_a_clip_that_is_not_ready_is_not_found(client: Client, files: Path) -> None:
    item = ItemFactory(clip=ClipFactory())
    assert client.get(f"/clips/{links.item_token(item)}.mp4").status_code == 404
    assert client.get(f"/clips/{item.pk}.made-up.mp4").status_code == 404
    assert not default_storage.exists("clips")


def _item(study: object, rater: object) -> Item:
    assignment = assignment_take(enrolment=rater_enrol(study=study, rater=rater))  # type: ignore[arg-type]
    return assignment.items.select_related("clip__motion").get(position=1)
