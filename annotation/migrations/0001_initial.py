import uuid
from decimal import Decimal

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import annotation.models.studies


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("rendering", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="Prompt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.SlugField(help_text="short name in files and exports", max_length=100, unique=True)),
                ("text", models.TextField()),
                (
                    "text_hash",
                    models.CharField(
                        help_text="SHA-256 of the text: unique per corpus whatever its length", max_length=64
                    ),
                ),
                ("corpus", models.CharField(blank=True, max_length=100)),
                ("category", models.CharField(blank=True, max_length=100)),
                ("subtype", models.CharField(blank=True, max_length=100)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("code", ""), _negated=True), name="prompt_has_code"),
                    models.CheckConstraint(condition=models.Q(("text__regex", "\\S")), name="prompt_has_text"),
                    models.CheckConstraint(
                        condition=models.Q(("text_hash__regex", "^[0-9a-f]{64}\\Z")), name="prompt_text_hash_is_digest"
                    ),
                    models.UniqueConstraint(fields=("corpus", "text_hash"), name="prompt_text_once_per_corpus"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Generator",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.SlugField(max_length=60, unique=True)),
                ("title", models.CharField(blank=True, max_length=120)),
                ("is_reference", models.BooleanField(default=False)),
                ("description", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["name"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("name", ""), _negated=True), name="generator_has_name")
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Sample",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "code",
                    models.CharField(
                        help_text="<prompt>.<generator>, and a number for repetitions", max_length=200, unique=True
                    ),
                ),
                (
                    "prompt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="samples", to="annotation.prompt"
                    ),
                ),
                (
                    "generator",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="samples", to="annotation.generator"
                    ),
                ),
                (
                    "motion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="samples", to="rendering.motion"
                    ),
                ),
                (
                    "truth",
                    models.JSONField(
                        blank=True, default=dict, help_text="what is known of it beforehand; the demo's defects"
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("code", ""), _negated=True), name="sample_has_code"),
                    models.UniqueConstraint(fields=("prompt", "generator", "motion"), name="sample_once"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Rubric",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.SlugField(max_length=60)),
                ("version", models.PositiveSmallIntegerField(default=1)),
                ("title", models.CharField(max_length=120)),
                ("instructions", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["name", "version"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("name", ""), _negated=True), name="rubric_has_name"),
                    models.CheckConstraint(condition=models.Q(("version__gte", 1)), name="rubric_version_from_one"),
                    models.UniqueConstraint(fields=("name", "version"), name="rubric_version_once"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Criterion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="criteria", to="annotation.rubric"
                    ),
                ),
                ("code", models.SlugField(max_length=60)),
                ("position", models.PositiveSmallIntegerField()),
                ("question", models.CharField(max_length=300)),
                ("scale", models.CharField(choices=[("likert", "Likert"), ("binary", "Binary")], max_length=10)),
                (
                    "formula",
                    models.CharField(
                        blank=True, help_text='for instance "faithfulness and naturalness"', max_length=200
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "criteria",
                "ordering": ["rubric", "position"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("code", ""), _negated=True), name="criterion_has_code"),
                    models.CheckConstraint(
                        condition=models.Q(("scale__in", ["likert", "binary"])), name="criterion_scale_known"
                    ),
                    models.UniqueConstraint(fields=("rubric", "code"), name="criterion_code_once_per_rubric"),
                    models.UniqueConstraint(fields=("rubric", "position"), name="criterion_position_once_per_rubric"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("question", ""), _negated=True),
                            models.Q(("formula", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="criterion_asked_or_derived",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Option",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "criterion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="options", to="annotation.criterion"
                    ),
                ),
                ("value", models.SmallIntegerField()),
                ("label", models.CharField(max_length=120)),
                ("help", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["criterion", "value"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("label", ""), _negated=True), name="option_has_label"),
                    models.UniqueConstraint(fields=("criterion", "value"), name="option_value_once_per_criterion"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Study",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code", models.SlugField(max_length=60, unique=True)),
                ("title", models.CharField(max_length=200)),
                ("purpose", models.TextField(blank=True, help_text="said to raters before they consent")),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("pilot", "Pilot"),
                            ("live", "Live"),
                            ("paused", "Paused"),
                            ("closed", "Closed"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                (
                    "rubric",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="studies", to="annotation.rubric"
                    ),
                ),
                (
                    "seed",
                    models.PositiveBigIntegerField(default=0, help_text="every random choice of the study starts here"),
                ),
                (
                    "salt",
                    models.CharField(
                        default=annotation.models.studies._salt,
                        editable=False,
                        help_text="of the raters' pseudonyms",
                        max_length=64,
                    ),
                ),
                ("look", models.CharField(default="stick", max_length=40)),
                ("view", models.CharField(default="front-left", max_length=40)),
                ("pixels", models.PositiveSmallIntegerField(default=384)),
                ("ratings_per_sample", models.PositiveSmallIntegerField(default=3)),
                ("samples_per_hit", models.PositiveSmallIntegerField(default=20)),
                ("gold_per_hit", models.PositiveSmallIntegerField(default=5)),
                ("gold_failures_allowed", models.PositiveSmallIntegerField(default=2)),
                ("lease_minutes", models.PositiveSmallIntegerField(default=30)),
                (
                    "minimum_seconds",
                    models.PositiveSmallIntegerField(default=12, help_text="shortest time on one item"),
                ),
                (
                    "reopen_left_out",
                    models.BooleanField(default=True, help_text="a left-out assignment gives its seat back"),
                ),
                (
                    "rater_share",
                    models.FloatField(default=1.0, help_text="cap on one rater's share of the study's samples"),
                ),
                ("pay_per_hit", models.DecimalField(decimal_places=2, default=Decimal("1.25"), max_digits=8)),
                ("hourly_floor", models.DecimalField(decimal_places=2, default=Decimal("0.00"), max_digits=8)),
                ("currency", models.CharField(default="USD", max_length=3)),
                ("contact", models.CharField(blank=True, max_length=200)),
                ("consent_text", models.TextField(blank=True)),
                ("consent_version", models.PositiveSmallIntegerField(default=1)),
                (
                    "created_by",
                    models.ForeignKey(
                        blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, to=settings.AUTH_USER_MODEL
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "verbose_name_plural": "studies",
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("code", ""), _negated=True), name="study_has_code"),
                    models.CheckConstraint(condition=models.Q(("salt", ""), _negated=True), name="study_has_salt"),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["draft", "pilot", "live", "paused", "closed"])),
                        name="study_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ratings_per_sample__gte", 1)), name="study_rates_each_sample"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("samples_per_hit__gte", 1)), name="study_hit_has_samples"
                    ),
                    models.CheckConstraint(condition=models.Q(("lease_minutes__gte", 1)), name="study_lease_lasts"),
                    models.CheckConstraint(condition=models.Q(("pay_per_hit__gte", 0)), name="study_pay_not_negative"),
                    models.CheckConstraint(
                        condition=models.Q(("hourly_floor__gte", 0)), name="study_floor_not_negative"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("consent_version__gte", 1)), name="study_consent_version_from_one"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("gold_per_hit", 0),
                            ("gold_failures_allowed__lt", models.F("gold_per_hit")),
                            _connector="OR",
                        ),
                        name="study_gold_rule_can_fail",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("rater_share__gt", 0), ("rater_share__lte", 1)),
                        name="study_rater_share_is_share",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="StudySample",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="places", to="annotation.study"
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="places", to="annotation.sample"
                    ),
                ),
                ("is_active", models.BooleanField(default=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [models.UniqueConstraint(fields=("study", "sample"), name="study_sample_once")],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Batch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="batches", to="annotation.study"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(choices=[("pilot", "Pilot"), ("main", "Main")], default="main", max_length=10),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[("draft", "Draft"), ("published", "Published"), ("closed", "Closed")],
                        default="draft",
                        max_length=10,
                    ),
                ),
                (
                    "platform",
                    models.CharField(
                        choices=[
                            ("link", "Link"),
                            ("mturk", "MTurk"),
                            ("prolific", "Prolific"),
                            ("labelstudio", "Label Studio"),
                            ("demo", "demo (simulated)"),
                        ],
                        default="link",
                        max_length=20,
                    ),
                ),
                ("seed", models.PositiveBigIntegerField()),
                (
                    "settings",
                    models.JSONField(
                        blank=True, default=dict, help_text="the study's settings when the batch was made"
                    ),
                ),
                ("pay_per_hit", models.DecimalField(decimal_places=2, max_digits=8)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("published_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "verbose_name_plural": "batches",
                "ordering": ["study", "number"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="batch_number_from_one"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["pilot", "main"])), name="batch_kind_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["draft", "published", "closed"])), name="batch_state_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("platform__in", ["link", "mturk", "prolific", "labelstudio", "demo"])),
                        name="batch_platform_known",
                    ),
                    models.CheckConstraint(condition=models.Q(("pay_per_hit__gte", 0)), name="batch_pay_not_negative"),
                    models.UniqueConstraint(fields=("study", "number"), name="batch_number_once_per_study"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("published_at__isnull", True), ("state", "draft")),
                            models.Q(models.Q(("state", "draft"), _negated=True), ("published_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="batch_published_has_time",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Hit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "batch",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="hits", to="annotation.batch"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "pass_number",
                    models.PositiveSmallIntegerField(default=1, help_text="which of the R compositions it belongs to"),
                ),
                (
                    "external_id",
                    models.CharField(blank=True, help_text="the crowd platform's name for it", max_length=100),
                ),
            ],
            options={
                "verbose_name": "HIT",
                "ordering": ["batch", "number"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="hit_number_from_one"),
                    models.CheckConstraint(condition=models.Q(("pass_number__gte", 1)), name="hit_pass_from_one"),
                    models.UniqueConstraint(fields=("batch", "number"), name="hit_number_once_per_batch"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="HitPosition",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="positions", to="annotation.hit"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "sample",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hit_positions",
                        to="annotation.sample",
                    ),
                ),
            ],
            options={
                "ordering": ["hit", "position"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("position__gte", 1)), name="hit_position_from_one"),
                    models.UniqueConstraint(fields=("hit", "position"), name="hit_position_once"),
                    models.UniqueConstraint(fields=("hit", "sample"), name="hit_sample_once"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "hit",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="annotation.hit"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
            ],
            options={
                "ordering": ["hit", "number"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="seat_number_from_one"),
                    models.UniqueConstraint(fields=("hit", "number"), name="seat_number_once_per_hit"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Gold",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="gold", to="annotation.study"
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="gold", to="annotation.sample"
                    ),
                ),
                ("is_active", models.BooleanField(default=True)),
                ("reason", models.TextField(blank=True, help_text="why this is the right answer")),
            ],
            options={
                "verbose_name_plural": "gold",
                "ordering": ["id"],
                "constraints": [models.UniqueConstraint(fields=("study", "sample"), name="gold_once_per_study")],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="GoldAnswer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "gold",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="answers", to="annotation.gold"
                    ),
                ),
                (
                    "criterion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="gold_answers",
                        to="annotation.criterion",
                    ),
                ),
                ("value", models.SmallIntegerField()),
                ("tolerance", models.SmallIntegerField(default=1)),
            ],
            options={
                "ordering": ["gold", "criterion"],
                "constraints": [
                    models.UniqueConstraint(fields=("gold", "criterion"), name="gold_answer_once_per_criterion"),
                    models.CheckConstraint(
                        condition=models.Q(("tolerance__gte", 0)), name="gold_tolerance_not_negative"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Rater",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("public_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "indexes": [],
                "constraints": [],
            },
        ),
        migrations.CreateModel(
            name="PlatformIdentity",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="identities", to="annotation.rater"
                    ),
                ),
                (
                    "platform",
                    models.CharField(
                        choices=[
                            ("link", "Link"),
                            ("mturk", "MTurk"),
                            ("prolific", "Prolific"),
                            ("labelstudio", "Label Studio"),
                            ("demo", "demo (simulated)"),
                        ],
                        max_length=20,
                    ),
                ),
                ("platform_id", models.CharField(max_length=200)),
            ],
            options={
                "verbose_name_plural": "platform identities",
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("platform__in", ["link", "mturk", "prolific", "labelstudio", "demo"])),
                        name="identity_platform_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("platform_id", ""), _negated=True), name="identity_has_id"
                    ),
                    models.UniqueConstraint(fields=("platform", "platform_id"), name="identity_belongs_to_one_rater"),
                    models.UniqueConstraint(fields=("rater", "platform"), name="identity_once_per_platform"),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Enrolment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="enrolments", to="annotation.study"
                    ),
                ),
                (
                    "rater",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="enrolments", to="annotation.rater"
                    ),
                ),
                ("pseudonym", models.CharField(max_length=16)),
                ("consent_version", models.PositiveSmallIntegerField()),
                ("consented_at", models.DateTimeField()),
                ("blocked_at", models.DateTimeField(blank=True, null=True)),
                ("block_reason", models.TextField(blank=True)),
                ("withdrawn_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("pseudonym", ""), _negated=True), name="enrolment_has_pseudonym"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("consent_version__gte", 1)), name="enrolment_consent_version_from_one"
                    ),
                    models.UniqueConstraint(fields=("study", "rater"), name="enrolment_once_per_study"),
                    models.UniqueConstraint(fields=("study", "pseudonym"), name="enrolment_pseudonym_once_per_study"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("blocked_at__isnull", True), models.Q(("block_reason", ""), _negated=True), _connector="OR"
                        ),
                        name="enrolment_block_has_reason",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Assignment",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="assignments", to="annotation.seat"
                    ),
                ),
                (
                    "enrolment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="assignments",
                        to="annotation.enrolment",
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("active", "Active"),
                            ("submitted", "Submitted"),
                            ("expired", "Expired"),
                            ("released", "Released"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="active",
                        max_length=10,
                    ),
                ),
                ("holds_seat", models.BooleanField(default=True)),
                ("seed", models.PositiveBigIntegerField(help_text="of the order of items and the gold drawn")),
                ("taken_at", models.DateTimeField()),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("submitted_at", models.DateTimeField(blank=True, null=True)),
                ("completion_code", models.CharField(max_length=16, unique=True)),
                ("comment", models.TextField(blank=True)),
                ("gold_shown", models.PositiveSmallIntegerField(default=0)),
                ("gold_failed", models.PositiveSmallIntegerField(default=0)),
                (
                    "use_data",
                    models.CharField(
                        choices=[("open", "Open"), ("yes", "Yes"), ("no", "No")], default="open", max_length=5
                    ),
                ),
                (
                    "pay",
                    models.CharField(
                        choices=[("open", "Open"), ("yes", "Yes"), ("no", "No")], default="open", max_length=5
                    ),
                ),
                (
                    "invite_again",
                    models.CharField(
                        choices=[("open", "Open"), ("yes", "Yes"), ("no", "No")], default="open", max_length=5
                    ),
                ),
                ("decision_reason", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["id"],
                "indexes": [models.Index(fields=["state", "lease_until"], name="assignment_leases")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("state__in", ["active", "submitted", "expired", "released", "withdrawn"])),
                        name="assignment_state_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("use_data__in", ["open", "yes", "no"])), name="assignment_use_data_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("pay__in", ["open", "yes", "no"])), name="assignment_pay_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("invite_again__in", ["open", "yes", "no"])),
                        name="assignment_invite_again_known",
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("holds_seat", True)), fields=("seat",), name="seat_held_once"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("state", "active")),
                        fields=("enrolment",),
                        name="rater_has_one_active_assignment",
                    ),
                    models.UniqueConstraint(fields=("seat", "enrolment"), name="rater_takes_a_seat_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("holds_seat", True), ("lease_until__isnull", False), ("state", "active")),
                            models.Q(models.Q(("state", "active"), _negated=True), ("lease_until__isnull", True)),
                            _connector="OR",
                        ),
                        name="assignment_leased_while_active",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "submitted"), _negated=True),
                            ("submitted_at__isnull", False),
                            _connector="OR",
                        ),
                        name="assignment_submitted_has_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("gold_failed__lte", models.F("gold_shown"))),
                        name="assignment_gold_counts_agree",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("pay", "no"), _negated=True),
                            models.Q(("decision_reason", ""), _negated=True),
                            _connector="OR",
                        ),
                        name="assignment_refusal_has_reason",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Item",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="items", to="annotation.assignment"
                    ),
                ),
                (
                    "enrolment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="items", to="annotation.enrolment"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="items", to="annotation.sample"
                    ),
                ),
                (
                    "gold",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="annotation.gold",
                    ),
                ),
                (
                    "clip",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="rendering.clip",
                    ),
                ),
                (
                    "occasion",
                    models.PositiveSmallIntegerField(default=1, help_text="2 and up for a retest of the same sample"),
                ),
                ("opened_at", models.DateTimeField(blank=True, null=True)),
                ("problem", models.CharField(blank=True, help_text="why it could not be rated", max_length=200)),
            ],
            options={
                "ordering": ["assignment", "position"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("position__gte", 1)), name="item_position_from_one"),
                    models.CheckConstraint(condition=models.Q(("occasion__gte", 1)), name="item_occasion_from_one"),
                    models.UniqueConstraint(fields=("assignment", "position"), name="item_position_once"),
                    models.UniqueConstraint(
                        condition=models.Q(("gold__isnull", True)),
                        fields=("enrolment", "sample", "occasion"),
                        name="rater_sees_a_sample_once",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="LabelSet",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "study",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="label_sets", to="annotation.study"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("aggregation", models.CharField(default="mean", max_length=40)),
                ("filters", models.JSONField(blank=True, default=dict)),
                (
                    "counts",
                    models.JSONField(blank=True, default=dict, help_text="ratings and samples kept at each step"),
                ),
                ("code_version", models.CharField(max_length=40)),
                ("content_hash", models.CharField(blank=True, max_length=64)),
                (
                    "ratings_file",
                    models.FileField(
                        blank=True, help_text="the accepted ratings, in long form", max_length=200, upload_to=""
                    ),
                ),
                ("ratings_hash", models.CharField(blank=True, max_length=64)),
                ("created_by", models.CharField(max_length=150)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("frozen_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "ordering": ["study", "number"],
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="label_set_number_from_one"),
                    models.UniqueConstraint(fields=("study", "number"), name="label_set_number_once_per_study"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("frozen_at__isnull", True), ("content_hash__regex", "^[0-9a-f]{64}\\Z"), _connector="OR"
                        ),
                        name="label_set_frozen_has_hash",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Label",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "label_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="annotation.labelset"
                    ),
                ),
                (
                    "sample",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="annotation.sample"
                    ),
                ),
                (
                    "criterion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="labels", to="annotation.criterion"
                    ),
                ),
                ("value", models.FloatField()),
                ("ratings", models.PositiveSmallIntegerField(help_text="how many ratings it was made from")),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=("label_set", "sample", "criterion"), name="label_once"),
                    models.CheckConstraint(condition=models.Q(("ratings__gte", 1)), name="label_has_ratings"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("value__isnull", True),
                            models.Q(("value__gt", -1.7e308), ("value__lt", 1.7e308)),
                            _connector="OR",
                        ),
                        name="label_is_finite",
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="LabelSetMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "label_set",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="marks", to="annotation.labelset"
                    ),
                ),
                ("kind", models.CharField(choices=[("stale", "Stale"), ("superseded", "Superseded")], max_length=10)),
                ("reason", models.CharField(max_length=300)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["stale", "superseded"])), name="label_set_mark_kind_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("reason", ""), _negated=True), name="label_set_mark_has_reason"
                    ),
                ],
                "indexes": [],
            },
        ),
        migrations.CreateModel(
            name="Rating",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "item",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="ratings", to="annotation.item"
                    ),
                ),
                (
                    "criterion",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="ratings", to="annotation.criterion"
                    ),
                ),
                ("value", models.SmallIntegerField()),
                ("clip_key", models.CharField(help_text="of the clip that was shown", max_length=64)),
                ("shown_at", models.DateTimeField()),
                ("answered_at", models.DateTimeField()),
                ("replays", models.PositiveSmallIntegerField(default=0)),
                ("device", models.CharField(blank=True, help_text="phone, tablet or desktop", max_length=20)),
                (
                    "revision",
                    models.PositiveSmallIntegerField(default=1, help_text="how often the answer was given or changed"),
                ),
            ],
            options={
                "ordering": ["id"],
                "constraints": [
                    models.UniqueConstraint(fields=("item", "criterion"), name="rating_once_per_item_and_criterion"),
                    models.CheckConstraint(
                        condition=models.Q(("clip_key__regex", "^[0-9a-f]{64}\\Z")), name="rating_clip_key_is_digest"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("answered_at__isnull", True), ("answered_at__gte", models.F("shown_at")), _connector="OR"
                        ),
                        name="rating_answered_after_shown",
                    ),
                    models.CheckConstraint(condition=models.Q(("revision__gte", 1)), name="rating_revision_from_one"),
                ],
                "indexes": [],
            },
        ),
        migrations.AddField(
            model_name="study",
            name="samples",
            field=models.ManyToManyField(
                related_name="studies", through="annotation.StudySample", to="annotation.sample"
            ),
        ),
    ]
