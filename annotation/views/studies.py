"""Making and running a study: new, settings, rubric, state, clone, how raters see it, codebook.

Every page works without JavaScript: a preview is a submit that writes nothing.
"""

from collections.abc import Sequence
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_safe

from annotation import links
from annotation.errors import AnnotationError
from annotation.models import Sample, Study, StudyState
from annotation.rubric_presets import PRESETS, RubricText
from annotation.rubric_text import RubricFormatError, rubric_read, rubric_text_of, rubric_write
from annotation.selectors.clips import study_clips
from annotation.selectors.codebook import codebook_document, codebook_table, study_rubrics
from annotation.selectors.pilot import pilot_summary
from annotation.selectors.rubric_preview import item_as_rater, rubric_derived, rubric_questions
from annotation.selectors.study_states import MEANINGS, study_counts, study_move, study_moves
from annotation.services.studies import study_transition
from annotation.services.study_making import study_clone, study_make
from annotation.services.study_rubric import rubric_change_preview, study_change_rubric
from annotation.services.study_settings import settings_locked, study_facts, study_update
from annotation.views.staff import page_actor, study_named
from annotation.views.study_forms import OWN, CloneForm, NewStudyForm, SettingsForm, rubric_as_text, rubric_chosen
from config.bulk.problems import Problem
from config.bulk.writing import write_csv
from config.roles import MANAGER, RESEARCHER
from config.views import role_required, staff_page
from rendering.models import ClipState

# --- New --------------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_study_new(request: HttpRequest) -> HttpResponseBase:
    """`do` is create, preview (shows the questions) or take-over (puts the chosen rubric into the field as text)."""
    do = request.POST.get("do", "create") if request.method == "POST" else ""
    if do in ("preview", "take-over"):
        return _draft_page(request, request.POST, takes_over=do == "take-over")
    form = NewStudyForm(request.POST or None)
    if do and form.is_valid() and (study := _make(form, request)):
        messages.success(request, f"The study {study.code} is made. It is a draft: nobody can rate yet.")
        return redirect("manage_study", study.code)
    return _new_page(request, form, form.problems, status=400 if form.errors else 200)


def _draft_page(request: HttpRequest, data: QueryDict, *, takes_over: bool) -> HttpResponse:
    """What was filled in so far, unjudged; of the rubric the questions, or what is wrong with it."""
    filled: dict[str, Any] = {name: data.get(name, "") for name in NewStudyForm.base_fields}
    filled["reopen_left_out"] = "reopen_left_out" in data
    if takes_over and (written := rubric_as_text(filled["rubric"])):
        filled |= {"rubric": OWN, "rubric_own": written}
    form = NewStudyForm(initial=filled)
    try:
        text = rubric_read(filled["rubric_own"]) if filled["rubric"] == OWN else rubric_chosen(filled["rubric"])
    except RubricFormatError as error:
        return _new_page(request, form, error.problems)
    return _new_page(request, form, preview=text)


def _make(form: NewStudyForm, request: HttpRequest) -> Study | None:
    assert form.rubric_text is not None
    settings = form.settings()
    title = settings.pop("title")
    try:
        return study_make(
            code=form.cleaned_data["code"],
            title=title,
            rubric=form.rubric_text,
            created_by=cast(User, request.user),
            settings=settings,
        )
    except ValidationError as error:
        form.refuse(error)
        return None


def _new_page(
    request: HttpRequest,
    form: NewStudyForm,
    problems: Sequence[Problem] = (),
    *,
    preview: RubricText | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {"form": form, "problems": problems, **_preview_context(preview)}
    return staff_page(request, "manage/study_new.html", context, status=status)


def _preview_context(text: RubricText | None) -> dict[str, Any]:
    if text is None:
        return {"preview": None}
    return {"preview": text, "questions": rubric_questions(text), "derived": rubric_derived(text)}


# --- Settings ---------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_study_settings(request: HttpRequest, code: str) -> HttpResponseBase:
    study = study_named(code)
    facts = study_facts(study)
    form = SettingsForm(request.POST or None, study=study, locked=settings_locked(facts))
    if request.method == "POST" and form.is_valid():
        try:
            changed = study_update(study=study, changes=form.settings(), actor=page_actor(request))
        except ValidationError as error:
            form.refuse(error)
        else:
            _say_changed(request, study, changed)
            return redirect("manage_study_settings", code)
    context = {"study": study, "form": form, "facts": facts}
    return staff_page(request, "manage/study_settings.html", context, status=400 if form.errors else 200)


def _say_changed(request: HttpRequest, before: Study, after: Study) -> None:
    names = [name for name, field in SettingsForm.base_fields.items() if _value(before, name) != _value(after, name)]
    if not names:
        messages.info(request, "Nothing was different, so nothing was changed.")
        return
    words = ", ".join(str(SettingsForm.base_fields[name].label) for name in names)
    messages.success(request, f"Changed: {words}.")
    if after.consent_version != before.consent_version:
        messages.info(
            request,
            f"The consent is version {after.consent_version} now. Who agreed before stays on record with the old one.",
        )
    if "drawing" in names or "view" in names or "pixels" in names:
        messages.info(request, "Clips have to be drawn anew: make the missing ones on the page of the clips.")


def _value(study: Study, name: str) -> Any:
    return (study.look, study.backend) if name == "drawing" else getattr(study, name)


# --- Rubric -----------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_study_rubric(request: HttpRequest, code: str) -> HttpResponseBase:
    """The questions as they are, and others: first a preview that says what it would do, then the change."""
    study = study_named(code)
    written = _rubric_written(request, study)
    context: dict[str, Any] = {
        "study": study,
        "written": written,
        "versions": study_rubrics(study),
        "presets": PRESETS.values(),
        "problems": [],
        "refusal": "",
        **_preview_context(None),
    }
    if request.method != "POST":
        return staff_page(request, "manage/study_rubric.html", context | _preview_context(rubric_text_of(study.rubric)))
    try:
        text = rubric_read(written)
        if request.POST.get("do") == "change":
            changed = study_change_rubric(study=study, text=text, actor=page_actor(request))
            messages.success(request, f"Raters are asked {changed.rubric} from now on.")
            return redirect("manage_study_rubric", code)
    except RubricFormatError as error:
        return staff_page(request, "manage/study_rubric.html", context | {"problems": error.problems}, status=400)
    except AnnotationError as error:
        return staff_page(request, "manage/study_rubric.html", context | {"refusal": str(error)}, status=409)
    change = rubric_change_preview(study=study, text=text)
    return staff_page(request, "manage/study_rubric.html", context | {"change": change} | _preview_context(text))


def _rubric_written(request: HttpRequest, study: Study) -> str:
    if request.method == "POST":
        return request.POST.get("rubric", "")
    preset = PRESETS.get(request.GET.get("preset", ""))
    return rubric_write(preset or rubric_text_of(study.rubric))


# --- State ------------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_study_state(request: HttpRequest, code: str) -> HttpResponseBase:
    """`from` is the state that the page showed: who clicks on an old page is told, and nothing happens."""
    study = study_named(code)
    counts = study_counts(study)
    if request.method != "POST":
        return _state_page(request, study, {"counts": counts})
    move = study_move(study, request.POST.get("to", ""), counts)
    if move is None or request.POST.get("from") != study.state:
        messages.warning(request, f"Nothing was done: the study is {study.state} by now.")
        return redirect("manage_study_state", code)
    if move.asks and request.POST.get("sure") != "yes":
        return staff_page(request, "manage/study_sure.html", {"study": study, "move": move, "counts": counts})
    try:
        study_transition(
            study=study,
            state=StudyState(move.state),
            actor=page_actor(request),
            details=_pilot_details(study, move.state),
        )
    except AnnotationError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The study is {move.state} now. {MEANINGS[StudyState(move.state)]}")
    return redirect("manage_study_state", code)


def _state_page(request: HttpRequest, study: Study, context: dict[str, Any]) -> HttpResponse:
    moves = study_moves(study, context["counts"])
    shows_pilot = study.batches.filter(kind="pilot").exists() or study.state == StudyState.PILOT
    more = {
        "study": study,
        "moves": moves,
        "means": MEANINGS[StudyState(study.state)],
        "states": [{"label": state.label, "is_now": state == study.state} for state in StudyState],
        "pilot": pilot_summary(study) if shows_pilot else None,
    }
    return staff_page(request, "manage/study_state.html", context | more)


def _pilot_details(study: Study, state: str) -> dict[str, Any]:
    """What was known of the pilot when it was accepted."""
    if state != StudyState.LIVE or study.went_live_at or study.state == StudyState.DRAFT:
        return {}
    summary = pilot_summary(study)
    return {
        "pilot": {
            "handed_in": summary.handed_in,
            "seconds_per_item": summary.seconds_per_item,
            "gold_pass_rate": summary.gold_pass_rate,
            "alpha": {each.code: each.alpha for each in summary.alphas},
        }
    }


# --- Clone ------------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_study_clone(request: HttpRequest, code: str) -> HttpResponseBase:
    study = study_named(code)
    initial = {"code": _free_code(code), "title": f"{study.title} (copy)"[:200], "samples": True, "gold": True}
    form = CloneForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            cloned = study_clone(study=study, created_by=cast(User, request.user), **form.cleaned_data)
        except ValidationError as error:
            form.refuse(error)  # type: ignore[misc]
        else:
            messages.success(
                request,
                f"Cloned with {cloned.samples} samples and {cloned.gold} gold. It is a draft: nobody can rate yet.",
            )
            return redirect("manage_study_settings", cloned.study.code)
    context = {
        "study": study,
        "form": form,
        "samples": study.places.filter(is_active=True).count(),
        "gold": study.gold.filter(is_active=True).count(),
    }
    return staff_page(request, "manage/study_clone.html", context, status=400 if form.errors else 200)


def _free_code(code: str) -> str:
    taken = set(Study.objects.filter(code__startswith=code[:55]).values_list("code", flat=True))
    return next(found for number in range(2, len(taken) + 3) if (found := f"{code[:55]}-{number}") not in taken)


# --- As raters see it, and for those who analyse ----------------------------------------------------------------------


@require_safe
@role_required(MANAGER)
def manage_study_as_rater(request: HttpRequest, code: str) -> HttpResponse:
    """The item page of one sample, `?sample=`; no item is made or opened, so nothing is written."""
    study = study_named(code)
    ready = study_clips(study).filter(state=ClipState.READY)
    samples = Sample.objects.filter(places__study=study, places__is_active=True).select_related("prompt").order_by("pk")
    sample = _wanted_sample(samples, request.GET.get("sample", ""))
    sample = sample or samples.filter(motion__in=ready.values("motion")).first() or samples.first()
    if sample is None:
        return staff_page(request, "manage/study_no_samples.html", {"study": study})
    clip = ready.filter(motion=sample.motion_id).order_by("-id").first()
    context = {
        "study": study,
        "sample": sample,
        "position": samples.filter(pk__lt=sample.pk).count() + 1,
        "total": samples.count(),
        "previous": samples.filter(pk__lt=sample.pk).last(),
        "following": samples.filter(pk__gt=sample.pk).first(),
        # What the rater's template reads.
        "token": "as-rater",
        "shown": item_as_rater(study, sample, clip),
        "clip_token": links.example_token(clip) if clip else "",
        "minimum": study.minimum_seconds,
        "pay": study.pay_per_hit,
    }
    return staff_page(request, "manage/study_as_rater.html", context)


def _wanted_sample(samples: Any, wanted: str) -> Sample | None:
    if not wanted:
        return None
    sample = samples.filter(pk=wanted).first() if wanted.isdecimal() and len(wanted) < 19 else None
    if sample is None:
        raise Http404("This sample is not in the study.")
    return cast(Sample, sample)


@require_safe
@role_required(MANAGER, RESEARCHER)
def manage_study_codebook(request: HttpRequest, code: str, extension: str) -> HttpResponseBase:
    study = study_named(code)
    response: HttpResponseBase
    if extension == "json":
        response = JsonResponse(codebook_document(study), json_dumps_params={"ensure_ascii": False, "indent": 2})
    else:
        response = StreamingHttpResponse(write_csv(codebook_table(study)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="codebook-{study.code}.{extension}"'
    response["Cache-Control"] = "no-store"
    return response
