"""Reading: every list, its fields, filters, order, pages, and how many queries it takes."""

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from annotation.models import Prompt
from config.api.urls import RESOURCES
from tests.api.seeding import COMPLETION_CODE, Seed, secrets_of, seed
from tests.factories.annotation import PromptFactory
from tests.factories.config import AuditEventFactory
from tests.factories.rendering import ClipFactory, RenderJobFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

EXPORTS = [
    "prompts/export/",
    "samples/export/",
    "ratings/export/?study=walks&include=gold,left_out,unfinished",
    "labels/export/?label_set={label_set}",
    "scores/export/?study=walks",
    "audit-events/export/",
]


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def schema_properties(noun: str) -> set[str]:
    schema = SchemaGenerator().get_schema(public=True)
    page = schema["paths"][f"/api/v1/{noun}/"]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
    components = schema["components"]["schemas"]
    rows = components[page["$ref"].rsplit("/", 1)[1]]["properties"]["results"]["items"]["$ref"]
    return set(components[rows.rsplit("/", 1)[1]]["properties"])


@pytest.mark.parametrize("noun", RESOURCES)
def test_a_list_answers_with_the_fields_of_the_schema(seeded: Seed, manager: APIClient, noun: str) -> None:
    AuditEventFactory()
    answer = manager.get(f"/api/v1/{noun}/")
    assert answer.status_code == 200
    rows = answer.json()["results"]
    assert rows
    assert set(rows[0]) == schema_properties(noun)


@pytest.mark.parametrize("noun", RESOURCES)
def test_a_row_can_be_read_by_its_address(seeded: Seed, manager: APIClient, noun: str) -> None:
    AuditEventFactory()
    row = manager.get(f"/api/v1/{noun}/").json()["results"][0]
    answer = manager.get(f"/api/v1/{noun}/{row[RESOURCES[noun].lookup_field.replace('pk', 'id')]}/")
    assert answer.status_code == 200
    assert row.items() <= answer.json().items()


@pytest.mark.parametrize("noun", RESOURCES)
def test_a_longer_list_takes_no_more_queries(seeded: Seed, manager: APIClient, noun: str) -> None:
    AuditEventFactory()

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            answer = manager.get(f"/api/v1/{noun}/?page_size=1000")
        assert answer.status_code == 200
        return len(captured)

    before = queries()
    for code in ("runs", "jumps", "falls"):
        seed(code)
    AuditEventFactory.create_batch(3)
    assert queries() == before
    assert before <= 7


@pytest.mark.parametrize("role", ["manager", "researcher"])
def test_no_secret_is_in_any_answer(seeded: Seed, request: pytest.FixtureRequest, role: str) -> None:
    client = request.getfixturevalue(role)
    addresses = [f"/api/v1/{noun}/" for noun in RESOURCES]
    addresses += [f"/api/v1/{path.format(label_set=seeded.label_set.pk)}" for path in EXPORTS]
    addresses += [f"{path}{'&' if '?' in path else '?'}as=jsonl" for path in addresses if "export" in path]
    for noun, resource in RESOURCES.items():
        key = resource.lookup_field.replace("pk", "id")
        rows = client.get(f"/api/v1/{noun}/").json()["results"]
        addresses += [f"/api/v1/{noun}/{row[key]}/" for row in rows]
    seen = 0
    for address in [*addresses, "/api/v1/", "/api/v1/schema/", "/api/v1/docs/"]:
        for accept in ("application/json", "text/html"):
            answer = client.get(address, headers={"Accept": accept})
            assert answer.status_code in (200, 406), address
            text = body(answer).decode() + str(answer.headers)
            seen += len(text)
            for secret in secrets_of(seeded):
                assert secret not in text, address
            if role == "researcher":
                assert COMPLETION_CODE not in text, address
    assert seen > 10_000


def test_a_rater_is_known_by_a_pseudonym_only(seeded: Seed, manager: APIClient) -> None:
    rows = manager.get("/api/v1/raters/?study=walks").json()["results"]
    assert rows[0]["pseudonym"] == "Rwalks1"
    assert not {"rater", "rater_id", "public_id", "platform_id"} & set(rows[0])


@pytest.mark.parametrize(
    ("noun", "query", "found", "missed"),
    [
        ("prompts", "study=walks", "walks-p1", "runs-p1"),
        ("prompts", "corpus=humanml3d&code=runs-p1", "runs-p1", "walks-p1"),
        ("generators", "study=walks", "walks-mdm", "runs-mdm"),
        ("samples", "study=walks", "walks-p1.walks-mdm", "runs-p1.runs-mdm"),
        ("samples", "generator=runs-mdm&category=walking", "runs-p1.runs-mdm", "walks-p1.walks-mdm"),
        ("samples", "code=walks-p1.walks-mdm", "walks-p1.walks-mdm", "runs-p1.runs-mdm"),
        ("studies", "sample=walks-gold", '"walks"', '"runs"'),
        ("gold", "study=walks", "walks-gold", "runs-gold"),
        ("batches", "study=walks&state=published", '"walks"', '"runs"'),
        ("hits", "sample=walks-p1.walks-mdm", '"walks"', '"runs"'),
        ("raters", "study=runs&blocked=false", "Rruns1", "Rwalks1"),
        ("assignments", "rater=Rwalks1&state=submitted", '"walks"', '"runs"'),
        ("items", "study=walks&is_gold=true", "walks-gold", "walks-p1"),
        ("items", "study=walks&is_gold=false", "walks-p1", "walks-gold"),
        ("ratings", "generator=walks-mdm&is_gold=false", "walks-p1", "runs-p1"),
        ("ratings", "study=walks&use_data=no", '"no"', '"open"'),
        ("label-sets", "study=walks&mark=stale", '"stale"', '"marks":[]'),
        ("labels", "study=runs", "runs-p1", "walks-p1"),
        ("metrics", "level=generator&name=walks-fid", "walks-fid", "runs-fid"),
        ("metrics", "is_judge=true", "walks-judge", "walks-fid"),
        ("judges", "metric=walks-judge", "walks-judge", "runs-judge"),
        ("scores", "study=walks", "walks-fid", "runs-fid"),
        ("scores", "sample=walks-p1.walks-mdm", "walks-matching", "walks-fid"),
        ("probes", "metric=walks-matching", "walks-matching", "runs-matching"),
        ("analyses", "metric=walks-fid&state=waiting", '"walks"', '"runs"'),
        ("reports", "study=walks", '"walks"', '"runs"'),
        ("preregistrations", "study=walks", '"walks"', '"runs"'),
    ],
)
def test_filters_filter(seeded: Seed, manager: APIClient, noun: str, query: str, found: str, missed: str) -> None:
    seed("runs")
    answer = manager.get(f"/api/v1/{noun}/?{query}")
    assert answer.status_code == 200
    assert found in answer.content.decode()
    assert missed not in answer.content.decode()


def test_render_jobs_and_clips_are_found_by_motion(seeded: Seed, manager: APIClient) -> None:
    clip = ClipFactory(ready=True)
    job = RenderJobFactory(clip=clip)
    hash_of = clip.motion.content_hash
    assert [row["key"] for row in manager.get(f"/api/v1/clips/?motion={hash_of}").json()["results"]] == [clip.key]
    assert [row["id"] for row in manager.get(f"/api/v1/render-jobs/?motion={hash_of}").json()["results"]] == [job.pk]


def test_a_mistyped_filter_is_an_error_and_not_everything(seeded: Seed, manager: APIClient) -> None:
    answer = manager.get("/api/v1/ratings/?studdy=walks")
    assert answer.status_code == 400
    assert "study" in answer.json()["studdy"][0]


@pytest.mark.parametrize("query", ["state=dancing", "ordering=salt", "ordering=-rubric__name"])
def test_a_filter_or_order_that_makes_no_sense_is_an_error(seeded: Seed, manager: APIClient, query: str) -> None:
    assert manager.get(f"/api/v1/studies/?{query}").status_code == 400


def test_pages_follow_one_another_without_gap_or_repetition(manager: APIClient) -> None:
    PromptFactory.create_batch(7, corpus="all the same")
    codes: list[str] = []
    address = "/api/v1/prompts/?page_size=3&ordering=corpus"
    while address:
        answer = manager.get(address).json()
        assert answer["count"] == 7
        codes += [row["code"] for row in answer["results"]]
        address = answer["next"]
    assert len(codes) == len(set(codes)) == 7


def test_a_page_has_at_most_a_thousand_rows(manager: APIClient) -> None:
    prompts = [Prompt(code=f"p{n}", text=f"{n} steps", text_hash=f"{n:064x}") for n in range(1001)]
    Prompt.objects.bulk_create(prompts)
    for asked, given in (("", 50), ("2", 2), ("5000", 1000)):
        assert len(manager.get(f"/api/v1/prompts/?page_size={asked}").json()["results"]) == given


def test_order_is_followed(manager: APIClient) -> None:
    for code in ("b", "a", "c"):
        PromptFactory(code=code)
    rows = manager.get("/api/v1/prompts/?ordering=-code").json()["results"]
    assert [row["code"] for row in rows] == ["c", "b", "a"]


def test_a_rubric_comes_with_its_criteria_and_options(seeded: Seed, manager: APIClient) -> None:
    rubric = manager.get("/api/v1/rubrics/?study=walks").json()["results"][0]
    assert rubric["criteria"][0]["code"] == "faithfulness"
    assert [option["value"] for option in rubric["criteria"][0]["options"]] == [1, 2, 3, 4, 5]


def test_a_report_has_its_results_on_its_own_page_only(seeded: Seed, manager: APIClient) -> None:
    row = manager.get("/api/v1/reports/").json()["results"][0]
    assert "results" not in row
    assert manager.get(f"/api/v1/reports/{row['id']}/").json()["results"] == {"tables": []}


def test_a_hit_says_how_many_seats_are_taken(seeded: Seed, manager: APIClient) -> None:
    hit = manager.get("/api/v1/hits/?study=walks").json()["results"][0]
    assert (hit["seats"], hit["seats_taken"]) == (3, 2)
    assert hit["positions"] == [{"position": 1, "sample": seeded.sample.code}, {"position": 2, "sample": None}]
