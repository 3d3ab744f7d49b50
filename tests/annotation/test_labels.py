import hashlib

import pytest

from annotation.errors import AnnotationError
from annotation.models import Item, Label, LabelSet
from annotation.rubric_presets import BINARY
from annotation.services.gold import gold_set
from annotation.services.labels import label_set_freeze
from tests.annotation.campaign import ACTOR, GOOD, enrol, open_study, rate_all

pytestmark = pytest.mark.django_db


def test_labels_are_the_means_of_accepted_ratings_without_gold() -> None:
    study = open_study(prompts=2, generators=2, ratings_per_sample=2)
    rate_all(enrol(study, "anna"), {"naturalness": 4, "faithfulness": 3})
    rate_all(enrol(study, "clicker"), {"naturalness": 0, "faithfulness": 0})  # fails gold
    rate_all(enrol(study, "ben"), {"naturalness": 3, "faithfulness": 4})
    label_set = label_set_freeze(study=study, actor=ACTOR)
    assert set(label_set.labels.values_list("criterion__code", "value", "ratings")) == {
        ("naturalness", 3.5, 2),
        ("faithfulness", 3.5, 2),
    }
    gold = set(study.gold.values_list("sample", flat=True))
    assert not gold & set(label_set.labels.values_list("sample", flat=True))
    assert label_set.counts == {
        "collected": 36,
        "submitted": 36,
        "not_gold": 24,
        "main_batches": 24,
        "accepted": 16,
        "this_rubric": 16,
        "labels": 8,
    }


def test_a_derived_criterion_is_computed_per_rater_and_then_averaged() -> None:
    study = open_study(
        prompts=2,
        generators=2,
        rubric=BINARY,
        gold_answers={"naturalness": 1, "faithfulness": 1},
        gold_per_hit=0,
        gold=0,
    )
    rate_all(enrol(study, "anna"), {"naturalness": 1, "faithfulness": 0})
    rate_all(enrol(study, "ben"), {"naturalness": 1, "faithfulness": 1})
    label_set = label_set_freeze(study=study, actor=ACTOR)
    # Averaged first, 1 and 0.5 would both be true: alignment would be 1.
    assert set(label_set.labels.filter(criterion__code="alignment").values_list("value", flat=True)) == {0.5}


def test_the_same_labels_have_the_same_hash_and_others_another() -> None:
    study = open_study()
    rate_all(enrol(study, "anna"))
    first, second = (label_set_freeze(study=study, actor=ACTOR) for _ in range(2))
    assert (first.number, second.number) == (1, 2)
    assert first.content_hash == second.content_hash
    rate_all(enrol(study, "ben"), {"naturalness": 3, "faithfulness": 4})
    assert label_set_freeze(study=study, actor=ACTOR).content_hash != first.content_hash


def test_without_accepted_ratings_nothing_is_frozen() -> None:
    study = open_study()
    with pytest.raises(AnnotationError, match="no accepted ratings"):
        label_set_freeze(study=study, actor=ACTOR)
    assert not LabelSet.objects.exists()
    assert not Label.objects.exists()
    assert not Item.objects.exists()


def test_an_unknown_aggregation_is_named() -> None:
    with pytest.raises(AnnotationError, match="expected mean, found 'medain'"):
        label_set_freeze(study=open_study(), aggregation="medain", actor=ACTOR)


def test_a_sample_that_became_gold_later_leaves_the_labels() -> None:
    study = open_study()
    rated = rate_all(enrol(study))
    sample = rated.items.filter(gold=None)[0].sample
    gold_set(study=study, sample=sample, answers=GOOD, actor=ACTOR)
    assert not label_set_freeze(study=study, actor=ACTOR).labels.filter(sample=sample).exists()


def test_the_accepted_ratings_are_kept_with_the_labels() -> None:
    study = open_study()
    rate_all(enrol(study, "anna"))
    label_set = label_set_freeze(study=study, actor=ACTOR)
    rate_all(enrol(study, "ben"), {"naturalness": 3, "faithfulness": 4})
    with label_set.ratings_file.open() as file:
        content = file.read()
    assert hashlib.sha256(content).hexdigest() == label_set.ratings_hash
    rows = content.decode().splitlines()
    assert rows[0] == "sample,prompt,generator,rater,criterion,value"
    assert len(rows) == 1 + 8
