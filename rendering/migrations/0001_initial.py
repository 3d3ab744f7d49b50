import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Motion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("content_hash", models.CharField(max_length=64, unique=True)),
                ("file", models.FileField(max_length=200, upload_to="")),
                ("frames", models.PositiveIntegerField()),
                ("fps", models.FloatField()),
                (
                    "source",
                    models.CharField(
                        blank=True, help_text="where it came from: a file name, or the code", max_length=300
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("content_hash__regex", "^[0-9a-f]{64}\\Z")), name="motion_hash_is_digest"
                    ),
                    models.CheckConstraint(condition=models.Q(("frames__gte", 1)), name="motion_has_frames"),
                    models.CheckConstraint(
                        condition=models.Q(("fps__gt", 0), ("fps__lte", 240)), name="motion_fps_in_range"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Clip",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=64, unique=True)),
                (
                    "motion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="clips", to="rendering.motion"
                    ),
                ),
                ("look", models.CharField(max_length=40)),
                ("view", models.CharField(max_length=40)),
                ("pixels", models.PositiveSmallIntegerField()),
                ("backend", models.CharField(max_length=20)),
                ("renderer_version", models.CharField(max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[("planned", "Planned"), ("ready", "Ready")], default="planned", max_length=10
                    ),
                ),
                ("file", models.FileField(blank=True, max_length=200, upload_to="")),
                ("poster", models.FileField(blank=True, max_length=200, upload_to="")),
                ("file_hash", models.CharField(blank=True, max_length=64)),
                ("details", models.JSONField(blank=True, default=dict, help_text="what was drawn, and what it cost")),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("rendered_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("key__regex", "^[0-9a-f]{64}\\Z")), name="clip_key_is_digest"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["planned", "ready"])), name="clip_state_known"
                    ),
                    models.CheckConstraint(condition=models.Q(("pixels__gte", 16)), name="clip_has_pixels"),
                    models.UniqueConstraint(
                        fields=("motion", "look", "view", "pixels", "backend", "renderer_version"),
                        name="clip_drawn_once",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("state", "planned"),
                            models.Q(
                                ("file_hash__regex", "^[0-9a-f]{64}\\Z"),
                                ("rendered_at__isnull", False),
                                ("state", "ready"),
                                models.Q(("file", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="clip_ready_has_file",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="RenderJob",
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
                (
                    "clip",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="jobs", to="rendering.clip"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
                "abstract": False,
                "indexes": [models.Index(fields=["state", "-priority", "id"], name="renderjob_claim")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["waiting", "running", "done", "failed", "cancelled"])),
                        name="renderjob_state_known",
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
                        name="renderjob_leased_while_running",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", False), ("state__in", ["done", "failed", "cancelled"])),
                            models.Q(("finished_at__isnull", True), ("state__in", ["waiting", "running"])),
                            _connector="OR",
                        ),
                        name="renderjob_finished_has_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "failed"), _negated=True),
                            models.Q(("error", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="renderjob_failure_says_why",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("progress__gte", 0), ("progress__lte", 1)),
                        name="renderjob_progress_is_share",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("attempt__lte", models.F("max_attempts"))),
                        name="renderjob_attempts_are_limited",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "running"])),
                        fields=("clip",),
                        name="renderjob_one_open_per_clip",
                    ),
                ],
            },
        ),
    ]
