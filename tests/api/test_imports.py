"""Prompts and scores by the file: all or nothing, every error with its line, and the same file twice is one."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from annotation.models import Prompt
from config.api import imports
from config.audit.models import AuditEvent
from config.bulk import importing, reading
from metaeval.models import Score
from tests.api.seeding import Seed, seed
from tests.factories.annotation import PromptFactory
from tests.factories.metaeval import MetricFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PROMPTS = b"code,text,corpus,category,subtype\nwalk,a person walks,hml,gait,slow\nrun,a person runs,hml,gait,\n"


def send(client: APIClient, noun: str, body: bytes | str, kind: str = "text/csv", query: str = "") -> Any:
    return client.post(f"/api/v1/{noun}/import/{query}", body, content_type=kind)


def send_jsonl(client: APIClient, noun: str, *rows: object) -> Any:
    body = "\n".join(json.dumps(row) for row in rows)
    return send(client, noun, body, "application/x-ndjson")


def problems(answer: Any) -> list[tuple[int, str]]:
    assert answer.status_code == 400, answer.json()
    assert (answer.json()["created"], answer.json()["unchanged"]) == (0, 0)
    assert answer.json()["errors"] == len(answer.json()["details"])
    return [(each["line"], each["field"]) for each in answer.json()["details"]]


def only_problem(answer: Any) -> dict[str, Any]:
    assert len(problems(answer)) == 1, answer.json()
    return answer.json()["details"][0]


# --- Good files -------------------------------------------------------------------------------------------------------


def test_prompts_come_in_by_csv(manager: APIClient) -> None:
    answer = send(manager, "prompts", PROMPTS)
    assert answer.status_code == 200
    assert answer.json() == {
        "created": 2, "unchanged": 0, "errors": 0, "dry_run": False, "stopped_at": None, "details": []
    }  # fmt: skip
    walk = Prompt.objects.get(code="walk")
    assert (walk.text, walk.corpus, walk.category, walk.subtype) == ("a person walks", "hml", "gait", "slow")


def test_prompts_come_in_by_json_lines(manager: APIClient) -> None:
    answer = send_jsonl(manager, "prompts", {"code": "walk", "text": "a «person» walks", "corpus": None})
    assert answer.json()["created"] == 1
    assert Prompt.objects.get().text == "a «person» walks"


@pytest.mark.parametrize(
    ("name", "body"),
    [("prompts.csv", b"code,text\nwalk,a person walks\n"), ("P.NDJSON", b'{"code": "walk", "text": "a person walks"}')],
)
def test_prompts_come_in_by_a_form(manager: APIClient, name: str, body: bytes) -> None:
    answer = manager.post("/api/v1/prompts/import/", {"file": SimpleUploadedFile(name, body)}, format="multipart")
    assert answer.json()["created"] == 1


@pytest.mark.parametrize(
    "body",
    [
        b"\xef\xbb\xbf" + PROMPTS,
        PROMPTS.replace(b"\n", b"\r\n"),
        PROMPTS.replace(b"\n", b"\r"),
        PROMPTS.replace(b"\n", b"\n\n"),
        PROMPTS.rstrip(b"\n"),
        b"text , corpus,code\na person walks,hml,walk\na person runs,hml,run\n",
    ],
    ids=["byte-order-mark", "windows-line-ends", "old-mac-line-ends", "empty-lines", "no-last-line-end", "other-order"],
)
def test_harmless_differences_of_csv_are_read(manager: APIClient, body: bytes) -> None:
    assert send(manager, "prompts", body).json()["created"] == 2


def test_quoted_cells_keep_their_line_ends_and_the_lines_are_counted(manager: APIClient) -> None:
    body = b'code,text\r\ntwo,"walks,\r\nthen ""sits"""\r\nbad code,x\r\n'
    assert problems(send(manager, "prompts", body)) == [(4, "code")]
    assert send(manager, "prompts", body[: body.index(b"bad")]).json()["created"] == 1
    assert Prompt.objects.get().text == 'walks,\r\nthen "sits"'


def test_a_header_alone_creates_nothing_and_is_no_error(manager: APIClient) -> None:
    assert send(manager, "prompts", b"code,text\n").json()["errors"] == 0


def test_the_same_file_again_changes_nothing(manager: APIClient) -> None:
    send(manager, "prompts", PROMPTS)
    answer = send(manager, "prompts", PROMPTS)
    assert (answer.json()["created"], answer.json()["unchanged"]) == (0, 2)
    assert Prompt.objects.count() == 2


def test_columns_that_the_file_lacks_are_not_compared(manager: APIClient) -> None:
    send(manager, "prompts", PROMPTS)
    assert send(manager, "prompts", b"code,text\nwalk,a person walks\n").json()["unchanged"] == 1


def test_a_dry_run_counts_and_keeps_nothing(manager: APIClient) -> None:
    answer = send(manager, "prompts", PROMPTS, query="?dry_run=1")
    assert (answer.json()["created"], answer.json()["dry_run"]) == (2, True)
    assert not Prompt.objects.exists()
    assert not AuditEvent.objects.exists()


def test_an_import_leaves_one_row_in_the_audit_log(manager: APIClient) -> None:
    send(manager, "prompts", PROMPTS)
    event = AuditEvent.objects.get()
    assert (event.action, event.subject) == ("prompt.imported", "annotation.prompt:*")
    assert event.actor.startswith("user:manager")
    assert (event.details["created"], len(event.details["file_sha256"])) == (2, 64)


def test_rows_in_different_chunks_know_each_other(manager: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importing, "CHUNK_ROWS", 2)
    rows = [f"p{n},text {n}" for n in range(5)]
    answer = send(manager, "prompts", "\n".join(["code,text", *rows, rows[0]]))
    assert (answer.json()["created"], answer.json()["unchanged"]) == (5, 1)
    answer = send(manager, "prompts", "\n".join(["code,text", "a,one", "b,two", "c,three", "a,other", "d,two"]))
    assert problems(answer) == [(5, "text"), (6, "text")]


# --- Bad files --------------------------------------------------------------------------------------------------------


def test_one_bad_row_keeps_every_row_out(manager: APIClient) -> None:
    answer = send(manager, "prompts", PROMPTS + b"two words,a person sits,,,\n")
    problem = only_problem(answer)
    assert problem == {
        "line": 4,
        "field": "code",
        "expected": "a code of letters, digits, - and _",
        "found": "'two words'",
    }
    assert not Prompt.objects.exists()
    assert not AuditEvent.objects.exists()


def test_every_bad_cell_is_named(manager: APIClient) -> None:
    body = f"code,text,corpus\nexport,x,\n,y,\nok,   ,\nlong,z,{'c' * 101}\n"
    assert problems(send(manager, "prompts", body)) == [(2, "code"), (3, "code"), (4, "text"), (5, "corpus")]


def test_a_known_code_with_another_text_is_an_error_that_shows_both(manager: APIClient) -> None:
    PromptFactory(code="walk", text="a person walks")
    problem = only_problem(send(manager, "prompts", b"code,text\nwalk,a person hops\n"))
    assert (problem["line"], problem["field"]) == (2, "text")
    assert "a person walks" in problem["expected"]
    assert "a person hops" in problem["found"]
    assert Prompt.objects.get().text == "a person walks"


def test_a_known_text_under_another_code_is_an_error_that_names_the_first(manager: APIClient) -> None:
    PromptFactory(code="walk", text="a person walks")
    assert "walk" in only_problem(send(manager, "prompts", b"code,text\nstroll,a person walks\n"))["found"]


def test_a_changed_category_is_not_dropped_silently(manager: APIClient) -> None:
    send(manager, "prompts", PROMPTS)
    assert problems(send(manager, "prompts", PROMPTS.replace(b"slow", b"fast"))) == [(2, "subtype")]


@pytest.mark.parametrize(
    ("body", "line", "said"),
    [
        (b"", 1, "an empty file"),
        (b"\n\r\n", 1, "an empty file"),
        (b"\xef\xbb\xbf", 1, "an empty file"),
        (b"walk,a person walks\nrun,a person runs\n", 1, "walk,a person walks"),
        (b"code,text,colour\nwalk,x,red\n", 1, "colour"),
        (b"code,text,text\nwalk,x,y\n", 1, "2 columns 'text'"),
        (b"code,corpus\nwalk,hml\n", 1, "code, corpus"),
        (b"code,text\nwalk\n", 2, "1: 'walk'"),
        (b"code,text\nwalk,a,b\n", 2, "3: 'walk,a,b'"),
        (b"code,text\nwalk,\xe9t\xe9\n", 2, "byte 0xE9"),
        (b"code,t\xe9xt\nwalk,x\n", 1, "byte 0xE9"),
        (b"code,text\nwalk,a\x00b\n", 2, "a NUL byte"),
        ("code,text\nwalk,x\n".encode("utf-16"), 1, "UTF-16"),
        (b"PK\x03\x04\x14\x00\x06\x00xl/workbook", 1, "Excel"),
        (b'code,text\nwalk,"a person\nruns,and never stops\n', 2, "unexpected end of data"),
        (b'code,text\nwalk,"a "person" walks"\n', 2, "expected after"),
        (b'code,text\nwalk,"' + b"x" * 200_000 + b'"\n', 2, "field larger than field limit"),
        (b"code,text\nwalk," + b"x" * 1_100_000, 2, "a longer one"),
        (b"code,text\nwalk," + b'"a\n",' * 300_000, 2, "a longer one"),
        (b"\xff" * 3000, 1, "expected"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(manager: APIClient, body: bytes, line: int, said: str) -> None:
    answer = send(manager, "prompts", body)
    assert problems(answer)[0][0] >= line
    assert said in json.dumps(answer.json(), ensure_ascii=False)
    assert not Prompt.objects.exists()


def test_an_unknown_column_is_named_with_the_known_ones(manager: APIClient) -> None:
    problem = only_problem(send(manager, "prompts", b"code,text,colour\n"))
    assert problem["found"] == "'colour'"
    assert "code, text, corpus, category, subtype" in problem["expected"]


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "an empty file"),
        (b'{"code": "walk", "text": "x"', "Expecting"),
        (b'["walk", "x"]', "one JSON object"),
        (b'{"code": "walk"}', "no such key"),
        (b'{"code": "walk", "text": "x", "colour": "red"}', "colour"),
        (b'{"code": "walk", "text": "x", "text": "y"}', "twice"),
        (b'{"code": "walk", "text": 7}', "in quotes"),
        (b'{"code": "walk", "text": "a\\u0000b"}', "NUL"),
        (b'{"code": "walk", "text": "\\ud83d"}', "half a character"),
        (b'{"code": "walk", "text": "\xe9"}', "byte 0xE9"),
        (b"[" * 100_000, "one JSON object"),
        (b'{"code": "walk", "text": ' + b"9" * 5000 + b"}", "one JSON object"),
    ],
)
def test_bad_json_lines_are_refused(manager: APIClient, body: bytes, said: str) -> None:
    answer = send(manager, "prompts", body, "application/x-ndjson")
    assert len(problems(answer)) == 1
    assert said in json.dumps(answer.json(), ensure_ascii=False)


def test_reading_stops_after_a_hundred_errors(manager: APIClient) -> None:
    body = "code,text\n" + "bad code,x\n" * 5000
    answer = send(manager, "prompts", body)
    assert len(problems(answer)) == 100
    assert answer.json()["stopped_at"] == 101


def test_a_body_that_is_no_table_is_refused(manager: APIClient) -> None:
    assert send(manager, "prompts", b"{}", "application/json").status_code == 415
    assert send(manager, "prompts", PROMPTS, "text/csv; charset=latin-1").status_code == 415
    assert send(manager, "prompts", PROMPTS, "text/csv; charset=UTF-8").status_code == 200


def test_a_form_without_a_file_or_with_a_strange_one_is_refused(manager: APIClient) -> None:
    address = "/api/v1/prompts/import/"
    assert "file" in manager.post(address, {}, format="multipart").json()
    strange = {"file": SimpleUploadedFile("prompts.xlsx", b"PK")}
    assert ".csv" in manager.post(address, strange, format="multipart").json()["file"][0]


def test_a_body_of_unknown_length_is_refused_instead_of_read_as_empty(manager: APIClient) -> None:
    answer = manager.generic(
        "POST", "/api/v1/prompts/import/", "", content_type="text/csv", HTTP_TRANSFER_ENCODING="chunked"
    )
    assert answer.status_code == 411


def test_a_file_beyond_the_limit_is_refused(manager: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(imports, "LARGEST_BYTES", 50)
    assert send(manager, "prompts", PROMPTS).status_code == 413
    assert not Prompt.objects.exists()


@pytest.mark.parametrize("query", ["?dry_run=perhaps", "?dry_run="])
def test_a_dry_run_that_is_neither_yes_nor_no_is_refused(manager: APIClient, query: str) -> None:
    """A slip here must not write what was only to be tried."""
    assert send(manager, "prompts", PROMPTS, query=query).status_code == 400
    assert not Prompt.objects.exists()


def test_a_mistyped_parameter_is_refused(manager: APIClient) -> None:
    assert send(manager, "prompts", PROMPTS, query="?dryrun=1").status_code == 400
    assert not Prompt.objects.exists()


def test_a_line_at_the_limit_is_read(manager: APIClient) -> None:
    row = {"code": "long", "text": "x" * (reading.LINE_LIMIT - 100)}
    assert send_jsonl(manager, "prompts", row).json()["created"] == 1


# --- Scores -----------------------------------------------------------------------------------------------------------


def score_csv(*rows: str) -> bytes:
    return "\n".join(["sample,generator,study,subset,metric,version,value,undefined_reason", *rows]).encode()


def test_scores_of_samples_and_of_generators_come_in(seeded: Seed, researcher: APIClient) -> None:
    gold = seeded.gold_sample.code
    body = score_csv(
        f"{gold},,,,walks-matching,,0.30000000000000004,",
        ",walks-mdm,walks,first half,walks-fid,1,1e-300,",
        ",walks-mdm,walks,second half,walks-fid,1,,too few samples",
        ",walks-mdm,walks,,walks-matching,,0.5,",
    )
    assert send(researcher, "scores", body).json()["created"] == 4
    assert Score.objects.get(sample=seeded.gold_sample).value == 0.1 + 0.2
    assert Score.objects.get(subset="first half").value == 1e-300
    assert Score.objects.get(subset="second half").undefined_reason == "too few samples"
    assert send(researcher, "scores", body).json()["unchanged"] == 4
    assert AuditEvent.objects.filter(action="score.imported", subject="metaeval.score:*").count() == 2


def _directed(seeded: Seed, direction: str) -> bytes:
    return f"sample,metric,value,direction\n{seeded.gold_sample.code},walks-matching,1,{direction}\n".encode()


@pytest.mark.parametrize("direction", ["higher", ""])
def test_a_direction_may_be_said_again(seeded: Seed, researcher: APIClient, direction: str) -> None:
    assert send(researcher, "scores", _directed(seeded, direction)).json()["created"] == 1


def test_another_direction_than_the_metrics_is_refused(seeded: Seed, researcher: APIClient) -> None:
    assert problems(send(researcher, "scores", _directed(seeded, "lower"))) == [(2, "direction")]


@pytest.mark.parametrize("value", [0.1, 1 / 3, 5e-324, 1.6e308, -123456789.123456789, 2**53 + 2])
def test_a_number_comes_in_to_the_last_digit(seeded: Seed, researcher: APIClient, value: float) -> None:
    MetricFactory(name="exact")
    row = {"sample": seeded.sample.code, "metric": "exact", "value": value}
    assert send_jsonl(researcher, "scores", row).json()["created"] == 1
    assert Score.objects.get(metric__name="exact").value == value
    assert send(researcher, "scores", score_csv(f"{row['sample']},,,,exact,,{value!r},")).json()["unchanged"] == 1


@pytest.mark.parametrize("value", ["nan", "inf", "-Infinity", "1e999", "1_000", "0x10", "1,5", "١", "'-3", "one"])
def test_what_is_no_finite_number_is_refused(seeded: Seed, researcher: APIClient, value: str) -> None:
    cell = f'"{value}"'
    body = score_csv(f"{seeded.gold_sample.code},,,,walks-matching,,{cell},")
    assert problems(send(researcher, "scores", body)) == [(2, "value")]


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999", "true", '"0.5"', "[1]", "9" * 400])
def test_what_is_no_finite_number_in_json_is_refused(seeded: Seed, researcher: APIClient, value: str) -> None:
    body = f'{{"sample": "{seeded.gold_sample.code}", "metric": "walks-matching", "value": {value}}}'
    assert problems(send(researcher, "scores", body, "application/x-ndjson")) == [(1, "value")]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ("nobody.knows,,,,walks-matching,,1,", "sample"),
        (",nobody,walks,,walks-fid,,1,", "generator"),
        (",walks-mdm,nowhere,,walks-fid,,1,", "study"),
        ("walks-gold,,,,nothing,,1,", "metric"),
        ("walks-gold,,,,walks-fid,,1,", "metric"),
        ("walks-gold,,,,walks-matching,9,1,", "version"),
        ("walks-gold,walks-mdm,walks,,walks-matching,,1,", "sample"),
        ("walks-gold,,,half,walks-matching,,1,", "sample"),
        (",walks-mdm,,,walks-fid,,1,", "sample"),
        (",,,,walks-matching,,1,", "sample"),
        ("walks-gold,,,,walks-matching,,,", "value"),
        ("walks-gold,,,,walks-matching,,1,no reason", "value"),
        ("walks-gold,,,,,,1,", "metric"),
        ("walks-p1.walks-mdm,,,,walks-matching,,0.9,", "value"),
        (",walks-mdm,walks,,walks-fid,,,lost", "value"),
    ],
)
def test_a_score_that_fits_nothing_is_refused(seeded: Seed, researcher: APIClient, row: str, field: str) -> None:
    before = Score.objects.count()
    answer = send(researcher, "scores", score_csv("walks-gold,,,,walks-judge,,1,", row))
    assert problems(answer) == [(3, field)]
    assert Score.objects.count() == before


def test_a_metric_with_two_versions_wants_one_named(seeded: Seed, researcher: APIClient) -> None:
    MetricFactory(name="walks-matching", version="2")
    answer = send(researcher, "scores", score_csv("walks-gold,,,,walks-matching,,1,"))
    assert "1, 2" in only_problem(answer)["expected"]
    assert send(researcher, "scores", score_csv("walks-gold,,,,walks-matching,2,1,")).json()["created"] == 1


@pytest.mark.parametrize("word", ["item", "system", "score"])
def test_other_peoples_words_are_refused(seeded: Seed, researcher: APIClient, word: str) -> None:
    answer = send(researcher, "scores", f"metric,value,sample,{word}\n".encode())
    assert only_problem(answer)["field"] == word


# --- There and back ---------------------------------------------------------------------------------------------------


def exported_by(client: APIClient, address: str) -> bytes:
    answer: Any = client.get(f"/api/v1/{address}")
    return b"".join(answer.streaming_content)


AWKWARD = [
    "=1+1",
    "-walks backwards",
    "+jumps",
    "@home",
    "'=quoted",
    "''-twice",
    "'just quoted",
    "\ttab first",
    "＝wide",
    ' "quotes", commas\r\nand lines ',
    "日本語 — naïve 🏃",
]


@pytest.mark.parametrize(("form", "kind"), [("csv", "text/csv"), ("jsonl", "application/x-ndjson")])
def test_exported_prompts_come_back_unchanged(manager: APIClient, form: str, kind: str) -> None:
    for number, text in enumerate(AWKWARD):
        PromptFactory(code=f"-p{number}", text=text, corpus="=corpus", category="-1", subtype="@x")
    exported = exported_by(manager, f"prompts/export/?as={form}")
    assert send(manager, "prompts", exported, kind).json()["unchanged"] == len(AWKWARD)
    Prompt.objects.all().delete()
    assert send(manager, "prompts", exported, kind).json()["created"] == len(AWKWARD)
    assert list(Prompt.objects.order_by("id").values_list("text", flat=True)) == AWKWARD
    assert set(Prompt.objects.values_list("corpus", "category", "subtype")) == {("=corpus", "-1", "@x")}


@pytest.mark.parametrize(("form", "kind"), [("csv", "text/csv"), ("jsonl", "application/x-ndjson")])
def test_exported_scores_come_back_unchanged(seeded: Seed, manager: APIClient, form: str, kind: str) -> None:
    seed("runs")
    exported = exported_by(manager, f"scores/export/?study=walks&as={form}")
    assert send(manager, "scores", exported, kind).json()["unchanged"] == 2
    before = set(Score.objects.values_list("metric", "sample", "generator", "study", "value"))
    Score.objects.filter(metric__name__startswith="walks").delete()
    assert send(manager, "scores", exported, kind).json()["created"] == 2
    assert set(Score.objects.values_list("metric", "sample", "generator", "study", "value")) == before
