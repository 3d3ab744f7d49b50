"""`POST /api/v1/token/`: a name and a password for a token."""

import hashlib

from rest_framework.authtoken.views import ObtainAuthToken
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView


class AddressThrottle(SimpleRateThrottle):
    """By the connection's address. Not by X-Forwarded-For, which whoever guesses passwords can write themselves."""

    scope = "token-address"
    rate = "60/minute"  # behind a proxy all callers share its address

    def get_cache_key(self, request: Request, view: APIView) -> str:
        return self.cache_format % {"scope": self.scope, "ident": request.META.get("REMOTE_ADDR", "")}


class AccountThrottle(SimpleRateThrottle):
    """By the account that is asked for, wherever the request comes from."""

    scope = "token-account"
    rate = "10/minute"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        data = request.data
        name = str(data.get("username", "")) if hasattr(data, "get") else ""
        return self.cache_format % {"scope": self.scope, "ident": hashlib.sha256(name.encode()).hexdigest()}


class TokenView(ObtainAuthToken):
    """A name and a password for the token that goes into the header `Authorization: Token <token>`."""

    authentication_classes = ()
    throttle_classes = (AddressThrottle, AccountThrottle)
