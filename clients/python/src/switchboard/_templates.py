"""Templates of the application."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _calls as calls
from ._pages import AsyncPages, Pages
from .api import Template, TemplateDetail, TemplatePreview

if TYPE_CHECKING:
    from .aio import AsyncSwitchboard
    from .client import Switchboard

Contents = Mapping[str, Mapping[str, Any]]
"""The content by language: ``{"en": {"content": "Your order {{ number }} is on its way."}}``."""


def _path(id: int, rest: str = "") -> str:
    return f"/1/templates/{calls.segment(id)}{rest}"


def _version(contents: Contents, default_language: str) -> dict[str, Any]:
    return {"default_language": default_language, "contents": {tag: dict(content) for tag, content in contents.items()}}


def _preview(
    parameters: Mapping[str, Any] | None, language: str | None, version: int | None, channels: Sequence[str] | None
) -> dict[str, Any]:
    given = {
        "parameters": None if parameters is None else dict(parameters),
        "language": language,
        "version": version,
        "channels": None if channels is None else list(channels),
    }
    return {name: value for name, value in given.items() if value is not None}


class Templates:
    """Templates of the application, which every channel can send. Needs an application token."""

    def __init__(self, client: Switchboard) -> None:
        self._client = client

    def list(self, *, limit: int | None = None) -> Pages[Template]:
        """Newest first, in their newest version."""
        return Pages(self._client, "/1/templates", {"limit": limit})

    def create(self, name: str, contents: Contents, *, default_language: str) -> Template:
        """Creates a template: ``create("order_shipped", {"en": {"content": "…"}}, default_language="en")``."""
        return self._client._run(calls.post("/1/templates", {"name": name, **_version(contents, default_language)}))

    def get(self, id: int, *, version: int | None = None) -> TemplateDetail:
        """The newest version, or the given one."""
        return self._client._run(calls.get(_path(id), {"version": version}))

    def update(self, id: int, contents: Contents, *, default_language: str) -> None:
        """Adds a version. New messages use it."""
        self._client._run(calls.put(_path(id), _version(contents, default_language)))

    def delete(self, id: int) -> None:
        self._client._run(calls.delete(_path(id)))

    def preview(
        self,
        id: int,
        *,
        parameters: Mapping[str, Any] | None = None,
        language: str | None = None,
        version: int | None = None,
        channels: Sequence[str] | None = None,
    ) -> TemplatePreview:
        """Renders it for each channel. Sends nothing."""
        return self._client._run(calls.post(_path(id, "/preview"), _preview(parameters, language, version, channels)))


class AsyncTemplates:
    """Templates of the application, which every channel can send. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    def list(self, *, limit: int | None = None) -> AsyncPages[Template]:
        """Newest first, in their newest version."""
        return AsyncPages(self._client, "/1/templates", {"limit": limit})

    async def create(self, name: str, contents: Contents, *, default_language: str) -> Template:
        """Creates a template: ``create("order_shipped", {"en": {"content": "…"}}, default_language="en")``."""
        body = {"name": name, **_version(contents, default_language)}
        return await self._client._run(calls.post("/1/templates", body))

    async def get(self, id: int, *, version: int | None = None) -> TemplateDetail:
        """The newest version, or the given one."""
        return await self._client._run(calls.get(_path(id), {"version": version}))

    async def update(self, id: int, contents: Contents, *, default_language: str) -> None:
        """Adds a version. New messages use it."""
        await self._client._run(calls.put(_path(id), _version(contents, default_language)))

    async def delete(self, id: int) -> None:
        await self._client._run(calls.delete(_path(id)))

    async def preview(
        self,
        id: int,
        *,
        parameters: Mapping[str, Any] | None = None,
        language: str | None = None,
        version: int | None = None,
        channels: Sequence[str] | None = None,
    ) -> TemplatePreview:
        """Renders it for each channel. Sends nothing."""
        return await self._client._run(calls.post(_path(id, "/preview"), _preview(parameters, language, version, channels)))
