import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("annotation", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Metric",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.SlugField(max_length=80)),
                ("version", models.CharField(default="1", max_length=40)),
                ("title", models.CharField(blank=True, max_length=120)),
                ("family", models.CharField(blank=True, max_length=40)),
                ("level", models.CharField(choices=[("sample", "Sample"), ("generator", "Generator")], max_length=10)),
                (
                    "direction",
                    models.CharField(
                        choices=[
                            ("higher", "higher is better"),
                            ("lower", "lower is better"),
                            ("target", "nearest to the reference's value is best"),
                        ],
                        max_length=10,
                    ),
                ),
                ("is_reference_based", models.BooleanField(default=False)),
                ("units", models.CharField(blank=True, max_length=40)),
                ("citation", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["name", "version"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("name", ""), _negated=True), name="metric_has_name"),
                    models.CheckConstraint(
                        condition=models.Q(("version", ""), _negated=True), name="metric_has_version"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("level__in", ["sample", "generator"])), name="metric_level_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("direction__in", ["higher", "lower", "target"])),
                        name="metric_direction_known",
                    ),
                    models.UniqueConstraint(fields=("name", "version"), name="metric_version_once"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Judge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "metric",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="judge", to="metaeval.metric"
                    ),
                ),
                ("model", models.CharField(max_length=120)),
                ("instructions", models.TextField()),
                ("parameters", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("model", ""), _negated=True), name="judge_has_model"),
                    models.CheckConstraint(
                        condition=models.Q(("instructions", ""), _negated=True), name="judge_has_instructions"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Score",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "metric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="scores", to="metaeval.metric"
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.sample",
                    ),
                ),
                (
                    "generator",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.generator",
                    ),
                ),
                (
                    "study",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="scores",
                        to="annotation.study",
                    ),
                ),
                (
                    "subset",
                    models.CharField(blank=True, help_text="a sub-split of the generator's samples", max_length=60),
                ),
                ("value", models.FloatField(blank=True, null=True)),
                ("undefined_reason", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("generator__isnull", True),
                                ("sample__isnull", False),
                                ("study__isnull", True),
                                ("subset", ""),
                            ),
                            models.Q(("generator__isnull", False), ("sample__isnull", True), ("study__isnull", False)),
                            _connector="OR",
                        ),
                        name="score_of_a_sample_or_a_generator",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("undefined_reason", ""), ("value__isnull", False)),
                            models.Q(("value__isnull", True), models.Q(("undefined_reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="score_has_value_or_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value__isnull", True),
                            models.Q(("value__gt", -1.7e308), ("value__lt", 1.7e308)),
                            _connector="OR",
                        ),
                        name="score_is_finite",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("sample__isnull", False)),
                        fields=("metric", "sample"),
                        name="score_once_per_sample",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("generator__isnull", False)),
                        fields=("metric", "study", "generator", "subset"),
                        name="score_once_per_generator",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Analysis",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("priority", models.SmallIntegerField(default=0, help_text="higher goes first")),
                ("attempt", models.PositiveSmallIntegerField(default=0)),
                ("max_attempts", models.PositiveSmallIntegerField(default=3)),
                (
                    "not_before",
                    models.DateTimeField(default=django.utils.timezone.now, help_text="a retry waits until then"),
                ),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                (
                    "worker",
                    models.CharField(blank=True, help_text="machine and process that has or had it", max_length=100),
                ),
                ("progress", models.FloatField(default=0.0)),
                ("cancel_requested", models.BooleanField(default=False)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("title", models.CharField(max_length=200)),
                (
                    "label_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="analyses", to="annotation.labelset"
                    ),
                ),
                ("settings", models.JSONField(blank=True, default=dict, help_text="analysis.toml, as data")),
                ("settings_hash", models.CharField(max_length=64)),
                ("seed", models.PositiveBigIntegerField(default=0)),
                ("created_by", models.CharField(max_length=150)),
                ("metrics", models.ManyToManyField(related_name="analyses", to="metaeval.metric")),
            ],
            options={
                "verbose_name_plural": "analyses",
                "ordering": ["-id"],
                "abstract": False,
                "indexes": [models.Index(fields=["state", "-priority", "id"], name="analysis_claim")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "running", "done", "failed", "cancelled"])),
                        name="analysis_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(
                                ("lease_until__isnull", False),
                                ("state", "running"),
                                models.Q(("worker", ""), _negated=True),
                            ),
                            models.Q(models.Q(("state", "running"), _negated=True), ("lease_until__isnull", True)),
                            _connector="OR",
                        ),
                        name="analysis_leased_while_running",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed", "cancelled"])),
                            models.Q(("finished_at__isnull", True), ("state__in", ["waiting", "running"])),
                            _connector="OR",
                        ),
                        name="analysis_finished_has_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(("error", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="analysis_failure_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("progress__gte", 0), ("progress__lte", 1)),
                        name="analysis_progress_is_share",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("attempt__lte", models.F("max_attempts"))),
                        name="analysis_attempts_are_limited",
                    ),
                    models.CheckConstraint(condition=models.Q(("title", ""), _negated=True), name="analysis_has_title"),
                    models.CheckConstraint(
                        condition=models.Q(("settings_hash__regex", "^[0-9a-f]{64}\\Z")),
                        name="analysis_settings_hash_is_digest",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "analysis",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="report", to="metaeval.analysis"
                    ),
                ),
                ("finding", models.TextField(help_text="the answer in words")),
                ("results", models.JSONField()),
                ("provenance", models.JSONField(help_text="hashes of the inputs, versions, the command")),
                ("content_hash", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("content_hash__regex", "^[0-9a-f]{64}\\Z")), name="report_hash_is_digest"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("finding", ""), _negated=True), name="report_has_finding"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Probe",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "metric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="probes", to="metaeval.metric"
                    ),
                ),
                (
                    "kind",
                    models.CharField(choices=[("event_order", "event order"), ("negation", "Negation")], max_length=20),
                ),
                ("parameters", models.JSONField(blank=True, default=dict)),
                ("input_hash", models.CharField(help_text="of the texts and parameters it was run on", max_length=64)),
                ("seed", models.PositiveBigIntegerField()),
                ("texts", models.PositiveIntegerField(default=0, help_text="how many texts it was tried on")),
                ("value", models.FloatField(blank=True, null=True)),
                ("undefined_reason", models.CharField(blank=True, max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["event_order", "negation"])), name="probe_kind_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("input_hash__regex", "^[0-9a-f]{64}\\Z")), name="probe_input_hash_is_digest"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value__isnull", True),
                            models.Q(("value__gt", -1.7e308), ("value__lt", 1.7e308)),
                            _connector="OR",
                        ),
                        name="probe_is_finite",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("undefined_reason", ""), ("value__isnull", False)),
                            models.Q(("value__isnull", True), models.Q(("undefined_reason", ""), _negated=True)),
                            _connector="OR",
                        ),
                        name="probe_has_value_or_reason",
                    ),
                    models.UniqueConstraint(fields=("metric", "kind", "input_hash", "seed"), name="probe_run_once"),
                ],
                "indexes": [],
            },
        ),
    ]
