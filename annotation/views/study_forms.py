"""What a manager fills in to make a study, to change one, or to clone one."""

import secrets
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator

from annotation.models import GoldCounting, Rubric, Study
from annotation.rubric_presets import LIKERT_0_4, PRESETS, RubricText
from annotation.rubric_text import RubricFormatError, rubric_read, rubric_text_of, rubric_write
from annotation.selectors.drawing_choices import drawing_choices, drawing_default
from annotation.services.study_settings import MOST, SETTINGS
from config.bulk.problems import Problem
from rendering.scene import LOOKS, VIEWS

OWN: Final = "own"
_INPUT: Final = {"class": "input"}
_CODE: Final = {"class": "input mono", "rows": 16, "spellcheck": "false"}
_FROM_NOW: Final = "Counts for batches made from now on; those that are made keep theirs."
_DRAWING: Final = ("look", "backend")
DEFAULT_CONSENT: Final = (
    "You will watch short clips of a moving figure and answer questions about each. Taking part is voluntary, you can "
    "stop at any time, and what you did until then stays yours to withdraw. You have to be 18 or older. Your answers "
    "are stored under a made-up name and may be published in that form for research."
)


def _text(label: str, about: str, *, most: int, required: bool = True, **attributes: Any) -> forms.CharField:
    widget = forms.TextInput(attrs=_INPUT | attributes)
    return forms.CharField(label=label, help_text=about, max_length=most, required=required, widget=widget)


def _long(label: str, about: str, *, rows: int = 3) -> forms.CharField:
    widget = forms.Textarea(attrs=_INPUT | {"rows": rows})
    return forms.CharField(label=label, help_text=about, max_length=10_000, required=False, widget=widget)


def _count(label: str, about: str, *, least: int = 0, most: int) -> forms.IntegerField:
    widget = forms.NumberInput(attrs=_INPUT)
    return forms.IntegerField(label=label, help_text=about, min_value=least, max_value=most, widget=widget)


def _money(label: str, about: str) -> forms.DecimalField:
    widget = forms.NumberInput(attrs=_INPUT | {"step": "0.01"})
    return forms.DecimalField(
        label=label, help_text=about, min_value=0, max_value=MOST["pay_per_hit"], decimal_places=2, widget=widget
    )


class SettingsForm(forms.Form):
    """Every setting of a study, with a line of help; what can no longer change stands there with the reason."""

    title = _text("Title", "What managers and researchers read. Raters do not see it.", most=200)
    purpose = _long("Purpose", "One or two plain sentences, said to raters before they consent.")

    drawing = forms.ChoiceField(
        label="Look", help_text="Pairs of look and backend that work.", widget=forms.Select(attrs=_INPUT)
    )
    view = _text(
        "View",
        "From where: own is the look’s own camera; or a name from the list, turn-N, azimuth-N, or two as A+B.",
        most=40,
        list="views",
        autocomplete="off",
    )
    pixels = _count("Pixels", "Each side of the picture; an even number.", least=2, most=4096)

    ratings_per_sample = _count(
        "Ratings per sample", "How many raters see each sample.", least=1, most=MOST["ratings_per_sample"]
    )
    samples_per_hit = _count(
        "Samples per HIT", "What one rater rates in one go, without gold.", least=1, most=MOST["samples_per_hit"]
    )
    minimum_seconds = _count(
        "Minimum seconds", "The shortest time on one item before an answer is taken.", most=MOST["minimum_seconds"]
    )
    lease_minutes = _count(
        "Lease, minutes",
        "How long a seat is kept after the last answer before somebody else may have it.",
        least=1,
        most=MOST["lease_minutes"],
    )
    rater_share = _count(
        "Share of one rater, %", "The most of the study’s samples that one rater may see.", least=1, most=100
    )
    seed = _count(
        "Seed", "Every random choice of the study starts here: the same seed, the same HITs.", most=MOST["seed"]
    )

    gold_per_hit = _count(
        "Gold per HIT", "Samples whose right answer is known, among the others.", most=MOST["gold_per_hit"]
    )
    gold_failures_allowed = _count(
        "Failures allowed", "With more than these the HIT’s data is left out; it is paid all the same.", most=500
    )
    gold_counting = forms.ChoiceField(
        label="What is counted",
        choices=GoldCounting.choices,
        help_text="A gold question fails when any of its answers is off; single answers count each.",
        widget=forms.Select(attrs=_INPUT),
    )
    reopen_left_out = forms.BooleanField(
        label="A HIT that gold left out gives its seat to somebody else",
        help_text="Else its samples keep fewer ratings.",
        required=False,
    )

    pay_per_hit = _money("Pay per HIT", "What a rater is paid for one HIT.")
    hourly_floor = _money("Hourly floor", "A warning comes when a batch is likely to pay less an hour. 0: none.")
    currency = forms.CharField(
        label="Currency",
        help_text="Three letters, like USD or EUR.",
        max_length=3,
        widget=forms.TextInput(attrs=_INPUT | {"autocapitalize": "characters", "autocomplete": "off"}),
        validators=[RegexValidator(r"^[A-Za-z]{3}\Z", "Expected three letters, like USD.")],
    )

    contact = _text(
        "Contact", "Whom raters can ask, and where they withdraw: a name and an address.", most=200, required=False
    )
    consent_text = _long("Consent", "What raters agree to before they start. A change makes a new version.", rows=6)

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        locked: Mapping[str, str] | None = None,
        study: Study | None = None,
        initial: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data, initial=settings_initial(study) | dict(initial or {}))
        self.study, self.locked = study, dict(locked or {})
        self.views = list(VIEWS)
        self._offer_drawings(study)
        for name, field in self.fields.items():
            if why := self._why_locked(name):
                field.disabled = True
                field.help_text = f"Fixed. {why}"

    def _offer_drawings(self, study: Study | None) -> None:
        field = self.fields["drawing"]
        assert isinstance(field, forms.ChoiceField)
        choices = [(choice.value, choice.label) for choice in drawing_choices()]
        now = f"{study.look}/{study.backend}" if study else ""
        if now and now not in dict(choices):
            choices.append((now, f"{study.look}, drawn by {study.backend}" if study else now))
        field.choices = choices
        missing = sorted({(choice.backend, choice.missing) for choice in drawing_choices() if choice.missing})
        able = sorted({choice.backend for choice in drawing_choices() if not choice.missing})
        field.help_text = (
            f"Pairs of look and backend that work. This machine can run {', '.join(able) or 'none'}."
            + "".join(f" Not {name}: {why}." for name, why in missing)
        )

    def _why_locked(self, name: str) -> str:
        return next(
            (self.locked[each] for each in (_DRAWING if name == "drawing" else (name,)) if each in self.locked), ""
        )

    def clean_currency(self) -> str:
        return str(self.cleaned_data["currency"]).upper()

    def settings(self) -> dict[str, Any]:
        """As the services take them, without what is locked."""
        given = {name: self.cleaned_data[name] for name in SETTINGS if name in self.cleaned_data}
        given["look"], _, given["backend"] = self.cleaned_data["drawing"].partition("/")
        # A third is shown as 33 %, and saving the page must not make it that.
        if self.study is not None and "rater_share" not in self.changed_data:
            given["rater_share"] = self.study.rater_share
        else:
            given["rater_share"] = self.cleaned_data["rater_share"] / 100
        return {name: value for name, value in given.items() if name not in self.locked}

    def refuse(self, error: ValidationError) -> None:
        """Show what a service said, at the field that it is about."""
        if not hasattr(error, "error_dict"):
            self.add_error(None, error)
            return
        for name, errors in error.error_dict.items():
            field = "drawing" if name in _DRAWING else name
            self.add_error(field if field in self.fields else None, errors)


def settings_initial(study: Study | None) -> dict[str, Any]:
    if study is None:
        choice, view = drawing_default()
        study = Study(
            look=choice.look,
            backend=choice.backend,
            view=view,
            # Half of what a look for figures in a paper has is enough on a phone, and is drawn four times as fast.
            pixels=min(LOOKS[choice.look].pixels, 544),
            seed=secrets.randbelow(1_000_000),
            consent_text=DEFAULT_CONSENT,
        )
    values = {name: getattr(study, name) for name in SETTINGS}
    return values | {"drawing": f"{study.look}/{study.backend}", "rater_share": max(round(study.rater_share * 100), 1)}


def rubric_choices() -> list[tuple[str, Any]]:
    """Presets, the newest version of every rubric that was made here, and one's own."""
    presets = [(f"preset:{preset.name}", preset.title) for preset in PRESETS.values()]
    newest: dict[str, Rubric] = {}
    for rubric in Rubric.objects.order_by("name", "version"):
        newest[rubric.name] = rubric
    known = {(preset.name, preset.title) for preset in PRESETS.values()}
    stored = [
        (f"rubric:{rubric.pk}", f"{rubric.title} ({rubric})")
        for rubric in newest.values()
        if (rubric.name, rubric.title) not in known
    ]
    groups: list[tuple[str, Any]] = [("Presets", presets)]
    if stored:
        groups.append(("Of other studies", stored))
    return [*groups, (OWN, "My own, written below")]


class NewStudyForm(SettingsForm):
    code = forms.SlugField(
        label="Code",
        help_text="Small letters, digits and hyphens; it names the study in addresses and files, and stays.",
        max_length=60,
        widget=forms.TextInput(attrs=_INPUT | {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )
    rubric = forms.ChoiceField(
        label="Rubric",
        help_text="The questions that raters answer. A preset can be changed: take it over as text.",
        widget=forms.Select(attrs=_INPUT),
    )
    rubric_own = forms.CharField(
        label="My own rubric",
        help_text="YAML or JSON, with name, title, instructions and criteria. Used when My own is chosen above.",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs=_CODE),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.initial.setdefault("rubric", f"preset:{LIKERT_0_4.name}")
        self.problems: list[Problem] = []
        self.rubric_text: RubricText | None = None
        field = self.fields["rubric"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = rubric_choices()

    def clean_code(self) -> str:
        code = str(self.cleaned_data["code"])
        if code != code.lower():
            raise ValidationError(f"Expected small letters: {code.lower()}.")
        if Study.objects.filter(code=code).exists():
            raise ValidationError("Another study has this code.")
        return code

    def clean_rubric_own(self) -> str:
        """`rubric` is cleaned before: fields are cleaned in their order."""
        text = str(self.cleaned_data["rubric_own"])
        chosen = self.cleaned_data.get("rubric", "")
        if chosen != OWN:
            self.rubric_text = rubric_chosen(chosen)
            return text
        try:
            self.rubric_text = rubric_read(text)
        except RubricFormatError as error:
            self.problems = error.problems
            count = len(error.problems)
            raise ValidationError(f"{count} problem{'' if count == 1 else 's'}, listed below.") from None
        return text


def rubric_chosen(value: str) -> RubricText | None:
    """The rubric behind a choice of the list; None for one's own, and for what is not there."""
    kind, _, name = value.partition(":")
    if kind == "preset":
        return PRESETS.get(name)
    rubric = Rubric.objects.filter(pk=name).first() if kind == "rubric" and name.isdecimal() else None
    return rubric_text_of(rubric) if rubric else None


def rubric_as_text(value: str) -> str:
    text = rubric_chosen(value)
    return rubric_write(text) if text else ""


class CloneForm(forms.Form):
    code = NewStudyForm.base_fields["code"]
    title = SettingsForm.base_fields["title"]
    samples = forms.BooleanField(label="Its samples", required=False)
    gold = forms.BooleanField(label="Its gold, with the right answers", required=False)

    clean_code = NewStudyForm.clean_code
    refuse = SettingsForm.refuse
