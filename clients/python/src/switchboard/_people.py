"""People, with their addresses on all channels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _calls as calls
from ._pages import AsyncPages, Pages
from .api import Address, Contact, ContactImport, ContactImportError, ContactMerge, Conversation, ConversationEntry, Erasure, UploadedFile

if TYPE_CHECKING:
    from .aio import AsyncSwitchboard
    from .client import Switchboard


def _path(id: int, rest: str = "") -> str:
    return f"/1/contacts/{calls.segment(id)}" + (f"/{rest}" if rest else "")


def _query(search: str | None, external_id: str | None, limit: int | None) -> calls.Query:
    return {"search": search, "external_id": external_id, "limit": limit}


def _address(channel: str, address: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return {"channel": channel, "address": address, **fields}


_IMPORTS = "/1/contact-imports"
_BINARY = "application/octet-stream"


def _import(text: str, format: str) -> calls.Call[Any]:
    return calls.upload(_IMPORTS, text, "text/csv" if format == "csv" else "application/x-ndjson")


def _upload(id: int, data: bytes, name: str, media_type: str) -> calls.Call[Any]:
    return calls.upload(f"/1/conversations/{calls.segment(id)}/files", data, media_type, {"name": name})


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

    def export_file(self, id: int) -> str:
        """Everything about a contact: one JSON object per line, with ``kind`` and ``data``. The last line has the kind ``end``;
        without it, the file is incomplete."""
        return self._client._run(calls.download(_path(id, "export"), {}))

    def erase(self, id: int) -> Erasure:
        """Erases everything about a contact, in the background. What the person revoked still holds."""
        return self._client._run(calls.post(_path(id, "erase")))

    def erasure(self, id: int) -> Erasure:
        """The progress of an erasure."""
        return self._client._run(calls.get(_path(id, "erasure")))

    def add_address(self, id: int, channel: str, address: str, **fields: Any) -> Address:
        """``label``, ``preference``, ``state`` and ``integration_id`` are optional."""
        return self._client._run(calls.post(_path(id, "addresses"), _address(channel, address, fields)))

    def update_address(self, id: int, address_id: int, **fields: Any) -> None:
        self._client._run(calls.put(_path(id, f"addresses/{calls.segment(address_id)}"), fields))

    def remove_address(self, id: int, address_id: int) -> None:
        self._client._run(calls.delete(_path(id, f"addresses/{calls.segment(address_id)}")))

    def merge(self, id: int, other_id: int) -> Contact:
        """Makes another contact part of this one, with its addresses."""
        return self._client._run(calls.post(_path(id, "merge"), {"contact_id": other_id}))

    def unmerge(self, id: int, other_id: int) -> Contact:
        """Takes a merged contact out again; returns it."""
        return self._client._run(calls.post(_path(id, "unmerge"), {"contact_id": other_id}))

    def merges(self, id: int) -> Sequence[ContactMerge]:
        """The contacts that are part of this one, the newest merge first."""
        found: Sequence[ContactMerge] = self._client._run(calls.get(_path(id, "merges")))["data"]
        return found

    def import_file(self, text: str, *, format: str = "csv") -> ContactImport:
        """Imports up to 100,000 rows of CSV with a header, or with ``format="ndjson"`` of JSON, in the background."""
        return self._client._run(_import(text, format))

    def imports(self, *, limit: int | None = None) -> Pages[ContactImport]:
        return Pages(self._client, _IMPORTS, {"limit": limit})

    def get_import(self, id: int) -> ContactImport:
        """With its progress."""
        return self._client._run(calls.get(f"{_IMPORTS}/{calls.segment(id)}"))

    def import_errors(self, id: int, *, limit: int | None = None) -> Pages[ContactImportError]:
        """The skipped rows, in the order of the file."""
        return Pages(self._client, f"{_IMPORTS}/{calls.segment(id)}/errors", {"limit": limit})

    def cancel_import(self, id: int) -> None:
        """Imported contacts stay."""
        self._client._run(calls.delete(f"{_IMPORTS}/{calls.segment(id)}"))


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

    async def export_file(self, id: int) -> str:
        """Everything about a contact: one JSON object per line, with ``kind`` and ``data``. The last line has the kind ``end``;
        without it, the file is incomplete."""
        return await self._client._run(calls.download(_path(id, "export"), {}))

    async def erase(self, id: int) -> Erasure:
        """Erases everything about a contact, in the background. What the person revoked still holds."""
        return await self._client._run(calls.post(_path(id, "erase")))

    async def erasure(self, id: int) -> Erasure:
        """The progress of an erasure."""
        return await self._client._run(calls.get(_path(id, "erasure")))

    async def add_address(self, id: int, channel: str, address: str, **fields: Any) -> Address:
        """``label``, ``preference``, ``state`` and ``integration_id`` are optional."""
        return await self._client._run(calls.post(_path(id, "addresses"), _address(channel, address, fields)))

    async def update_address(self, id: int, address_id: int, **fields: Any) -> None:
        await self._client._run(calls.put(_path(id, f"addresses/{calls.segment(address_id)}"), fields))

    async def remove_address(self, id: int, address_id: int) -> None:
        await self._client._run(calls.delete(_path(id, f"addresses/{calls.segment(address_id)}")))

    async def merge(self, id: int, other_id: int) -> Contact:
        """Makes another contact part of this one, with its addresses."""
        return await self._client._run(calls.post(_path(id, "merge"), {"contact_id": other_id}))

    async def unmerge(self, id: int, other_id: int) -> Contact:
        """Takes a merged contact out again; returns it."""
        return await self._client._run(calls.post(_path(id, "unmerge"), {"contact_id": other_id}))

    async def merges(self, id: int) -> Sequence[ContactMerge]:
        """The contacts that are part of this one, the newest merge first."""
        found: Sequence[ContactMerge] = (await self._client._run(calls.get(_path(id, "merges"))))["data"]
        return found

    async def import_file(self, text: str, *, format: str = "csv") -> ContactImport:
        """Imports up to 100,000 rows of CSV with a header, or with ``format="ndjson"`` of JSON, in the background."""
        return await self._client._run(_import(text, format))

    def imports(self, *, limit: int | None = None) -> AsyncPages[ContactImport]:
        return AsyncPages(self._client, _IMPORTS, {"limit": limit})

    async def get_import(self, id: int) -> ContactImport:
        """With its progress."""
        return await self._client._run(calls.get(f"{_IMPORTS}/{calls.segment(id)}"))

    def import_errors(self, id: int, *, limit: int | None = None) -> AsyncPages[ContactImportError]:
        """The skipped rows, in the order of the file."""
        return AsyncPages(self._client, f"{_IMPORTS}/{calls.segment(id)}/errors", {"limit": limit})

    async def cancel_import(self, id: int) -> None:
        """Imported contacts stay."""
        await self._client._run(calls.delete(f"{_IMPORTS}/{calls.segment(id)}"))


class Conversations:
    """What was said between integrations and people, in both directions. Needs an application token."""

    def __init__(self, client: Switchboard) -> None:
        self._client = client

    def list(
        self, *, contact_id: int | None = None, search: str | None = None, limit: int | None = None
    ) -> Pages[Conversation]:
        """One per integration and recipient, those with the newest message first.

        ``search`` is how an address, a name or an external id begins; it finds at most 100.
        """
        query = {"contact_id": contact_id, "search": search, "limit": limit}
        return Pages(self._client, "/1/conversations", query)

    def get(self, id: int) -> Conversation:
        return self._client._run(calls.get(f"/1/conversations/{calls.segment(id)}"))

    def messages(self, id: int, *, limit: int | None = None) -> Pages[ConversationEntry]:
        """Sent messages with their states, and the events of received ones, newest first."""
        return Pages(self._client, f"/1/conversations/{calls.segment(id)}/messages", {"limit": limit})

    def read(self, id: int) -> None:
        """Marks it as read."""
        self._client._run(calls.act("POST", f"/1/conversations/{calls.segment(id)}/read"))

    def upload(self, id: int, data: bytes, *, name: str, media_type: str = _BINARY) -> UploadedFile:
        """Uploads a file of at most 10 MiB. Nothing is sent yet: send a message with its ``url``."""
        return self._client._run(_upload(id, data, name, media_type))


class AsyncConversations:
    """What was said between integrations and people, in both directions. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    def list(
        self, *, contact_id: int | None = None, search: str | None = None, limit: int | None = None
    ) -> AsyncPages[Conversation]:
        """One per integration and recipient, those with the newest message first.

        ``search`` is how an address, a name or an external id begins; it finds at most 100.
        """
        query = {"contact_id": contact_id, "search": search, "limit": limit}
        return AsyncPages(self._client, "/1/conversations", query)

    async def get(self, id: int) -> Conversation:
        return await self._client._run(calls.get(f"/1/conversations/{calls.segment(id)}"))

    def messages(self, id: int, *, limit: int | None = None) -> AsyncPages[ConversationEntry]:
        """Sent messages with their states, and the events of received ones, newest first."""
        return AsyncPages(self._client, f"/1/conversations/{calls.segment(id)}/messages", {"limit": limit})

    async def read(self, id: int) -> None:
        """Marks it as read."""
        await self._client._run(calls.act("POST", f"/1/conversations/{calls.segment(id)}/read"))

    async def upload(self, id: int, data: bytes, *, name: str, media_type: str = _BINARY) -> UploadedFile:
        """Uploads a file of at most 10 MiB. Nothing is sent yet: send a message with its ``url``."""
        return await self._client._run(_upload(id, data, name, media_type))
