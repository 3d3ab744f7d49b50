from collections.abc import Iterator

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from tests.api.seeding import Seed, seed
from tests.factories.config import ManagerFactory, ResearcherFactory


@pytest.fixture(autouse=True)
def _no_throttle_remembered() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def seeded(db: None) -> Seed:
    return seed()


def client_of(user: User) -> APIClient:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {Token.objects.create(user=user).key}")
    return client


@pytest.fixture
def manager(db: None) -> APIClient:
    return client_of(ManagerFactory())


@pytest.fixture
def researcher(db: None) -> APIClient:
    return client_of(ResearcherFactory())
