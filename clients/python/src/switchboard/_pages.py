"""Lists, which are fetched page by page."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from . import _calls as calls
from ._calls import Page

if TYPE_CHECKING:
    from .aio import AsyncSwitchboard
    from .client import Switchboard

T = TypeVar("T")


class Pages(Generic[T]):
    """A list. Iterate over it; pages are fetched as needed."""

    def __init__(self, client: Switchboard, path: str, query: calls.Query) -> None:
        self._client = client
        self._path = path
        self._query = query

    def __iter__(self) -> Iterator[T]:
        for page in self.pages():
            yield from page

    def pages(self) -> Iterator[list[T]]:
        cursor: dict[str, str] | None = None
        while True:
            found: Page[T] = self._client._run(calls.page(self._path, self._query, cursor))
            yield found.data
            # A page that links to itself would loop forever.
            if not found.next or found.next == cursor:
                return
            cursor = found.next

    def first(self, count: int) -> list[T]:
        items: list[T] = []
        if count > 0:
            for item in self:
                items.append(item)
                if len(items) >= count:
                    break
        return items


class AsyncPages(Generic[T]):
    """A list. Iterate over it; pages are fetched as needed."""

    def __init__(self, client: AsyncSwitchboard, path: str | Callable[[], Awaitable[str]], query: calls.Query) -> None:
        self._client = client
        self._path = path
        self._query = query

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for item in page:
                yield item

    async def pages(self) -> AsyncIterator[list[T]]:
        cursor: dict[str, str] | None = None
        path = self._path if isinstance(self._path, str) else await self._path()
        while True:
            found: Page[T] = await self._client._run(calls.page(path, self._query, cursor))
            yield found.data
            # A page that links to itself would loop forever.
            if not found.next or found.next == cursor:
                return
            cursor = found.next

    async def first(self, count: int) -> list[T]:
        items: list[T] = []
        if count > 0:
            async for item in self:
                items.append(item)
                if len(items) >= count:
                    break
        return items
