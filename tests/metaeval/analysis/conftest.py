"""Figures take most of the time of a whole command and have tests of their own: they are not drawn here."""

import pytest

from metaeval.report.files import writing


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "plates", lambda *_: [])
