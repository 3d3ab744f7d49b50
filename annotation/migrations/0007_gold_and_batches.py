"""How the gold rule counts, and why a gold sample was taken out.

Added in SQL: on SQLite Django would make the tables anew, and the triggers of 0002 that name them would stop it. The
check stands with its column, so that dropping the column drops it too, on both databases.
"""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0006_study_making"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE annotation_study ADD COLUMN gold_counting varchar(10) NOT NULL DEFAULT 'question'"
                    " CONSTRAINT study_gold_counting_known CHECK (gold_counting IN ('question', 'rating'))",
                    "ALTER TABLE annotation_study DROP COLUMN gold_counting",
                ),
                migrations.RunSQL(
                    "ALTER TABLE annotation_gold ADD COLUMN inactive_reason text NOT NULL DEFAULT ''",
                    "ALTER TABLE annotation_gold DROP COLUMN inactive_reason",
                ),
            ],
            state_operations=[
                migrations.AddField(
                    model_name="study",
                    name="gold_counting",
                    field=models.CharField(
                        choices=[("question", "gold questions"), ("rating", "single answers")],
                        db_default="question",
                        default="question",
                        help_text="what the gold rule counts as failed",
                        max_length=10,
                    ),
                ),
                migrations.AddConstraint(
                    model_name="study",
                    constraint=models.CheckConstraint(
                        condition=Q(("gold_counting__in", ["question", "rating"])), name="study_gold_counting_known"
                    ),
                ),
                migrations.AddField(
                    model_name="gold",
                    name="inactive_reason",
                    field=models.TextField(
                        blank=True, db_default="", default="", help_text="why raters no longer meet it"
                    ),
                ),
            ],
        ),
    ]
