"""What an analysis wrote, over HTTP: all of it as a zip, its report in a sandbox, its tables and figures one by one."""

import zipfile
from pathlib import PurePosixPath

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from django.views.decorators.http import require_safe

from config.roles import RESEARCHER
from config.views import role_required
from metaeval.models import Analysis, ReportArchive
from metaeval.selectors.archives import archive_of
from rendering.serving import serve_file

# The report is one file with its own styles and scripts, made of other people's words (metrics, criteria, prompts):
# it runs without our origin, so it reads no cookie and calls no address, and only our own pages show it in a frame.
REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
# A picture can carry scripts too: it is drawn, and nothing else.
FILE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".json": "application/json",
    ".pdf": "application/pdf",
    ".svg": "image/svg+xml",
    ".tex": "text/plain; charset=utf-8",
    ".toml": "text/plain; charset=utf-8",
}
# A browser draws these; everything else is for a disk.
SHOWN = (".svg",)


@require_safe
@role_required(RESEARCHER)
def out_zip(request: HttpRequest, pk: int) -> HttpResponseBase:
    return archive_response(request, _archive(pk))


def archive_response(request: HttpRequest, archive: ReportArchive) -> HttpResponseBase:
    analysis = archive.report.analysis
    response = serve_file(request, archive.file.name, content_type="application/zip")
    name = f"{slugify(analysis.title)[:60] or 'analysis'}-{analysis.pk}.zip"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


@require_safe
@role_required(RESEARCHER)
def report_html(request: HttpRequest, pk: int) -> HttpResponse:
    response = HttpResponse(_read(_archive(pk), "report.html"), content_type=TYPES[".html"])
    response["Content-Security-Policy"] = REPORT_POLICY
    response["X-Frame-Options"] = "SAMEORIGIN"
    response["Cache-Control"] = "private, max-age=3600"
    return response


@require_safe
@role_required(RESEARCHER)
def report_file(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    ending = PurePosixPath(name).suffix.lower()
    content_type = TYPES.get(ending, "application/octet-stream")
    response = HttpResponse(_read(_archive(pk), name), content_type=content_type)
    response["Content-Security-Policy"] = FILE_POLICY
    response["Cache-Control"] = "private, max-age=3600"
    if ending not in SHOWN:
        response["Content-Disposition"] = f'attachment; filename="{slugify(PurePosixPath(name).stem)}{ending}"'
    return response


def _archive(pk: int) -> ReportArchive:
    analysis = get_object_or_404(Analysis.objects.select_related("label_set", "report__archive"), pk=pk)
    archive = archive_of(analysis)
    if archive is None:
        raise Http404("This analysis has no files.")
    return archive


def _read(archive: ReportArchive, name: str) -> bytes:
    """By the list of names and not by the path: what is not in the archive does not exist."""
    if name not in archive.names:
        raise Http404("There is no such file in this analysis.")
    try:
        with default_storage.open(str(archive.file), "rb") as file, zipfile.ZipFile(file) as files:
            return files.read(name)
    except FileNotFoundError:
        raise Http404("The files of this analysis are not stored here any more.") from None
