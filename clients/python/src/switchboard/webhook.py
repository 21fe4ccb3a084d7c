"""Verifies webhook requests: https://github.com/standard-webhooks/standard-webhooks"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping
from typing import Any, cast

from .api import Event, WebhookTest

_PREFIX = "whsec_"
# Bounds the work for a hostile request; a rotation needs only two.
_MAX_SIGNATURES = 10


class WebhookVerificationError(Exception):
    """The request is not from Switchboard, or it is too old."""


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Iterable[str],
    *,
    tolerance: float = 300,
    now: float | None = None,
) -> Event | WebhookTest:
    """Verifies that Switchboard sent this request to your webhook just now, and returns its event.

    The body must be exactly the bytes that arrived. During a rotation, pass both secrets. An event can arrive twice, with
    the same ``id``.
    """
    secrets = [one for one in ([secret] if isinstance(secret, str) else secret) if one]
    if not secrets:
        raise ValueError("verify_webhook: a secret is required")
    keys = [_key(one) for one in secrets]
    given = {name.lower(): value for name, value in headers.items()}
    try:
        id_, time_, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError:
        raise WebhookVerificationError("the Standard Webhooks headers are missing") from None
    moment = time.time() if now is None else now
    if not re.fullmatch(r"[0-9]{1,12}", time_) or abs(moment - int(time_)) > tolerance:
        raise WebhookVerificationError("the timestamp is too old or in the future")
    content = body.encode() if isinstance(body, str) else bytes(body)
    signed = f"{id_}.{time_}.".encode() + content
    if not _is_signed(signed, signatures.split(" ")[:_MAX_SIGNATURES], keys):
        raise WebhookVerificationError("the signature does not match the secret")
    return _event_in(content)


def _is_signed(signed: bytes, given: Iterable[str], keys: list[bytes]) -> bool:
    expected = [hmac.new(key, signed, hashlib.sha256).digest() for key in keys]
    for text in given:
        signature = _decode(text[3:]) if text.startswith("v1,") else None
        if signature and any(hmac.compare_digest(signature, one) for one in expected):
            return True
    return False


def _key(secret: str) -> bytes:
    """A secret with the prefix is base64; any other is used as text."""
    if not secret.startswith(_PREFIX):
        return secret.encode()
    key = _decode(secret[len(_PREFIX) :])
    if not key:
        raise ValueError("verify_webhook: the secret is not base64")
    return key


def _decode(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None


def _event_in(body: bytes) -> Event | WebhookTest:
    try:
        value: Any = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict) and "type" in value and "data" in value:
        return cast(Event, value)
    raise WebhookVerificationError("the body is not an event")
