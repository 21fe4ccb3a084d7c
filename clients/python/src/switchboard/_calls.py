"""Every call as data: its request, and how to read its response. The clients only differ in how they wait."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Literal, TypeVar
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from ._http import Request, Response
from .compose import Activity
from .errors import error_from, unexpected

T = TypeVar("T")
Query = Mapping[str, str | int | None]
Options = Mapping[str, str | int | bool]
"""Values of a channel's options, such as ``{"silent": True}``."""
Template = Mapping[str, Any]
"""A template by its name: ``{"name": "order_shipped", "language": "en", "parameters": {"1": "Ada"}}``."""
Routes = Sequence[Mapping[str, Any]]
"""Ways to reach a recipient: ``[{"via": "whatsapp", "until": "read", "after": "PT2M"}, {"via": "twilio"}]``."""
Sendable = Mapping[str, Any]
"""An activity, or ``{"message": activity, "options": {...}, "send_at": ...}``."""

Category = Literal["transactional", "marketing", "verification"]
"""Why a message is sent."""

SendTime = datetime | str | Mapping[str, str]
"""A time with a zone, or a local time such as ``{"local": "09:00", "zone": "recipient"}``."""

MAX_BATCH = 1_000
# The maximum size of a request body, less some room for the JSON around the messages.
MAX_BATCH_BYTES = 8 * 1024 * 1024 - 1024
# Calls without a token. The service supports no idempotency keys for them.
_TOKENLESS = frozenset({"/1/tokens", "/1/invitations/preview", "/1/invitations/accept"})


@dataclass(frozen=True)
class Call(Generic[T]):
    method: str
    path: str
    parse: Callable[[Response], T]
    query: Query | None = None
    body: bytes | None = None
    idempotency_key: str | None = None
    content_type: str = "application/json"

    @property
    def repeatable(self) -> bool:
        return self.method == "GET" or self._keyed

    @property
    def _keyed(self) -> bool:
        return self.method == "POST" and self.path not in _TOKENLESS

    def prepare(self, base: str) -> Request:
        """The request without a token. All attempts share its idempotency key."""
        headers = {"accept": "application/json"}
        if self.body is not None:
            headers["content-type"] = self.content_type
        if self._keyed:
            headers["idempotency-key"] = self.idempotency_key or secrets.token_hex(16)
        asked = {name: value for name, value in (self.query or {}).items() if value is not None}
        url = f"{base}{self.path}" + (f"?{urlencode(asked)}" if asked else "")
        return Request(self.method, url, headers, self.body)

    def read(self, response: Response) -> T:
        if not 200 <= response.status < 300:
            raise error_from(response.status, response.headers, response.body)
        return self.parse(response)


def base_url(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f'Switchboard: the url must start with http:// or https://, not "{url}"')
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def get(path: str, query: Query | None = None) -> Call[Any]:
    return Call("GET", path, _object, query)


def post(path: str, body: object = None, *, query: Query | None = None, key: str | None = None) -> Call[Any]:
    return Call("POST", path, _object, query, _json(body), key)


def act(method: str, path: str, body: object = None) -> Call[None]:
    """A call whose response has no content."""
    return Call(method, path, _nothing, None, _json(body))


def put(path: str, body: object) -> Call[None]:
    return Call("PUT", path, _nothing, None, _json(body))


def upload(path: str, data: str | bytes, content_type: str, query: Query | None = None) -> Call[Any]:
    return Call("POST", path, _object, query, data.encode() if isinstance(data, str) else data, None, content_type)


def download(path: str, query: Query) -> Call[str]:
    return Call("GET", path, _text, query)


def delete(path: str) -> Call[None]:
    return Call("DELETE", path, _nothing)


def any_call(method: str, path: str, query: Query | None, body: object, key: str | None) -> Call[Any]:
    return Call(method.upper(), path, _object_or_none, query, _json(body), key)


@dataclass(frozen=True)
class Page(Generic[T]):
    data: list[T]
    next: dict[str, str] | None
    """The query of the next page."""


def page(path: str, query: Query, cursor: Mapping[str, str] | None = None) -> Call[Page[Any]]:
    return Call("GET", path, _page, {**query, **(cursor or {})})


def segment(value: str | int) -> str:
    return quote(str(value), safe="")


def submission(
    message: Sendable,
    send_at: SendTime | None = None,
    category: Category | None = None,
    *,
    routes: Routes | None = None,
    **instructions: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """The activity and, beside it, its options, templates, category, routes and time, as the API takes them."""
    given: dict[str, Any] = {"message": message} if "@context" in message else dict(message)
    given = {**given, **{name: dict(value) for name, value in instructions.items() if value is not None}}
    if category is not None:
        given["category"] = category
    if routes is not None:
        given["routes"] = [dict(route) for route in routes]
    return given if send_at is None else {**given, "send_at": send_time(send_at)}


def send_time(send_at: SendTime) -> str | dict[str, str]:
    """The time as the API takes it."""
    if isinstance(send_at, datetime):
        if send_at.tzinfo is None:
            raise ValueError("send_at needs a time zone, such as datetime.now(timezone.utc)")
        return send_at.isoformat()
    return send_at if isinstance(send_at, str) else dict(send_at)


def change(message: Sendable | None, send_at: SendTime | None, options: Options | None) -> dict[str, Any]:
    """A change of a scheduled message, as the API takes it."""
    if message is not None:
        return submission(message, send_at, options=options)
    body: dict[str, Any] = {} if send_at is None else {"send_at": send_time(send_at)}
    return body if options is None else {**body, "options": dict(options)}


def batches(messages: Iterable[Sendable]) -> Iterator[bytes]:
    """Request bodies that carry all messages in order, in as few calls as possible."""
    parts: list[bytes] = []
    size = 0
    for each in messages:
        # Messages without options travel as bare activities.
        given = submission(each)
        part = _encode(given["message"] if len(given) == 1 else given)
        if parts and (len(parts) >= MAX_BATCH or size + len(part) + 1 > MAX_BATCH_BYTES):
            yield _batch(parts)
            parts, size = [], 0
        parts.append(part)
        size += len(part) + 1
    if parts:
        yield _batch(parts)


def batch(body: bytes, key: str | None) -> Call[Any]:
    return Call("POST", "/1/messages", _object, None, body, key)


def message_query(
    *,
    state: str | Sequence[str] | None = None,
    to: str | None = None,
    channel: str | None = None,
    integration_id: int | None = None,
    limit: int | None = None,
) -> Query:
    states = state if state is None or isinstance(state, str) else ",".join(state)
    return {"state": states, "to": to, "channel": channel, "integration_id": integration_id, "limit": limit}


def feed(after: int, limit: int, types: Sequence[str] | None, wait: int) -> Call[Page[Any]]:
    query = {"after": after, "limit": limit, "wait": wait, "type": ",".join(types) if types else None}
    return page("/1/events", query)


def new_events(found: Page[Any], last: int) -> list[Any]:
    """The events after ``last``, each once."""
    fresh = []
    for event in found.data:
        if event["id"] > last:
            last = event["id"]
            fresh.append(event)
    return fresh


def position(found: Page[Any], last: int) -> int:
    """The cursor may be past the last event, if later ones were deleted or filtered out."""
    after = (found.next or {}).get("after", "")
    return max(last, int(after)) if after.isdigit() else last


def _batch(parts: list[bytes]) -> bytes:
    return b'{"messages":[' + b",".join(parts) + b"]}"


def _json(body: object) -> bytes | None:
    return None if body is None else _encode(body)


def _encode(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def _nothing(_response: Response) -> None:
    return None


def _object_or_none(response: Response) -> Any:
    return _object(response) if response.body else None


def _text(response: Response) -> str:
    return response.body.decode()


def _object(response: Response) -> Any:
    try:
        value = json.loads(response.body)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise unexpected(response.status, response.headers, response.body)
    return value


def _page(response: Response) -> Page[Any]:
    data = _object(response).get("data")
    if not isinstance(data, list):
        raise unexpected(response.status, response.headers, response.body)
    return Page(data, _next(response.headers.get("link")))


def _next(link: str | None) -> dict[str, str] | None:
    """The query of the next page (RFC 8288). Its host is ignored: the token may only be sent to the configured address."""
    for part in (link or "").split(", <"):
        address, _, rest = part.partition(">")
        if 'rel="next"' in rest.replace("rel=next", 'rel="next"'):
            return dict(parse_qsl(urlsplit(address.lstrip(" <")).query))
    return None
