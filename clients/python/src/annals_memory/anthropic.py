"""Claude's memory tool (`memory_20250818`) over Annals. Needs the extra `anthropic`.

    runner = Anthropic().beta.messages.tool_runner(tools=[AnnalsMemoryTool(Annals(), "ann")], …)

The tool runs on the side of the client, so Anthropic's SDK needs an object that carries its commands out. The service does, and
answers the texts of Anthropic's own file tool; this module only passes them on. Files are documents of the collection `memories`.
"""

from __future__ import annotations

import asyncio
from typing import Any

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool

from ._connection import path
from .client import Annals
from .errors import InvalidRequestError, NotFoundError

REFUSED = 422


class Memories:
    """The command endpoint of an agent's files."""

    def __init__(self, annals: Annals, agent: str) -> None:
        self._annals, self._agent = annals, agent

    def run(self, command: Any) -> str:
        """Returns the text for the model, or raises the error that it reads."""
        body = command if isinstance(command, dict) else command.to_dict()
        try:
            return str(self._annals._ask("POST", path("compat", "anthropic", self._agent), json=body))
        except InvalidRequestError as error:
            if error.status == REFUSED:
                raise ToolError(error.detail) from None
            raise

    def clear(self) -> str:
        """Removes all files."""
        memory = self._annals.agent(self._agent)
        while documents := self._documents():
            for document in documents:
                try:
                    memory.delete_document(document["collection"], document["key"])
                except NotFoundError:
                    pass
        return "All memory cleared"

    def _documents(self) -> list[Any]:
        try:
            return list(self._annals.agent(self._agent).documents("memories")["documents"])
        except NotFoundError:
            return []


class AnnalsMemoryTool(BetaAbstractMemoryTool):
    """The tool for `Anthropic`."""

    def __init__(self, annals: Annals, agent: str, **options: Any) -> None:
        super().__init__(**options)
        self._memories = Memories(annals, agent)

    def call(self, input: object) -> str:
        """Carries a command out as the model wrote it."""
        return self._memories.run(input)

    def view(self, command: Any) -> str:
        return self._memories.run(command)

    create = str_replace = insert = delete = rename = view

    def clear_all_memory(self) -> str:
        return self._memories.clear()


class AsyncAnnalsMemoryTool(BetaAsyncAbstractMemoryTool):
    """The tool for `AsyncAnthropic`."""

    def __init__(self, annals: Annals, agent: str, **options: Any) -> None:
        super().__init__(**options)
        self._memories = Memories(annals, agent)

    async def call(self, input: object) -> str:
        """Carries a command out as the model wrote it."""
        return await asyncio.to_thread(self._memories.run, input)

    async def view(self, command: Any) -> str:
        return await asyncio.to_thread(self._memories.run, command)

    create = str_replace = insert = delete = rename = view

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self._memories.clear)
