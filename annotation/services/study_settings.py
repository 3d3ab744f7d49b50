"""What a manager may set on a study, and when it may still change."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.models import Assignment, BatchState, Study, StudyState
from annotation.services.clips import study_order_clips
from annotation.services.studies import study_plan_clips
from config.audit.services import audit_record
from rendering.backends import backend_named, check_draws
from rendering.scene import PixelsError, UnknownNameError, get_look, view_name

# The most that makes sense, so that a slip of the finger is found before it is paid for.
MOST: Final[Mapping[str, int]] = {
    "ratings_per_sample": 50,
    "samples_per_hit": 200,
    "gold_per_hit": 50,
    "gold_failures_allowed": 500,
    "lease_minutes": 7 * 24 * 60,
    "minimum_seconds": 600,
    "pay_per_hit": 10_000,
    "hourly_floor": 10_000,
    "seed": 2**53,
}
LEAST: Final[Mapping[str, int]] = {"ratings_per_sample": 1, "samples_per_hit": 1, "lease_minutes": 1}
DRAWING: Final = ("look", "view", "pixels", "backend")
# What a batch copies when it is made (see Terms), and its pay.
COPIED_BY_BATCHES: Final = (
    "ratings_per_sample",
    "samples_per_hit",
    "gold_per_hit",
    "gold_failures_allowed",
    "gold_counting",
    "lease_minutes",
    "minimum_seconds",
    "reopen_left_out",
    "pay_per_hit",
)
ALWAYS: Final = ("title", "contact")
AT_ONCE: Final = ("title", "purpose", "contact", "consent_text", "rater_share", "hourly_floor")
SETTINGS: Final = (*AT_ONCE, *COPIED_BY_BATCHES, *DRAWING, "seed", "currency")


@dataclass(frozen=True)
class StudyFacts:
    """What has happened in a study, as far as it limits what may change."""

    is_closed: bool
    batches: int
    has_seats_taken: bool
    has_consents: bool


def study_facts(study: Study) -> StudyFacts:
    return StudyFacts(
        is_closed=study.state == StudyState.CLOSED,
        batches=study.batches.count(),
        has_seats_taken=Assignment.objects.filter(enrolment__study=study).exists(),
        has_consents=study.enrolments.exists(),
    )


def settings_locked(facts: StudyFacts) -> dict[str, str]:
    """Setting -> why it can no longer change."""
    locked: dict[str, str] = {}
    if facts.batches:
        locked["seed"] = "HITs were drawn with it. A clone of the study may have another."
        locked["currency"] = "Batches were made with pay in it. A clone of the study may have another."
    if facts.has_seats_taken:
        why = "Raters have begun, and must all see the same pictures. A clone of the study may be drawn in another way."
        locked |= dict.fromkeys(DRAWING, why)
    if facts.is_closed:
        locked |= dict.fromkeys((name for name in SETTINGS if name not in ALWAYS), "The study is closed.")
    return locked


def settings_check(study: Study) -> None:
    """ValidationError by field, in words for the person; the database has the last word."""
    wrong: dict[str, list[str]] = {}
    for name, most in MOST.items():
        value = getattr(study, name)
        least = LEAST.get(name, 0)
        if not least <= value <= most:
            wrong.setdefault(name, []).append(f"Expected {least} to {most:,}; found {value}.")
    if not 0 < study.rater_share <= 1:
        wrong.setdefault("rater_share", []).append("Expected more than 0 and at most 1.")
    if 0 < study.gold_per_hit <= study.gold_failures_allowed:
        wrong.setdefault("gold_failures_allowed", []).append(
            f"Expected fewer than the {study.gold_per_hit} gold samples of a HIT: else nobody could ever fail."
        )
    if not study.currency.isalpha() or len(study.currency) != 3 or not study.currency.isupper():
        wrong.setdefault("currency", []).append("Expected three capital letters, like USD.")
    for field, message in _drawing_wrong(study):
        wrong.setdefault(field, []).append(message)
    if wrong:
        raise ValidationError(wrong)


def _drawing_wrong(study: Study) -> list[tuple[str, str]]:
    wrong = []
    try:
        get_look(study.look)
    except UnknownNameError as error:
        return [("look", f"{error}.")]
    try:
        check_draws(backend_named(study.backend), study.look)
    except UnknownNameError as error:
        wrong.append(("backend", f"{error}."))
    try:
        view_name(study.view)
    except UnknownNameError as error:
        wrong.append(("view", f"{error}."))
    try:
        get_look(study.look).at(study.pixels)
    except PixelsError as error:
        wrong.append(("pixels", f"{error}."))
    return wrong


@transaction.atomic
def study_update(*, study: Study, changes: Mapping[str, Any], actor: str) -> Study:
    """Change settings; ValidationError by field for what cannot be. What is the same is no change."""
    row = Study.objects.select_for_update(of=("self",)).get(pk=study.pk)
    if unknown := changes.keys() - set(SETTINGS):
        raise ValidationError(f"There is no setting called {', '.join(sorted(unknown))}.")
    changes = {name: value for name, value in changes.items() if getattr(row, name) != value}
    if not changes:
        return row
    facts = study_facts(row)
    locked = settings_locked(facts)
    if refused := {name: locked[name] for name in changes if name in locked}:
        raise ValidationError(refused)
    before = {name: getattr(row, name) for name in changes}
    for name, value in changes.items():
        setattr(row, name, value)
    if "consent_text" in changes and facts.has_consents:
        before["consent_version"] = row.consent_version
        row.consent_version += 1
    settings_check(row)
    row.full_clean()
    row.save(update_fields=list(before))
    after = {name: getattr(row, name) for name in before}
    audit_record(
        actor=actor,
        action="study.changed",
        subject=row,
        details={"before": _as_json(before), "after": _as_json(after)},
    )
    if changes.keys() & set(DRAWING) and row.batches.filter(state=BatchState.PUBLISHED).exists():
        study_plan_clips(study=row, actor=actor)  # raters may come at any time
        study_order_clips(study=row)
    return row


def _as_json(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, Decimal) else value for name, value in values.items()}
