from typing import ClassVar

from django.db import models
from django.db.models import Q

from config.constraints import is_digest, not_empty
from rendering.models import Motion


class Prompt(models.Model):
    """A text description of a motion, with its corpus, category and subtype."""

    code = models.SlugField(max_length=100, unique=True, help_text="short name in files and exports")
    text = models.TextField()
    text_hash = models.CharField(max_length=64, help_text="SHA-256 of the text: unique per corpus whatever its length")
    corpus = models.CharField(max_length=100, blank=True)
    category = models.CharField(max_length=100, blank=True)
    subtype = models.CharField(max_length=100, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            not_empty("code", "prompt_has_code"),
            models.CheckConstraint(condition=Q(text__regex=r"\S"), name="prompt_has_text"),
            is_digest("text_hash", "prompt_text_hash_is_digest"),
            models.UniqueConstraint(fields=["corpus", "text_hash"], name="prompt_text_once_per_corpus"),
        ]

    def __str__(self) -> str:
        return self.text if len(self.text) <= 80 else f"{self.text[:79]}…"


class Generator(models.Model):
    """What made motions: a text-to-motion model, or `reference` (motion capture). Never named to raters."""

    name = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120, blank=True)
    is_reference = models.BooleanField(default=False)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [not_empty("name", "generator_has_name")]

    def __str__(self) -> str:
        return self.name


class Sample(models.Model):
    """Prompt x generator x motion: the unit that people rate and metrics score."""

    code = models.CharField(max_length=200, unique=True, help_text="<prompt>.<generator>, and a number for repetitions")
    prompt = models.ForeignKey(Prompt, on_delete=models.PROTECT, related_name="samples")
    generator = models.ForeignKey(Generator, on_delete=models.PROTECT, related_name="samples")
    motion = models.ForeignKey(Motion, on_delete=models.PROTECT, related_name="samples")
    truth = models.JSONField(default=dict, blank=True, help_text="what is known of it beforehand; the demo's defects")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            not_empty("code", "sample_has_code"),
            models.UniqueConstraint(fields=["prompt", "generator", "motion"], name="sample_once"),
        ]

    def __str__(self) -> str:
        return self.code
