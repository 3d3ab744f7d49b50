import hashlib
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotation.models import Generator, Prompt, Sample
from config.audit.services import audit_record
from rendering.models import Motion


def prompt_text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@transaction.atomic
def prompt_create(
    *, code: str, text: str, corpus: str = "", category: str = "", subtype: str = "", actor: str
) -> Prompt:
    prompt = Prompt.objects.create(
        code=code, text=text, text_hash=prompt_text_hash(text), corpus=corpus, category=category, subtype=subtype
    )
    audit_record(actor=actor, action="prompt.created", subject=prompt)
    return prompt


@transaction.atomic
def generator_register(
    *, name: str, title: str = "", description: str = "", is_reference: bool = False, actor: str
) -> Generator:
    """The generator of that name, made if it is new."""
    generator, created = Generator.objects.get_or_create(
        name=name, defaults={"title": title, "description": description, "is_reference": is_reference}
    )
    if created:
        audit_record(actor=actor, action="generator.registered", subject=generator)
    return generator


@transaction.atomic
def sample_create(
    *, prompt: Prompt, generator: Generator, motion: Motion, truth: Mapping[str, Any] | None = None, actor: str
) -> Sample:
    """A new sample; repetitions of one prompt by one generator are numbered from 2."""
    earlier = Sample.objects.filter(prompt=prompt, generator=generator).count()
    code = f"{prompt.code}.{generator.name}" + (f".{earlier + 1}" if earlier else "")
    sample = Sample.objects.create(
        code=code, prompt=prompt, generator=generator, motion=motion, truth=dict(truth or {})
    )
    audit_record(actor=actor, action="sample.created", subject=sample)
    return sample
