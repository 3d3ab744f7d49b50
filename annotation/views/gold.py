"""The manager's pages of gold: what it is, how often its rule fails whom, and the editor of one sample."""

from collections.abc import Mapping

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.errors import AnnotationError
from annotation.models import Gold, GoldCounting, Sample, Study
from annotation.selectors.batches import study_batches
from annotation.selectors.gold import gold_editor, study_catch_rates, study_gold, study_rule
from annotation.selectors.samples import SampleQuery, study_samples
from annotation.services.gold import gold_deactivate, gold_rule_set, gold_set
from annotation.views.staff import page_actor, study_named
from config.roles import MANAGER
from config.views import role_required, staff_page

REFUSED = 422


@require_safe
@role_required(MANAGER)
def manage_gold(request: HttpRequest, code: str) -> HttpResponse:
    return _gold_page(request, study_named(code))


@require_POST
@role_required(MANAGER)
def manage_gold_rule(request: HttpRequest, code: str) -> HttpResponseBase:
    study = study_named(code)
    try:
        gold_rule_set(
            study=study,
            gold_per_hit=_whole(request.POST, "gold_per_hit", "gold in a HIT"),
            failures_allowed=_whole(request.POST, "failures_allowed", "failures that are allowed"),
            counting=GoldCounting(request.POST.get("counting", GoldCounting.QUESTION)),
            actor=page_actor(request),
        )
    except (AnnotationError, ValueError) as error:
        words = str(error) if isinstance(error, AnnotationError) else "Choose what is counted."
        return _gold_page(request, study, rule_refused=words, given=request.POST)
    messages.success(request, "The rule is saved. Batches that are yet to be made will use it.")
    return redirect("manage_gold", study.code)


def _gold_page(
    request: HttpRequest, study: Study, *, rule_refused: str = "", given: Mapping[str, str] | None = None
) -> HttpResponse:
    rule = study_rule(study)
    context = {
        "study": study,
        "catch": study_catch_rates(study),
        "gold": study_gold(study, page=request.GET.get("gold", "1")),
        "samples": study_samples(study, SampleQuery.read(request.GET.dict())),
        "searched": bool({"text", "generator"} & request.GET.keys()),
        "countings": GoldCounting.choices,
        "rule_refused": rule_refused,
        "form": given
        or {
            "gold_per_hit": str(rule.gold_per_hit),
            "failures_allowed": str(rule.failures_allowed),
            "counting": rule.counting,
        },
        "other_rules": [batch for batch in study_batches(study) if batch.rule != rule],
    }
    return staff_page(request, "manage/gold.html", context, status=REFUSED if rule_refused else 200)


# --- One sample -------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_gold_sample(request: HttpRequest, code: str, pk: int) -> HttpResponseBase:
    study, sample = _study_and_sample(code, pk)
    if request.method != "POST":
        return _editor(request, study, sample)
    try:
        gold = _save(request, study, sample)
    except AnnotationError as error:
        return _editor(request, study, sample, given=request.POST, refused=str(error))
    messages.success(request, f"{gold.sample.code} is gold now. Raters meet it from their next HIT on.")
    return redirect("manage_gold", study.code)


def _save(request: HttpRequest, study: Study, sample: Sample) -> Gold:
    asked = study.rubric.criteria.filter(formula="").order_by("position")
    questions = dict(asked.values_list("code", "question"))
    return gold_set(
        study=study,
        sample=sample,
        answers={
            name: _whole(request.POST, f"answer-{name}", f"right answer to “{words}”")
            for name, words in questions.items()
        },
        tolerance={
            name: _whole(request.POST, f"tolerance-{name}", f"tolerance of “{words}”")
            for name, words in questions.items()
        },
        reason=request.POST.get("reason", "").replace("\0", "").strip()[:2000],
        actor=page_actor(request),
    )


@require_POST
@role_required(MANAGER)
def manage_gold_out(request: HttpRequest, code: str, pk: int) -> HttpResponseBase:
    """Take a gold sample out, with a reason."""
    study, sample = _study_and_sample(code, pk)
    gold = get_object_or_404(study.gold, sample=sample)
    reason = request.POST.get("reason", "").replace("\0", "").strip()[:2000]
    try:
        gold_deactivate(gold=gold, reason=reason, actor=page_actor(request))
    except AnnotationError as error:
        return _editor(request, study, sample, out_refused=str(error), out_reason=reason)
    messages.success(request, f"{sample.code} is taken out. Raters meet it no more; who was judged by it stays judged.")
    return redirect("manage_gold", study.code)


def _editor(
    request: HttpRequest,
    study: Study,
    sample: Sample,
    *,
    given: Mapping[str, str] | None = None,
    refused: str = "",
    out_refused: str = "",
    out_reason: str = "",
) -> HttpResponse:
    context = {
        "study": study,
        "editor": gold_editor(study, sample, given=given),
        "refused": refused,
        "out_refused": out_refused,
        "out_reason": out_reason,
    }
    return staff_page(request, "manage/gold_sample.html", context, status=REFUSED if refused or out_refused else 200)


# --- Reading the request ----------------------------------------------------------------------------------------------


def _whole(values: Mapping[str, str], name: str, words: str) -> int:
    text = values.get(name, "").strip()
    if not (text.removeprefix("-").isdecimal() and text.isascii() and len(text) < 5):
        raise AnnotationError(
            f"The {words}: expected a whole number, found {text!r}." if text else f"The {words} is missing."
        )
    return int(text)


def _study_and_sample(code: str, pk: int) -> tuple[Study, Sample]:
    study = study_named(code)
    samples = Sample.objects.filter(places__study=study).select_related("prompt", "generator", "motion")
    return study, get_object_or_404(samples, pk=pk)
