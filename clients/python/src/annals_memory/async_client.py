"""The same with `await`. Written by clients/generate.py from client.py."""

from __future__ import annotations

import os
from typing import Any, Literal

from typing_extensions import Self

from . import types as wire
from ._connection import USUAL_TIMEOUT, AsyncConnection, given, path, query
from .async_agent import AsyncAgent

USUAL_URL = "http://127.0.0.1:7411"


class AsyncAnnals:
    """A service. Address and key default to `ANNALS_URL` and `ANNALS_KEY`."""

    def __init__(
        self, url: str | None = None, key: str | None = None, *, timeout: float = USUAL_TIMEOUT, retries: int = 3
    ) -> None:
        self.url = url or os.environ.get("ANNALS_URL") or USUAL_URL
        self._connection = AsyncConnection(self.url, key or os.environ.get("ANNALS_KEY"), timeout, retries)

    def agent(self, name: str) -> AsyncAgent:
        """Returns the memory of an agent. The first message creates it."""
        return AsyncAgent(self._connection, name)

    async def agents(self, *, limit: int | None = None, cursor: str | None = None) -> wire.AgentsAnswer:
        """Lists the agents that the key may use."""
        return await self._ask("GET", path("v1", "agents"), params=query(given(limit=limit, cursor=cursor)))

    async def operation(self, operation_id: str) -> wire.OperationState:
        """Returns the progress of stored messages or of an upload."""
        return await self._ask("GET", path("v1", "operations", operation_id))

    async def tools(self, format: Literal["openai", "anthropic", "mcp"] = "openai") -> list[dict[str, Any]]:
        """Lists the tools that the key may use, ready for a model's request."""
        return await self._ask("GET", path("v1", "tools"), params={"format": format})

    async def ready(self) -> wire.Health:
        """Returns the version, if the service can serve requests."""
        return await self._ask("GET", "/readyz")

    async def _ask(self, method: str, path: str, **options: Any) -> Any:
        return await self._connection.ask(method, path, **options)

    async def close(self) -> None:
        """Closes the connections."""
        await self._connection.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
