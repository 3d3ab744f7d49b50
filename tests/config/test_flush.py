"""The tests' own ground: transactional tests empty frozen tables, and their triggers are back afterwards."""

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction

from config.audit.models import AuditEvent
from tests.factories import AuditEventFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("turn", ["first", "second"])
def test_frozen_rows_go_between_tests_and_stay_frozen_within_them(turn: str) -> None:
    assert not AuditEvent.objects.exists()
    event = AuditEventFactory()

    for change in (AuditEvent.objects.update, AuditEvent.objects.all().delete):
        with pytest.raises(IntegrityError, match="the audit log refuses"), transaction.atomic():
            change(**({"actor": "system"} if change == AuditEvent.objects.update else {}))

    assert AuditEvent.objects.get() == event


def test_the_roles_survive_the_flush() -> None:
    assert set(Group.objects.values_list("name", flat=True)) >= {"manager", "researcher"}
