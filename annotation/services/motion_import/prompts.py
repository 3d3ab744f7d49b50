"""Which prompt a manifest means: by its code, by its text, or a new one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.text import slugify

from annotation.models import Prompt
from annotation.services.imports import RESERVED_CODES
from annotation.services.motion_import.portions import portions
from annotation.services.motion_import.refusing import found_nothing_like
from annotation.services.prompts import prompt_text_hash
from config.bulk.cells import CellError
from config.bulk.problems import shown

_CODE_LENGTH = 40
_HASH_LENGTH = 8
_CODES_COMPARED = 5000


@dataclass(frozen=True)
class PromptsMeant:
    """By what stands in the manifest. A new prompt has no primary key yet."""

    found: Mapping[str, Prompt]
    unclear: Mapping[str, CellError]


def prompts_meant(values: Iterable[str]) -> PromptsMeant:
    wanted = list(dict.fromkeys(values))
    by_code, by_text = _by_code(wanted), _by_text(wanted)
    found: dict[str, Prompt] = {}
    unclear: dict[str, CellError] = {}
    new: dict[str, list[str]] = {}  # what stands in the manifest, by text
    for value in wanted:
        same = by_text.get(prompt_text_hash(value)) or by_text.get(prompt_text_hash(value.strip())) or []
        if known := by_code.get(value.strip()):
            found[value] = known
        elif len(same) == 1:
            found[value] = same[0]
        elif same:
            unclear[value] = _ambiguous(value, same)
        elif _is_text(value):
            new.setdefault(value.strip(), []).append(value)
        else:
            unclear[value] = _unknown(value)
    for prompt in _new_prompts(list(new)):
        found.update(dict.fromkeys(new[prompt.text], prompt))
    return PromptsMeant(found, unclear)


def _by_code(values: Sequence[str]) -> dict[str, Prompt]:
    codes = {value.strip() for value in values}
    return {prompt.code: prompt for portion in portions(codes) for prompt in Prompt.objects.filter(code__in=portion)}


def _by_text(values: Sequence[str]) -> dict[str, list[Prompt]]:
    hashes = {prompt_text_hash(text) for value in values for text in (value, value.strip())}
    found: dict[str, list[Prompt]] = {}
    for portion in portions(hashes):
        for prompt in Prompt.objects.filter(text_hash__in=portion).order_by("code"):
            found.setdefault(prompt.text_hash, []).append(prompt)
    return found


def _is_text(value: str) -> bool:
    """Codes are single words of ASCII. Not every script puts blanks between words."""
    return any(sign.isspace() for sign in value.strip()) or not value.isascii()


def _ambiguous(value: str, same: Sequence[Prompt]) -> CellError:
    codes = ", ".join(prompt.code for prompt in same)
    return CellError(expected=f"a code, for {len(same)} prompts have this text: {codes}", found=shown(value))


def _unknown(value: str) -> CellError:
    # A typing error seldom hits the first letter, and comparing with every code of a large corpus takes too long.
    near = Prompt.objects.filter(code__istartswith=value.strip()[:1]).values_list("code", flat=True)[:_CODES_COMPARED]
    return CellError(expected="the code of a prompt, or a text", found=found_nothing_like(value.strip(), near))


def _new_prompts(texts: Sequence[str]) -> list[Prompt]:
    """Their codes are made from their texts alone, so that a check and the import after it agree."""
    short = {text: _short_code(text) for text in texts}
    codes = {code for text in texts for code in (short[text], _long_code(text)) if code}
    taken = set(RESERVED_CODES).union(
        *(Prompt.objects.filter(code__in=portion).values_list("code", flat=True) for portion in portions(codes))
    )
    prompts = []
    for text in texts:
        code = short[text] if short[text] and short[text] not in taken else _long_code(text)
        taken.add(code)
        prompts.append(Prompt(code=code, text=text, text_hash=prompt_text_hash(text)))
    return prompts


def _short_code(text: str) -> str:
    """Empty where the text is too long, or has nothing in it that a code can have."""
    slug = slugify(text)
    return slug if len(slug) <= _CODE_LENGTH else ""


def _long_code(text: str) -> str:
    start = slugify(text)[:_CODE_LENGTH].rstrip("-_")
    return f"{start or 'prompt'}-{prompt_text_hash(text)[:_HASH_LENGTH]}"
