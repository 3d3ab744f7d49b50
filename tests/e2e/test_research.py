"""A researcher in a real browser: asks for an analysis, watches it, sorts, charts, reads, compares, takes it home."""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation import links
from annotation.models import LabelSet
from annotation.services.labels import label_set_freeze
from config.jobs.models import JobState
from metaeval.models import Analysis, Report
from metaeval.services.analyses import analysis_run_next
from tests.e2e.results import RESULTS, add_archive
from tests.e2e.small_study import ITEMS, SmallStudy, let_time_pass
from tests.e2e.test_every_page import LOOKS, check
from tests.factories import AnalysisFactory, MetricFactory, PreregistrationFactory, ReportFactory, ScoreFactory
from tests.factories import ResearcherFactory as Researcher

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def label_set(made: SmallStudy) -> LabelSet:
    client, link = Client(), links.personal_path(made.study, made.rater)
    client.post(link, {"consent": "yes"})
    for position in range(1, ITEMS + 1):
        client.get(f"{link}rate/")
        let_time_pass()
        client.post(f"{link}rate/", {"item": str(position), "naturalness": str(3 + position % 2), "faithfulness": "3"})
    client.post(f"{link}review/")
    metrics = [MetricFactory(name=name) for name in ("matching", "jitter")]
    for place, sample in enumerate(made.samples):
        for metric in metrics:
            ScoreFactory(sample=sample, metric=metric, value=place / 10)
    return label_set_freeze(study=made.study, actor="user:test")


@pytest.fixture
def report(label_set: LabelSet, tmp_path: Path) -> Report:
    return finished(label_set, tmp_path / "first")


def finished(label_set: LabelSet, folder: Path, **options: Any) -> Report:
    analysis = AnalysisFactory(label_set=label_set, state=JobState.DONE, finished_at=timezone.now(), **options)
    report = ReportFactory(analysis=analysis, results=RESULTS, finding="better follows people best.")
    add_archive(report, folder)
    return report


def test_an_analysis_is_asked_for_followed_and_read(
    open_page: Callable[..., Page], label_set: LabelSet, tmp_path: Path
) -> None:
    page = open_page(user=Researcher())
    page.goto("/research/small/")
    page.get_by_role("link", name="New analysis").click()
    expect(page.get_by_role("radio", name="Label set 1")).to_be_checked()
    expect(page.get_by_role("checkbox", name="matching")).to_be_checked()
    page.get_by_label("Title").fill("Main table")
    page.get_by_role("button", name="Start analysis").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    analysis = Analysis.objects.get(title="Main table")
    Analysis.objects.filter(pk=analysis.pk).update(
        state=JobState.RUNNING, worker="w", lease_until=timezone.now(), progress=0.4, doing="bootstrap, 3 of 12"
    )
    expect(page.get_by_text("Bootstrap, 3 of 12 · 40 %")).to_be_visible()
    add_archive(ReportFactory(analysis=analysis, results=RESULTS, finding="better follows people best."), tmp_path)
    Analysis.objects.filter(pk=analysis.pk).update(
        state=JobState.DONE, worker="", lease_until=None, finished_at=timezone.now()
    )
    expect(page.get_by_text("better follows people best.").first).to_be_visible()
    expect(page.locator("#progress")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_real_command_is_run_and_everything_it_wrote_is_shown(
    open_page: Callable[..., Page], label_set: LabelSet, tmp_path: Path
) -> None:
    page = open_page(user=Researcher(), accept_downloads=True)
    page.goto("/research/small/analyses/new/")
    page.get_by_label("Title").fill("For real")
    page.get_by_label("Primary criterion").select_option("naturalness")
    page.get_by_label("Bootstrap replicates").fill("50")
    page.get_by_label("Permutations").fill("49")
    page.get_by_role("button", name="Start analysis").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()
    analysis = Analysis.objects.get(title="For real")
    assert analysis_run_next()
    analysis.refresh_from_db()
    assert (analysis.state, analysis.error) == (JobState.DONE, "")
    assert analysis.report.results["settings_hash"] == analysis.settings_hash
    expect(page.get_by_text(analysis.report.finding).first).to_be_visible()
    expect(page.locator("#main-table tbody tr")).to_have_count(2)
    page.locator("iframe").scroll_into_view_if_needed()
    expect(page.frame_locator("iframe").locator("h1").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all").click()
    download.value.save_as(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        names = set(archive.namelist())
    wanted = {"report.html", "results.json", "provenance.json", "analysis.toml", "tables/correlations.csv"}
    assert wanted <= names
    assert any(name.startswith("figures/") for name in names)
    assert any(name.startswith("inputs/") for name in names)
    assert Axe().run(page).violations_count == 0


def test_a_waiting_analysis_is_cancelled_and_run_after_all(open_page: Callable[..., Page], label_set: LabelSet) -> None:
    analysis = AnalysisFactory(label_set=label_set)
    page = open_page(user=Researcher())
    page.goto(f"/research/analyses/{analysis.pk}/")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("The analysis was cancelled.")).to_be_visible()
    page.get_by_role("button", name="Run it after all").click()
    expect(page.get_by_text("Waiting for a worker.")).to_be_visible()


def metrics_in(page: Page) -> list[str]:
    return page.locator("#main-table tbody tr:visible").evaluate_all("rows => rows.map(row => row.dataset.metric)")


def test_the_table_sorts_and_filters_and_other_numbers_come_without_a_reload(
    open_page: Callable[..., Page], report: Report
) -> None:
    page = open_page(user=Researcher())
    page.goto(f"/research/analyses/{report.analysis_id}/")
    page.evaluate("window.stayed = true")
    value = page.locator("#main-table thead button", has_text="Spearman")
    value.click()
    value.click()
    assert metrics_in(page) == ["worse", "better", "flat"]  # ascending; what is undefined stays last
    expect(page.locator("#main-table th[aria-sort=ascending]")).to_have_count(1)
    page.get_by_label("Metric contains").fill("bett")
    assert metrics_in(page) == ["better"]
    expect(page.locator(".chart svg .points path")).to_have_count(1)  # the chart shows what the table shows
    page.get_by_label("Criterion", exact=True).select_option("faithfulness")
    expect(page.get_by_text("Spearman ρ on faithfulness, sample by sample.", exact=True)).to_be_visible()
    page.get_by_label("Level").select_option("generator")
    expect(page.get_by_text("Spearman ρ on faithfulness, generator by generator.", exact=True)).to_be_visible()
    assert metrics_in(page) == ["worse", "better", "flat"]
    expect(page.locator("#main-table thead button", has_text="Spearman")).to_be_visible()
    assert "level=generator" in page.url
    assert page.evaluate("window.stayed")


def test_further_tables_come_when_they_are_opened(open_page: Callable[..., Page], report: Report) -> None:
    page = open_page(user=Researcher())
    page.goto(f"/research/analyses/{report.analysis_id}/")
    expect(page.locator("#matrix-table")).to_have_count(0)
    page.get_by_text("Every statistic on naturalness").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#matrix-table tbody tr")).to_have_count(3)
    page.locator("#matrix-table thead button", has_text="Pearson").click()
    expect(page.locator("#matrix-table th[aria-sort=descending]")).to_have_count(1)
    page.get_by_text("Held-out people").click()
    expect(page.get_by_role("cell", name="0.660")).to_be_visible()
    assert Axe().run(page).violations_count == 0


def test_pairs_of_metrics_are_paged_and_filtered(open_page: Callable[..., Page], report: Report) -> None:
    page = open_page(user=Researcher())
    page.goto(f"/research/analyses/{report.analysis_id}/")
    rows = page.locator("#comparison-table tbody tr")
    expect(rows).to_have_count(20)
    page.locator("#comparisons-found").get_by_role("link", name="Next").click()
    expect(rows).to_have_count(5)
    page.get_by_label("With the metric").press_sequentially("rival-25")
    expect(rows).to_have_count(1)


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_the_chart_is_drawn_as_svg_within_the_policy(
    open_page: Callable[..., Page], report: Report, look: dict[str, Any]
) -> None:
    page = open_page(user=Researcher(), **look)
    page.goto(f"/research/analyses/{report.analysis_id}/")
    chart = page.locator(".chart[data-drawn]")
    expect(chart).to_be_visible()
    expect(chart.locator("svg .points path")).to_have_count(2)
    expect(chart.locator("canvas")).to_have_count(0)
    box = chart.bounding_box()
    assert box is not None
    svg = chart.locator("svg").first.bounding_box()
    assert svg is not None
    assert svg["width"] <= box["width"] + 1
    page.get_by_label("Criterion", exact=True).select_option("faithfulness")
    expect(page.locator(".chart[data-drawn][data-label*=faithfulness] svg .points path")).to_have_count(2)
    assert Axe().run(page).violations_count == 0


def test_the_report_shows_in_a_frame_that_cannot_reach_us(open_page: Callable[..., Page], report: Report) -> None:
    page = open_page(user=Researcher())
    page.goto(f"/research/analyses/{report.analysis_id}/")
    page.locator("iframe").scroll_into_view_if_needed()
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="The report")).to_be_visible()
    expect(frame.locator("#said")).to_have_text("script ran at null")  # an origin of its own
    assert frame.locator("h1").evaluate("h => getComputedStyle(h).color") == "rgb(1, 2, 3)"


def test_all_files_are_downloaded_as_a_zip(open_page: Callable[..., Page], report: Report, tmp_path: Path) -> None:
    page = open_page(user=Researcher(), accept_downloads=True)
    page.goto(f"/research/analyses/{report.analysis_id}/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all").click()
    download.value.save_as(tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert {"report.html", "tables/correlations.csv"} <= set(archive.namelist())


def test_two_analyses_are_compared(open_page: Callable[..., Page], report: Report, tmp_path: Path) -> None:
    other = finished(report.analysis.label_set, tmp_path / "second", title="Another seed", settings={"seed": 2})
    page = open_page(user=Researcher())
    page.goto(f"/research/analyses/{report.analysis_id}/")
    page.get_by_role("link", name="Compare with another analysis").click()
    page.get_by_label("Analysis B").select_option(str(other.analysis_id))
    page.get_by_role("button", name="Compare").click()
    expect(page.locator("#pair-table tbody tr")).to_have_count(3)
    page.get_by_label("Statistic").select_option("pearson")
    expect(page.get_by_role("region", name="Pearson r on naturalness")).to_be_visible()
    expect(page.get_by_text("setting seed")).to_be_visible()


def test_a_promise_is_frozen_and_cited(open_page: Callable[..., Page], label_set: LabelSet) -> None:
    page = open_page(user=Researcher())
    page.goto("/research/small/preregistrations/")
    page.get_by_label("Title").fill("Our promise")
    page.get_by_role("button", name="Freeze it").click()
    expect(page.get_by_text("after 1 label set was frozen")).to_be_visible()
    page.get_by_role("link", name="Analyse").click()
    page.get_by_role("button", name="Start analysis").click()
    expect(page.get_by_text("after labels were frozen")).to_be_visible()


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_no_page_has_a_barrier(
    open_page: Callable[..., Page], report: Report, look: dict[str, Any], tmp_path: Path
) -> None:
    PreregistrationFactory(study=report.analysis.label_set.study)
    other = finished(report.analysis.label_set, tmp_path / "second")
    running = AnalysisFactory(
        label_set=report.analysis.label_set,
        state=JobState.RUNNING,
        worker="w",
        lease_until=timezone.now(),
        doing="bootstrap",
    )
    page = open_page(user=Researcher(), **look)
    for path in (
        "/research/",
        "/research/small/",
        "/research/small/analyses/new/",
        "/research/small/preregistrations/",
        f"/research/analyses/{report.analysis_id}/",
        f"/research/analyses/{running.pk}/",
        f"/research/analyses/compare/?a={report.analysis_id}&b={other.analysis_id}",
    ):
        check(page, path)
    page.goto("/research/small/analyses/new/")
    page.get_by_label("Title").fill("")
    page.get_by_role("button", name="Start analysis").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert Axe().run(page).violations_count == 0
