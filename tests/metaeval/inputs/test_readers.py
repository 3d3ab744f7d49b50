"""Ratings and scores from files, as people write them and as they get them wrong."""

import csv
import gzip
import hashlib
import io
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.report.inputs import InputError, read_ratings, read_scores, sha256_of

RATING_COLUMNS = ("sample", "prompt", "generator", "rater", "criterion", "value")
RATINGS = [
    ("a.good", "a", "good", "anna", "naturalness", 3),
    ("a.good", "a", "good", "ben", "naturalness", 4),
    ("a.bad", "a", "bad", "anna", "naturalness", 0),
    ("b.good", "b", "good", "ben", "naturalness", 2.5),
]
SCORE_COLUMNS = ("sample", "generator", "metric", "value", "direction")
SCORES = [
    ("a.good", "good", "jitter", 0.1 + 0.2, "lower"),
    ("a.bad", "bad", "jitter", None, "lower"),
    ("", "good", "fid", 1.5, ""),
]
LATIN = "sample,prompt,generator,rater,criterion,value\ncafé,p,g,r,c,1\n".encode("latin-1")


def _csv(rows: Sequence[Sequence[Any]], *, delimiter: str = ",") -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _write(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Path:
    dicts = [dict(zip(columns, row, strict=True)) for row in rows]
    match "".join(path.suffixes):
        case ".csv":
            path.write_text(_csv([columns, *rows]))
        case ".tsv":
            path.write_text(_csv([columns, *rows], delimiter="\t"))
        case ".csv.gz":
            path.write_bytes(gzip.compress(_csv([columns, *rows]).encode()))
        case ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in dicts))
        case ".parquet":
            pq.write_table(pa.Table.from_pylist(dicts), path)
    return path


def _ratings(path: Path, text: str) -> Path:
    path.write_text(text, newline="")
    return path


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".jsonl", ".parquet"])
def test_every_format_says_the_same(tmp_path: Path, ending: str) -> None:
    ratings = read_ratings(_write(tmp_path / f"ratings{ending}", RATING_COLUMNS, RATINGS))
    assert [(*row[:5], row.value) for row in ratings] == RATINGS
    assert ratings.occasion.tolist() == [1, 1, 1, 1]
    scores = read_scores(_write(tmp_path / f"scores{ending}", SCORE_COLUMNS, SCORES))
    assert scores.value[0] == 0.1 + 0.2
    assert math.isnan(scores.value[1])
    assert scores.sample.at(2) == ""
    assert dict(zip(scores.metric.names, scores.direction_of, strict=True)) == {"jitter": "lower", "fid": ""}


@settings(max_examples=50, deadline=None)
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_floats_keep_every_bit(values: list[float], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("floats")
    rows = [(f"s{place}", "g", "m", value, "") for place, value in enumerate(values)]
    for ending in (".csv", ".jsonl", ".parquet"):
        read = read_scores(_write(folder / f"scores{ending}", SCORE_COLUMNS, rows))
        assert read.value.tolist() == values


@settings(max_examples=50, deadline=None)
@given(
    names=st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)
        .filter(lambda text: text.strip() == text)
        .filter(lambda text: "\r" not in text),
        min_size=1,
        max_size=8,
        unique=True,
    )
)
def test_names_with_quotes_commas_and_newlines_come_back(
    names: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [(name, "p", "g", "r", "c", 1) for name in names]
    folder = tmp_path_factory.mktemp("names")
    for ending in (".csv", ".jsonl", ".parquet"):
        read = read_ratings(_write(folder / f"ratings{ending}", RATING_COLUMNS, rows))
        assert [row.sample for row in read] == names


def test_a_byte_order_mark_windows_line_ends_and_spaces_in_the_header_are_no_fault(tmp_path: Path) -> None:
    text = "\ufeff" + _csv([RATING_COLUMNS, *RATINGS]).replace(",", " ,", 5).replace("\n", "\r\n")
    assert len(read_ratings(_ratings(tmp_path / "ratings.csv", text))) == 4


def test_lines_are_counted_as_an_editor_does_across_quoted_newlines_and_blank_lines(tmp_path: Path) -> None:
    text = "sample,prompt,generator,rater,criterion,value\n" + '"a\nb",p,g,r,c,1\n\n\ns,p,g,r,c,many\n'
    with pytest.raises(InputError, match=r"ratings.csv: line 6: value: expected a number, found 'many'"):
        read_ratings(_ratings(tmp_path / "ratings.csv", text))


def test_synonyms_are_read_and_a_sample_is_prompt_x_generator(tmp_path: Path) -> None:
    rows = [("a/b", "c", "r", "k", 1), ("a", "b/c", "r", "k", 2), ("a/b", "c", "q", "k", 3)]
    read = read_ratings(_write(tmp_path / "ratings.csv", ("item", "system", "rater", "criterion", "score"), rows))
    assert read.prompt.names == ("a/b", "a")
    assert read.generator.names == ("c", "b/c")
    assert read.sample.codes.tolist() == [0, 1, 0]
    assert len(set(read.sample.names)) == 2
    assert read.sample.names[1] == "a/b/c"


def test_a_name_and_its_synonym_may_stand_side_by_side_if_they_agree(tmp_path: Path) -> None:
    columns = (*RATING_COLUMNS, "item", "score")
    rows = [(*row, row[1], row[5]) for row in RATINGS]
    assert len(read_ratings(_write(tmp_path / "same.csv", columns, rows))) == 4
    rows[2] = (*rows[2][:6], "other", rows[2][7])
    with pytest.raises(InputError, match=r"line 4: prompt: expected the same as in item.*'other'.*found 'a'"):
        read_ratings(_write(tmp_path / "other.csv", columns, rows))
    rows[2] = (*rows[2][:6], "a", 9)
    with pytest.raises(InputError, match=r"line 4: value: expected the same as in score"):
        read_ratings(_write(tmp_path / "score.csv", columns, rows))


def test_a_rater_may_rate_again_on_another_occasion(tmp_path: Path) -> None:
    rows = [(*RATINGS[0], 1), (*RATINGS[0], 2), (*RATINGS[1], "")]
    read = read_ratings(_write(tmp_path / "ratings.csv", (*RATING_COLUMNS, "occasion"), rows))
    assert read.occasion.tolist() == [1, 2, 1]


Change = Callable[[str], str]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(",3\n", ",three\n"), "line 2: value: expected a number, found 'three'"),
        (lambda text: text.replace(",3\n", ",1_0\n"), "line 2: value: expected a number, found '1_0'"),
        (lambda text: text.replace(",3\n", ",NaN\n"), "line 2: value: expected a finite number, found 'NaN'"),
        (lambda text: text.replace(",3\n", ",1e999\n"), "line 2: value: expected a finite number, found '1e999'"),
        (lambda text: text.replace(",3\n", ",\n"), "line 2: value: expected a number, found nothing"),
        (lambda text: text.replace("rater", "Rater"), "line 1: expected the columns rater, found .* mean 'rater'"),
        (lambda text: text.replace("value", "vlaue"), "expected the columns value, found .*did you mean 'value'"),
        (lambda text: text.replace(",", ";"), "separate the cells by commas, not by semicolons"),
        (lambda text: text.replace("rater", "value"), "line 1: expected each column once, found 'value' twice"),
        (
            lambda text: text.replace("prompt,", "x,").replace("sample,", "y,"),
            "expected the columns sample, prompt, found",
        ),
        (lambda text: text.splitlines()[0], "no rows"),
        (lambda text: "", "expected the columns sample, .*, found nothing"),
        (lambda text: text.replace("a.good,a,", "a.good,", 1), "line 2: expected 6 cells, found 5"),
        (lambda text: text + "a.good,a,good,anna,naturalness,1", "line 6: .*is there twice \\(before in line 2\\)"),
        (lambda text: text.replace("b.good,b", "a.good,b"), "line 5: prompt: expected 'a' .* line 2, found 'b'"),
        (lambda text: text.replace("a.bad,a,bad,anna", "a.good,a,bad,cleo"), "line 4: generator: expected 'good'"),
        (lambda text: text.replace("ben", " "), "line 3: rater: expected a name, found nothing"),
        (lambda text: text.replace("ben", '"ben'), "line .*: expected CSV, found "),
    ],
)
def test_bad_ratings_get_one_clear_line(tmp_path: Path, change: Change, message: str) -> None:
    path = _ratings(tmp_path / "ratings.csv", change(_csv([RATING_COLUMNS, *RATINGS])))
    with pytest.raises(InputError, match=message) as caught:
        read_ratings(path)
    assert str(caught.value).startswith("ratings.csv: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("occasion", ["0", "-1", "1.5", "first"])
def test_an_occasion_is_an_integer_from_1(tmp_path: Path, occasion: str) -> None:
    path = _write(tmp_path / "r.csv", (*RATING_COLUMNS, "occasion"), [(*RATINGS[0], occasion)])
    with pytest.raises(InputError, match=rf"line 2: occasion: expected an integer from 1, found '{occasion}'"):
        read_ratings(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("a", "g", "m", 1, "lower"), ("b", "g", "m", 2, "higher")], "line 3: direction: expected 'lower' for metric"),
        ([("a", "g", "m", 1, "down")], "line 2: direction: expected higher, lower or target, found 'down'"),
        ([("a", "g", "m", 1, ""), ("a", "h", "m", 2, "")], "line 3: .*a, m is there twice \\(before in line 2\\)"),
        ([("", "g", "m", 1, ""), ("", "g", "m", 2, "")], "line 3: .*g, m is there twice \\(before in line 2\\)"),
        ([("", "", "m", 1, "")], "line 2: generator: expected a name, for there is no sample, found nothing"),
        ([("a", "g", "", 1, "")], "line 2: metric: expected a name, found nothing"),
        ([("a", "g", "m", "inf", "")], "line 2: value: expected a finite number, found 'inf'"),
    ],
)
def test_bad_scores_get_one_clear_line(tmp_path: Path, rows: list[tuple[Any, ...]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_scores(_write(tmp_path / "scores.csv", SCORE_COLUMNS, rows))


def test_a_direction_may_be_given_on_some_rows_and_subsets_are_scores_of_their_own(tmp_path: Path) -> None:
    rows = [("", "g", "fid", 1, "", ""), ("", "g", "fid", 2, "lower", "walk"), ("", "g", "fid", 3, "", "run")]
    read = read_scores(_write(tmp_path / "scores.csv", (*SCORE_COLUMNS, "subset"), rows))
    assert read.direction_of == ("lower",)
    assert read.subset.names == ("walk", "run")


@pytest.mark.parametrize("written", ["true", "1", "Yes"])
def test_scores_may_say_that_a_metric_is_reference_based(tmp_path: Path, written: str) -> None:
    rows = [("a", "g", "ae", 1, "", written), ("a", "g", "jitter", 1, "", "")]
    read = read_scores(_write(tmp_path / "scores.csv", (*SCORE_COLUMNS, "reference_based"), rows))
    assert read.reference_based_of.tolist() == [1, -1]


def test_an_optional_column_in_capitals_is_refused_and_a_similar_one_remarked_on(tmp_path: Path) -> None:
    capitals = _write(tmp_path / "capitals.csv", (*SCORE_COLUMNS[:4], "Direction"), SCORES)
    with pytest.raises(InputError, match=r"line 1: expected the column direction, found 'Direction'"):
        read_scores(capitals)
    similar = read_scores(_write(tmp_path / "similar.csv", (*SCORE_COLUMNS[:4], "directon"), SCORES))
    assert similar.warnings == ("similar.csv: the column 'directon' is not read (did you mean 'direction'?)",)


def test_spaces_around_names_do_not_make_two_raters(tmp_path: Path) -> None:
    rows = [("s", "p", "g", "anna", "c", 1), ("t", "p", "g", "anna ", "c", 2)]
    read = read_ratings(_write(tmp_path / "ratings.csv", RATING_COLUMNS, rows))
    assert read.rater.names == ("anna",)
    assert read.warnings == ("ratings.csv: rater: 'anna' and 'anna ' are read as one name",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1, 2]", "line 2: expected a JSON object, found '\\[1, 2\\]'"),
        ('{"sample": ', "line 2: expected a JSON object, found .*Expecting value"),
        ('{"sample": ["x"]}', "line 2: sample: expected text, found"),
        ('{"value": NaN}', "line 2: value: expected a finite number, found 'nan'"),
        ('{"value": "three"}', "line 2: value: expected a number, found 'three'"),
        ('{"sample": "s", "value": 1}', "line 2: prompt: expected a name, found nothing"),
        ('{"value": 1' + "0" * 400 + "}", "line 2: value: expected a finite number"),
    ],
)
def test_bad_json_lines_are_named(tmp_path: Path, line: str, message: str) -> None:
    good = json.dumps(dict(zip(RATING_COLUMNS, RATINGS[0], strict=True)))
    with pytest.raises(InputError, match=message):
        read_ratings(_ratings(tmp_path / "ratings.jsonl", f"{good}\n{line}\n"))


def test_json_may_hold_integers_as_names_booleans_as_values_and_keys_that_come_late(tmp_path: Path) -> None:
    first = dict(zip(RATING_COLUMNS, (1, 2, "g", 3, "c", True), strict=True))
    second = {**first, "rater": 4, "value": False, "occasion": 2}
    path = _ratings(tmp_path / "ratings.jsonl", f"{json.dumps(first)}\n\n{json.dumps(second)}\n")
    read = read_ratings(path)
    assert [(row.sample, row.rater, row.value, row.occasion) for row in read] == [
        ("1", "3", 1.0, 1),
        ("1", "4", 0.0, 2),
    ]


def test_parquet_keeps_doubles_widens_floats_with_a_word_and_reads_dictionaries(tmp_path: Path) -> None:
    columns = {
        "sample": pa.array(["a", "b"]).dictionary_encode(),
        "generator": ["g", "g"],
        "metric": ["m", "m"],
        "value": pa.array([0.1, None], type=pa.float32()),
    }
    pq.write_table(pa.table(columns), tmp_path / "scores.parquet")
    read = read_scores(tmp_path / "scores.parquet")
    assert read.value[0] == float(np.float32(0.1))
    assert math.isnan(read.value[1])
    assert "float was widened to double" in read.warnings[0]


def test_bad_parquet_is_named_by_row(tmp_path: Path) -> None:
    table = pa.table({"sample": ["a", "b"], "generator": ["g"] * 2, "metric": ["m"] * 2, "value": [1.0, math.inf]})
    pq.write_table(table, tmp_path / "scores.parquet")
    with pytest.raises(InputError, match=r"scores.parquet: row 2: value: expected a finite number, found 'inf'"):
        read_scores(tmp_path / "scores.parquet")
    pq.write_table(table.set_column(3, "value", pa.array(["1", "x"])), tmp_path / "scores.parquet")
    with pytest.raises(InputError, match=r"row 2: value: expected a number, found 'x'"):
        read_scores(tmp_path / "scores.parquet")
    pq.write_table(table.set_column(3, "value", pa.array([[1], [2]])), tmp_path / "scores.parquet")
    with pytest.raises(InputError, match=r"scores.parquet: value: expected a column of type double, found list"):
        read_scores(tmp_path / "scores.parquet")
    (tmp_path / "scores.parquet").write_bytes(b"no parquet")
    with pytest.raises(InputError, match=r"scores.parquet: expected a Parquet file"):
        read_scores(tmp_path / "scores.parquet")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("ratings.xlsx", b"", "expected a file that ends in .csv"),
        ("ratings", b"", "expected a file that ends in .csv"),
        ("ratings.csv", LATIN, "expected UTF-8 text"),
        ("ratings.csv.gz", b"no gzip", "expected a whole gzip file"),
        ("ratings.csv.gz", gzip.compress(b"sample", mtime=0)[:-3], "expected a whole gzip file"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=rf"{name}: {message}"):
        read_ratings(tmp_path / name)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "csv.gz"])
def test_a_missing_file_is_named(tmp_path: Path, ending: str) -> None:
    with pytest.raises(InputError, match=rf"none.{ending}: No such file or directory"):
        read_scores(tmp_path / f"none.{ending}")


def test_the_hash_is_of_the_bytes(tmp_path: Path) -> None:
    (tmp_path / "file.csv").write_bytes(LATIN)
    assert sha256_of(tmp_path / "file.csv") == hashlib.sha256(LATIN).hexdigest()


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1), st.integers(1, 2)), min_size=1, max_size=12
    )
)
def test_a_rating_is_refused_exactly_when_its_key_occurred_before(
    rows: list[tuple[int, int, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("twice") / "ratings.csv"
    lines = [(f"s{s}", "p", "g", f"r{r}", f"c{c}", 1, occasion) for s, r, c, occasion in rows]
    _write(path, (*RATING_COLUMNS, "occasion"), lines)
    again = [place for place, row in enumerate(rows) if row in rows[:place]]
    if not again:
        assert len(read_ratings(path)) == len(rows)
        return
    before = rows.index(rows[again[0]])
    with pytest.raises(InputError, match=rf"line {again[0] + 2}: .* is there twice \(before in line {before + 2}\)"):
        read_ratings(path)
