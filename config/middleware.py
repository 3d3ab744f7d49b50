"""Gives every request an id, logs how it went, and returns the id to the caller."""

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config import logs

logger = logging.getLogger("touchstone.request")

# An id from a proxy is kept if it is harmless in a log line.
_ACCEPTED_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")


class RequestIdMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        offered = request.headers.get("X-Request-ID", "")
        identity = offered if _ACCEPTED_ID.fullmatch(offered) else uuid.uuid4().hex
        reset = logs.request_id.set(identity)
        started = time.perf_counter()
        try:
            response = self.get_response(request)
            response["X-Request-ID"] = identity
            logger.info(
                "%s %s %s",
                request.method,
                request.path,
                response.status_code,
                extra={"status": response.status_code, "ms": round((time.perf_counter() - started) * 1000, 1)},
            )
            return response
        finally:
            logs.request_id.reset(reset)
