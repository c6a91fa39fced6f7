"""The client of a service, and of the memories of its agents (`agent.py`).

    with Annals("http://127.0.0.1:7411") as annals:
        ann = annals.agent("ann")
        ann.ingest([{"role": "user", "name": "Ann", "content": "I moved to Bern."}], conversation="chat-1", wait="searchable")
        print(ann.context("What is the weather like at home?", speaker="Ann")["text"])
"""

from __future__ import annotations

import os
from typing import Any, Literal

from typing_extensions import Self

from . import types as wire
from ._connection import USUAL_TIMEOUT, Connection, given, path, query
from .agent import Agent

USUAL_URL = "http://127.0.0.1:7411"


class Annals:
    """A service. Address and key default to `ANNALS_URL` and `ANNALS_KEY`."""

    def __init__(
        self, url: str | None = None, key: str | None = None, *, timeout: float = USUAL_TIMEOUT, retries: int = 3
    ) -> None:
        self.url = url or os.environ.get("ANNALS_URL") or USUAL_URL
        self._connection = Connection(self.url, key or os.environ.get("ANNALS_KEY"), timeout, retries)

    def agent(self, name: str) -> Agent:
        """Returns the memory of an agent. The first message creates it."""
        return Agent(self._connection, name)

    def agents(self, *, limit: int | None = None, cursor: str | None = None) -> wire.AgentsAnswer:
        """Lists the agents that the key may use."""
        return self._ask("GET", path("v1", "agents"), params=query(given(limit=limit, cursor=cursor)))

    def operation(self, operation_id: str) -> wire.OperationState:
        """Returns the progress of stored messages or of an upload."""
        return self._ask("GET", path("v1", "operations", operation_id))

    def tools(self, format: Literal["openai", "anthropic", "mcp"] = "openai") -> list[dict[str, Any]]:
        """Lists the tools that the key may use, ready for a model's request."""
        return self._ask("GET", path("v1", "tools"), params={"format": format})

    def ready(self) -> wire.Health:
        """Returns the version, if the service can serve requests."""
        return self._ask("GET", "/readyz")

    def _ask(self, method: str, path: str, **options: Any) -> Any:
        return self._connection.ask(method, path, **options)

    def close(self) -> None:
        """Closes the connections."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
