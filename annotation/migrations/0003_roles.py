"""The groups of people who have an account."""

from typing import Any

from django.db import migrations

ROLES = ("manager", "researcher")


def make_groups(apps: Any, schema_editor: Any) -> None:
    group = apps.get_model("auth", "Group")
    for name in ROLES:
        group.objects.using(schema_editor.connection.alias).get_or_create(name=name)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0002_rules"), ("auth", "0012_alter_user_first_name_max_length")]
    operations = [
        # Not undone: a group may have people in it by then.
        migrations.RunPython(make_groups, migrations.RunPython.noop),
    ]
