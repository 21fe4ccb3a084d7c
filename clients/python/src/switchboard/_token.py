"""Tokens: given, or signed with a key."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Key:
    """A key of a user or an application. Its secret grants all their rights."""

    id: int | str
    secret: str = field(repr=False)


TokenSource = Callable[[], str | None]

_LIFETIME_SECONDS = 10 * 60
# How long before its expiry a token is replaced: calls take time, and clocks differ.
_RENEW_BEFORE_SECONDS = 2 * 60


def token_source(token: str | Callable[[], str] | None, key: Key | None) -> TokenSource:
    if token is not None and key is not None:
        raise ValueError("Switchboard: pass a token or a key, not both")
    if isinstance(token, str) and not token.strip():
        raise ValueError("Switchboard: the token is empty; is its environment variable set?")
    if key is not None:
        if not str(key.id) or not key.secret:
            raise ValueError("Switchboard: a key needs an id and a secret")
        return _Signer(key)
    if callable(token):
        return token
    own = None if token is None else token.strip()
    return lambda: own


class _Signer:
    """Signs tokens with a key, and replaces each shortly before it expires."""

    def __init__(self, key: Key) -> None:
        self._key = key
        self._lock = threading.Lock()
        self._current = ""
        self._until = 0

    def __call__(self) -> str:
        now = int(time.time())
        with self._lock:
            # Also signs a new token if the clock moved backwards: the service refuses tokens from the future.
            if not self._until - _LIFETIME_SECONDS <= now < self._until:
                self._until = now + _LIFETIME_SECONDS - _RENEW_BEFORE_SECONDS
                self._current = _sign(self._key, now)
            return self._current


def _sign(key: Key, now: int) -> str:
    """A JWT signed with HS256: RFC 7519, RFC 7515."""
    claims = {"iss": str(key.id), "iat": now, "exp": now + _LIFETIME_SECONDS}
    content = f"{_encode({'alg': 'HS256', 'typ': 'JWT'})}.{_encode(claims)}"
    signature = hmac.new(key.secret.encode(), content.encode(), hashlib.sha256).digest()
    return f"{content}.{_base64url(signature)}"


def _encode(value: object) -> str:
    return _base64url(json.dumps(value, separators=(",", ":")).encode())


def _base64url(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
