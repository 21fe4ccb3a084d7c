"""People, with their addresses on all channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _calls as calls
from ._pages import AsyncPages, Pages
from .api import Address, Contact, Conversation, ConversationEntry

if TYPE_CHECKING:
    from .aio import AsyncSwitchboard
    from .client import Switchboard


def _path(id: int, rest: str = "") -> str:
    return f"/1/contacts/{calls.segment(id)}" + (f"/{rest}" if rest else "")


def _query(search: str | None, external_id: str | None, limit: int | None) -> calls.Query:
    return {"search": search, "external_id": external_id, "limit": limit}


def _address(channel: str, address: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"channel": channel, "address": address, **fields}


class Contacts:
    """People, with their addresses on all channels. Needs an application token."""

    def __init__(self, client: Switchboard) -> None:
        self._client = client

    def list(self, *, search: str | None = None, external_id: str | None = None, limit: int | None = None) -> Pages[Contact]:
        """Newest first; with ``search``, those whose name, address or external id begins with the text."""
        return Pages(self._client, "/1/contacts", _query(search, external_id, limit))

    def create(self, *, addresses: Sequence[Mapping[str, Any]] = (), **fields: Any) -> Contact:
        """``external_id``, ``name``, ``locale``, ``timezone`` and ``fields``; an address is
        ``{"channel": "sms", "address": "+15558675310"}``."""
        return self._client._run(calls.post("/1/contacts", {**fields, "addresses": [*addresses]}))

    def get(self, id: int) -> Contact:
        return self._client._run(calls.get(_path(id)))

    def update(self, id: int, **fields: Any) -> None:
        """Changes the given fields; None clears one."""
        self._client._run(calls.put(_path(id), fields))

    def delete(self, id: int) -> None:
        self._client._run(calls.delete(_path(id)))

    def add_address(self, id: int, channel: str, address: str, **fields: Any) -> Address:
        """``label``, ``preference``, ``state`` and ``integration_id`` are optional."""
        return self._client._run(calls.post(_path(id, "addresses"), _address(channel, address, fields)))

    def update_address(self, id: int, address_id: int, **fields: Any) -> None:
        self._client._run(calls.put(_path(id, f"addresses/{calls.segment(address_id)}"), fields))

    def remove_address(self, id: int, address_id: int) -> None:
        self._client._run(calls.delete(_path(id, f"addresses/{calls.segment(address_id)}")))


class AsyncContacts:
    """People, with their addresses on all channels. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    def list(self, *, search: str | None = None, external_id: str | None = None, limit: int | None = None) -> AsyncPages[Contact]:
        """Newest first; with ``search``, those whose name, address or external id begins with the text."""
        return AsyncPages(self._client, "/1/contacts", _query(search, external_id, limit))

    async def create(self, *, addresses: Sequence[Mapping[str, Any]] = (), **fields: Any) -> Contact:
        """``external_id``, ``name``, ``locale``, ``timezone`` and ``fields``; an address is
        ``{"channel": "sms", "address": "+15558675310"}``."""
        return await self._client._run(calls.post("/1/contacts", {**fields, "addresses": [*addresses]}))

    async def get(self, id: int) -> Contact:
        return await self._client._run(calls.get(_path(id)))

    async def update(self, id: int, **fields: Any) -> None:
        """Changes the given fields; None clears one."""
        await self._client._run(calls.put(_path(id), fields))

    async def delete(self, id: int) -> None:
        await self._client._run(calls.delete(_path(id)))

    async def add_address(self, id: int, channel: str, address: str, **fields: Any) -> Address:
        """``label``, ``preference``, ``state`` and ``integration_id`` are optional."""
        return await self._client._run(calls.post(_path(id, "addresses"), _address(channel, address, fields)))

    async def update_address(self, id: int, address_id: int, **fields: Any) -> None:
        await self._client._run(calls.put(_path(id, f"addresses/{calls.segment(address_id)}"), fields))

    async def remove_address(self, id: int, address_id: int) -> None:
        await self._client._run(calls.delete(_path(id, f"addresses/{calls.segment(address_id)}")))


class Conversations:
    """What was said between integrations and people, in both directions. Needs an application token."""

    def __init__(self, client: Switchboard) -> None:
        self._client = client

    def list(self, *, contact_id: int | None = None, limit: int | None = None) -> Pages[Conversation]:
        """One per integration and recipient, those with the newest message first."""
        return Pages(self._client, "/1/conversations", {"contact_id": contact_id, "limit": limit})

    def get(self, id: int) -> Conversation:
        return self._client._run(calls.get(f"/1/conversations/{calls.segment(id)}"))

    def messages(self, id: int, *, limit: int | None = None) -> Pages[ConversationEntry]:
        """Sent messages with their states, and the events of received ones, newest first."""
        return Pages(self._client, f"/1/conversations/{calls.segment(id)}/messages", {"limit": limit})

    def read(self, id: int) -> None:
        """Marks it as read."""
        self._client._run(calls.act("POST", f"/1/conversations/{calls.segment(id)}/read"))


class AsyncConversations:
    """What was said between integrations and people, in both directions. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    def list(self, *, contact_id: int | None = None, limit: int | None = None) -> AsyncPages[Conversation]:
        """One per integration and recipient, those with the newest message first."""
        return AsyncPages(self._client, "/1/conversations", {"contact_id": contact_id, "limit": limit})

    async def get(self, id: int) -> Conversation:
        return await self._client._run(calls.get(f"/1/conversations/{calls.segment(id)}"))

    def messages(self, id: int, *, limit: int | None = None) -> AsyncPages[ConversationEntry]:
        """Sent messages with their states, and the events of received ones, newest first."""
        return AsyncPages(self._client, f"/1/conversations/{calls.segment(id)}/messages", {"limit": limit})

    async def read(self, id: int) -> None:
        """Marks it as read."""
        await self._client._run(calls.act("POST", f"/1/conversations/{calls.segment(id)}/read"))
