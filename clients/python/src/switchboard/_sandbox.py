"""The simulated vendors of sandbox integrations."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from . import _calls as calls
from .api import Sandbox, SandboxMessage

if TYPE_CHECKING:
    from .aio import AsyncSwitchboard
    from .client import Switchboard

Wanted = str | Callable[[SandboxMessage], bool]
"""What a message on a phone must contain, or a function that recognizes it."""

# The waits between two looks at the phone; the last one repeats.
DELAYS_SECONDS = (0.02, 0.05, 0.1, 0.2)


def _path(integration: int, rest: str = "") -> str:
    return f"/1/sandbox/{calls.segment(integration)}" + (f"/{rest}" if rest else "")


def _fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """``from_`` is ``from``, which is a keyword."""
    return {name.removesuffix("_"): value for name, value in given.items()}


def _is_wanted(message: SandboxMessage, wanted: Wanted) -> bool:
    if message["author"] != "application" or message.get("deleted"):
        return False
    return wanted in message.get("text", "") if isinstance(wanted, str) else wanted(message)


class Sandboxes:
    """Simulated vendors of integrations with the mode ``sandbox``: what people received, what they answer, and faults on
    demand. Needs an application token."""

    def __init__(self, client: Switchboard) -> None:
        self._client = client

    def get(self, integration: int) -> Sandbox:
        """The simulated people, what they can do, and the addresses that trigger faults."""
        return self._client._run(calls.get(_path(integration)))

    def messages(self, integration: int, *, address: str | None = None, limit: int = 100) -> list[SandboxMessage]:
        """What the phones show, newest first; ``address`` is that of a person or room."""
        query = {"with": address, "limit": limit}
        found: list[SandboxMessage] = (self._client._run(calls.get(_path(integration, "messages"), query)))["data"]
        return found

    def shown(self, integration: int, wanted: Wanted, *, timeout: float, after: int = 0) -> SandboxMessage:
        """Waits until a phone shows a message of the application that contains a text, or for which the function returns
        true; returns the newest one. With ``after``, only messages after that one count. Raises ``TimeoutError`` after
        ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        looks = 0
        while True:
            recent = self.messages(integration)
            for message in recent:
                if message["id"] > after and _is_wanted(message, wanted):
                    return message
            delay = DELAYS_SECONDS[min(looks, len(DELAYS_SECONDS) - 1)]
            if time.monotonic() + delay > deadline:
                raise TimeoutError(f"no phone shows it after {timeout:g} s")
            time.sleep(delay)
            looks += 1

    def reply(self, integration: int, text: str | None = None, **fields: Any) -> SandboxMessage:
        """Answers as a person: with a text, ``media={"type": "Image"}`` or ``place={...}``; ``from_`` is their address."""
        body = _fields(fields) if text is None else {"text": text, **_fields(fields)}
        return self._client._run(calls.post(_path(integration, "reply"), body))

    def press(self, integration: int, message: int, button: str | int, **who: Any) -> SandboxMessage:
        """Presses a button, by its label, its value or its position from 1."""
        body = {"message": message, "button": button, **_fields(who)}
        return self._client._run(calls.post(_path(integration, "press"), body))

    def react(self, integration: int, message: int, emoji: str, **who: Any) -> SandboxMessage:
        body = {"message": message, "emoji": emoji, **_fields(who)}
        return self._client._run(calls.post(_path(integration, "react"), body))

    def join(self, integration: int, **who: Any) -> SandboxMessage:
        return self._client._run(calls.post(_path(integration, "join"), _fields(who)))

    def leave(self, integration: int, **who: Any) -> SandboxMessage:
        return self._client._run(calls.post(_path(integration, "leave"), _fields(who)))

    def block(self, integration: int, *, blocked: bool = True, **who: Any) -> SandboxMessage:
        """Blocks the sender as a person, or ends the block."""
        return self._client._run(calls.post(_path(integration, "block"), {"blocked": blocked, **_fields(who)}))

    def report(self, integration: int, message: int, state: Literal["delivered", "read", "failed"]) -> None:
        """Reports a message as delivered, read or failed."""
        body = {"message": message, "state": state}
        self._client._run(calls.act("POST", _path(integration, "receipts"), body))

    def behave(self, integration: int, behaviours: Sequence[Mapping[str, Any]]) -> None:
        """Replaces the standing faults, such as ``[{"fault": "limited", "seconds": 60}]``; an empty list removes them."""
        self._client._run(calls.put(_path(integration, "behaviour"), {"behaviours": list(behaviours)}))

    def reset(self, integration: int) -> None:
        """Empties the phones and removes all faults."""
        self._client._run(calls.act("POST", _path(integration, "reset")))


class AsyncSandboxes:
    """Simulated vendors of integrations with the mode ``sandbox``: what people received, what they answer, and faults on
    demand. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    async def get(self, integration: int) -> Sandbox:
        """The simulated people, what they can do, and the addresses that trigger faults."""
        return await self._client._run(calls.get(_path(integration)))

    async def messages(self, integration: int, *, address: str | None = None, limit: int = 100) -> list[SandboxMessage]:
        """What the phones show, newest first; ``address`` is that of a person or room."""
        query = {"with": address, "limit": limit}
        found: list[SandboxMessage] = (await self._client._run(calls.get(_path(integration, "messages"), query)))["data"]
        return found

    async def shown(self, integration: int, wanted: Wanted, *, timeout: float, after: int = 0) -> SandboxMessage:
        """Waits until a phone shows a message of the application that contains a text, or for which the function returns
        true; returns the newest one. With ``after``, only messages after that one count. Raises ``TimeoutError`` after
        ``timeout`` seconds."""
        deadline = time.monotonic() + timeout
        looks = 0
        while True:
            recent = await self.messages(integration)
            for message in recent:
                if message["id"] > after and _is_wanted(message, wanted):
                    return message
            delay = DELAYS_SECONDS[min(looks, len(DELAYS_SECONDS) - 1)]
            if time.monotonic() + delay > deadline:
                raise TimeoutError(f"no phone shows it after {timeout:g} s")
            await asyncio.sleep(delay)
            looks += 1

    async def reply(self, integration: int, text: str | None = None, **fields: Any) -> SandboxMessage:
        """Answers as a person: with a text, ``media={"type": "Image"}`` or ``place={...}``; ``from_`` is their address."""
        body = _fields(fields) if text is None else {"text": text, **_fields(fields)}
        return await self._client._run(calls.post(_path(integration, "reply"), body))

    async def press(self, integration: int, message: int, button: str | int, **who: Any) -> SandboxMessage:
        """Presses a button, by its label, its value or its position from 1."""
        body = {"message": message, "button": button, **_fields(who)}
        return await self._client._run(calls.post(_path(integration, "press"), body))

    async def react(self, integration: int, message: int, emoji: str, **who: Any) -> SandboxMessage:
        body = {"message": message, "emoji": emoji, **_fields(who)}
        return await self._client._run(calls.post(_path(integration, "react"), body))

    async def join(self, integration: int, **who: Any) -> SandboxMessage:
        return await self._client._run(calls.post(_path(integration, "join"), _fields(who)))

    async def leave(self, integration: int, **who: Any) -> SandboxMessage:
        return await self._client._run(calls.post(_path(integration, "leave"), _fields(who)))

    async def block(self, integration: int, *, blocked: bool = True, **who: Any) -> SandboxMessage:
        """Blocks the sender as a person, or ends the block."""
        return await self._client._run(calls.post(_path(integration, "block"), {"blocked": blocked, **_fields(who)}))

    async def report(self, integration: int, message: int, state: Literal["delivered", "read", "failed"]) -> None:
        """Reports a message as delivered, read or failed."""
        body = {"message": message, "state": state}
        await self._client._run(calls.act("POST", _path(integration, "receipts"), body))

    async def behave(self, integration: int, behaviours: Sequence[Mapping[str, Any]]) -> None:
        """Replaces the standing faults, such as ``[{"fault": "limited", "seconds": 60}]``; an empty list removes them."""
        await self._client._run(calls.put(_path(integration, "behaviour"), {"behaviours": list(behaviours)}))

    async def reset(self, integration: int) -> None:
        """Empties the phones and removes all faults."""
        await self._client._run(calls.act("POST", _path(integration, "reset")))
