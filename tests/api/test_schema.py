"""The schema is valid and says what there is."""

import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from config.api.urls import RESOURCES


def test_the_schema_is_valid_and_without_warnings(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("schema") / "schema.yaml"
    call_command("spectacular", validate=True, fail_on_warn=True, file=str(file))
    paths = yaml.safe_load(file.read_text())["paths"]
    for noun in RESOURCES:
        assert f"/api/v1/{noun}/" in paths
    for noun in ("prompts", "samples", "ratings", "labels", "scores", "audit-events"):
        assert f"/api/v1/{noun}/export/" in paths
    for noun in ("prompts", "scores"):
        body = paths[f"/api/v1/{noun}/import/"]["post"]["requestBody"]["content"]
        assert set(body) == {"text/csv", "application/x-ndjson", "multipart/form-data"}


def test_the_schema_says_how_csv_text_is_neutralised() -> None:
    schema = Client().get("/api/v1/schema/?format=json").json()
    assert "apostrophe" in schema["paths"]["/api/v1/ratings/export/"]["get"]["description"]
    assert "study" in {
        each["name"] for each in schema["paths"]["/api/v1/ratings/export/"]["get"]["parameters"] if each.get("required")
    }


def test_anyone_may_read_the_schema_and_its_page() -> None:
    assert Client().get("/api/v1/schema/").status_code == 200
    page = Client().get("/api/v1/docs/").content.decode()
    assert "<style" not in page
    assert "<script>" not in page
