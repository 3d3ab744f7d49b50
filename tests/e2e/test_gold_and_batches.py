"""A manager makes gold, looks at a batch and publishes it, in a browser; with and without JavaScript."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from annotation.models import BatchState, Study
from annotation.services.gold import gold_deactivate, gold_set
from tests.e2e.small_study import SmallStudy
from tests.e2e.test_every_page import LOOKS, check
from tests.factories import ManagerFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

ACTOR = "user:test"
GOLD = "/manage/small/gold/"
BATCHES = "/manage/small/batches/"


def every_kind(made: SmallStudy) -> None:
    """Gold in the middle, gold at the ends, gold that was taken out; pay below the floor."""
    gold_set(study=made.study, sample=made.samples[0], answers={"naturalness": 2, "faithfulness": 3}, actor=ACTOR)
    out = gold_set(study=made.study, sample=made.samples[1], answers={"naturalness": 0, "faithfulness": 0}, actor=ACTOR)
    gold_deactivate(gold=out, reason="two experts disagreed", actor=ACTOR)
    Study.objects.filter(pk=made.study.pk).update(hourly_floor="50.00", gold_per_hit=2, gold_failures_allowed=1)


@pytest.mark.parametrize("look", LOOKS)
def test_every_page_of_gold_and_batches(open_page: Callable[..., Page], made: SmallStudy, look: str) -> None:
    page = open_page(user=ManagerFactory(), **LOOKS[look])
    for path in (GOLD, f"{GOLD}{made.samples[2].pk}/", BATCHES, f"{BATCHES}new/", f"{BATCHES}1/"):
        check(page, path)
    every_kind(made)
    for path in (GOLD, f"{GOLD}{made.gold.pk}/", f"{GOLD}{made.samples[1].pk}/"):
        check(page, path)
    check(page, GOLD)
    expect(page.get_by_text("2 of 4 gold answers lie in the middle")).to_be_visible()
    check(page, f"{BATCHES}new/?kind=pilot&hits=1&seed=5")
    expect(page.get_by_text("The pay is below the study's floor")).to_be_visible()


@pytest.mark.parametrize("scripts", [True, False], ids=["with JavaScript", "without JavaScript"])
def test_from_a_sample_to_a_published_batch(open_page: Callable[..., Page], made: SmallStudy, scripts: bool) -> None:
    page = open_page(user=ManagerFactory(), java_script_enabled=scripts)
    page.goto(GOLD)
    page.get_by_label("Prompt contains").fill("four")
    page.get_by_role("button", name="Search").click()
    choices = page.locator("#gold-choices tbody tr")
    expect(choices).to_have_count(1)
    page.get_by_role("link", name="Set answers").click()
    natural = page.get_by_role("group", name="How natural is the movement?")
    natural.get_by_text("0 Not at all").click()
    page.get_by_role("group", name="How well does the movement match").get_by_text("1 Hardly").click()
    page.get_by_label("Tolerance for naturalness").fill("0")
    page.get_by_label("Why is this the right answer?").fill("The figure floats.")
    page.get_by_role("button", name="Make it gold").click()
    expect(page.get_by_role("status")).to_contain_text("is gold now")
    row = page.locator("#gold tbody tr", has_text="four")
    expect(row).to_contain_text("0 ± 0")
    expect(row).to_contain_text("The figure floats.")

    page.get_by_label("Gold in a HIT").fill("2")
    page.get_by_label("Failures allowed").fill("1")
    page.get_by_role("button", name="Save the rule").click()
    expect(page.get_by_text("more than 1 of its 2 gold questions fail").first).to_be_visible()

    page.goto(BATCHES)
    page.get_by_role("link", name="New batch").click()
    page.get_by_label("Seed").fill("99")
    page.get_by_role("button", name="Look again").click()
    assert made.study.batches.count() == 1
    page.get_by_role("button", name="Make 1 HIT").click()
    expect(page.get_by_role("heading", name="Batch 2")).to_be_visible()
    assert made.study.batches.get(number=2).seed == 99
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status")).to_contain_text("Batch 2 is published.")
    assert made.study.batches.get(number=2).state == BatchState.PUBLISHED


def test_a_gold_clip_plays_on_a_click(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(user=ManagerFactory())
    page.goto(GOLD)
    page.evaluate("window.stayed = true")
    page.locator("#gold a.thumb").first.click()
    expect(page.locator("#gold video")).to_be_visible()
    page.get_by_label("Generator").select_option("mocap-truth")
    expect(page.locator("#gold-choices tbody tr")).to_have_count(2)
    assert page.evaluate("window.stayed")


def test_gold_is_taken_out_with_a_reason(open_page: Callable[..., Page], made: SmallStudy) -> None:
    every_kind(made)
    page = open_page(user=ManagerFactory())
    page.goto(f"{GOLD}{made.samples[0].pk}/")
    page.get_by_label("Why?").fill("not clear enough")
    page.get_by_role("button", name="Take it out").click()
    row: Any = page.locator("#gold tbody tr", has_text="not clear enough")
    expect(row).to_contain_text("taken out")
    expect(row.get_by_role("link", name="Use again")).to_be_visible()
