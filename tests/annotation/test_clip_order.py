"""Clips are drawn in the order in which people will want them."""

import pytest

from annotation.models import Hit
from annotation.services.assignments import assignment_take
from annotation.services.clips import FIRST_ITEMS, NEXT_HITS, SOME_TIME, SOMEBODY_WAITS, study_order_clips
from config.jobs.services import job_claim
from rendering.models import RenderJob
from tests.annotation.campaign import enrol, open_study, rate_all

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def priorities(hit: Hit) -> set[int]:
    jobs = RenderJob.objects.filter(clip__motion__samples__hit_positions__hit=hit)
    return set(jobs.values_list("priority", flat=True))


def test_publishing_puts_the_first_hits_before_the_rest() -> None:
    study = open_study(prompts=12, generators=2, ratings_per_sample=1, gold=1)
    first, *_, last = study.batches.get().hits.order_by("number")
    assert priorities(first) == {NEXT_HITS}
    assert priorities(last) == {SOME_TIME}


def test_what_a_seated_rater_will_see_goes_before_everything_gold_included() -> None:
    study = open_study(prompts=12, generators=2, ratings_per_sample=1)
    assignment = assignment_take(enrolment=enrol(study))
    jobs = RenderJob.objects.filter(clip__items__assignment=assignment)
    assert jobs.count() == 6
    assert min(jobs.values_list("priority", flat=True)) == SOMEBODY_WAITS
    others = RenderJob.objects.exclude(pk__in=jobs)
    assert max(others.values_list("priority", flat=True)) < SOMEBODY_WAITS


def test_the_clips_that_a_seated_rater_sees_first_are_drawn_first() -> None:
    study = open_study(prompts=12, generators=2, ratings_per_sample=1)
    assignment = assignment_take(enrolment=enrol(study))
    drawn = [job.clip_id for job in iter(lambda: job_claim(RenderJob), None)]
    wanted = list(assignment.items.order_by("position").values_list("clip", flat=True))
    assert drawn[:FIRST_ITEMS] == wanted[:FIRST_ITEMS]
    assert set(drawn[: len(wanted)]) == set(wanted)


def test_ordering_again_forgets_those_who_are_done() -> None:
    study = open_study(prompts=12, generators=2, ratings_per_sample=1)
    done = rate_all(enrol(study))
    study_order_clips(study=study)
    assert priorities(done.seat.hit) == {SOME_TIME}
    next_hit = study.batches.get().hits.exclude(pk=done.seat.hit_id).order_by("number")[0]
    assert priorities(next_hit) == {NEXT_HITS}


def test_when_seats_are_taken_the_hits_after_them_become_the_next() -> None:
    study = open_study(prompts=24, generators=2, ratings_per_sample=1, gold=1)
    hits = list(study.batches.get().hits.order_by("number"))
    assert [priorities(hit) for hit in hits[3:6]] == [{NEXT_HITS}, {SOME_TIME}, {SOME_TIME}]
    for name in ("anna", "bert"):
        assignment_take(enrolment=enrol(study, name))
    assert all(min(priorities(hit)) >= SOMEBODY_WAITS for hit in hits[:2])
    assert [priorities(hit) for hit in hits[2:7]] == [{NEXT_HITS}] * 4 + [{SOME_TIME}]


def test_a_clip_that_somebody_waits_for_is_not_put_back_by_the_next_rater() -> None:
    study = open_study(prompts=2, generators=2, ratings_per_sample=2, samples_per_hit=4, gold=1)
    assignment_take(enrolment=enrol(study, "anna"))  # both HITs show the same four samples
    before = dict(RenderJob.objects.values_list("pk", "priority"))
    assert min(before.values()) >= SOMEBODY_WAITS
    assignment_take(enrolment=enrol(study, "bert"))
    after = dict(RenderJob.objects.values_list("pk", "priority"))
    assert all(after[pk] >= priority for pk, priority in before.items())


def test_gold_is_drawn_with_the_next_hits_because_every_one_shows_some() -> None:
    study = open_study(prompts=12, generators=2, ratings_per_sample=1, gold=2)
    gold = RenderJob.objects.filter(clip__motion__samples__gold__study=study)
    assert set(gold.values_list("priority", flat=True)) == {NEXT_HITS}
