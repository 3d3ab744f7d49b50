import django.db.models.deletion
from django.db import migrations, models

from config.constraints import AddRule, DropRule, Rule, frozen

# As 0002 made them: adding a column remakes the table on SQLite, and its triggers are gone.
_FROZEN_LABELS = [
    Rule(
        f"analysis_uses_frozen_labels_{event.lower()}",
        "metaeval_analysis",
        event,
        "the label set is not frozen",
        "EXISTS (SELECT 1 FROM annotation_labelset WHERE id = NEW.label_set_id AND frozen_at IS NULL)",
    )
    for event in ("INSERT", "UPDATE")
]
_AS_PREREGISTERED = [
    Rule(
        f"analysis_as_preregistered_{event.lower()}",
        "metaeval_analysis",
        event,
        "the settings are not those that were preregistered for this study",
        "NEW.preregistration_id IS NOT NULL AND NOT EXISTS"
        " (SELECT 1 FROM metaeval_preregistration"
        " JOIN annotation_labelset ON annotation_labelset.study_id = metaeval_preregistration.study_id"
        " WHERE metaeval_preregistration.id = NEW.preregistration_id"
        " AND metaeval_preregistration.settings_hash = NEW.settings_hash"
        " AND annotation_labelset.id = NEW.label_set_id)",
    )
    for event in ("INSERT", "UPDATE")
]


class Migration(migrations.Migration):
    dependencies = [("annotation", "0003_roles"), ("metaeval", "0002_rules")]
    operations = [
        *(DropRule(rule) for rule in _FROZEN_LABELS),
        migrations.AddField(
            model_name="analysis",
            name="doing",
            field=models.CharField(
                blank=True, help_text="what it is at, in the words of the work itself", max_length=200
            ),
        ),
        migrations.CreateModel(
            name="Preregistration",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=200)),
                ("settings", models.JSONField(help_text="analysis.toml, as data")),
                ("toml", models.TextField(help_text="analysis.toml, as it will be run")),
                ("settings_hash", models.CharField(max_length=64)),
                (
                    "labels_frozen_before",
                    models.PositiveIntegerField(help_text="label sets of the study that were frozen by then"),
                ),
                ("created_by", models.CharField(max_length=150)),
                ("frozen_at", models.DateTimeField(auto_now_add=True)),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="preregistrations",
                        to="annotation.study",
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("title", ""), _negated=True), name="preregistration_has_title"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("settings_hash__regex", "^[0-9a-f]{64}\\Z")),
                        name="preregistration_settings_hash_is_digest",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.AddField(
            model_name="analysis",
            name="preregistration",
            field=models.ForeignKey(
                blank=True,
                help_text="whose settings these are, to the letter: the database refuses others",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="analyses",
                to="metaeval.preregistration",
            ),
        ),
        migrations.CreateModel(
            name="ReportArchive",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "report",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="archive", to="metaeval.report"
                    ),
                ),
                ("file", models.FileField(max_length=200, upload_to="")),
                ("sha256", models.CharField(max_length=64)),
                ("size", models.PositiveBigIntegerField(help_text="bytes")),
                ("names", models.JSONField(help_text="the files in it, sorted")),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("sha256__regex", "^[0-9a-f]{64}\\Z")),
                        name="report_archive_sha256_is_digest",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("file", ""), _negated=True), name="report_archive_has_file"
                    ),
                    models.CheckConstraint(condition=models.Q(("size__gte", 1)), name="report_archive_is_not_empty"),
                ],
                "indexes": [],
            },
        ),
        *(AddRule(rule) for rule in _FROZEN_LABELS),
        *(AddRule(rule) for rule in _AS_PREREGISTERED),
        *frozen("metaeval_preregistration", what="a preregistration"),
        AddRule(
            Rule(
                "preregistration_counts_frozen_labels",
                "metaeval_preregistration",
                "INSERT",
                "labels_frozen_before is not the number of frozen label sets",
                "NEW.labels_frozen_before <> (SELECT COUNT(*) FROM annotation_labelset"
                " WHERE study_id = NEW.study_id AND frozen_at IS NOT NULL)",
            )
        ),
        *frozen("metaeval_reportarchive", what="a report's archive"),
    ]
