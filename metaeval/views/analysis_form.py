"""What a researcher fills in to ask for an analysis, or to preregister one."""

from typing import Any

from django import forms

from annotation.models import LabelSet, Study
from metaeval.errors import MetaevalError
from metaeval.models import Metric, Preregistration
from metaeval.report.config.sections import AGGREGATIONS, UNITS, Resampling, Tests
from metaeval.report.naming import LEVELS, level_name, statistic_name, unit_name
from metaeval.selectors.choices import label_set_choices
from metaeval.selectors.metrics import study_metrics
from metaeval.services.analysis_settings import settings_merge, settings_read

PRIMARY_STATISTICS = ("kendall_b", "spearman", "pearson", "acc_eq", "auc_roc", "average_precision", "ks")
_DEFAULTS = Resampling()
_INPUT = {"class": "input"}
_CODE = {"class": "input mono", "rows": 8, "spellcheck": "false"}


def _count(label: str, initial: int, about: str, *, most: int) -> forms.IntegerField:
    widget = forms.NumberInput(attrs=_INPUT)
    return forms.IntegerField(label=label, initial=initial, help_text=about, widget=widget, min_value=0, max_value=most)


def _choice(label: str, choices: list[tuple[str, str]], about: str = "") -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, help_text=about, widget=forms.Select(attrs=_INPUT))


class SettingsForm(forms.Form):
    """The settings that most people change, and analysis.toml for the rest."""

    title = forms.CharField(max_length=200, widget=forms.TextInput(attrs=_INPUT))
    criterion = _choice("Primary criterion", [])
    level = _choice("Primary level", [(name, level_name(name)) for name in LEVELS])
    statistic = _choice("Primary statistic", [(name, statistic_name(name)) for name in PRIMARY_STATISTICS])
    cut = forms.FloatField(
        required=False,
        label="Positive from",
        help_text="The value of the primary criterion from which a sample counts as good, for AUC and the like. "
        "Empty: every cut is reported.",
        widget=forms.NumberInput(attrs=_INPUT | {"step": "any"}),
    )
    aggregation = _choice("Ratings become labels by", [(name, name.replace("_", " ")) for name in AGGREGATIONS])
    unit = _choice(
        "Intervals resample",
        [(name, unit_name(name)) for name in UNITS],
        "Samples of one prompt are alike: resampling single samples makes intervals too short.",
    )
    replicates = _count("Bootstrap replicates", _DEFAULTS.replicates, "0: no intervals.", most=20_000)
    permutations = _count("Permutations a test", _DEFAULTS.permutations, "0: no tests.", most=1_000_000)
    seed = _count("Seed", 0, "The same seed gives the same numbers.", most=2**53)
    toml = forms.CharField(
        required=False,
        label="analysis.toml",
        help_text="Anything else, in the words of the command line’s file. What stands here counts before the fields "
        "above.",
        widget=forms.Textarea(attrs=_CODE),
        strip=False,
    )

    nothing = "Nothing: all is exploratory"

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.study = study
        self.choice("criterion").choices = [
            *([("", self.nothing)] if self.nothing else []),
            *((code, code) for code in study.rubric.criteria.order_by("position").values_list("code", flat=True)),
        ]
        self.fields["criterion"].required = not self.nothing

    def choice(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        return field

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if cleaned.get("cut") is not None and not cleaned.get("criterion"):
            self.add_error("cut", "Choose the primary criterion that the cut is of, or write it into analysis.toml.")
        if cleaned.get("toml"):
            try:
                settings_read(cleaned["toml"])
            except MetaevalError as error:
                self.add_error("toml", str(error))
        return cleaned

    def settings(self) -> dict[str, Any]:
        """As analysis.toml has them."""
        given = self.cleaned_data
        settings: dict[str, Any] = {
            "labels": {"aggregation": given["aggregation"]},
            "resampling": {key: given[key] for key in ("unit", "replicates", "permutations", "seed")},
        }
        if criterion := given["criterion"]:
            keys = ("criterion", "level", "statistic")
            settings["primary"] = {key: given[key] for key in keys} | {"comparisons": "all"}
            tests = Tests()
            settings["tests"] = {
                "statistics": list(dict.fromkeys((*tests.statistics, given["statistic"]))),
                "levels": list(dict.fromkeys((*tests.levels, given["level"]))),
            }
            if given["cut"] is not None:
                settings["criteria"] = {criterion: {"positive_cut": given["cut"]}}
        return settings_merge(settings, settings_read(given["toml"]))

    def refuse(self, error: MetaevalError) -> None:
        """Show what the service said, beside the field that it is about."""
        field = "toml" if error.field == "settings" and self.cleaned_data.get("toml") else error.field
        self.add_error(field if field in self.fields else None, str(error))


class PreregistrationForm(SettingsForm):
    """Names what is confirmatory: that is what it is for."""

    nothing = ""


class AnalysisForm(SettingsForm):
    label_set = forms.ModelChoiceField(
        LabelSet.objects.none(), error_messages={"invalid_choice": "Choose a label set that is in the list."}
    )
    metrics = forms.ModelMultipleChoiceField(
        Metric.objects.none(), error_messages={"required": "Choose at least one metric."}
    )
    preregistration = forms.ModelChoiceField(
        Preregistration.objects.none(),
        required=False,
        empty_label="None",
        label="Preregistration",
        help_text="Its settings are used as they were frozen, and those below are not.",
        widget=forms.Select(attrs=_INPUT),
    )

    def __init__(self, *args: Any, study: Study, **kwargs: Any) -> None:
        super().__init__(*args, study=study, **kwargs)
        self.label_sets = label_set_choices(study)
        self.metric_rows = study_metrics(study)
        usable = [choice.label_set.pk for choice in self.label_sets if choice.is_usable]
        for name, queryset in (
            ("label_set", LabelSet.objects.filter(pk__in=usable)),
            ("metrics", Metric.objects.all()),
            ("preregistration", study.preregistrations.all()),
        ):
            field = self.fields[name]
            assert isinstance(field, forms.ModelChoiceField)
            field.queryset = queryset
        if not self.is_bound:
            self.initial.setdefault("label_set", usable[0] if usable else None)
            self.initial.setdefault("metrics", [row.metric.pk for row in self.metric_rows if row.defined])
            self.initial.setdefault("title", "Every metric against people")

    def chosen_label_set(self) -> str:
        return str(self["label_set"].value() or "")

    def chosen_metrics(self) -> set[str]:
        return {str(value) for value in self["metrics"].value() or ()}

    def clean(self) -> dict[str, Any]:
        """With a preregistration the settings below do not count, so they cannot be wrong either."""
        cleaned = super().clean()
        if cleaned.get("preregistration"):
            for name in SettingsForm.base_fields.keys() - {"title"}:
                self.errors.pop(name, None)
        return cleaned
