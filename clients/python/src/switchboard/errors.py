"""The error of a failed call."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any, Literal, get_args

from .api import AcceptedMessage, ProblemCode

ClientCode = Literal["no_answer", "timeout", "unexpected_answer"]
"""Errors that the client detects: the service could not be reached, did not answer in time, or something else answered."""

ErrorCode = ProblemCode | ClientCode

_PROBLEM_CODES = frozenset(get_args(ProblemCode))
_MAX_QUOTED_LENGTH = 200


@dataclass(frozen=True)
class FieldError:
    """An invalid field, by JSON pointer (RFC 6901) into the request body."""

    pointer: str
    detail: str


class SwitchboardError(Exception):
    """A failed call. Check ``code`` for the reason; ``/docs/errors`` of the service explains each code."""

    code: ErrorCode
    """The reason, for programs. Codes do not change."""
    status: int
    """The HTTP status; 0 if there was no response."""
    title: str
    detail: str
    """A description of this error, for people."""
    errors: tuple[FieldError, ...]
    """The invalid fields; empty if the error is not about fields."""
    request_id: str | None
    """Identifies the request in the log of the service."""
    retry_after: float | None
    """The seconds to wait before a retry, if the service sent ``Retry-After``."""
    accepted: list[AcceptedMessage]
    """For ``send_all``, which may take several calls: the messages accepted before the error."""

    def __init__(
        self,
        code: ErrorCode,
        detail: str,
        *,
        status: int = 0,
        title: str | None = None,
        errors: tuple[FieldError, ...] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{detail} ({code})")
        self.code = code
        self.detail = detail
        self.status = status
        self.title = title or detail
        self.errors = errors
        self.request_id = request_id
        self.retry_after = retry_after
        self.accepted = []


def error_from(status: int, headers: Mapping[str, str], body: bytes) -> SwitchboardError:
    """The error for a response with a status other than 2xx."""
    problem = _object_in(body)
    request_id = _text(problem.get("request_id")) or headers.get("x-request-id")
    retry_after = _seconds(headers.get("retry-after"))
    code = problem.get("code")
    if not isinstance(code, str) or code not in _PROBLEM_CODES:
        error = unexpected(status, headers, body)
        error.request_id = request_id
        error.retry_after = retry_after
        return error
    known: Any = code
    title = _text(problem.get("title")) or code
    return SwitchboardError(
        known,
        _text(problem.get("detail")) or title,
        status=status,
        title=title,
        errors=_field_errors(problem.get("errors")),
        request_id=request_id,
        retry_after=retry_after,
    )


def unexpected(status: int, headers: Mapping[str, str], body: bytes) -> SwitchboardError:
    """The error for a response that is not from Switchboard."""
    if 300 <= status < 400:
        location = headers.get("location")
        target = f" to {location}" if location else ""
        detail = f"the url redirects{target}: configure the client with the final url"
    else:
        text = body.decode("utf-8", "replace")[:_MAX_QUOTED_LENGTH].strip()
        detail = f"the response is not from Switchboard: {status} {text or '(empty)'}"
    return SwitchboardError("unexpected_answer", detail, status=status)


def _object_in(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _field_errors(errors: object) -> tuple[FieldError, ...]:
    if not isinstance(errors, list):
        return ()
    return tuple(
        FieldError(error["pointer"], error["detail"])
        for error in errors
        if isinstance(error, dict)
        and isinstance(error.get("pointer"), str)
        and isinstance(error.get("detail"), str)
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _seconds(header: str | None) -> float | None:
    """Parses ``Retry-After``, a number of seconds or a date: RFC 9110, section 10.2.3."""
    if header is None or not header.strip():
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(header)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds())
