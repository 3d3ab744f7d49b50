"""How much of the clip was played before an answer.

Added in SQL: on SQLite Django would make the table anew, and the triggers of 0002 that name it would be gone.
"""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0004_study_backend"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE annotation_rating ADD COLUMN coverage double precision NULL"
                    " CONSTRAINT rating_coverage_is_share CHECK (coverage >= 0 AND coverage <= 1)",
                    "ALTER TABLE annotation_rating DROP COLUMN coverage",
                ),
            ],
            state_operations=[
                migrations.AddField(
                    model_name="rating",
                    name="coverage",
                    field=models.FloatField(
                        blank=True,
                        help_text="share of the clip that was played before; unknown without JavaScript",
                        null=True,
                    ),
                ),
                migrations.AddConstraint(
                    model_name="rating",
                    constraint=models.CheckConstraint(
                        condition=Q(coverage__isnull=True) | Q(coverage__gte=0, coverage__lte=1),
                        name="rating_coverage_is_share",
                    ),
                ),
            ],
        ),
    ]
