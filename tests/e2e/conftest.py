"""Real clips, and pages that report whatever the browser complains of."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import ConsoleMessage, Page, expect

from tests.e2e.small_study import SmallStudy, make_study
from tests.rendering.people import a_walk

# Chromium says this of a page that answers 404 or 403 on purpose; of a missing picture or script it is a fault.
REFUSED = "Failed to load resource: the server responded with a status of 4"

# Pages that ask for news do so every three seconds, and both cores may be busy with other tests.
expect.set_options(timeout=20_000)

_LISTEN = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`CSP violation: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`));
"""


@pytest.fixture(scope="session")
def video(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A second of a figure that stands still, drawn by our own renderer."""
    folder = tmp_path_factory.mktemp("clip")
    np.save(folder / "motion.npy", np.repeat(a_walk(1).joints, 20, axis=0))
    command = [sys.executable, "-m", "rendering", str(folder / "motion.npy"), "-o", str(folder / "clip.mp4")]
    subprocess.run(
        [*command, "--look", "stick", "--pixels", "128"], check=True, cwd=settings.BASE_DIR, capture_output=True
    )
    return (folder / "clip.mp4").read_bytes()


@pytest.fixture
def made(transactional_db: None, files: Path, video: bytes) -> SmallStudy:
    return make_study(video=video)


@pytest.fixture
def complaints() -> Iterator[list[str]]:
    """What browsers said against our pages: any error, and any breach of the content security policy."""
    found: list[str] = []
    yield found
    assert found == []


@pytest.fixture
def open_page(new_page: Callable[..., Page], complaints: list[str]) -> Callable[..., Page]:
    """Opens a page that is listened to; `user=` signs somebody in."""

    def listen(message: ConsoleMessage) -> None:
        is_the_page = message.page is not None and message.location["url"] == message.page.url
        if message.type == "error" and not (is_the_page and message.text.startswith(REFUSED)):
            complaints.append(f"{message.location['url']}: {message.text}")

    def open_listening(*, user: User | None = None, **options: Any) -> Page:
        page = new_page(**options)
        page.add_init_script(_LISTEN)
        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if user is not None:
            page.context.add_cookies([session_cookie(user, page)])
        return page

    return open_listening


def session_cookie(user: User, page: Page) -> Any:
    client = Client()
    client.force_login(user)
    page.goto("/healthz")
    return {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": page.url}
