"""The researcher's pages about analyses: asking, following, reading, comparing, downloading, preregistering."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import LabelSet, MarkKind
from config.audit.models import AuditEvent
from config.jobs.models import JobState
from metaeval.models import Analysis, Preregistration, Report
from metaeval.selectors.listings import ROWS_PER_PAGE
from metaeval.selectors.report_tables import COMPARISONS_PER_PAGE, agreement_table, comparison_page
from metaeval.selectors.reports import Family, brackets_of, metric_rows, select
from metaeval.selectors.studies import latest_analyses
from tests.e2e.results import RESULTS, add_archive
from tests.factories import (
    AnalysisFactory,
    CriterionFactory,
    LabelFactory,
    LabelSetFactory,
    LabelSetMarkFactory,
    ManagerFactory,
    MetricFactory,
    OptionFactory,
    PreregistrationFactory,
    ReportFactory,
    ResearcherFactory,
    SampleFactory,
    ScoreFactory,
    StudyFactory,
    StudySampleFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def researcher() -> Client:
    client = Client()
    client.force_login(ResearcherFactory())
    return client


@pytest.fixture
def label_set() -> LabelSet:
    """Of the study `paper`: a sample that `matching` has scored, and a metric that never ran."""
    study = StudyFactory(code="paper", title="For the paper")
    label_set = LabelSetFactory(study=study, number=1)
    criterion = CriterionFactory(rubric=study.rubric, code="naturalness", options=None)
    for value in (0, 1, 2):
        OptionFactory(criterion=criterion, value=value)
    sample = SampleFactory()
    StudySampleFactory(study=study, sample=sample)
    LabelFactory(label_set=label_set, sample=sample, criterion=criterion)
    ScoreFactory(sample=sample, metric=MetricFactory(name="matching"))
    MetricFactory(name="never-ran")
    label_set.frozen_at, label_set.content_hash = timezone.now(), "a" * 64
    label_set.save()
    return label_set


def wishes(label_set: LabelSet, /, **changes: Any) -> dict[str, Any]:
    """The form of a new analysis, filled in."""
    metrics = list(label_set.study.samples.get().scores.values_list("metric", flat=True))
    return {
        "title": "Main table",
        "label_set": label_set.pk,
        "metrics": metrics,
        "criterion": "naturalness",
        "level": "sample",
        "statistic": "kendall_b",
        "aggregation": "mean",
        "unit": "prompt",
        "replicates": 200,
        "permutations": 99,
        "seed": 5,
    } | changes


def done(**options: Any) -> Report:
    analysis = AnalysisFactory(state=JobState.DONE, finished_at=timezone.now(), **options)
    return ReportFactory(analysis=analysis, results=RESULTS, finding="better follows people best.")


def text(client: Client, path: str, **query: Any) -> str:
    response = client.get(path, query)
    assert response.status_code == 200
    return str(response.content.decode())


# --- A new analysis ---------------------------------------------------------------------------------------------------


def test_the_form_offers_label_sets_and_metrics_with_what_is_to_be_known(
    researcher: Client, label_set: LabelSet
) -> None:
    old = LabelSetFactory(study=label_set.study, number=2, frozen=True)
    LabelSetMarkFactory(label_set=old, kind=MarkKind.SUPERSEDED, reason="a rater withdrew")
    LabelSetMarkFactory(label_set=label_set, kind=MarkKind.STALE, reason="decided anew")
    page = text(researcher, "/research/paper/analyses/new/")
    assert "superseded: a rater withdrew" in page
    assert "stale: decided anew" in page
    assert f'value="{label_set.pk}" checked' in page
    assert f'value="{old.pk}" disabled' in page
    assert "1 samples, 1 labels" in page
    assert page.count("checked") == 2  # the label set, and the metric that has scores
    assert page.count('class="button"') == 1


def test_without_frozen_labels_the_form_says_what_is_missing(researcher: Client) -> None:
    StudyFactory(code="new")
    page = text(researcher, "/research/new/analyses/new/")
    assert "No label set is frozen yet" in page
    assert "Start analysis" not in page


def test_an_analysis_is_started_with_the_settings_of_the_form(
    researcher: Client, label_set: LabelSet, django_capture_on_commit_callbacks: Any, doorbells: list[Any]
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        response = researcher.post("/research/paper/analyses/new/", wishes(label_set, cut="2"))
    analysis = Analysis.objects.get()
    assert response["Location"] == f"/research/analyses/{analysis.pk}/"
    assert [bell.task for bell in doorbells] == ["metaeval.tasks.analysis_next"]
    assert analysis.settings["primary"] == {
        "criterion": "naturalness",
        "level": "sample",
        "statistic": "kendall_b",
        "comparisons": "all",
    }
    resampling = analysis.settings["resampling"]
    assert (resampling["replicates"], resampling["permutations"], resampling["seed"]) == (200, 99, 5)
    assert analysis.settings["criteria"]["naturalness"]["positive_cut"] == 2
    assert analysis.settings["criteria"]["naturalness"]["scale"] == [0, 1, 2]
    assert analysis.seed == 5
    assert AuditEvent.objects.filter(action="analysis.created").exists()


def test_toml_counts_before_the_fields(researcher: Client, label_set: LabelSet) -> None:
    toml = "[resampling]\nseed = 9\nunit = 'sample'\n\n[exclude]\nraters = ['R1']\n"
    researcher.post("/research/paper/analyses/new/", wishes(label_set, toml=toml))
    settings = Analysis.objects.get().settings
    assert (settings["resampling"]["seed"], settings["resampling"]["replicates"]) == (9, 200)
    assert settings["exclude"]["raters"] == ["R1"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"toml": "[resampling\n"}, "analysis.toml: Expected"),
        ({"toml": "[resampling]\nsed = 1\n"}, "sed"),
        ({"toml": "[labels]\naggregation = 'best'\n"}, "aggregation"),
        ({"replicates": "-1"}, "greater than or equal to 0"),
        ({"metrics": []}, "Choose at least one metric"),
        ({"label_set": "999999"}, "Choose a label set that is in the list"),
        ({"title": " "}, "This field is required"),
        ({"criterion": "", "cut": "2"}, "Choose the primary criterion"),
        ({"criterion": "beauty"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_used_is_named_and_nothing_is_kept(
    researcher: Client, label_set: LabelSet, change: dict[str, Any], said: str
) -> None:
    response = researcher.post("/research/paper/analyses/new/", wishes(label_set, **change))
    assert response.status_code == 400
    assert said in response.content.decode()
    assert "Nothing was kept" in response.content.decode()
    assert not Analysis.objects.exists()


def test_a_superseded_label_set_is_refused_whatever_the_browser_sends(researcher: Client, label_set: LabelSet) -> None:
    LabelSetMarkFactory(label_set=label_set, kind=MarkKind.SUPERSEDED, reason="a rater withdrew")
    assert researcher.post("/research/paper/analyses/new/", wishes(label_set)).status_code == 400
    assert not Analysis.objects.exists()


# --- While it runs ----------------------------------------------------------------------------------------------------


def test_a_running_analysis_says_what_it_is_doing_and_can_be_cancelled(researcher: Client) -> None:
    analysis = AnalysisFactory(
        state=JobState.RUNNING,
        worker="w",
        lease_until=timezone.now(),
        progress=0.25,
        doing="bootstrap: sample level, 3 of 12",
    )
    address = f"/research/analyses/{analysis.pk}/"
    page = text(researcher, address)
    for words in ("Bootstrap: sample level, 3 of 12", "25 %", 'hx-trigger="every 2s"', "Cancel"):
        assert words in page
    assert researcher.post(f"{address}cancel/")["Location"] == address
    analysis.refresh_from_db()
    assert analysis.cancel_requested
    page = text(researcher, address)
    assert "Stopping" in page
    assert "cancel/" not in page


def test_the_part_that_follows_asks_for_the_whole_page_when_the_work_is_over(researcher: Client) -> None:
    report = done()
    response = researcher.get(
        f"/research/analyses/{report.analysis_id}/", headers={"HX-Request": "true", "HX-Target": "progress"}
    )
    assert response["HX-Refresh"] == "true"


def test_a_failed_analysis_is_tried_again(researcher: Client) -> None:
    analysis = AnalysisFactory(state=JobState.FAILED, error="out of memory", finished_at=timezone.now(), attempt=3)
    assert "Retry" in text(researcher, f"/research/analyses/{analysis.pk}/")
    researcher.post(f"/research/analyses/{analysis.pk}/retry/")
    analysis.refresh_from_db()
    assert (analysis.state, analysis.error) == (JobState.WAITING, "")


def test_cancelling_too_late_changes_nothing(researcher: Client) -> None:
    report = done()
    assert researcher.post(f"/research/analyses/{report.analysis_id}/cancel/").status_code == 302
    report.analysis.refresh_from_db()
    assert report.analysis.state == JobState.DONE


# --- The result -------------------------------------------------------------------------------------------------------


def test_the_page_opens_with_the_finding_the_warnings_and_the_primary_table(researcher: Client) -> None:
    page = text(researcher, f"/research/analyses/{done().analysis_id}/")
    for words in (
        "better follows people best.",
        "The best metric differs between levels.",
        "Spearman ρ on naturalness, sample by sample",
        "confirmatory",
        "which were not preregistered",
        "[0.41, 0.52]",
        "undefined: constant scores",
        "undefined: no two raters differ",
        "1 missing",
        "&lt; 0.001",
        "Held-out people",
    ):
        assert words in page, words
    assert "every 2s" not in page


def test_the_best_metric_is_on_top_and_undefined_last() -> None:
    rows = metric_rows(done(), Family("naturalness", "sample", "spearman"))
    assert [row.metric for row in rows] == ["better", "worse", "flat"]
    assert rows[2].estimate.reason == "undefined: constant scores"
    assert rows[0].direction == "lower"
    assert rows[0].remarks == ()  # its mark says that the sign is turned


def test_a_member_of_a_search_is_not_ranked_among_fixed_metrics() -> None:
    facts = [fact | {"search": "root scaling" if fact["name"] == "better" else ""} for fact in RESULTS["metrics"]]
    rows = metric_rows(
        ReportFactory.build(results=RESULTS | {"metrics": facts}), Family("naturalness", "sample", "spearman")
    )
    assert [row.metric for row in rows] == ["worse", "better", "flat"]


def test_the_brackets_are_named_with_the_confidence_of_the_settings() -> None:
    results = RESULTS | {"settings": {"resampling": {"confidence": 0.9}}}
    rows = metric_rows(ReportFactory.build(results=results), Family("naturalness", "sample", "spearman"))
    assert brackets_of(rows) == "90% percentile over prompts"


def test_other_numbers_are_chosen_and_a_choice_that_is_not_there_falls_back(researcher: Client) -> None:
    report = done()
    address = f"/research/analyses/{report.analysis_id}/"
    page = text(researcher, address, criterion="faithfulness", level="generator", statistic="pearson")
    assert "Pearson r on faithfulness, generator by generator" in page
    assert "exploratory" in page
    chosen = select(report, criterion="beauty", level="", statistic="nonsense")
    assert chosen is not None
    assert chosen.family == Family("naturalness", "sample", "spearman")
    assert chosen.is_primary


def test_pairs_of_metrics_come_in_pages_the_clearest_first() -> None:
    report = done()
    family = Family("naturalness", "sample", "spearman")
    first, second = (comparison_page(report, family, page=number) for number in ("1", "2"))
    assert (len(first), len(second)) == (COMPARISONS_PER_PAGE, 25 - COMPARISONS_PER_PAGE)
    assert first[0].metric_b == "rival-25"
    assert [row.metric_b for row in comparison_page(report, family, metric="RIVAL-7")] == ["rival-7"]


def test_a_report_from_before_the_tables_had_these_columns_still_shows(researcher: Client) -> None:
    report = ReportFactory(results={"tables": []}, analysis=AnalysisFactory())
    assert "No metric had scores" in text(researcher, f"/research/analyses/{report.analysis_id}/")


# --- Files ------------------------------------------------------------------------------------------------------------


def test_everything_is_downloaded_as_one_zip(researcher: Client, files: Path, tmp_path: Path) -> None:
    report = done(title="Main table: α")
    add_archive(report, tmp_path)
    response = researcher.get(f"/research/analyses/{report.analysis_id}/out.zip")
    assert response["Content-Type"] == "application/zip"
    assert "main-table" in response["Content-Disposition"]
    with zipfile.ZipFile(io.BytesIO(response.getvalue())) as archive:
        assert "report.html" in archive.namelist()
        assert archive.testzip() is None


def test_the_report_is_served_in_a_sandbox_that_only_our_pages_frame(
    researcher: Client, files: Path, tmp_path: Path
) -> None:
    report = done()
    add_archive(report, tmp_path)
    address = f"/research/analyses/{report.analysis_id}/"
    response = researcher.get(f"{address}report.html")
    policy = response["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'none';")
    assert "allow-same-origin" not in policy
    assert "frame-ancestors 'self'" in policy
    assert response["X-Frame-Options"] == "SAMEORIGIN"
    page = researcher.get(address)
    assert 'sandbox="allow-scripts"' in page.content.decode()
    assert "frame-src 'self'" in page["Content-Security-Policy"]
    assert "unsafe" not in page["Content-Security-Policy"]


def test_single_files_leave_as_what_they_are(researcher: Client, files: Path, tmp_path: Path) -> None:
    report = done()
    add_archive(report, tmp_path)
    address = f"/research/analyses/{report.analysis_id}/files/"
    table = researcher.get(f"{address}tables/correlations.csv")
    assert table["Content-Type"].startswith("text/csv")
    assert table["Content-Disposition"].startswith("attachment")
    assert table.content.startswith(b"criterion,metric")
    figure = researcher.get(f"{address}figures/heat.svg")
    assert figure["Content-Type"] == "image/svg+xml"
    assert figure["Content-Security-Policy"].startswith("sandbox;")
    for name in ("tables/none.csv", "../../../etc/passwd", "tables/../report.html"):
        assert researcher.get(f"{address}{name}").status_code == 404


def test_files_that_are_gone_are_not_found_rather_than_broken(researcher: Client, files: Path, tmp_path: Path) -> None:
    report = done()
    archive = add_archive(report, tmp_path)
    (files / str(archive.file)).unlink()
    for name in ("out.zip", "report.html", "files/results.json"):
        assert researcher.get(f"/research/analyses/{report.analysis_id}/{name}").status_code == 404
    without = done()
    assert researcher.get(f"/research/analyses/{without.analysis_id}/out.zip").status_code == 404


@pytest.mark.parametrize("name", ["", "out.zip", "report.html", "files/results.json"])
def test_only_researchers_have_them(client: Client, files: Path, tmp_path: Path, name: str) -> None:
    report = done()
    add_archive(report, tmp_path)
    address = f"/research/analyses/{report.analysis_id}/{name}"
    assert client.get(address).status_code == 302
    client.force_login(ManagerFactory())
    assert client.get(address).status_code == 403


# --- Two of them ------------------------------------------------------------------------------------------------------


def test_two_analyses_are_compared_metric_by_metric(researcher: Client) -> None:
    a, b = done(title="First"), done(title="Second", settings={"resampling": {"seed": 3}})
    rows = [dict(row) for row in RESULTS["correlations"] if row["metric"] != "flat"]
    for row in rows:
        row["value"] = -row["value"]
    rows += [row | {"metric": "newcomer", "value": 0.1} for row in rows if row["metric"] == "better"]
    changed = ReportFactory(
        analysis=AnalysisFactory(title="Third", state=JobState.DONE, finished_at=timezone.now()),
        results=RESULTS | {"correlations": rows},
        provenance={"inputs": {"scores.csv": "b" * 64}},
    )
    page = text(researcher, "/research/analyses/compare/", a=a.analysis_id, b=changed.analysis_id)
    for words in ("−0.94", "up 1", "down 1", "Only in A:</strong> flat", "Only in B:</strong> newcomer", "b" * 64):
        assert words in page, words
    page = text(researcher, "/research/analyses/compare/", a=a.analysis_id, b=b.analysis_id)
    assert "setting resampling.seed" in page
    assert "each in the other’s interval" in page


def test_the_compare_page_asks_for_two_and_survives_nonsense(researcher: Client) -> None:
    assert "Two finished analyses are needed" in text(researcher, "/research/analyses/compare/")
    a, _ = done(), done()
    assert "Analysis B" in text(researcher, "/research/analyses/compare/", a=a.analysis_id)
    assert researcher.get("/research/analyses/compare/", {"a": "x", "b": "9" * 30}).status_code == 200
    assert researcher.get("/research/analyses/compare/", {"a": "999999", "b": "1"}).status_code == 404


def test_two_analyses_without_a_common_criterion_say_so(researcher: Client) -> None:
    a = done()
    b = ReportFactory(analysis=AnalysisFactory(), results={"correlations": []})
    page = text(researcher, "/research/analyses/compare/", a=a.analysis_id, b=b.analysis_id)
    assert "no criterion in common" in page


# --- Preregistration --------------------------------------------------------------------------------------------------


def _promise(label_set: LabelSet, /, **changes: Any) -> dict[str, Any]:
    return {name: value for name, value in wishes(label_set, **changes).items() if name not in ("label_set", "metrics")}


def test_a_preregistration_before_labels_is_cited_by_an_analysis(researcher: Client, label_set: LabelSet) -> None:
    study = StudyFactory(code="fresh", rubric=label_set.study.rubric)
    response = researcher.post("/research/fresh/preregistrations/", _promise(label_set, title="Our promise"))
    assert response.status_code == 302
    promise = Preregistration.objects.get()
    assert promise.is_before_labels
    assert 'criterion = "naturalness"' in promise.toml
    assert AuditEvent.objects.filter(action="preregistration.frozen").exists()
    assert "before labels were frozen" in text(researcher, "/research/fresh/preregistrations/")
    frozen = LabelSetFactory(study=study, frozen=True, number=1)
    form = wishes(label_set, label_set=frozen.pk, preregistration=promise.pk, seed=77, replicates="nonsense")
    assert researcher.post("/research/fresh/analyses/new/", form).status_code == 302
    analysis = Analysis.objects.get()
    assert (analysis.preregistration, analysis.settings_hash) == (promise, promise.settings_hash)
    assert analysis.settings == promise.settings
    assert "before labels" in text(researcher, f"/research/analyses/{analysis.pk}/")


def test_a_preregistration_after_labels_says_so(researcher: Client, label_set: LabelSet) -> None:
    assert "frozen already" in text(researcher, "/research/paper/preregistrations/")
    researcher.post("/research/paper/preregistrations/", _promise(label_set))
    assert Preregistration.objects.get().labels_frozen_before == 1
    assert "after 1 label set was frozen" in text(researcher, "/research/paper/preregistrations/")


def test_a_preregistration_names_what_is_primary(researcher: Client, label_set: LabelSet) -> None:
    response = researcher.post("/research/paper/preregistrations/", _promise(label_set, criterion=""))
    assert response.status_code == 400
    assert not Preregistration.objects.exists()


def test_a_preregistration_of_another_study_is_not_offered(researcher: Client, label_set: LabelSet) -> None:
    other = PreregistrationFactory()
    response = researcher.post("/research/paper/analyses/new/", wishes(label_set, preregistration=other.pk))
    assert response.status_code == 400
    assert not Analysis.objects.exists()


# --- Tables on demand -------------------------------------------------------------------------------------------------


def test_a_long_note_is_split_into_the_reason_and_remarks_and_nothing_is_said_twice() -> None:
    told = "sign turned: lower is better; without the reference, which has no error against itself"
    row = next(row for row in RESULTS["correlations"] if row["metric"] == "better")
    rows = [
        row | {"note": f"{told}; 0.56 with the reference"},
        row | {"metric": "flat", "value": None, "note": f"undefined: constant scores; {told}"},
    ]
    facts = [fact | {"notes": [told]} for fact in RESULTS["metrics"]]
    report = ReportFactory.build(results=RESULTS | {"correlations": rows, "metrics": facts})
    better, flat = metric_rows(report, Family(row["criterion"], row["level"], row["statistic"]))
    assert better.remarks == ("0.56 with the reference",)
    assert (flat.estimate.reason, flat.remarks) == ("undefined: constant scores", ())


def test_every_statistic_comes_when_it_is_asked_for(researcher: Client) -> None:
    address = f"/research/analyses/{done().analysis_id}/"
    assert "matrix-table" not in text(researcher, address)
    page = text(researcher, f"{address}statistics/", criterion="faithfulness", level="generator", statistic="pearson")
    assert "Every statistic on faithfulness, generator by generator" in page
    assert page.index("Pearson r") < page.index("Kendall τ-b")


def test_further_tables_come_a_page_at_a_time_with_intervals_behind_their_values(researcher: Client) -> None:
    columns = ["who", "level", "value", "ci_low", "ci_high", "empty", "note"]
    rows = [[f"rater {place}", "sample", 0.5, 0.4, 0.6, None, "n" * 60] for place in range(ROWS_PER_PAGE + 1)]
    listing = {"name": "people", "title": "People", "columns": columns, "rows": rows, "note": "held out"}
    report = ReportFactory(results=RESULTS | {"listings": [listing]}, analysis=AnalysisFactory())
    address = f"/research/analyses/{report.analysis_id}/"
    assert f"{ROWS_PER_PAGE + 1} rows" in text(researcher, address)
    page = text(researcher, f"{address}tables/people/")
    assert '0.500 <span class="interval">[0.400, 0.600]</span>' in page
    assert "sample by sample" in page
    assert "CI low" not in page
    assert "empty" not in page
    assert f"rater {ROWS_PER_PAGE}" in text(researcher, f"{address}tables/people/", page=2)
    assert researcher.get(f"{address}tables/nothing/").status_code == 404


def test_agreement_has_a_column_a_criterion_and_says_why_something_is_undefined(researcher: Client) -> None:
    table = agreement_table(done())
    assert table.criteria == ("naturalness",)
    assert [row.statistic for row in table.rows] == ["Krippendorff α, ordinal"]
    assert [cell.reason for row in table.undefined for cell in row.cells if cell] == ["undefined: no two raters differ"]


def test_the_page_of_a_large_analysis_stays_small(researcher: Client) -> None:
    """30 metrics: 2,700 correlations and 5,220 comparisons."""
    names = [f"metric-{place}" for place in range(30)]
    row, pair = RESULTS["correlations"][0], RESULTS["comparisons"][0]
    families = [(criterion, f"statistic-{place}") for criterion in ("a", "b") for place in range(45)]
    results = RESULTS | {
        "correlations": [
            row | {"criterion": criterion, "statistic": statistic, "metric": name, "value": 0.123456789}
            for criterion, statistic in families
            for name in names
        ],
        "comparisons": [
            pair | {"criterion": criterion, "statistic": statistic, "metric_a": a, "metric_b": b}
            for criterion, statistic in families[:12]
            for place, a in enumerate(names)
            for b in names[:place]
        ],
    }
    report = ReportFactory(results=results, analysis=AnalysisFactory())
    assert len(text(researcher, f"/research/analyses/{report.analysis_id}/")) < 100_000
    assert len(text(researcher, f"/research/analyses/{report.analysis_id}/statistics/")) < 300_000


def test_lists_leave_the_numbers_of_reports_where_they_are(researcher: Client) -> None:
    done()
    (analysis,) = latest_analyses()
    assert analysis.report.get_deferred_fields() == {"results", "provenance"}
    assert analysis.report.finding in text(researcher, "/research/")
