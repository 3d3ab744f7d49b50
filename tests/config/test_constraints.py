"""Every constraint of the audit log, broken on purpose."""

import pytest

from config.audit.models import AuditEvent
from tests.config.refusals import Breaks, promises, refused, truncate_breaks
from tests.factories import AuditEventFactory

BREAKS: Breaks = {
    "audit_event_has_actor": lambda: AuditEventFactory(actor=""),
    "audit_event_has_action": lambda: AuditEventFactory(action=""),
    "audit_event_has_subject": lambda: AuditEventFactory(subject=""),
    "audit_auditevent_no_update": lambda: AuditEvent.objects.filter(pk=AuditEventFactory().pk).update(actor="me"),
    "audit_auditevent_no_delete": lambda: AuditEventFactory().delete(),
    **truncate_breaks(AuditEvent),
}


def test_every_promise_is_tested() -> None:
    assert set(BREAKS) == set(promises("audit"))


@pytest.mark.django_db
@pytest.mark.parametrize("name", BREAKS)
def test_the_database_refuses(name: str) -> None:
    with refused(promises("audit")[name]):
        BREAKS[name]()
