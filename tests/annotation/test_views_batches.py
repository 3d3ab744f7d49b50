"""Batches: what is shown before anything is written is what is made, and what it costs is what it pays."""

import re
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation.errors import AnnotationError
from annotation.models import (
    Assignment,
    Batch,
    BatchKind,
    BatchState,
    Decision,
    Hit,
    HitPosition,
    Seat,
    Study,
)
from annotation.selectors.batch_preview import BatchWish, as_wish, batch_preview
from annotation.selectors.batches import batch_progress
from annotation.services.batches import batch_create, batch_discard, batch_publish
from annotation.services.gold import gold_set
from config.audit.models import AuditEvent
from tests.annotation.campaign import ACTOR, GOOD, enrol, open_study, rate_all
from tests.factories import (
    GeneratorFactory,
    ManagerFactory,
    PromptFactory,
    ResearcherFactory,
    SampleFactory,
    StudySampleFactory,
)

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def manager(files: Path) -> Client:
    client = Client()
    client.force_login(ManagerFactory())
    return client


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


def change(study: Study, **settings: object) -> Study:
    Study.objects.filter(pk=study.pk).update(**settings)
    return Study.objects.get(pk=study.pk)


def written() -> tuple[int, ...]:
    models = (Batch, Hit, HitPosition, Seat, AuditEvent)
    return tuple(model._default_manager.count() for model in models)


def form_of(page: str) -> dict[str, str]:
    """The hidden fields behind "Make n HITs"."""
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page)) | {}


# --- Who --------------------------------------------------------------------------------------------------------------


def test_only_managers_see_batches_and_only_they_make_them(client: Client) -> None:
    base = f"/manage/{open_study().code}/batches/"
    for path in (base, f"{base}new/", f"{base}1/"):
        assert client.get(path)["Location"].startswith("/accounts/login/")
    client.force_login(ResearcherFactory())
    for path in (f"{base}new/", f"{base}1/publish/", f"{base}1/discard/"):
        assert client.post(path).status_code == 403
    assert client.get(base).status_code == 403


# --- The preview ------------------------------------------------------------------------------------------------------


def test_looking_writes_nothing_and_what_was_looked_at_is_made(manager: Client) -> None:
    study = open_study(prompts=6, generators=3)
    new = f"/manage/{study.code}/batches/new/"
    before = written()
    page = text(manager.get(f"{new}?seed=77&platform=prolific"))
    assert written() == before
    preview = batch_preview(study, BatchWish(seed=77))
    assert "Make 10 HITs" in page
    made = text(manager.post(new, form_of(page), follow=True))
    assert "Batch 2 is made. No rater sees it before you publish it." in made
    batch = study.batches.get(number=2)
    assert (batch.seed, batch.platform, batch.state) == (77, "prolific", BatchState.DRAFT)
    planned = [list(plan.positions) for plan in preview.plan.hits]
    assert [list(hit.positions.values_list("sample", flat=True)) for hit in batch.hits.all()] == planned
    assert Seat.objects.filter(hit__batch=batch).count() == preview.plan.seats == 10


def test_another_seed_is_another_composition_and_the_same_is_the_same() -> None:
    study = open_study(prompts=6, generators=3)
    digests = [batch_preview(study, BatchWish(seed=seed)).plan.digest for seed in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def test_nothing_is_made_when_the_study_changed_since_the_preview(manager: Client) -> None:
    study = open_study(prompts=6, generators=3)
    new = f"/manage/{study.code}/batches/new/"
    form = form_of(text(manager.get(new)))
    StudySampleFactory(study=study)
    before = written()
    response = manager.post(new, form)
    assert response.status_code == 422
    assert "have changed since this preview. Nothing was made" in text(response)
    assert written() == before
    assert "is made" in text(manager.post(new, form_of(text(response)), follow=True))


def test_the_preview_counts_generators_prompts_and_gold() -> None:
    study = open_study(prompts=8, generators=3, gold=3, samples_per_hit=12, gold_per_hit=2)
    preview = batch_preview(study, BatchWish(seed=5))
    assert (preview.plan.seats, preview.passes, str(preview.summary.samples)) == (4, 2, "12")
    assert [(row.samples, str(row.per_hit)) for row in preview.generators] == [(8, "4")] * 3
    assert (preview.prompts, str(preview.summary.gold)) == (8, "2")
    # 8 prompts of 3 samples in 2 HITs: one too many each, in each of the 2 passes.
    assert preview.summary.prompts_again == preview.summary.prompts_again_at_least == 16


def test_the_page_says_how_often_a_prompt_must_come_twice(manager: Client) -> None:
    study = open_study(prompts=8, generators=3, samples_per_hit=12)
    page = text(manager.get(f"/manage/{study.code}/batches/new/"))
    assert "16 times a prompt comes again in the same HIT: it has more samples than there are HITs" in page
    assert "none comes twice" in text(manager.get(f"/manage/{change(study, samples_per_hit=4).code}/batches/new/"))


def test_a_pilot_of_a_few_hits_has_every_seat_of_them_so_that_agreement_can_be_told(manager: Client) -> None:
    study = open_study(prompts=6, generators=3, ratings_per_sample=3)
    new = f"/manage/{study.code}/batches/new/"
    page = text(manager.get(f"{new}?kind=pilot&hits=2"))
    assert "each HIT has 3 seats" in page
    manager.post(new, form_of(page))
    batch = study.batches.get(number=2)
    assert (batch.kind, batch.hits.count()) == (BatchKind.PILOT, 2)
    assert [hit.seats.count() for hit in batch.hits.all()] == [3, 3]


def test_what_makes_no_sense_in_the_address_is_the_default() -> None:
    assert as_wish({"seed": "x", "kind": "?", "hits": "3"}, seed=4) == BatchWish(4, BatchKind.MAIN, None)
    assert as_wish({"seed": "9" * 30}, seed=4).seed == 4
    assert as_wish({"kind": "pilot", "hits": "0"}, seed=4) == BatchWish(4, BatchKind.PILOT, 1)
    assert as_wish({"kind": "pilot"}, seed=4).hits == 2


# --- Hours and money --------------------------------------------------------------------------------------------------


def test_before_a_pilot_a_clip_takes_15_seconds_and_the_words_are_read() -> None:
    study = change(open_study(prompts=6, generators=2, pay_per_hit="1.00"), purpose="word " * 200)
    preview = batch_preview(study, BatchWish(seed=1))
    words = int(re.search(r"(\d+) words", preview.effort.words)[1])  # type: ignore[index]
    assert words > 300
    assert preview.effort.seconds_per_hit == pytest.approx(6 * 15 + words * 60 / 200)
    assert preview.hours == pytest.approx(preview.plan.seats * preview.effort.seconds_per_hit / 3600)
    assert preview.money.cost == preview.plan.seats * Decimal("1.00")


def test_a_pilots_median_is_believed_more(manager: Client) -> None:
    study = open_study(prompts=6, generators=2)
    pilot = batch_create(study=study, seed=3, kind=BatchKind.PILOT, hits=1, actor=ACTOR)
    Batch.objects.filter(number=1).update(state=BatchState.CLOSED)
    batch_publish(batch=pilot, actor=ACTOR)
    for name, seconds in (("anna", 60), ("ben", 180)):
        done = rate_all(enrol(study, name))
        Assignment.objects.filter(pk=done.pk).update(submitted_at=done.taken_at + timedelta(seconds=seconds))
    preview = batch_preview(study, BatchWish(seed=1))
    assert preview.effort.seconds_per_hit == pytest.approx(120)  # 6 clips of 10 and of 30 s
    assert "the pilot&#x27;s median, 20 s a clip, from 2 assignments" in text(
        manager.get(f"/manage/{study.code}/batches/new/")
    )


def test_pay_below_the_floor_is_warned_of_with_the_pay_that_reaches_it(manager: Client) -> None:
    study = change(open_study(prompts=6, generators=2), pay_per_hit="0.10", hourly_floor="12.00")
    money = batch_preview(study, BatchWish(seed=1)).money
    assert money.is_below_floor
    path = f"/manage/{study.code}/batches/new/"
    page = text(manager.get(path))
    assert "The pay is below the study's floor of 12.00 USD an hour." in page
    assert f"{money.pay_for_floor} a HIT would reach the floor" in page
    fair = change(study, pay_per_hit=money.pay_for_floor)
    assert not batch_preview(fair, BatchWish(seed=1)).money.is_below_floor
    assert "below the study's floor" not in text(manager.get(path))


# --- What stands in the way -------------------------------------------------------------------------------------------


def test_too_little_gold_is_said_before_and_refused_at_publishing(manager: Client) -> None:
    study = change(open_study(gold=2), gold_per_hit=3)
    base = f"/manage/{study.code}/batches/"
    page = text(manager.get(f"{base}new/"))
    assert "Each HIT wants 3 gold samples, and the study has 2. Add gold first." in page
    manager.post(f"{base}new/", form_of(page))
    response = manager.post(f"{base}2/publish/")
    assert response.status_code == 422
    assert study.batches.get(number=2).state == BatchState.DRAFT


def test_a_cap_smaller_than_a_hit_is_said_before(manager: Client) -> None:
    study = change(open_study(prompts=6, generators=3), rater_share=0.1)
    page = text(manager.get(f"/manage/{study.code}/batches/new/"))
    assert "One rater may be given 10% of the study's 18 samples, which is 1, but a HIT has 4" in page.replace(
        "&#x27;", "'"
    )


def test_a_study_without_samples_says_so_and_makes_nothing(manager: Client) -> None:
    study = open_study(gold=1, gold_per_hit=1)
    study.places.exclude(sample__in=study.gold.values("sample")).update(is_active=False)
    new = f"/manage/{study.code}/batches/new/"
    assert "There is nothing to rate" in text(manager.get(new))
    assert manager.post(new).status_code == 422


def test_a_closed_study_gets_no_more_batches(manager: Client) -> None:
    study = open_study()
    draft = batch_create(study=study, seed=2, actor=ACTOR)
    study = change(study, state="closed")
    assert manager.post(f"/manage/{study.code}/batches/new/").status_code == 422
    with pytest.raises(AnnotationError, match="closed"):
        batch_publish(batch=draft, actor=ACTOR)


def test_gold_that_changes_is_no_longer_dealt() -> None:
    study = open_study()
    sample = study.places.exclude(sample__in=study.gold.values("sample")).first()
    assert sample is not None
    gold_set(study=study, sample=sample.sample, answers=GOOD, actor=ACTOR)
    batch = batch_create(study=study, seed=2, actor=ACTOR)
    assert not HitPosition.objects.filter(hit__batch=batch, sample=sample.sample).exists()


# --- The list and one batch -------------------------------------------------------------------------------------------


def test_the_list_shows_progress_and_cost_so_far(manager: Client) -> None:
    study = open_study(pay_per_hit="1.25")
    rate_all(enrol(study))
    left_out = rate_all(enrol(study, "ben"), {"naturalness": 0, "faithfulness": 0})
    assert left_out.use_data == Decision.NO
    progress = batch_progress(study.batches.get())
    assert (progress.seats, progress.done, progress.submitted) == (4, 1, 2)
    assert (progress.cost_so_far, progress.cost_planned) == (Decimal("2.50"), Decimal("5.00"))
    page = text(manager.get(f"/manage/{study.code}/batches/"))
    assert "1 of 4" in page
    assert "2.50 USD" in page
    refused = Assignment.objects.get(pk=left_out.pk)
    refused.pay, refused.decision_reason = Decision.NO, "no work was done"
    refused.save()
    assert batch_progress(study.batches.get()).cost_so_far == Decimal("1.25")


def test_a_draft_is_published_or_discarded_once(manager: Client) -> None:
    study = open_study()
    for number in (2, 3):
        batch_create(study=study, seed=number, actor=ACTOR)
    base = f"/manage/{study.code}/batches/"
    assert "Look and publish" in text(manager.get(base))
    page = text(manager.post(f"{base}2/publish/", follow=True))
    assert "Batch 2 is published." in page
    assert "Discard" not in page
    again = manager.post(f"{base}2/publish/")
    assert (again.status_code, "only a draft can be published" in text(again)) == (422, True)
    assert manager.post(f"{base}2/discard/").status_code == 422
    assert "Draft 3 is discarded." in text(manager.post(f"{base}3/discard/", follow=True))
    assert manager.get(f"{base}3/").status_code == 404
    assert AuditEvent.objects.get(action="batch.discarded").details["number"] == 3


def test_discarding_takes_no_batch_that_was_published() -> None:
    with pytest.raises(AnnotationError, match="only a draft can be discarded"):
        batch_discard(batch=open_study().batches.get(), actor=ACTOR)


def test_a_batch_shows_its_terms_and_where_gold_stands(manager: Client) -> None:
    study = change(open_study(), lease_minutes=99, gold_failures_allowed=1)
    page = text(manager.get(f"/manage/{study.code}/batches/1/"))
    assert "30 minutes after the last answer" in page
    assert "an assignment fails when more than 0 of its 2 gold questions fail" in page
    hit = Hit.objects.get(batch__study=study, number=1)
    gold = hit.positions.filter(sample=None).values_list("position", flat=True)
    assert f'<td class="nowrap">{", ".join(map(str, gold))}</td>' in page


def test_a_preview_of_many_samples_is_quick() -> None:
    study = open_study(gold=5, samples_per_hit=20, ratings_per_sample=3)
    generators = [GeneratorFactory() for _ in range(5)]
    for _ in range(60):
        prompt = PromptFactory()
        for generator in generators:
            StudySampleFactory(study=study, sample=SampleFactory(prompt=prompt, generator=generator))
    start = timezone.now()
    preview = batch_preview(study, BatchWish(seed=1))
    assert (timezone.now() - start).total_seconds() < 2
    assert preview.summary.prompts_again == 0
