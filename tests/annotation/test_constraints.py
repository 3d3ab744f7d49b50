"""Every constraint of the human half, broken on purpose: the database refuses, not Python."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models import Model, ProtectedError
from django.utils import timezone

from annotation.models import (
    Assignment,
    GoldAnswer,
    HitPosition,
    Item,
    Label,
    LabelSet,
    LabelSetMark,
    Option,
    Rating,
)
from tests.config.refusals import Breaks, promises, refused, truncate_breaks
from tests.factories import (
    AssignmentFactory,
    BatchFactory,
    CriterionFactory,
    EnrolmentFactory,
    GeneratorFactory,
    GoldAnswerFactory,
    GoldFactory,
    HitFactory,
    HitPositionFactory,
    ItemFactory,
    LabelFactory,
    LabelSetFactory,
    LabelSetMarkFactory,
    OptionFactory,
    PlatformIdentityFactory,
    PromptFactory,
    RaterFactory,
    RatingFactory,
    RubricFactory,
    SampleFactory,
    SeatFactory,
    StudyFactory,
    StudySampleFactory,
)


def change(row: Model, **columns: object) -> int:
    """UPDATE by the database alone: no save(), no validation."""
    return type(row)._default_manager.filter(pk=row.pk).update(**columns)


def _a_second_active_assignment() -> Assignment:
    first = AssignmentFactory()
    return AssignmentFactory(enrolment=first.enrolment, seat__hit=first.seat.hit)


def _the_same_seat_after_leaving_it() -> Assignment:
    first = AssignmentFactory(state="expired", holds_seat=False, lease_until=None)
    return AssignmentFactory(seat=first.seat, enrolment=first.enrolment)


def _the_same_sample_in_another_hit() -> Item:
    first = ItemFactory(assignment__submitted=True)
    second = AssignmentFactory(enrolment=first.enrolment, seat__hit__batch=first.assignment.seat.hit.batch)
    return ItemFactory(assignment=second, sample=first.sample)


def _the_same_sample_again() -> object:
    first = SampleFactory()
    return SampleFactory(prompt=first.prompt, generator=first.generator, motion=first.motion)


def _the_same_text_in_another_prompt() -> object:
    first = PromptFactory(corpus="kit")
    return PromptFactory(corpus="kit", text=first.text)


def _the_same_label_again() -> Label:
    first = LabelFactory()
    return LabelFactory(label_set=first.label_set, sample=first.sample, criterion=first.criterion)


def _an_identity_shared_by_two_raters() -> object:
    first = PlatformIdentityFactory()
    return PlatformIdentityFactory(platform=first.platform, platform_id=first.platform_id)


def _a_second_identity_on_one_platform() -> object:
    first = PlatformIdentityFactory()
    return PlatformIdentityFactory(platform=first.platform, rater=first.rater)


def _the_same_pseudonym_for_another_rater() -> object:
    first = EnrolmentFactory()
    return EnrolmentFactory(study=first.study, pseudonym=first.pseudonym)


def _the_same_rater_enrolled_again() -> object:
    first = EnrolmentFactory()
    return EnrolmentFactory(study=first.study, rater=first.rater)


def _gold_item(**columns: object) -> Item:
    assignment = AssignmentFactory()
    return ItemFactory(assignment=assignment, gold=GoldFactory(study=assignment.enrolment.study), **columns)


def _a_rating_of_another_studys_question() -> object:
    return RatingFactory(criterion=CriterionFactory(options=[1, 2, 3, 4, 5]))


def _a_rating_of_what_is_computed() -> object:
    item = ItemFactory()
    rubric = item.assignment.seat.hit.batch.study.rubric
    return RatingFactory(item=item, criterion=CriterionFactory(rubric=rubric, formula="a and b", options=[4]))


def _chosen_option() -> Option:
    rating = RatingFactory()
    return Option.objects.get(criterion=rating.criterion, value=rating.value)


def _another_rater_of(assignment: Assignment) -> object:
    return EnrolmentFactory(study=assignment.enrolment.study)


def _a_label_moved_to_another_set() -> int:
    return change(LabelFactory(), label_set=LabelSetFactory())


def _a_label_for_a_frozen_set() -> Label:
    return LabelFactory(label_set=LabelSetFactory(frozen=True))


NOW = timezone.now()

BREAKS: Breaks = {
    # Prompts, generators, samples
    "prompt.code": lambda: PromptFactory(code=PromptFactory().code),
    "prompt_has_code": lambda: PromptFactory(code=""),
    "prompt_has_text": lambda: PromptFactory(text=" \n\t"),
    "prompt_text_hash_is_digest": lambda: PromptFactory(text_hash="x" * 64),
    "prompt_text_once_per_corpus": _the_same_text_in_another_prompt,
    "generator.name": lambda: GeneratorFactory(name=GeneratorFactory().name),
    "generator_has_name": lambda: GeneratorFactory(name=""),
    "sample.code": lambda: SampleFactory(code=SampleFactory().code),
    "sample_has_code": lambda: SampleFactory(code=""),
    "sample_once": _the_same_sample_again,
    # Rubrics
    "rubric_has_name": lambda: RubricFactory(name=""),
    "rubric_version_from_one": lambda: RubricFactory(version=0),
    "rubric_version_once": lambda: RubricFactory(name=RubricFactory().name),
    "criterion_has_code": lambda: CriterionFactory(code=""),
    "criterion_scale_known": lambda: CriterionFactory(scale="stars"),
    "criterion_code_once_per_rubric": lambda: [
        CriterionFactory(rubric=rubric, code="faithful") for rubric in [RubricFactory()] * 2
    ],
    "criterion_position_once_per_rubric": lambda: [
        CriterionFactory(rubric=rubric, position=1) for rubric in [RubricFactory()] * 2
    ],
    "criterion_asked_or_derived": lambda: CriterionFactory(question="", formula=""),
    "option_has_label": lambda: OptionFactory(label=""),
    "option_value_once_per_criterion": lambda: CriterionFactory(options=[1, 1]),
    # Studies
    "study.code": lambda: StudyFactory(code=StudyFactory().code),
    "study_has_code": lambda: StudyFactory(code=""),
    "study_has_salt": lambda: StudyFactory(salt=""),
    "study_state_known": lambda: StudyFactory(state="open"),
    "study_gold_counting_known": lambda: StudyFactory(gold_counting="luck"),
    "study_rates_each_sample": lambda: StudyFactory(ratings_per_sample=0),
    "study_hit_has_samples": lambda: StudyFactory(samples_per_hit=0),
    "study_lease_lasts": lambda: StudyFactory(lease_minutes=0),
    "study_pay_not_negative": lambda: StudyFactory(pay_per_hit="-0.01"),
    "study_consent_version_from_one": lambda: StudyFactory(consent_version=0),
    "study_gold_rule_can_fail": lambda: StudyFactory(gold_per_hit=2, gold_failures_allowed=2),
    "study_floor_not_negative": lambda: StudyFactory(hourly_floor=-1),
    "study_rater_share_is_share": lambda: StudyFactory(rater_share=0),
    "study_sample_once": lambda: [
        StudySampleFactory(study=place.study, sample=place.sample) for place in [StudySampleFactory()]
    ],
    # Gold
    "gold_once_per_study": lambda: [GoldFactory(study=gold.study, sample=gold.sample) for gold in [GoldFactory()]],
    "gold_answer_once_per_criterion": lambda: [
        GoldAnswerFactory(gold=answer.gold, criterion=answer.criterion) for answer in [GoldAnswerFactory()]
    ],
    "gold_tolerance_not_negative": lambda: GoldAnswerFactory(tolerance=-1),
    "gold_answer_is_an_option_insert": lambda: GoldAnswerFactory(value=6),
    "gold_answer_is_an_option_update": lambda: change(GoldAnswerFactory(), value=6),
    # Batches, HITs, seats
    "batch_number_from_one": lambda: BatchFactory(number=0),
    "batch_kind_known": lambda: BatchFactory(kind="trial"),
    "batch_state_known": lambda: BatchFactory(published=True, state="open"),
    "batch_platform_known": lambda: BatchFactory(platform="post"),
    "batch_pay_not_negative": lambda: BatchFactory(pay_per_hit="-1"),
    "batch_number_once_per_study": lambda: [BatchFactory(study=study, number=1) for study in [StudyFactory()] * 2],
    "batch_published_has_time": lambda: BatchFactory(published=True, published_at=None),
    "hit_number_from_one": lambda: HitFactory(number=0),
    "hit_pass_from_one": lambda: HitFactory(pass_number=0),
    "hit_number_once_per_batch": lambda: [HitFactory(batch=batch, number=1) for batch in [BatchFactory()] * 2],
    "hit_position_from_one": lambda: HitPositionFactory(position=0),
    "hit_position_once": lambda: [HitPositionFactory(hit=hit, position=1) for hit in [HitFactory()] * 2],
    "hit_sample_once": lambda: [
        HitPositionFactory(hit=place.hit, sample=place.sample) for place in [HitPositionFactory()]
    ],
    "seat_number_from_one": lambda: SeatFactory(number=0),
    "seat_number_once_per_hit": lambda: [SeatFactory(hit=hit, number=1) for hit in [HitFactory()] * 2],
    # Raters
    "rater.public_id": lambda: RaterFactory(public_id=RaterFactory().public_id),
    "identity_platform_known": lambda: PlatformIdentityFactory(platform="post"),
    "identity_has_id": lambda: PlatformIdentityFactory(platform_id=""),
    "identity_belongs_to_one_rater": _an_identity_shared_by_two_raters,
    "identity_once_per_platform": _a_second_identity_on_one_platform,
    "enrolment_has_pseudonym": lambda: EnrolmentFactory(pseudonym=""),
    "enrolment_consent_version_from_one": lambda: EnrolmentFactory(consent_version=0),
    "enrolment_once_per_study": _the_same_rater_enrolled_again,
    "enrolment_pseudonym_once_per_study": _the_same_pseudonym_for_another_rater,
    "enrolment_block_has_reason": lambda: EnrolmentFactory(blocked_at=NOW),
    # Assignments and items
    "assignment.completion_code": lambda: AssignmentFactory(completion_code=AssignmentFactory().completion_code),
    "assignment_state_known": lambda: AssignmentFactory(state="lost", lease_until=None),
    "assignment_use_data_known": lambda: AssignmentFactory(use_data="maybe"),
    "assignment_pay_known": lambda: AssignmentFactory(pay="maybe"),
    "assignment_invite_again_known": lambda: AssignmentFactory(invite_again="maybe"),
    "seat_held_once": lambda: AssignmentFactory(seat=AssignmentFactory().seat),
    "rater_has_one_active_assignment": _a_second_active_assignment,
    "rater_takes_a_seat_once": _the_same_seat_after_leaving_it,
    "assignment_leased_while_active": lambda: AssignmentFactory(lease_until=None),
    "assignment_submitted_has_time": lambda: AssignmentFactory(submitted=True, submitted_at=None),
    "assignment_gold_counts_agree": lambda: AssignmentFactory(gold_shown=2, gold_failed=3),
    "assignment_refusal_has_reason": lambda: AssignmentFactory(submitted=True, pay="no"),
    "item_position_from_one": lambda: ItemFactory(position=0),
    "item_occasion_from_one": lambda: ItemFactory(occasion=0),
    "item_position_once": lambda: [
        ItemFactory(assignment=assignment, position=1) for assignment in [AssignmentFactory()] * 2
    ],
    "rater_sees_a_sample_once": _the_same_sample_in_another_hit,
    "assignment_stays_in_its_study_insert": lambda: AssignmentFactory(enrolment=EnrolmentFactory()),
    "assignment_stays_in_its_study_update": lambda: change(AssignmentFactory(), seat=SeatFactory()),
    "assignment_keeps_its_rater": lambda: [
        change(assignment, enrolment=_another_rater_of(assignment)) for assignment in [AssignmentFactory()]
    ],
    "gold_keeps_its_sample": lambda: change(GoldFactory(), sample=SampleFactory()),
    "item_belongs_to_its_rater_insert": lambda: ItemFactory(enrolment=EnrolmentFactory()),
    "item_belongs_to_its_rater_update": lambda: change(ItemFactory(), enrolment=EnrolmentFactory()),
    "item_shows_its_gold_insert": lambda: _gold_item(sample=SampleFactory()),
    "item_shows_its_gold_update": lambda: change(_gold_item(), sample=SampleFactory()),
    # Ratings
    "rating_once_per_item_and_criterion": lambda: [
        RatingFactory(item=rating.item, criterion=rating.criterion) for rating in [RatingFactory()]
    ],
    "rating_clip_key_is_digest": lambda: RatingFactory(clip_key=""),
    "rating_answered_after_shown": lambda: RatingFactory(shown_at=NOW, answered_at=NOW - timedelta(seconds=1)),
    "rating_revision_from_one": lambda: RatingFactory(revision=0),
    "rating_coverage_is_share": lambda: RatingFactory(coverage=1.01),
    "rating_answers_its_studys_question": _a_rating_of_another_studys_question,
    "option_chosen_no_update": lambda: change(_chosen_option(), label="something else"),
    "option_chosen_no_delete": lambda: _chosen_option().delete(),
    "rating_value_is_an_option_insert": lambda: RatingFactory(value=6),
    "rating_value_is_an_option_update": lambda: change(RatingFactory(), value=0),
    # Labels
    "label_set_number_from_one": lambda: LabelSetFactory(number=0),
    "label_set_number_once_per_study": lambda: [
        LabelSetFactory(study=study, number=1) for study in [StudyFactory()] * 2
    ],
    "label_set_frozen_has_hash": lambda: LabelSetFactory(frozen=True, content_hash=""),
    "label_once": _the_same_label_again,
    "label_has_ratings": lambda: LabelFactory(ratings=0),
    "label_is_finite": lambda: LabelFactory(value=float("inf")),
    "label_joins_unfrozen_set": _a_label_for_a_frozen_set,
    "label_set_mark_kind_known": lambda: LabelSetMarkFactory(kind="lost"),
    "label_set_mark_has_reason": lambda: LabelSetMarkFactory(reason=""),
    "annotation_labelset_no_update": lambda: change(LabelSetFactory(frozen=True), aggregation="median"),
    "annotation_labelset_no_delete": lambda: LabelSetFactory(frozen=True).delete(),
    "annotation_label_no_update": lambda: change(LabelFactory(), value=5.0),
    "annotation_label_no_delete": lambda: LabelFactory().delete(),
    "annotation_labelsetmark_no_update": lambda: change(LabelSetMarkFactory(), reason="another"),
    "annotation_labelsetmark_no_delete": lambda: LabelSetMarkFactory().delete(),
    **truncate_breaks(LabelSet, Label, LabelSetMark),
}

VARIANTS: list[tuple[str, Callable[[], object]]] = [
    ("study_rater_share_is_share", lambda: StudyFactory(rater_share=1.01)),
    ("batch_published_has_time", lambda: BatchFactory(published_at=NOW)),
    ("batch_published_has_time", lambda: BatchFactory(state="closed")),
    ("assignment_leased_while_active", lambda: AssignmentFactory(holds_seat=False)),
    ("assignment_leased_while_active", lambda: AssignmentFactory(submitted=True, lease_until=NOW)),
    ("assignment_leased_while_active", lambda: change(AssignmentFactory(), lease_until=None)),
    ("rating_answers_its_studys_question", _a_rating_of_what_is_computed),
    ("gold_keeps_its_sample", lambda: change(GoldFactory(), study=StudyFactory())),
    ("item_shows_its_gold_insert", lambda: ItemFactory(gold=GoldFactory())),
    ("rating_value_is_an_option_update", lambda: change(RatingFactory(), criterion=CriterionFactory())),
    ("gold_answer_is_an_option_update", lambda: change(GoldAnswerFactory(), criterion=CriterionFactory())),
    ("item_shows_its_gold_update", lambda: change(ItemFactory(), gold=GoldFactory())),
    ("label_is_finite", lambda: LabelFactory(value=float("-inf"))),
    ("annotation_labelset_no_update", lambda: change(LabelSetFactory(frozen=True), frozen_at=None)),
    ("annotation_label_no_update", _a_label_moved_to_another_set),
]


def test_every_promise_is_tested() -> None:
    assert set(BREAKS) == set(promises("annotation"))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "break_it"),
    [*BREAKS.items(), *VARIANTS],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_database_refuses(name: str, break_it: Callable[[], object]) -> None:
    with refused(promises("annotation")[name]):
        break_it()


# What the constraints must leave possible


@pytest.mark.django_db
def test_a_hit_has_many_places_for_gold() -> None:
    hit = HitFactory()
    for _ in range(3):
        HitPositionFactory(hit=hit, sample=None)
    assert HitPosition.objects.filter(hit=hit, sample=None).count() == 3


@pytest.mark.django_db
def test_a_seat_that_was_given_back_is_taken_by_another_rater() -> None:
    first = AssignmentFactory(state="expired", holds_seat=False, lease_until=None)
    second = AssignmentFactory(seat=first.seat)
    assert list(first.seat.assignments.filter(holds_seat=True)) == [second]


@pytest.mark.django_db
def test_a_rater_who_comes_back_late_is_surplus_beside_the_new_one() -> None:
    late = AssignmentFactory(submitted=True, holds_seat=False)
    AssignmentFactory(seat=late.seat)
    assert late.seat.assignments.count() == 2


@pytest.mark.django_db
def test_a_retest_and_gold_may_show_a_sample_again() -> None:
    first = ItemFactory()
    ItemFactory(assignment=first.assignment, sample=first.sample, occasion=2)
    gold = GoldFactory(sample=first.sample, study=first.enrolment.study)
    for _ in range(2):
        ItemFactory(assignment=first.assignment, gold=gold)
    assert Item.objects.filter(sample=first.sample).count() == 4


@pytest.mark.django_db
def test_the_same_text_stands_in_two_corpora() -> None:
    first = PromptFactory(corpus="kit")
    PromptFactory(corpus="humanml3d", text=first.text)


@pytest.mark.django_db
def test_a_label_set_is_filled_and_then_frozen() -> None:
    labels = LabelFactory()
    frozen = LabelSetFactory.build(frozen=True)
    assert change(labels.label_set, frozen_at=frozen.frozen_at, content_hash=frozen.content_hash) == 1
    with refused(promises("annotation")["label_joins_unfrozen_set"]):
        LabelFactory(label_set=labels.label_set)
    assert LabelSet.objects.get().labels.count() == 1


@pytest.mark.django_db
def test_a_frozen_set_is_marked_beside_itself() -> None:
    mark = LabelSetMarkFactory()
    LabelSetMarkFactory(label_set=mark.label_set, kind="superseded")
    assert LabelSetMark.objects.filter(label_set=mark.label_set).count() == 2


# What is used stays


@pytest.mark.django_db
@pytest.mark.parametrize(
    "used",
    [
        lambda: SampleFactory().prompt,
        lambda: SampleFactory().generator,
        lambda: SampleFactory().motion,
        lambda: StudyFactory().rubric,
        lambda: StudySampleFactory().sample,
        lambda: GoldFactory().sample,
        lambda: HitPositionFactory().sample,
        lambda: AssignmentFactory().seat,
        lambda: AssignmentFactory().seat.hit.batch.study,
        lambda: ItemFactory().sample,
        lambda: ItemFactory().clip,
        lambda: _gold_item().gold,
        lambda: RatingFactory().criterion,
        lambda: LabelSetFactory().study,
        lambda: LabelFactory().label_set,
        lambda: LabelFactory().criterion,
    ],
)
def test_what_others_stand_on_is_not_deleted(used: Callable[[], Model]) -> None:
    with pytest.raises(ProtectedError):
        used().delete()


@pytest.mark.django_db
def test_a_rater_who_withdraws_takes_their_ratings_along() -> None:
    rating = RatingFactory()
    rating.item.enrolment.rater.delete()
    assert not Rating.objects.exists()
    assert not Item.objects.exists()
    assert not Assignment.objects.exists()


@pytest.mark.django_db
def test_gold_answers_keep_to_their_own_criterion() -> None:
    answer = GoldAnswerFactory()
    Option.objects.filter(criterion=answer.criterion, value=3).delete()
    with refused(promises("annotation")["gold_answer_is_an_option_update"]):
        change(answer, value=3)
    assert GoldAnswer.objects.get().value == 5
