"""The memory of one agent: one method per operation of the service, with the names and fields of `/docs`.

Answers are the JSON of the service as typed dictionaries. Dates are texts such as `2026-03-04`, in the agent's time zone. Options that
are `None` are not sent, so the service's defaults hold.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, Literal

from . import types as wire
from ._connection import Connection, given, path, query


class Agent:
    """The memory of one agent."""

    def __init__(self, connection: Connection, name: str) -> None:
        self.name = name
        self._connection = connection

    def ingest(
        self,
        messages: Sequence[wire.MessageIn],
        *,
        conversation: str | None = None,
        revise: bool | None = None,
        wait: wire.Progress | None = None,
        timeout_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> wire.Ingested:
        """Stores messages. They are kept when this returns; `wait="searchable"` also waits until searches find them."""
        body = {"messages": list(messages), **given(conversation=conversation, revise=revise)}
        headers = {"Idempotency-Key": idempotency_key or uuid.uuid4().hex}
        params = query(given(wait=wait, timeout_seconds=timeout_seconds))
        return self._ask("POST", "messages", json=body, headers=headers, params=params)

    def search(
        self,
        query: str | None = None,
        *,
        grains: Sequence[wire.GrainWord] | None = None,
        kinds: Sequence[wire.KindWord] | None = None,
        from_: str | None = None,
        to: str | None = None,
        period: str | None = None,
        min_days_ago: int | None = None,
        max_days_ago: int | None = None,
        conversation: str | None = None,
        limit: int | None = None,
        budget_tokens: int | None = None,
        strict: bool | None = None,
        ignore_times: bool | None = None,
        explain: bool | None = None,
    ) -> wire.SearchAnswer:
        """Searches turns, statements, summaries and passages. The dates are hard filters."""
        fields = dict(query=query, grains=grains, kinds=kinds, from_=from_, to=to, period=period, limit=limit)
        fields |= dict(min_days_ago=min_days_ago, max_days_ago=max_days_ago, conversation=conversation, strict=strict)
        fields |= dict(budget_tokens=budget_tokens, ignore_times=ignore_times, explain=explain)
        return self._ask("POST", "search", json=given(**fields))

    def context(
        self,
        prompt: str,
        *,
        speaker: str | None = None,
        conversation: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        budget_tokens: int | None = None,
        documents: Sequence[wire.DocumentIn] | None = None,
    ) -> wire.ContextAnswer:
        """Returns what belongs before a prompt: `text` is ready to use, `known` says whether memory holds anything about it."""
        fields = dict(prompt=prompt, speaker=speaker, conversation=conversation, from_=from_, to=to)
        return self._ask("POST", "context", json=given(**fields, budget_tokens=budget_tokens, documents=documents))

    def timeline(
        self,
        *,
        grains: Sequence[wire.GrainWord] | None = None,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> wire.TimelineAnswer:
        """Lists memories in order of time, oldest first."""
        params = query(given(grains=grains, from_=from_, to=to, limit=limit, cursor=cursor))
        return self._ask("GET", "timeline", params=params)

    def conversations(self, *, limit: int | None = None, cursor: str | None = None) -> wire.ConversationsAnswer:
        """Lists the conversations."""
        return self._ask("GET", "conversations", params=query(given(limit=limit, cursor=cursor)))

    def memory(self, id: str) -> wire.MemoryAnswer:
        """Returns a memory in full, with its sentences and former texts."""
        return self._ask("GET", "memories", id)

    def sources(self, id: str) -> wire.SourcesAnswer:
        """Lists what a memory was made of."""
        return self._ask("GET", "memories", id, "sources")

    def correct(self, id: str, *, text: str | None = None, pinned: bool | None = None) -> wire.MemoryAnswer:
        """Corrects a memory, or pins it."""
        return self._ask("PATCH", "memories", id, json=given(text=text, pinned=pinned))

    def facts(
        self,
        about: str | None = None,
        *,
        to: str | None = None,
        depth: int | None = None,
        direction: Literal["out", "in", "both"] | None = None,
        predicate: str | None = None,
        as_of: str | None = None,
        history: bool | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> wire.FactsAnswer:
        """Finds facts. `depth` walks on from `about`; `to` asks how both are connected."""
        fields = dict(about=about, to=to, depth=depth, direction=direction, predicate=predicate, as_of=as_of)
        return self._ask("GET", "facts", params=query(given(**fields, history=history, limit=limit, cursor=cursor)))

    def enter_fact(
        self, subject: str, predicate: str, object: str | None = None, *, verb: wire.Verb | None = None, at: str | None = None
    ) -> wire.FactsAnswer:
        """Enters a fact by hand; `verb="retract"` ends it."""
        fields = given(subject=subject, predicate=predicate, object=object, verb=verb, at=at)
        return self._ask("POST", "facts", json=fields)

    def blocks(self) -> wire.BlocksView:
        """Lists the short texts that are part of every context."""
        return self._ask("GET", "blocks")

    def write_blocks(self, **texts: str) -> wire.BlocksView:
        """Writes blocks by name. An empty text removes one; others stay as they are."""
        return self._ask("PUT", "blocks", json={"blocks": [{"name": name, "text": text} for name, text in texts.items()]})

    def documents(
        self,
        collection: str | None = None,
        *,
        key_prefix: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> wire.DocumentsAnswer:
        """Lists documents without their contents."""
        fields = given(collection=collection, key_prefix=key_prefix, limit=limit, cursor=cursor)
        return self._ask("GET", "documents", params=query(fields))

    def document(self, collection: str, key: str) -> wire.DocumentView:
        """Returns a document."""
        return self._ask("GET", "documents", collection, key)

    def put_document(
        self,
        collection: str,
        key: str,
        *,
        text: str | None = None,
        value: Any = None,
        expected_version: int | None = None,
        lifetime_seconds: int | None = None,
        indexed: Sequence[str] | None = None,
    ) -> wire.DocumentView:
        """Stores a text or a JSON value. With `expected_version` only if that is stored; 0 is none."""
        fields = dict(text=text, value=value, expected_version=expected_version, indexed=indexed)
        return self._ask("PUT", "documents", collection, key, json=given(**fields, lifetime_seconds=lifetime_seconds))

    def delete_document(self, collection: str, key: str, *, expected_version: int | None = None) -> None:
        """Removes a document."""
        params = query(given(expected_version=expected_version))
        self._ask("DELETE", "documents", collection, key, params=params)

    def search_documents(
        self, query: str, *, collection: str | None = None, limit: int | None = None
    ) -> wire.DocumentSearchAnswer:
        """Searches documents. Each is answered once, with its best passage."""
        return self._ask("POST", "documents", "search", json=given(query=query, collection=collection, limit=limit))

    def collections(self) -> wire.CollectionsAnswer:
        """Lists the collections that hold documents."""
        return self._ask("GET", "collections")

    def forget(
        self,
        *,
        ids: Sequence[str] | None = None,
        conversation: str | None = None,
        subject: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        dry_run: bool = True,
    ) -> wire.ForgetAnswer:
        """Forgets with proof: ids, a conversation, a subject or a range. Only `dry_run=False` erases; it cannot be undone."""
        fields = given(ids=ids, conversation=conversation, subject=subject, from_=from_, to=to, dry_run=dry_run)
        return self._ask("POST", "forget", json=fields)

    def rename(self, name: str) -> wire.SettingsView:
        """Gives the agent another name. Its former names keep leading to it, so this object stays usable."""
        return self._ask("POST", "rename", json={"name": name})

    def delete(self, *, dry_run: bool = True) -> wire.ForgetAnswer:
        """Forgets the whole agent. Only `dry_run=False` erases; it cannot be undone."""
        return self._ask("DELETE", params=query({"dry_run": dry_run}))

    def settings(self) -> wire.SettingsView:
        """Returns time zone, language, plan, engine, prompts, budget and masking."""
        return self._ask("GET", "settings")

    def change_settings(self, **changes: Any) -> wire.SettingsView:
        """Changes settings, all or none. An unknown agent is created with them."""
        return self._ask("PUT", "settings", json=changes)

    def status(self) -> wire.StatusView:
        """Returns what is stored, waiting and failed."""
        return self._ask("GET", "status")

    def rollup(self, *, dry_run: bool | None = None, refresh: bool | None = None) -> wire.RollupAnswer:
        """Writes the summaries that are due, now instead of at the next scheduled time."""
        return self._ask("POST", "rollup", json=given(dry_run=dry_run, refresh=refresh))

    def call_tool(self, name: str, arguments: dict[str, Any]) -> wire.ToolAnswer:
        """Runs a tool that a model called. `text` goes back to the model."""
        return self._ask("POST", "tools", name, json=arguments)

    def export(self) -> str:
        """Returns all data, one JSON record a line."""
        return self._ask("GET", "export")

    def _ask(self, method: str, *segments: str, **options: Any) -> Any:
        return self._connection.ask(method, path("v1", "agents", self.name, *segments), **options)
