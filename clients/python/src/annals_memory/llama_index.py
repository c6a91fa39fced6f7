"""Long-term memory for LlamaIndex: a memory block for `Memory`. Needs the extra `llama-index`.

    memory = Memory.from_defaults(session_id="chat-1", memory_blocks=[AnnalsMemoryBlock(Annals(), "ann", speaker="Ann")])

LlamaIndex keeps the newest messages itself and hands those that no longer fit to its blocks. This one stores them as messages of the
session, and gives the prompt what Annals holds about the last message of the user. LlamaIndex has no remote memory to switch over.
"""

from __future__ import annotations

import asyncio
from typing import Any, Optional

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory import BaseMemoryBlock

from . import types as wire
from .client import Annals

ROLES: dict[MessageRole, wire.RoleWord] = {
    MessageRole.USER: "user",
    MessageRole.ASSISTANT: "assistant",
    MessageRole.CHATBOT: "assistant",
    MessageRole.MODEL: "assistant",
    MessageRole.SYSTEM: "system",
    MessageRole.DEVELOPER: "system",
    MessageRole.TOOL: "tool",
    MessageRole.FUNCTION: "tool",
}


class AnnalsMemoryBlock(BaseMemoryBlock[str]):
    """What one agent remembers. `speaker` is the name of the user, whose facts are then found."""

    name: str = Field(default="long_term_memory")
    speaker: Optional[str] = Field(default=None)
    budget_tokens: int = Field(default=1000)
    _annals: Annals = PrivateAttr()
    _agent: str = PrivateAttr()

    def __init__(self, annals: Annals, agent: str, **fields: Any) -> None:
        super().__init__(**fields)
        self._annals, self._agent = annals, agent

    async def _aget(self, messages: Optional[list[ChatMessage]] = None, **_: Any) -> str:
        prompt = next((text for text in map(_asked, reversed(messages or [])) if text), None)
        if not prompt:
            return ""
        memory = self._annals.agent(self._agent)
        answer = await asyncio.to_thread(
            memory.context, prompt, speaker=self.speaker, budget_tokens=self.budget_tokens
        )
        return answer["text"]

    async def _aput(self, messages: list[ChatMessage]) -> None:
        stored = [message for message in map(self._message, messages) if message["content"].strip()]
        if stored:
            await asyncio.to_thread(self._annals.agent(self._agent).ingest, stored)

    def _message(self, message: ChatMessage) -> wire.MessageIn:
        role = ROLES.get(message.role, "system")
        conversation = str(message.additional_kwargs.get("session_id") or "llama-index")
        name = {"name": self.speaker} if role == "user" and self.speaker else {}
        return {"role": role, "content": message.content or "", "conversation": conversation, **name}  # type: ignore[typeddict-item]


def _asked(message: ChatMessage) -> Optional[str]:
    return message.content if message.role is MessageRole.USER else None
