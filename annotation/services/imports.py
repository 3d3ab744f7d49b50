"""Prompts by the file: all of them, or none and the reasons."""

import re
from collections.abc import Sequence
from typing import Final

from django.db import transaction

from annotation.models import Prompt
from annotation.services.prompts import prompt_text_hash
from config.audit.services import audit_record
from config.bulk.cells import TextCell
from config.bulk.importing import Counts, ImportResult, Upload, import_rows
from config.bulk.problems import Problems, shown
from config.bulk.reading import Row

# A prompt of such a code could not be asked for by its address.
RESERVED_CODES: Final = frozenset({"import", "export"})

PROMPT_COLUMNS = (
    TextCell(
        "code",
        required=True,
        max_length=100,
        pattern=re.compile(r"[-a-zA-Z0-9_]+"),
        expected="a code of letters, digits, - and _",
        reserved=RESERVED_CODES,
    ),
    TextCell("text", required=True, expected="the text of the prompt"),
    TextCell("corpus", max_length=100),
    TextCell("category", max_length=100),
    TextCell("subtype", max_length=100),
)


@transaction.atomic
def prompt_import(*, upload: Upload, actor: str, dry_run: bool = False) -> ImportResult:
    result = import_rows(upload, PROMPT_COLUMNS, _prompts_keep)
    if result.problems or dry_run:
        transaction.set_rollback(True)
        return result
    details = {"created": result.counts.created, "unchanged": result.counts.unchanged, "file_sha256": upload.sha256}
    audit_record(actor=actor, action="prompt.imported", subject=Prompt(pk="*"), details=details)
    return result


def _prompts_keep(rows: Sequence[Row], problems: Problems) -> Counts:
    """Rows of earlier chunks are in the database already, so it alone knows every prompt."""
    prompts = [_prompt(row) for row in rows]
    by_code = Prompt.objects.in_bulk([prompt.code for prompt in prompts], field_name="code")
    by_text = _by_text([prompt for prompt in prompts if prompt.code not in by_code])
    new: list[Prompt] = []
    unchanged = 0
    for row, prompt in zip(rows, prompts, strict=True):
        known = by_code.get(prompt.code)
        if known is not None:
            unchanged += not _differs(row, known, problems)
        elif same := by_text.get((prompt.corpus, prompt.text_hash)):
            corpus = f"corpus {shown(prompt.corpus)}" if prompt.corpus else "the corpus without a name"
            expected = f"a text that is new in {corpus}"
            problems.add(row.line, "text", expected=expected, found=f"that of {same.code}: {shown(prompt.text)}")
        else:
            new.append(prompt)
            by_code[prompt.code] = by_text[prompt.corpus, prompt.text_hash] = prompt
    Prompt.objects.bulk_create(new)
    return Counts(created=len(new), unchanged=unchanged)


def _by_text(prompts: Sequence[Prompt]) -> dict[tuple[str, str], Prompt]:
    """Prompts that have these texts already. Asked corpus by corpus, because the index begins with the corpus."""
    hashes: dict[str, list[str]] = {}
    for prompt in prompts:
        hashes.setdefault(prompt.corpus, []).append(prompt.text_hash)
    return {
        (corpus, known.text_hash): known
        for corpus, wanted in hashes.items()
        for known in Prompt.objects.filter(corpus=corpus, text_hash__in=wanted)
    }


def _prompt(row: Row) -> Prompt:
    return Prompt(**row.cells, text_hash=prompt_text_hash(row.cells["text"]))


def _differs(row: Row, known: Prompt, problems: Problems) -> bool:
    """A prompt is never rewritten: people may have rated it by then. Columns that the file lacks are not compared."""
    different = [name for name, value in row.cells.items() if value != getattr(known, name)]
    for name in different:
        expected = f"{shown(getattr(known, name))}, as the prompt {known.code} has it"
        problems.add(row.line, name, expected=expected, found=shown(row.cells[name]))
    return bool(different)
