"""Users by role, and audit events."""

from collections.abc import Callable

import factory
from django.contrib.auth.models import Group, User
from factory.django import DjangoModelFactory

from config.audit.models import AuditEvent
from config.roles import MANAGER, RESEARCHER

PASSWORD = "correct horse battery staple"


def _joins(group: str) -> Callable[..., None]:
    def join(user: User, create: bool, _extracted: object, **_: object) -> None:
        if create:
            user.groups.add(Group.objects.get_or_create(name=group)[0])

    return join


class AuditEventFactory(DjangoModelFactory[AuditEvent]):
    class Meta:
        model = AuditEvent

    actor = "system"
    action = "thing.happened"
    subject = factory.Sequence(lambda n: f"app.thing:{n}")


class UserFactory(DjangoModelFactory[User]):
    """An account without a role."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"user{n}")
    password = factory.django.Password(PASSWORD)


class ManagerFactory(UserFactory):
    username = factory.Sequence(lambda n: f"manager{n}")
    role = factory.PostGeneration(_joins(MANAGER))


class ResearcherFactory(UserFactory):
    username = factory.Sequence(lambda n: f"researcher{n}")
    role = factory.PostGeneration(_joins(RESEARCHER))
