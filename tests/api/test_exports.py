"""Tables that leave: what is in them, to the last digit, and never all of it in memory at once."""

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from rest_framework.test import APIClient

from annotation.models import Prompt, Rating
from annotation.selectors.exports import rating_export
from annotation.services.imports import prompt_import
from annotation.services.prompts import prompt_text_hash
from config.audit.models import AuditEvent
from config.bulk.importing import spool
from config.bulk.writing import Column, Table, write_csv
from tests.api.seeding import Seed, seed
from tests.factories.annotation import AssignmentFactory, ItemFactory, PromptFactory, SeatFactory
from tests.factories.config import AuditEventFactory
from tests.factories.metaeval import MetricFactory, ScoreFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def text_of(answer: Any) -> str:
    assert answer.status_code == 200, answer.content
    return b"".join(answer.streaming_content).decode()


def table(client: APIClient, address: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text_of(client.get(f"/api/v1/{address}")), newline="")))


def lines(client: APIClient, address: str) -> list[dict[str, Any]]:
    joint = "&" if "?" in address else "?"
    return [json.loads(line) for line in text_of(client.get(f"/api/v1/{address}{joint}as=jsonl")).splitlines()]


# --- Ratings ----------------------------------------------------------------------------------------------------------


def test_the_ratings_begin_with_the_columns_that_an_analysis_reads(seeded: Seed, researcher: APIClient) -> None:
    header = text_of(researcher.get("/api/v1/ratings/export/?study=walks")).splitlines()[0]
    assert header == (
        "sample,prompt,generator,rater,criterion,value,occasion,"
        "shown_at,answered_at,clip_key,rubric,use_data,is_gold,state"
    )


def test_a_rating_is_one_row(seeded: Seed, researcher: APIClient) -> None:
    (row,) = table(researcher, "ratings/export/?study=walks")
    rating = seeded.ratings["usable"]
    assert row["sample"] == seeded.sample.code
    assert row["prompt"] == "walks-p1"
    assert row["generator"] == "walks-mdm"
    assert row["rater"] == "Rwalks1"
    assert (row["criterion"], row["value"], row["occasion"]) == ("faithfulness", "4", "1")
    assert row["shown_at"] == rating.shown_at.isoformat().replace("+00:00", "Z")
    assert row["clip_key"] == rating.clip_key
    assert row["rubric"] == f"{seeded.study.rubric.name} v1"
    assert (row["use_data"], row["is_gold"], row["state"]) == ("open", "false", "submitted")


@pytest.mark.parametrize(
    ("include", "marks"),
    [
        ("", {("open", "false", "submitted")}),
        ("gold", {("open", "false", "submitted"), ("open", "true", "submitted")}),
        ("left_out", {("open", "false", "submitted"), ("no", "false", "submitted")}),
        ("unfinished", {("open", "false", "submitted"), ("open", "false", "active")}),
    ],
)
def test_gold_left_out_and_unfinished_come_only_when_asked_for(
    seeded: Seed, researcher: APIClient, include: str, marks: set[tuple[str, str, str]]
) -> None:
    rows = table(researcher, f"ratings/export/?study=walks&include={include}")
    assert {(row["use_data"], row["is_gold"], row["state"]) for row in rows} == marks
    assert len(rows) == len(marks)


def test_everything_is_every_rating_of_the_study(seeded: Seed, researcher: APIClient) -> None:
    seed("runs")
    rows = lines(researcher, "ratings/export/?study=walks&include=gold,left_out,unfinished")
    assert len(rows) == 4
    assert [row["is_gold"] for row in rows].count(True) == 1


def test_the_lists_filters_hold_for_the_export(seeded: Seed, researcher: APIClient) -> None:
    assert table(researcher, "ratings/export/?study=walks&rater=nobody") == []
    assert len(table(researcher, "ratings/export/?study=walks&criterion=faithfulness")) == 1


@pytest.mark.parametrize(
    "address",
    [
        "ratings/export/",
        "ratings/export/?study=nowhere",
        "ratings/export/?study=walks&include=silver",
        "ratings/export/?study=walks&as=xlsx",
        "ratings/export/?study=walks&page=2",
        "scores/export/",
        "labels/export/",
        "labels/export/?label_set=99999999",
        "labels/export/?label_set=all",
        "prompts/export/?corpsu=x",
    ],
)
def test_an_export_that_would_mislead_is_refused(seeded: Seed, researcher: APIClient, address: str) -> None:
    assert researcher.get(f"/api/v1/{address}").status_code == 400


# --- The others -------------------------------------------------------------------------------------------------------


def test_numbers_leave_to_the_last_digit(seeded: Seed, researcher: APIClient) -> None:
    values = [0.1 + 0.2, 1 / 3, 5e-324, 1.6e308, -1e-7, 123456789.12345679]
    for number, value in enumerate(values):
        ScoreFactory(metric=MetricFactory(name=f"exact-{number}"), sample=seeded.sample, value=value)
    rows = [row for row in table(researcher, "scores/export/?study=walks") if row["metric"].startswith("exact")]
    assert [float(row["value"]) for row in rows] == values
    assert rows[0]["value"] == "0.30000000000000004"
    assert [row["value"] for row in lines(researcher, "scores/export/?study=walks&sample=" + seeded.sample.code)][
        1:
    ] == values


def test_labels_leave_by_label_set(seeded: Seed, researcher: APIClient) -> None:
    seed("runs")
    (row,) = table(researcher, f"labels/export/?label_set={seeded.label_set.pk}")
    assert row == {
        "sample": seeded.sample.code,
        "prompt": "walks-p1",
        "generator": "walks-mdm",
        "criterion": "faithfulness",
        "value": repr(1 / 3),
        "ratings": "3",
    }


def test_samples_leave_with_prompt_generator_and_motion(seeded: Seed, researcher: APIClient) -> None:
    rows = table(researcher, "samples/export/?study=walks&category=walking")
    assert [(row["sample"], row["generator"], row["fps"]) for row in rows] == [
        (seeded.sample.code, "walks-mdm", "20.0")
    ]


def test_the_audit_log_leaves_with_its_details(researcher: APIClient) -> None:
    AuditEventFactory(details={"reason": "=1+1", "samples": 3})
    (row,) = table(researcher, "audit-events/export/")
    assert json.loads(row["details"]) == {"reason": "=1+1", "samples": 3}
    assert lines(researcher, "audit-events/export/")[0]["details"] == {"reason": "=1+1", "samples": 3}


def test_text_that_a_spreadsheet_would_run_is_neutralised_and_numbers_are_not(seeded: Seed, manager: APIClient) -> None:
    for number, text in enumerate(["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\t=1", "a person -- walks"]):
        PromptFactory(code=f"-code{number}", text=text, corpus="spreadsheets")
    rows = table(manager, "prompts/export/?corpus=spreadsheets")
    assert [row["text"] for row in rows] == [
        "'=HYPERLINK(1)", "'+1", "'-1", "'@SUM(A1)", "'\t=1", "a person -- walks"
    ]  # fmt: skip
    assert rows[0]["code"] == "-code0"
    ScoreFactory(metric=MetricFactory(name="negative"), sample=seeded.sample, value=-0.5)
    values = {row["metric"]: row["value"] for row in table(manager, "scores/export/?study=walks")}
    assert values["negative"] == "-0.5"


def test_a_name_with_more_than_letters_in_it_is_neutralised_too(seeded: Seed, manager: APIClient) -> None:
    sample = seeded.sample
    sample.code = "=cmd|' /C calc'!A0"
    sample.save()
    assert "'=cmd|' /C calc'!A0" in {row["sample"] for row in table(manager, "samples/export/")}
    assert sample.code in {row["sample"] for row in lines(manager, "samples/export/")}


def test_an_empty_table_still_has_its_header(manager: APIClient) -> None:
    assert text_of(manager.get("/api/v1/prompts/export/")) == "code,text,corpus,category,subtype\r\n"
    assert text_of(manager.get("/api/v1/prompts/export/?as=jsonl")) == ""


@pytest.mark.parametrize("accept", ["*/*", "text/csv", "application/x-ndjson", "text/html", "application/json"])
def test_as_chooses_the_format_whatever_is_accepted(manager: APIClient, accept: str) -> None:
    answer = manager.get("/api/v1/prompts/export/?as=csv", headers={"Accept": accept})
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="prompts.csv"'


# --- Bounded memory ---------------------------------------------------------------------------------------------------


def test_writing_takes_rows_only_as_it_gives_chunks() -> None:
    taken = 0

    def rows() -> Iterator[tuple[int]]:
        nonlocal taken
        for number in range(100_000):
            taken += 1
            yield (number,)

    chunks = write_csv(Table([Column("number")], rows()))
    next(chunks)
    assert taken <= 500
    next(chunks)
    assert taken <= 1000


@pytest.mark.slow
def test_an_export_of_ratings_needs_no_more_memory_when_it_is_longer(seeded: Seed) -> None:
    """Peak of 20,000 ratings against 2,000: reading them all would make ten times as much."""
    hit = seeded.ratings["usable"].item.assignment.seat.hit
    assignment = AssignmentFactory(submitted=True, seat=SeatFactory(hit=hit))
    rating = seeded.ratings["usable"]
    item = ItemFactory(assignment=assignment, position=1, sample=seeded.gold_sample)
    others = [
        type(item)(assignment=assignment, enrolment=assignment.enrolment, position=n, sample=item.sample, occasion=n)
        for n in range(2, 20_002)
    ]
    items = type(item).objects.bulk_create(others)
    Rating.objects.bulk_create(
        Rating(item=each, criterion=rating.criterion, value=3, clip_key=rating.clip_key, shown_at=rating.shown_at,
               answered_at=rating.answered_at)
        for each in items
    )  # fmt: skip
    del items, others
    ratings = Rating.objects.filter(item__assignment=assignment).order_by("pk")

    def peak(most: int) -> int:
        tracemalloc.start()
        size = sum(map(len, write_csv(rating_export(ratings=ratings.filter(item__occasion__lte=most)))))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert size > most * 150
        return peak

    peak(100)  # caches fill
    assert peak(20_001) < 2 * peak(2_001)


@pytest.mark.slow
def test_an_import_of_twenty_thousand_prompts_needs_little_memory() -> None:
    body = "code,text\n" + "".join(f"p{n},a person takes {n} steps and then sits down\n" for n in range(20_000))
    upload = spool(io.BytesIO(body.encode()), kind="csv", limit=10**9)
    del body
    connection.queries_log.clear()
    tracemalloc.start()
    result = prompt_import(upload=upload, actor="user:test")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert result.counts.created == Prompt.objects.count() == 20_000
    assert AuditEvent.objects.count() == 1
    assert peak < 20_000_000
    assert Prompt.objects.get(code="p7").text_hash == prompt_text_hash("a person takes 7 steps and then sits down")
