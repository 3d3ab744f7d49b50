"""A manager sets gold, looks at a batch, makes it and publishes it; a researcher only looks."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Batch, Gold, Hit, Study
from config.audit.models import AuditEvent
from tests.annotation.campaign import open_study

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def study() -> Study:
    return open_study(prompts=6, generators=2)


def gold_of(of: Study, **changes: Any) -> dict[str, Any]:
    sample = of.places.exclude(sample__in=of.gold.values("sample")).select_related("sample").first()
    assert sample is not None
    answers = [{"criterion": "naturalness", "value": 0}, {"criterion": "faithfulness", "value": 1, "tolerance": 0}]
    return {"study": of.code, "sample": sample.sample.code, "answers": answers, "reason": "it floats"} | changes


def test_gold_is_set_with_its_answers_and_tolerances(manager: APIClient, study: Study) -> None:
    answer = manager.post("/api/v1/gold/", gold_of(study), format="json")
    assert answer.status_code == 201, answer.json()
    assert {(row["criterion"], row["value"], row["tolerance"]) for row in answer.json()["answers"]} == {
        ("naturalness", 0, 1),
        ("faithfulness", 1, 0),
    }
    again = manager.post("/api/v1/gold/", gold_of(study, sample=answer.json()["sample"]), format="json")
    assert again.json()["id"] == answer.json()["id"]
    assert AuditEvent.objects.filter(action="gold.set").latest("id").actor.startswith("user:manager")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"answers": [{"criterion": "naturalness", "value": 9}, {"criterion": "faithfulness", "value": 1}]}, "answers"),
        ({"answers": [{"criterion": "naturalness", "value": 1}]}, "answers"),
        ({"answers": [{"criterion": "naturalness", "value": 1}] * 2}, "answers"),
        ({"study": "nothing"}, "study"),
        ({"sample": "nothing"}, "sample"),
    ],
)
def test_gold_that_cannot_be_is_refused_by_field(
    manager: APIClient, study: Study, changes: dict[str, Any], field: str
) -> None:
    before = Gold.objects.count()
    answer = manager.post("/api/v1/gold/", gold_of(study, **changes), format="json")
    assert (answer.status_code, list(answer.json())) == (400, [field])
    assert Gold.objects.count() == before


def test_gold_is_taken_out_unless_open_hits_need_it(manager: APIClient, study: Study) -> None:
    gold = study.gold.first()
    assert gold is not None
    path = f"/api/v1/gold/{gold.pk}/deactivate/"
    assert manager.post(path, {}, format="json").status_code == 400
    refused = manager.post(path, {"reason": "doubtful"}, format="json")
    assert (refused.status_code, "would be left" in refused.json()["detail"]) == (409, True)
    manager.post("/api/v1/gold/", gold_of(study), format="json")
    answer = manager.post(path, {"reason": "doubtful"}, format="json")
    assert (answer.json()["is_active"], answer.json()["inactive_reason"]) == (False, "doubtful")


def test_the_rates_are_those_of_the_page(manager: APIClient) -> None:
    study = open_study(gold=6, gold_per_hit=5, gold_failures_allowed=2, prompts=2)
    answer = manager.get(f"/api/v1/gold/rates/?study={study.code}").json()
    rates = {row["rater"]: row["fails"] for row in answer["rates"]}
    assert rates["random-clicker"] == pytest.approx(0.968, abs=0.001)
    assert (answer["gold"], answer["answers_in_middle"], answer["counting"]) == (6, 0, "question")
    assert manager.get("/api/v1/gold/rates/?study=nothing").status_code == 400


def test_a_batch_is_looked_at_made_and_published(manager: APIClient, study: Study) -> None:
    wish = {"study": study.code, "seed": 12}
    hits = Hit.objects.count()
    preview = manager.post("/api/v1/batches/preview/", wish, format="json")
    assert preview.status_code == 200, preview.json()
    assert (preview.json()["hits"], preview.json()["seats"], preview.json()["obstacles"]) == (6, 6, [])
    assert Hit.objects.count() == hits
    made = manager.post("/api/v1/batches/", wish | {"digest": preview.json()["digest"]}, format="json")
    assert (made.status_code, made.json()["state"], made.json()["seed"]) == (201, "draft", 12)
    path = f"/api/v1/batches/{made.json()['id']}/publish/"
    assert manager.post(path).json()["state"] == "published"
    again = manager.post(path)
    assert (again.status_code, "only a draft" in again.json()["detail"]) == (409, True)


def test_a_batch_is_not_made_when_it_is_no_longer_what_was_looked_at(manager: APIClient, study: Study) -> None:
    before = Batch.objects.count()
    answer = manager.post("/api/v1/batches/", {"study": study.code, "digest": "another"}, format="json")
    assert (answer.status_code, "have changed" in answer.json()["detail"]) == (409, True)
    assert Batch.objects.count() == before


def test_only_a_pilot_may_be_a_few_hits(manager: APIClient, study: Study) -> None:
    refused = manager.post("/api/v1/batches/", {"study": study.code, "hits": 1}, format="json")
    assert (refused.status_code, list(refused.json())) == (400, ["hits"])
    made = manager.post("/api/v1/batches/", {"study": study.code, "kind": "pilot", "hits": 1}, format="json")
    assert Batch.objects.get(pk=made.json()["id"]).hits.count() == 1


def test_a_researcher_only_looks(researcher: APIClient, study: Study) -> None:
    assert researcher.get(f"/api/v1/gold/rates/?study={study.code}").status_code == 200
    gold = study.gold.first()
    assert gold is not None
    for path in ("gold/", f"gold/{gold.pk}/deactivate/", "batches/", "batches/preview/", "batches/1/publish/"):
        assert researcher.post(f"/api/v1/{path}", {}, format="json").status_code == 403
