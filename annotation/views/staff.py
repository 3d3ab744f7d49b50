"""What the manager's pages begin with: the study that the address names, and who acts."""

from typing import cast

from django.contrib.auth.models import User
from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from annotation.models import Study
from config.audit.services import actor_for_user


def study_named(code: str) -> Study:
    return get_object_or_404(Study.objects.select_related("rubric"), code=code)


def page_actor(request: HttpRequest) -> str:
    """For the audit log; a page's `role_required` has let nobody in who is not signed in."""
    return actor_for_user(cast(User, request.user))
