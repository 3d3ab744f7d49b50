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
        # An answer is an answer to its question.
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
        # Columns that repeat another table agree with it.
        *refused(
            "item_belongs_to_its_rater",
            "annotation_item",
            "the item's enrolment is not its assignment's",
            "NOT EXISTS (SELECT 1 FROM annotation_assignment"
            " WHERE id = NEW.assignment_id AND enrolment_id = NEW.enrolment_id)",
        ),
        *refused(
            "item_shows_its_gold",
            "annotation_item",
            "the item's sample is not its gold's",
            "NEW.gold_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_gold"
            " WHERE id = NEW.gold_id AND sample_id = NEW.sample_id)",
        ),
    ]
