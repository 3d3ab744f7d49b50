"""What a worker does about an analysis: its inputs, its files, its record."""

import csv
import hashlib
import json
import os
import tomllib
import zipfile
from pathlib import Path

import pytest
from django.core.files.storage import default_storage

from annotation.models import LabelSet
from config.files import store_bytes
from config.jobs.child import ChildEnd
from config.jobs.models import JobState
from metaeval.errors import MetaevalError
from metaeval.models import Analysis, Direction, Level, Report
from metaeval.services import analysis_runs
from metaeval.services.analyses import analysis_cancel, analysis_create, analysis_retry, analysis_run_next
from metaeval.services.analysis_files import pack
from metaeval.services.analysis_inputs import write_scores
from metaeval.services.preregistrations import preregistration_create
from tests.e2e.results import REPORT_HTML, RESULTS
from tests.factories import (
    AnalysisFactory,
    GeneratorFactory,
    GoldFactory,
    LabelFactory,
    LabelSetFactory,
    MetricFactory,
    SampleFactory,
    ScoreFactory,
    digest,
)

pytestmark = pytest.mark.django_db
RATINGS = b"sample,prompt,generator,rater,criterion,value\n"


def freeze(label_set: LabelSet) -> LabelSet:
    store_bytes(RATINGS, "labels/test.csv")
    label_set.ratings_file, label_set.ratings_hash = "labels/test.csv", hashlib.sha256(RATINGS).hexdigest()
    label_set.frozen_at, label_set.content_hash = label_set.created_at, digest("labels")
    label_set.save()
    return label_set


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open() as file:
        return list(csv.DictReader(file))


@pytest.fixture
def child(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Instead of the command: writes what it would write, and remembers how it was called."""
    calls: list[list[str]] = []

    def run_child(command: list[str], *, job: Analysis, time_limit: float) -> ChildEnd:
        calls.append(command)
        ratings, scores, out = Path(command[4]), Path(command[5]), Path(command[7])
        assert ratings.read_bytes() == RATINGS
        assert scores.exists()
        tomllib.loads(Path(command[9]).read_text())
        (out / "tables").mkdir(parents=True)
        (out / "tables" / "correlations.csv").write_text("criterion\n")
        (out / "report.html").write_text(REPORT_HTML)
        (out / "results.json").write_text(json.dumps(RESULTS))
        (out / "provenance.json").write_text(json.dumps({"inputs": {"ratings.csv": "a" * 64}, "command": ["x"]}))
        return ChildEnd(0, "")

    monkeypatch.setattr(analysis_runs, "run_child", run_child)
    return calls


# --- Inputs -----------------------------------------------------------------------------------------------------------


def test_the_command_gets_every_score_of_the_labelled_samples_and_of_their_generators(tmp_path: Path) -> None:
    label_set = LabelSetFactory()
    reference, model = GeneratorFactory(name="reference", is_reference=True), GeneratorFactory(name="mdm")
    samples = [SampleFactory(generator=generator, code=f"s.{generator.name}") for generator in (reference, model)]
    turned_gold = SampleFactory(generator=model, code="gold.mdm")
    for sample in (*samples, turned_gold):
        LabelFactory(label_set=label_set, sample=sample)
    GoldFactory(study=label_set.study, sample=turned_gold)
    error = MetricFactory(name="error", direction=Direction.LOWER, is_reference_based=True)
    newer = MetricFactory(name="error", version="2", direction=Direction.LOWER, is_reference_based=True)
    fid = MetricFactory(name="fid", level=Level.GENERATOR, direction=Direction.TARGET)
    other = MetricFactory(name="not-asked-for")
    for sample in (*samples, turned_gold, SampleFactory()):
        ScoreFactory(metric=error, sample=sample, value=0.1 + 0.2)
    ScoreFactory(metric=newer, sample=samples[1], value=None, undefined_reason="too short")
    ScoreFactory(metric=other, sample=samples[1])
    for subset in ("", "long"):
        ScoreFactory(of_generator=True, metric=fid, generator=model, study=label_set.study, subset=subset, value=12.5)
    ScoreFactory(of_generator=True, metric=fid, generator=GeneratorFactory(), study=label_set.study)
    ScoreFactory(of_generator=True, metric=fid, generator=model)
    analysis = AnalysisFactory(label_set=freeze(label_set))
    analysis.metrics.set([error, newer, fid])
    write_scores(analysis, tmp_path / "scores.csv")
    found = [tuple(row.values()) for row in rows_of(tmp_path / "scores.csv")]
    assert found == [
        ("s.mdm", "mdm", "", "error@1", "0.30000000000000004", "lower", "true"),
        ("s.reference", "reference", "", "error@1", "0.30000000000000004", "lower", "true"),
        ("s.mdm", "mdm", "", "error@2", "", "lower", "true"),
        ("", "mdm", "", "fid", "12.5", "target", "false"),
        ("", "mdm", "long", "fid", "12.5", "target", "false"),
    ]


# --- The run ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def waiting(files: Path) -> Analysis:
    label_set = LabelSetFactory()
    sample = LabelFactory(label_set=label_set).sample
    metric = ScoreFactory(sample=sample).metric
    promise = preregistration_create(
        study=label_set.study, title="A promise", settings={"resampling": {"seed": 4}}, actor="user:ada"
    )
    return analysis_create(
        title="Main table",
        label_set=freeze(label_set),
        metrics=[metric],
        preregistration=promise,
        actor="user:ada",
    )


def test_a_run_keeps_its_report_and_all_its_files(waiting: Analysis, child: list[list[str]]) -> None:
    assert analysis_run_next()
    waiting.refresh_from_db()
    assert (waiting.state, waiting.error, waiting.doing) == (JobState.DONE, "", "")
    report = waiting.report
    assert report.finding == RESULTS["summary"]
    assert report.provenance["label_set"] == waiting.label_set.content_hash
    assert report.provenance["settings_hash"] == waiting.settings_hash
    assert report.provenance["preregistration"]["labels"] == "before labels were frozen"
    archive = report.archive
    assert archive.names == ["provenance.json", "report.html", "results.json", "tables/correlations.csv"]
    with default_storage.open(str(archive.file)) as file:
        assert hashlib.sha256(file.read()).hexdigest() == archive.sha256
        with zipfile.ZipFile(file) as packed:
            assert json.loads(packed.read("provenance.json")) == report.provenance
            assert packed.read("report.html").decode() == REPORT_HTML


def test_the_settings_that_are_run_are_those_that_were_promised(
    waiting: Analysis, child: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert waiting.preregistration is not None
    said: list[str] = []
    real = analysis_runs.write_config

    def write_config(analysis: Analysis, path: Path) -> None:
        real(analysis, path)
        said.append(path.read_text())

    monkeypatch.setattr(analysis_runs, "write_config", write_config)
    analysis_run_next()
    assert said == [waiting.preregistration.toml]


def test_a_run_that_was_taken_over_keeps_nothing(
    waiting: Analysis, child: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis_runs, "job_lock", lambda job: None)
    analysis_run_next()
    assert not Report.objects.exists()


@pytest.mark.parametrize(("code", "state"), [(2, JobState.FAILED), (1, JobState.WAITING)])
def test_bad_input_fails_at_once_and_a_crash_is_tried_again(
    waiting: Analysis, monkeypatch: pytest.MonkeyPatch, code: int, state: str
) -> None:
    monkeypatch.setattr(analysis_runs, "run_child", lambda *_, **__: ChildEnd(code, "error: ratings.csv: no rows"))
    analysis_run_next()
    waiting.refresh_from_db()
    assert (waiting.state, waiting.error) == (state, "error: ratings.csv: no rows")


def test_ratings_that_are_gone_or_changed_are_not_analysed(waiting: Analysis, files: Path) -> None:
    (files / "labels/test.csv").write_text("sample\n")
    analysis_run_next()
    waiting.refresh_from_db()
    assert "not the ones that were frozen" in waiting.error
    (files / "labels/test.csv").unlink()
    analysis_retry(analysis=waiting, actor="user:ada")
    analysis_run_next()
    waiting.refresh_from_db()
    assert (waiting.state, "a rater withdrew" in waiting.error) == (JobState.FAILED, True)


def test_only_what_waits_or_runs_is_cancelled_and_only_what_ended_badly_is_tried_again(waiting: Analysis) -> None:
    with pytest.raises(MetaevalError, match="failed or cancelled"):
        analysis_retry(analysis=waiting, actor="user:ada")
    assert analysis_cancel(analysis=waiting, actor="user:ada").state == JobState.CANCELLED
    assert not analysis_run_next()
    assert analysis_retry(analysis=waiting, actor="user:ada").state == JobState.WAITING


# --- The archive ------------------------------------------------------------------------------------------------------


def test_the_same_files_give_the_same_zip_whenever_and_in_whatever_order_they_were_written(tmp_path: Path) -> None:
    hashes = set()
    for round_, names in enumerate((("b.txt", "a/c.txt"), ("a/c.txt", "b.txt"))):
        folder = tmp_path / str(round_)
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name)
            os.utime(folder / name, (round_, 1_700_000_000 + round_))
        packed = pack(folder, tmp_path / f"{round_}.zip")
        assert packed.names == ("a/c.txt", "b.txt")
        hashes.add(packed.sha256)
    assert len(hashes) == 1
