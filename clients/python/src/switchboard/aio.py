"""The asynchronous client."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, List, TypeVar

from . import _calls as calls
from ._calls import Call, Category, Options, Routes, Sendable, SendTime, Template
from ._http import Attempt as Attempt_
from ._http import Response
from ._pages import AsyncPages
from ._people import AsyncContacts, AsyncConversations
from ._retry import backoff, is_transient, retry_delay
from ._sandbox import AsyncSandboxes
from ._settings import (
    DEFAULT_RETRIES,
    DEFAULT_TIMEOUT_SECONDS,
    EXTRA_TIMEOUT_SECONDS,
    MIN_INTERVAL_SECONDS,
    POLL_DELAYS_SECONDS,
    UNSETTLED,
    WAIT_SECONDS,
    Settings,
)
from ._pools import AsyncPools
from ._templates import AsyncTemplates
from ._token import Key
from .api import (
    AcceptedMessage,
    Application,
    Attempt,
    Channel,
    Check,
    Consent,
    ConsentDetail,
    ConsentImport,
    Event,
    EventType,
    Integration,
    Message,
    MessageDetail,
    NewKey,
    Policies,
    Preview,
    TemplateSync,
    Token,
    User,
    VendorTemplates,
    Webhook,
)
from .errors import SwitchboardError

T = TypeVar("T")
MAX_REQUESTS = 64
"""Requests of one client that run at the same time; others wait."""


class AsyncSwitchboard:
    """The client for a Switchboard service.

    Messages, integrations and events need an application token; applications, keys and webhooks need a user token. A call
    that fails raises ``SwitchboardError``. Up to 64 requests run at the
    same time, in threads; canceling a task ends its request.
    """

    def __init__(
        self,
        url: str,
        *,
        token: str | Callable[[], str] | None = None,
        key: Key | None = None,
        application: int | None = None,
        timeout: float = DEFAULT_TIMEOUT_SECONDS,
        retries: int = DEFAULT_RETRIES,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        settings = Settings.of(url, token, key, application, timeout, retries, tls)
        # The event loop's own threads are few, and a long poll keeps one for half a minute.
        self._use(settings, ThreadPoolExecutor(MAX_REQUESTS, "switchboard"))

    def _use(self, settings: Settings, threads: Executor) -> None:
        self._settings = settings
        self._threads = threads
        self.messages = AsyncMessages(self)
        self.integrations = AsyncIntegrations(self)
        self.consents = AsyncConsents(self)
        self.pools = AsyncPools(self)
        self.contacts = AsyncContacts(self)
        self.conversations = AsyncConversations(self)
        self.templates = AsyncTemplates(self)
        self.applications = AsyncApplications(self)
        self.sandbox = AsyncSandboxes(self)
        self.channels = AsyncChannels(self)

    def act_for(self, application: int) -> AsyncSwitchboard:
        """A client with which a user acts for an application of the team."""
        made = AsyncSwitchboard.__new__(AsyncSwitchboard)
        made._use(self._settings.acting_for(application), self._threads)
        return made

    async def events(
        self,
        *,
        after: int = 0,
        types: Sequence[EventType] | None = None,
        limit: int = 100,
        on_retry: Callable[[SwitchboardError], None] | None = None,
    ) -> AsyncIterator[Event]:
        """The application's events in order: first those after ``after``, then new ones as they happen.

        Store the id of the last event you processed, and pass it as ``after`` to continue. Transient errors are retried
        forever, continuing after the last event.
        """
        last, failures = after, 0
        while True:
            started = time.monotonic()
            try:
                found = await self._run(
                    calls.feed(last, limit, types, WAIT_SECONDS),
                    timeout=WAIT_SECONDS + EXTRA_TIMEOUT_SECONDS,
                    retries=0,
                )
            except SwitchboardError as error:
                if not is_transient(error):
                    raise
                failures += 1
                if on_retry:
                    on_retry(error)
                await asyncio.sleep(max(backoff(failures), error.retry_after or 0))
                continue
            failures = 0
            for event in calls.new_events(found, last):
                last = event["id"]
                yield event
            last = calls.position(found, last)
            if not found.data:
                await asyncio.sleep(max(0.0, MIN_INTERVAL_SECONDS - (time.monotonic() - started)))

    def history(self, *, after: int | None = None, types: Sequence[EventType] | None = None, limit: int | None = None) -> AsyncPages[Event]:
        """Past events, newest first; with ``after``, those that followed an event, oldest first."""
        order = "desc" if after is None else None
        query = {"order": order, "after": after, "limit": limit, "type": ",".join(types) if types else None}
        return AsyncPages(self, "/1/events", query)

    async def sign_in(self, *, email: str, password: str) -> AsyncSwitchboard:
        """A client for that user."""
        token: Token = await self._run(calls.post("/1/tokens", {"email": email, "password": password}))
        given = self._settings
        return AsyncSwitchboard(given.url, token=token["token"], timeout=given.timeout, retries=given.retries, tls=given.tls)

    async def me(self) -> User:
        """The user of the token."""
        return await self._run(calls.get("/1/users/me"))

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str | int | None] | None = None,
        body: object = None,
        idempotency_key: str | None = None,
    ) -> Any:
        """Makes any call of the API; ``/docs/reference`` of the service lists them."""
        return await self._run(calls.any_call(method, path, query, body, idempotency_key))

    async def _run(self, call: Call[T], *, timeout: float | None = None, retries: int | None = None) -> T:
        request = call.prepare(self._settings.url)
        allowed = self._settings.retries if retries is None else retries
        failures = 0
        while True:
            try:
                return call.read(await _attempt(self._settings.attempt(request, timeout), self._threads))
            except SwitchboardError as error:
                failures += 1
                delay = retry_delay(error, repeatable=call.repeatable, failures=failures)
                if failures > allowed or delay is None:
                    raise
            await asyncio.sleep(delay)


async def _attempt(attempt: Attempt_, threads: Executor) -> Response:
    """Runs in a thread. Canceling the task ends the request, so that the thread ends too."""
    running = asyncio.get_running_loop().run_in_executor(threads, attempt.run)
    try:
        return await running
    except asyncio.CancelledError:
        attempt.abort()
        raise


class AsyncMessages:
    """Messages. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    async def send(self, message: Sendable, *, options: Options | None = None, send_at: SendTime | None = None, template: Template | None = None, outside_window: Template | None = None, category: Category | None = None, routes: Routes | None = None, idempotency_key: str | None = None, timeout: float | None = None) -> AcceptedMessage:
        """Sends a message, at once or at ``send_at``. Returns once the service has stored it durably.

        ``template`` is sent instead of the text; ``outside_window`` if the vendor accepts no free text any more.
        ``category`` is ``transactional`` by default; marketing goes only to people who did not stop it.
        ``routes`` are ways to reach the recipient, one after the other.
        """
        body = calls.submission(message, send_at, category, options=options, template=template, outside_window=outside_window, routes=routes)
        return await self._client._run(calls.post("/1/message", body, key=idempotency_key), timeout=timeout)

    async def send_all(self, messages: Iterable[Sendable], *, idempotency_key: str | None = None) -> List[AcceptedMessage]:
        """Sends any number of messages in order, in calls of up to 1,000 messages or 8 MiB.

        Each call accepts all of its messages or none. If a later call fails, ``accepted`` of the error lists the messages
        already accepted.
        """
        accepted: List[AcceptedMessage] = []
        for body in calls.batches(messages):
            # A repeated call uses the same key for the same batch.
            key = f"{idempotency_key}-{len(accepted)}" if idempotency_key else None
            try:
                accepted += (await self._client._run(calls.batch(body, key)))["data"]
            except SwitchboardError as error:
                error.accepted = accepted
                raise
        return accepted

    async def dry_run(self, message: Sendable, *, options: Options | None = None, send_at: SendTime | None = None, template: Template | None = None, outside_window: Template | None = None, category: Category | None = None, routes: Routes | None = None) -> Preview:
        """Shows what exactly would be sent, what would be lost, and what is missing. Sends nothing."""
        body = calls.submission(message, send_at, category, options=options, template=template, outside_window=outside_window, routes=routes)
        return await self._client._run(calls.post("/1/message", body, query={"dry_run": "true"}))

    async def get(self, id: int) -> MessageDetail:
        return await self._client._run(calls.get(f"/1/messages/{calls.segment(id)}"))

    def list(
        self,
        *,
        state: str | Sequence[str] | None = None,
        to: str | None = None,
        channel: str | None = None,
        integration_id: int | None = None,
        limit: int | None = None,
    ) -> AsyncPages[Message]:
        """The messages of the application, newest first."""
        query = calls.message_query(state=state, to=to, channel=channel, integration_id=integration_id, limit=limit)
        return AsyncPages(self._client, "/1/messages", query)

    async def attempts(self, id: int) -> List[Attempt]:
        """The attempts to send a message, in order, with the channel's responses."""
        found: List[Attempt] = (await self._client._run(calls.get(f"/1/messages/{calls.segment(id)}/attempts")))["data"]
        return found

    async def resend(self, id: int, *, route: int | None = None) -> AcceptedMessage:
        """Resends a message that is failed, uncertain, canceled, expired or suppressed; ``route`` starts this route again, with those after it."""
        body = None if route is None else {"route": route}
        return await self._client._run(calls.post(f"/1/messages/{calls.segment(id)}/resend", body))

    async def retry(self, id: int) -> MessageDetail:
        """Retries a waiting message now."""
        return await self._client._run(calls.post(f"/1/messages/{calls.segment(id)}/retry"))

    async def change(self, id: int, *, message: Sendable | None = None, send_at: SendTime | None = None, options: Options | None = None) -> None:
        """Changes a scheduled message: its time, its content, or both; raises ``message_not_scheduled`` if it has left."""
        await self._client._run(calls.put(f"/1/messages/{calls.segment(id)}", calls.change(message, send_at, options)))

    async def cancel(self, id: int) -> None:
        """Cancels a message that is scheduled, queued or uncertain; raises ``message_settled`` if it is too late."""
        await self._client._run(calls.delete(f"/1/messages/{calls.segment(id)}"))

    async def settled(self, id: int, *, timeout: float) -> MessageDetail:
        """Waits until a message is sent, failed, uncertain, canceled, expired or suppressed; raises ``TimeoutError`` after ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        looks = 0
        while True:
            found = await self.get(id)
            if found["state"] not in UNSETTLED:
                return found
            delay = POLL_DELAYS_SECONDS[min(looks, len(POLL_DELAYS_SECONDS) - 1)]
            if time.monotonic() + delay > deadline:
                raise TimeoutError(f"message {id} is not settled after {timeout:g} s")
            await asyncio.sleep(delay)
            looks += 1


class AsyncIntegrations:
    """Integrations of the application, each with the credentials of one channel. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    async def create(self, channel: str, **credentials: Any) -> Integration:
        """Creates an integration: ``create("telegram", token="…")``. ``channels.get`` lists the credentials needed."""
        application_id = (await self._client.applications.me())["id"]
        body = {"name": channel, "state": "enable", "application_id": application_id, **credentials}
        return await self._client._run(calls.post("/1/integrations", body))

    def list(self) -> AsyncPages[Integration]:
        """The integrations of the application, newest first, with masked secrets."""
        return AsyncPages(self._client, self._path, {"mask": "true"})

    async def _path(self) -> str:
        application_id = (await self._client.applications.me())["id"]
        return f"/1/applications/{application_id}/integrations"

    async def get(self, id: int) -> Integration:
        """The integration, with masked secrets."""
        return await self._client._run(calls.get(f"/1/integrations/{calls.segment(id)}", {"mask": "true"}))

    async def check(self, id: int) -> Check:
        """Checks the credentials with the channel's vendor. Sends no message."""
        return await self._client._run(calls.post(f"/1/integrations/{calls.segment(id)}/check"))

    async def templates(self, id: int) -> VendorTemplates:
        """The templates of the vendor, as of the last sync."""
        return await self._client._run(calls.get(f"/1/integrations/{calls.segment(id)}/templates"))

    async def sync_templates(self, id: int) -> TemplateSync:
        """Reads the templates from the vendor."""
        return await self._client._run(calls.post(f"/1/integrations/{calls.segment(id)}/templates/sync"))

    async def update(self, id: int, channel: str, **fields: Any) -> None:
        """Changes the given fields; None removes a credential."""
        await self._client._run(calls.put(f"/1/integrations/{calls.segment(id)}", {"name": channel, **fields}))

    async def delete(self, id: int) -> None:
        """Deletes the integration permanently and cancels its queued messages."""
        await self._client._run(calls.delete(f"/1/integrations/{calls.segment(id)}"))


class AsyncConsents:
    """What people allow for an address, and the proof. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    def list(self, *, family: str | None = None, address: str | None = None, limit: int | None = None) -> AsyncPages[Consent]:
        """Newest first; with ``address``, those of one address, in one ``family`` or in all."""
        return AsyncPages(self._client, "/1/consents", {"family": family, "address": address, "limit": limit})

    async def set(self, family: str, address: str, state: str, *, scope: str = "all", evidence: str | None = None) -> Consent:
        """Records what a person allows: ``granted``, ``pending`` or ``revoked``. A stop takes effect for queued messages too."""
        body = {"family": family, "address": address, "scope": scope, "state": state, **({} if evidence is None else {"evidence": evidence})}
        return await self._client._run(calls.post("/1/consents", body))

    async def get(self, id: int) -> ConsentDetail:
        """With its history."""
        return await self._client._run(calls.get(f"/1/consents/{calls.segment(id)}"))

    async def delete(self, id: int) -> None:
        await self._client._run(calls.delete(f"/1/consents/{calls.segment(id)}"))

    async def import_file(self, text: str, *, format: str = "csv") -> ConsentImport:
        """Imports up to 50,000 lines of CSV with a header, or with ``format="ndjson"`` of JSON. Lines with errors are skipped and reported."""
        kind = "text/csv" if format == "csv" else "application/x-ndjson"
        return await self._client._run(calls.upload("/1/consents/import", text, kind))

    async def export_file(self, *, format: str = "csv") -> str:
        """All consents as a file, which ``import_file`` reads."""
        return await self._client._run(calls.download("/1/consents/export", {"format": format}))


class AsyncApplications:
    """Applications of the team. Needs a user token, except for ``me``."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    async def me(self) -> Application:
        """The application of the token."""
        return await self._client._run(calls.get("/1/applications/me"))

    def list(self) -> AsyncPages[Application]:
        return AsyncPages(self._client, "/1/applications", {})

    async def create(self, name: str, *, webhook_url: str | None = None) -> Application:
        """Creates an application that belongs to you and your team."""
        user = await self._client.me()
        body = {"team_id": user["team_id"], "owner_id": user["id"], "state": "enable", "name": name, "webhook_url": webhook_url}
        return await self._client._run(calls.post("/1/applications", body))

    async def get(self, id: int) -> Application:
        return await self._client._run(calls.get(f"/1/applications/{calls.segment(id)}"))

    async def update(self, id: int, **fields: Any) -> None:
        """Changes the given fields; ``webhook_url=None`` removes the webhook."""
        await self._client._run(calls.put(f"/1/applications/{calls.segment(id)}", fields))

    async def delete(self, id: int) -> None:
        """Deletes the application permanently, with its keys, integrations and messages."""
        await self._client._run(calls.delete(f"/1/applications/{calls.segment(id)}"))

    async def policies(self, id: int) -> Policies:
        """The rules for what the application sends: consent and quiet hours."""
        return await self._client._run(calls.get(f"/1/applications/{calls.segment(id)}/policies"))

    async def set_policies(self, id: int, policies: Mapping[str, Any]) -> None:
        """Changes the given policies: ``set_policies(4, {"consent": {"double_opt_in": True}})``."""
        await self._client._run(calls.put(f"/1/applications/{calls.segment(id)}/policies", dict(policies)))

    async def create_key(self, id: int, *, label: str | None = None) -> NewKey:
        """Creates a key with which the application signs its tokens. Its secret is returned only once."""
        body = {"resource_id": id, "state": "enable", **({} if label is None else {"label": label})}
        return await self._client._run(calls.post("/1/keys/applications", body))

    async def create_token(self, id: int, *, days: int = 30) -> Token:
        return await self._client._run(calls.post(f"/1/applications/{calls.segment(id)}/tokens", {"days": days}))

    async def webhook(self, id: int) -> Webhook:
        """The webhook of the application, with its secrets."""
        return await self._client._run(calls.get(f"/1/applications/{calls.segment(id)}/webhook"))


class AsyncChannels:
    """The available channels. Needs no token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    async def list(self) -> List[Channel]:
        found: List[Channel] = (await self._client._run(calls.get("/1/channels")))["data"]
        return found

    async def get(self, name: str) -> Channel | None:
        """The channel with that name or alias."""
        wanted = name.strip().lower()
        channels = await self.list()
        return next((one for one in channels if wanted in (one["name"], *one["aliases"])), None)
