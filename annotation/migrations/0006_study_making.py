"""When a study first went live: what accepts its pilot, and what a pause has to return to.

A column that may be null is added without making the table anew, so no trigger of 0002 is lost on SQLite.
"""

from django.db import migrations, models

# Before this there was no way to pause a pilot that did not end live.
_WERE_LIVE = """
UPDATE annotation_study SET went_live_at = created_at WHERE state IN ('live', 'paused', 'closed')
"""


class Migration(migrations.Migration):
    dependencies = [
        ("annotation", "0005_rater_page"),
    ]

    operations = [
        migrations.AddField(
            model_name="study",
            name="went_live_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunSQL(_WERE_LIVE, migrations.RunSQL.noop),
    ]
