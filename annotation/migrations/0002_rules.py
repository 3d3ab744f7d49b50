"""What a column or a row alone cannot promise."""

from django.db import migrations

from config.constraints import AddRule, Rule, frozen


def refused(name: str, table: str, message: str, condition: str) -> list[AddRule]:
    """The same rule for a new row and for a changed one."""
    return [
        AddRule(Rule(f"{name}_{event.lower()}", table, event, message, condition)) for event in ("INSERT", "UPDATE")
    ]


NOT_AN_OPTION = (
    "NOT EXISTS (SELECT 1 FROM annotation_option WHERE criterion_id = NEW.criterion_id AND value = NEW.value)"
)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [
        # Frozen means frozen.
        *frozen("annotation_labelset", what="a frozen label set", condition="OLD.frozen_at IS NOT NULL"),
        *frozen("annotation_label", what="a label"),
        *frozen("annotation_labelsetmark", what="the mark on a label set"),
        AddRule(
            Rule(
                "label_joins_unfrozen_set",
                "annotation_label",
                "INSERT",
                "a frozen label set takes no more labels",
                "EXISTS (SELECT 1 FROM annotation_labelset WHERE id = NEW.label_set_id AND frozen_at IS NOT NULL)",
            )
        ),
        # An answer is an answer to a question that its study asks.
        *refused(
            "rating_value_is_an_option",
            "annotation_rating",
            "the value is not an option of the criterion",
            NOT_AN_OPTION,
        ),
        *refused(
            "gold_answer_is_an_option",
            "annotation_goldanswer",
            "the value is not an option of the criterion",
            NOT_AN_OPTION,
        ),
        AddRule(
            Rule(
                "rating_answers_its_studys_question",
                "annotation_rating",
                "INSERT",
                "the criterion is not asked by the study",
                "NOT EXISTS (SELECT 1 FROM annotation_item item"
                " JOIN annotation_enrolment enrolment ON enrolment.id = item.enrolment_id"
                " JOIN annotation_study study ON study.id = enrolment.study_id"
                " JOIN annotation_criterion criterion ON criterion.rubric_id = study.rubric_id"
                " WHERE item.id = NEW.item_id AND criterion.id = NEW.criterion_id AND criterion.formula = '')",
            )
        ),
        *(
            AddRule(
                Rule(
                    f"option_chosen_no_{event.lower()}",
                    "annotation_option",
                    event,
                    f"an option that a rating chose refuses {event}",
                    "EXISTS (SELECT 1 FROM annotation_rating"
                    " WHERE criterion_id = OLD.criterion_id AND value = OLD.value)",
                )
            )
            for event in ("UPDATE", "DELETE")
        ),
        # Columns that repeat or follow from another table agree with it.
        *refused(
            "assignment_stays_in_its_study",
            "annotation_assignment",
            "the rater is not enrolled in the study of the seat",
            "NOT EXISTS (SELECT 1 FROM annotation_enrolment enrolment"
            " JOIN annotation_batch batch ON batch.study_id = enrolment.study_id"
            " JOIN annotation_hit hit ON hit.batch_id = batch.id"
            " JOIN annotation_seat seat ON seat.hit_id = hit.id"
            " WHERE enrolment.id = NEW.enrolment_id AND seat.id = NEW.seat_id)",
        ),
        AddRule(
            Rule(
                "assignment_keeps_its_rater",
                "annotation_assignment",
                "UPDATE",
                "an assignment stays with its rater",
                "NEW.enrolment_id <> OLD.enrolment_id",
            )
        ),
        AddRule(
            Rule(
                "gold_keeps_its_sample",
                "annotation_gold",
                "UPDATE",
                "gold stays with its sample and its study",
                "NEW.sample_id <> OLD.sample_id OR NEW.study_id <> OLD.study_id",
            )
        ),
        *refused(
            "item_belongs_to_its_rater",
            "annotation_item",
            "the enrolment of the item is not that of its assignment",
            "NOT EXISTS (SELECT 1 FROM annotation_assignment"
            " WHERE id = NEW.assignment_id AND enrolment_id = NEW.enrolment_id)",
        ),
        *refused(
            "item_shows_its_gold",
            "annotation_item",
            "the item does not show its gold, or the gold is of another study",
            "NEW.gold_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_gold gold"
            " JOIN annotation_enrolment enrolment ON enrolment.study_id = gold.study_id"
            " WHERE gold.id = NEW.gold_id AND gold.sample_id = NEW.sample_id AND enrolment.id = NEW.enrolment_id)",
        ),
    ]
