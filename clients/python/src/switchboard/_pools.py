"""Pools of integrations that replace one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _calls as calls
from ._pages import AsyncPages, Pages
from .api import Pool

if TYPE_CHECKING:
    from .aio import AsyncSwitchboard
    from .client import Switchboard

Members = Sequence[Mapping[str, Any]]


def _path(id: int) -> str:
    return f"/1/pools/{calls.segment(id)}"


def _body(name: str, members: Members, strategy: str | None, failover_after: str | None) -> dict[str, Any]:
    body: dict[str, Any] = {"name": name, "members": [dict(member) for member in members]}
    if strategy is not None:
        body["strategy"] = strategy
    if failover_after is not None:
        body["failover_after"] = failover_after
    return body


class Pools:
    """Pools of integrations that replace one another. Needs an application token."""

    def __init__(self, client: Switchboard) -> None:
        self._client = client

    def list(self, *, limit: int | None = None) -> Pages[Pool]:
        """Newest first."""
        return Pages(self._client, "/1/pools", {"limit": limit})

    def create(
        self, name: str, members: Members, *, strategy: str | None = None, failover_after: str | None = None
    ) -> Pool:
        """Creates a pool: ``create("sms", [{"integration_id": 5}, {"integration_id": 6}])``."""
        return self._client._run(calls.post("/1/pools", _body(name, members, strategy, failover_after)))

    def get(self, id: int) -> Pool:
        return self._client._run(calls.get(_path(id)))

    def update(
        self, id: int, name: str, members: Members, *, strategy: str | None = None, failover_after: str | None = None
    ) -> None:
        """Replaces the pool. Accepted messages keep its members."""
        self._client._run(calls.put(_path(id), _body(name, members, strategy, failover_after)))

    def delete(self, id: int) -> None:
        self._client._run(calls.delete(_path(id)))


class AsyncPools:
    """Pools of integrations that replace one another. Needs an application token."""

    def __init__(self, client: AsyncSwitchboard) -> None:
        self._client = client

    def list(self, *, limit: int | None = None) -> AsyncPages[Pool]:
        """Newest first."""
        return AsyncPages(self._client, "/1/pools", {"limit": limit})

    async def create(
        self, name: str, members: Members, *, strategy: str | None = None, failover_after: str | None = None
    ) -> Pool:
        """Creates a pool: ``create("sms", [{"integration_id": 5}, {"integration_id": 6}])``."""
        return await self._client._run(calls.post("/1/pools", _body(name, members, strategy, failover_after)))

    async def get(self, id: int) -> Pool:
        return await self._client._run(calls.get(_path(id)))

    async def update(
        self, id: int, name: str, members: Members, *, strategy: str | None = None, failover_after: str | None = None
    ) -> None:
        """Replaces the pool. Accepted messages keep its members."""
        await self._client._run(calls.put(_path(id), _body(name, members, strategy, failover_after)))

    async def delete(self, id: int) -> None:
        await self._client._run(calls.delete(_path(id)))
