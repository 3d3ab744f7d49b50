"""A study's backend.

Added in SQL: on SQLite Django would make the table anew, and the triggers of 0002 that name it would stop it.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0003_roles"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE annotation_study ADD COLUMN backend varchar(20) NOT NULL DEFAULT 'stick'",
                    "ALTER TABLE annotation_study DROP COLUMN backend",
                ),
            ],
            state_operations=[
                migrations.AddField(
                    model_name="study",
                    name="backend",
                    field=models.CharField(db_default="stick", default="stick", max_length=20),
                ),
            ],
        ),
    ]
