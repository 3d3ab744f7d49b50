"""Starting, following and taking home an analysis by the API."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from rest_framework.test import APIClient

from config.jobs.models import JobState
from metaeval.models import Analysis, Preregistration
from tests.api.seeding import Seed
from tests.e2e.results import add_archive
from tests.factories import LabelSetFactory, MetricFactory, StudyFactory

pytestmark = pytest.mark.django_db


def wishes(seeded: Seed, **changes: Any) -> dict[str, Any]:
    return {
        "label_set": seeded.label_set.pk,
        "metrics": [seeded.metric.name, seeded.generator_metric.name],
        "title": "By the API",
        "settings": {"resampling": {"seed": 3, "replicates": 10}},
    } | changes


def test_a_researcher_starts_follows_and_cancels_an_analysis(seeded: Seed, researcher: APIClient) -> None:
    answer = researcher.post("/api/v1/analyses/", wishes(seeded), format="json")
    assert answer.status_code == 201, answer.json()
    made = answer.json()
    assert (made["state"], made["seed"], made["doing"], made["archive"]) == ("waiting", 3, "", None)
    assert set(made["metrics"]) == {seeded.metric.name, seeded.generator_metric.name}
    Analysis.objects.filter(pk=made["id"]).update(progress=0.5, doing="tests, 1 of 2")
    now = researcher.get(f"/api/v1/analyses/{made['id']}/").json()
    assert (now["progress"], now["doing"]) == (0.5, "tests, 1 of 2")
    answer = researcher.post(f"/api/v1/analyses/{made['id']}/cancel/")
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert researcher.post(f"/api/v1/analyses/{made['id']}/cancel/").status_code == 200
    answer = researcher.post(f"/api/v1/analyses/{made['id']}/retry/")
    assert (answer.status_code, answer.json()["state"]) == (200, "waiting")
    assert researcher.post(f"/api/v1/analyses/{made['id']}/retry/").status_code == 409


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        ({"settings": {"resampling": {"sed": 3}}}, "settings", "sed"),
        ({"settings": {"primary": {"criterion": "x"}}}, "settings", "level"),
        ({"settings": [1]}, "settings", "dictionary"),
        ({"metrics": []}, "metrics", "at least one"),
        ({"metrics": ["nonsense"]}, "metrics", "nonsense"),
        ({"title": ""}, "title", "blank"),
        ({"label_set": 0}, "label_set", "Invalid pk"),
        ({"preregistration": 0}, "preregistration", "Invalid pk"),
    ],
)
def test_what_cannot_be_used_is_named(
    seeded: Seed, researcher: APIClient, change: dict[str, Any], field: str, said: str
) -> None:
    before = Analysis.objects.count()
    answer = researcher.post("/api/v1/analyses/", wishes(seeded, **change), format="json")
    assert answer.status_code == 400
    assert said in str(answer.json()[field])
    assert Analysis.objects.count() == before


def test_of_several_versions_of_a_metric_one_is_named(seeded: Seed, researcher: APIClient) -> None:
    newer = MetricFactory(name=seeded.metric.name, version="2")
    answer = researcher.post("/api/v1/analyses/", wishes(seeded), format="json")
    assert f"{newer.name}@2" in str(answer.json()["metrics"])
    answer = researcher.post("/api/v1/analyses/", wishes(seeded, metrics=[f"{newer.name}@2"]), format="json")
    assert answer.status_code == 201
    assert Analysis.objects.get(pk=answer.json()["id"]).metrics.get() == newer


def test_labels_that_are_not_frozen_are_not_analysed(seeded: Seed, researcher: APIClient) -> None:
    label_set = LabelSetFactory(study=seeded.study, number=9)
    answer = researcher.post("/api/v1/analyses/", wishes(seeded, label_set=label_set.pk), format="json")
    assert "not frozen" in str(answer.json()["label_set"])


def test_an_analysis_cites_a_preregistration_to_the_letter(seeded: Seed, researcher: APIClient) -> None:
    settings = {
        "resampling": {"seed": 11},
        "primary": {"criterion": "faithfulness", "level": "sample", "statistic": "ks"},
    }
    promise = {"study": seeded.study.code, "title": "A promise", "settings": settings}
    answer = researcher.post("/api/v1/preregistrations/", promise, format="json")
    assert answer.status_code == 201, answer.json()
    made = answer.json()
    assert (made["labels_frozen_before"], made["is_before_labels"]) == (2, False)
    cites = wishes(seeded, preregistration=made["id"])
    answer = researcher.post("/api/v1/analyses/", cites, format="json")
    assert "differ from those that were preregistered" in str(answer.json()["settings"])
    del cites["settings"]
    analysis = researcher.post("/api/v1/analyses/", cites, format="json").json()
    assert analysis["settings_hash"] == made["settings_hash"]
    assert analysis["preregistration"] == made["id"]
    assert analysis["seed"] == 11
    elsewhere = Preregistration.objects.create(
        study=StudyFactory(), title="x", settings={}, toml="", settings_hash="0" * 64, labels_frozen_before=0
    )
    cites["preregistration"] = elsewhere.pk
    assert "another study" in str(researcher.post("/api/v1/analyses/", cites, format="json").json())


def test_bad_settings_are_not_preregistered(seeded: Seed, researcher: APIClient) -> None:
    promise = {"study": seeded.study.code, "title": "x", "settings": {"labels": {"aggregation": "best"}}}
    answer = researcher.post("/api/v1/preregistrations/", promise, format="json")
    assert answer.status_code == 400
    assert "aggregation" in str(answer.json()["settings"])


def test_the_files_of_an_analysis_come_as_one_zip(
    seeded: Seed, researcher: APIClient, files: Path, tmp_path: Path
) -> None:
    analysis = Analysis.objects.get(report__isnull=False)
    address = f"/api/v1/analyses/{analysis.pk}/"
    assert researcher.get(f"{address}archive/").status_code == 404
    add_archive(analysis.report, tmp_path)
    Analysis.objects.filter(pk=analysis.pk).update(state=JobState.DONE, finished_at=analysis.created_at)
    row = researcher.get(address).json()
    assert row["report"] == analysis.report.pk
    assert row["archive"] == f"http://testserver{address}archive/"
    answer = researcher.get(row["archive"], headers={"Accept": "application/zip"})
    assert answer["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.getvalue())) as archive:
        assert "report.html" in archive.namelist()
