"""`python -m metaeval analyse`, as a person runs it."""

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from scipy import stats

from metaeval.__main__ import main

RATINGS = [
    # sample, prompt, generator, rater, criterion, value
    (f"p{prompt}.{generator}", f"p{prompt}", generator, rater, "naturalness", quality + (prompt + offset) % 2)
    for prompt in range(6)
    for generator, quality in (("good", 3), ("bad", 0))
    for offset, rater in enumerate(("anna", "ben"))
]
SCORES = [
    (f"p{prompt}.{generator}", generator, "jitter", repr(level + prompt / 10), "lower")
    for prompt in range(6)
    for generator, level in (("good", 0.1), ("bad", 0.9))
]


def _write(path: Path, columns: str, rows: Sequence[tuple[object, ...]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns.split(), *rows])
    return path


def _run(*arguments: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "metaeval", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])


@pytest.fixture
def ratings(tmp_path: Path) -> Path:
    return _write(tmp_path / "ratings.csv", "sample prompt generator rater criterion value", RATINGS)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return _write(tmp_path / "scores.csv", "sample generator metric value direction", SCORES)


@pytest.mark.slow
def test_it_writes_tables_that_read_back_exactly(ratings: Path, scores: Path, tmp_path: Path) -> None:
    end = _run("analyse", ratings, scores, "-o", tmp_path / "out")
    assert end.returncode == 0, end.stderr
    with (tmp_path / "out" / "tables" / "correlations.csv").open() as file:
        rows = {(row["level"], row["statistic"]): row for row in csv.DictReader(file)}
    means: dict[str, list[int]] = {}
    for sample, _, _, _, _, value in RATINGS:
        means.setdefault(sample, []).append(value)
    x = [-float(row[3]) for row in SCORES]
    y = [sum(means[row[0]]) / 2 for row in SCORES]
    assert float(rows["sample", "pearson"]["value"]) == pytest.approx(stats.pearsonr(x, y).statistic, rel=1e-12)
    assert rows["sample", "pearson"]["n"] == "12"
    assert rows["generator", "pearson"]["n"] == "2"
    assert "sign turned" in rows["sample", "pearson"]["note"]
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    pearson = next(row for row in results["correlations"] if (row["level"], row["statistic"]) == ("sample", "pearson"))
    assert repr(pearson["value"]) == rows["sample", "pearson"]["value"]
    assert "jitter follows people best" in end.stderr


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text.replace(",3\n", ",three\n", 1), "value: expected a number, found 'three'"),
        (lambda text: text.replace(",3\n", ",inf\n", 1), "expected a finite number"),
        (lambda text: text.replace("rater", "worker", 1), "expected the columns rater"),
        (lambda text: text + text.splitlines()[-1] + "\n", "is there twice"),
        (lambda text: text.splitlines()[0] + "\n", "no rows"),
        (lambda text: "", "found nothing"),
        (lambda text: text.replace("p0.good,p0,", "p0.good,", 1), "expected 6 cells"),
    ],
)
def test_bad_ratings_get_one_clear_line(
    ratings: Path,
    scores: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    change: Callable[[str], str],
    message: str,
) -> None:
    ratings.write_text(change(ratings.read_text()))
    assert main(["analyse", str(ratings), str(scores), "-o", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.startswith("error: ratings.csv")
    assert error.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_missing_file_is_named(scores: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", str(tmp_path / "none.csv"), str(scores), "-o", str(tmp_path / "out")]) == 2
    assert "none.csv: No such file" in capsys.readouterr().err
