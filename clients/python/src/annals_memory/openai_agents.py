"""A `Session` of the OpenAI Agents SDK. Needs the extra `openai-agents`.

    result = await Runner.run(agent, "Hello", session=AnnalsSession(Annals(), "ann", "chat-1"))

The SDK's own `OpenAIConversationsSession` reaches Annals without this package, but lets the service choose the session's name and
answers messages in OpenAI's long form. This session has the name that you give it, and returns each item exactly as it was added.

Items are turns of the conversation of that name, through the routes under `/compat/openai`. What the SDK sent is restored from a note
that travels in the item. Items of one call, up to 999, are added together or not at all; of more, those that were added are removed if a
later part fails. Removing needs a key with the scope `admin`, and forgets.
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any, cast

from agents import SessionSettings, TResponseInputItem
from agents.memory.session_settings import coerce_session_settings, resolve_session_limit

from ._connection import path
from .client import Annals
from .errors import ConflictError, NotFoundError

# The service's limits of a request and of a page.
BATCH = 999
PAGE = 100
NOTE = "annals_item"


class AnnalsSession:
    """The items of one session, in order."""

    def __init__(
        self,
        annals: Annals,
        agent: str,
        session_id: str,
        *,
        session_settings: SessionSettings | dict[str, Any] | None = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings: SessionSettings | None = coerce_session_settings(session_settings or SessionSettings())
        self._annals = annals
        self._conversations = path("compat", "openai", agent, "v1", "conversations")
        self._path = self._conversations + path(session_id)

    async def get_items(self, limit: int | None = None, **_: Any) -> list[TResponseInputItem]:
        """Returns the latest `limit` items, oldest first; all without a limit."""
        most = resolve_session_limit(limit, self.session_settings)
        stored = await asyncio.to_thread(self._newest, most)
        return [_restored(item) for item in reversed(stored)]

    async def add_items(self, items: list[TResponseInputItem], **_: Any) -> None:
        """Adds items at the end."""
        if items:
            await asyncio.to_thread(self._add, [_noted(dict(item)) for item in items])

    async def pop_item(self, **_: Any) -> TResponseInputItem | None:
        """Removes the last item and returns it; `None` if there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self, **_: Any) -> None:
        """Removes all items."""
        await asyncio.to_thread(self._clear)

    def _newest(self, most: int | None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        params: dict[str, Any] = {"order": "desc"}
        while most is None or len(found) < most:
            params["limit"] = PAGE if most is None else min(PAGE, most - len(found))
            try:
                page = self._annals._ask("GET", f"{self._path}/items", params=params)
            except NotFoundError:
                break
            found += page["data"]
            if not page["has_more"]:
                break
            params["after"] = page["last_id"]
        return found

    def _add(self, items: list[dict[str, Any]]) -> None:
        added: list[str] = []
        try:
            for start in range(0, len(items), BATCH):
                added += self._add_some(items[start : start + BATCH])
        except Exception:
            for item in reversed(added):
                self._remove(item)
            raise

    def _add_some(self, items: list[dict[str, Any]]) -> list[str]:
        body, headers = {"items": items}, {"Idempotency-Key": uuid.uuid4().hex}
        try:
            page = self._annals._ask("POST", f"{self._path}/items", json=body, headers=headers)
        except NotFoundError:
            self._begin()
            page = self._annals._ask("POST", f"{self._path}/items", json=body, headers=headers)
        return [item["id"] for item in page["data"]]

    def _begin(self) -> None:
        try:
            self._annals._ask("POST", self._conversations, json={"id": self.session_id})
        except ConflictError:
            pass  # Another process began it meanwhile.

    def _pop(self) -> TResponseInputItem | None:
        for item in self._newest(1):
            self._remove(item["id"])
            return _restored(item)
        return None

    def _remove(self, item: str) -> None:
        try:
            self._annals._ask("DELETE", self._path + path("items", item))
        except NotFoundError:
            pass

    def _clear(self) -> None:
        try:
            self._annals._ask("DELETE", self._path)
        except NotFoundError:
            pass


def _noted(item: dict[str, Any]) -> dict[str, Any]:
    """Returns an item to store, with a note of what the service will change: id, fields that it adds, and the short form of a text."""
    note = {"id": item.get("id"), "fields": sorted(item), "text": isinstance(item.get("content"), str)}
    return {**{name: value for name, value in item.items() if name != "id"}, NOTE: note}


def _restored(stored: dict[str, Any]) -> TResponseInputItem:
    """Returns an item as it was added. Items that came by another way stay as the service answers them."""
    note = stored.get(NOTE)
    if not isinstance(note, dict):
        return cast(TResponseInputItem, stored)
    item = {name: value for name, value in {**stored, "id": note["id"]}.items() if name in note["fields"]}
    if note["text"] and isinstance(item["content"], list):
        item["content"] = item["content"][0]["text"]
    return cast(TResponseInputItem, item)
