"""A store for the `Memory` capability of pydantic-ai-harness. Needs the extra `pydantic-ai`.

    agent = Agent(model, capabilities=[Memory(store=AnnalsMemoryStore(Annals(), "ann"))])

Files are documents of one collection, so search and context find them and forgetting removes them. The service compares versions. An
operation leaves a receipt, so that a repeated one changes nothing: it is written before the file, as an intention, and completed after
it. If the process dies in between, the file tells whether the change was made. Receipts expire.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from pydantic_ai_harness.memory import (
    MemoryConflictError,
    MemoryFile,
    MemoryMutation,
    MemoryOperation,
    MemoryOperationConflictError,
    MemorySearchMatch,
    MemorySearchResult,
)

from . import types as wire
from .client import Annals
from .errors import ConflictError, NotFoundError

RECEIPT_SECONDS = 7 * 24 * 3600
PAGE = 1000
# The most results of a search.
BEST = 100


class AnnalsMemoryStore:
    """The files of one agent. Records metadata of writes, and searches by meaning."""

    def __init__(self, annals: Annals, agent: str, *, collection: str = "notebook") -> None:
        self._memory = annals.agent(agent)
        self._files, self._receipts = collection, f"{collection}-receipts"

    async def read(self, path: str, *, max_chars: int) -> MemoryFile | None:
        """Returns the beginning of a file."""
        if max_chars <= 0:
            raise ValueError("max_chars must be positive")
        found = await asyncio.to_thread(self._document, self._files, path)
        if found is None:
            return None
        value = found["value"]
        content, truncated = value["content"][:max_chars], len(value["content"]) > max_chars
        return MemoryFile(content, _version(found), value["operation"], truncated, value["metadata"])

    async def get_operation(self, operation: MemoryOperation) -> MemoryMutation | None:
        """Returns what an earlier attempt of the operation did, if it did anything."""
        return await asyncio.to_thread(self._replayed, operation)

    async def write(
        self, path: str, content: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Writes a file if its version is still the expected one."""
        value = {"content": content, "operation": operation.id if operation else None, "metadata": None}
        return await asyncio.to_thread(self._change, path, value, expected_version, operation)

    async def write_with_metadata(
        self,
        path: str,
        content: str,
        *,
        expected_version: str | None,
        metadata: Mapping[str, str] | None,
        operation: MemoryOperation | None = None,
    ) -> MemoryMutation:
        """Writes a file with what the writer says about the write."""
        value = {"content": content, "operation": operation.id if operation else None, "metadata": dict(metadata or {}) or None}
        return await asyncio.to_thread(self._change, path, value, expected_version, operation)

    async def delete(
        self, path: str, *, expected_version: str | None, operation: MemoryOperation | None = None
    ) -> MemoryMutation:
        """Removes a file if its version is still the expected one."""
        return await asyncio.to_thread(self._change, path, None, expected_version, operation)

    async def list_paths(self, prefix: str = "", *, limit: int) -> list[str]:
        """Returns the first paths that start so, in order."""
        if limit <= 0:
            raise ValueError("limit must be positive")
        return await asyncio.to_thread(self._paths, prefix, limit)

    async def search(
        self, prefix: str, query: str, *, limit: int, max_files: int, max_chars: int, max_file_chars: int
    ) -> MemorySearchResult:
        """Returns the best passages of the files directly below the prefix."""
        return await asyncio.to_thread(self._search, prefix, query, limit, max_chars)

    def _document(self, collection: str, key: str) -> wire.DocumentView | None:
        try:
            return self._memory.document(collection, key)
        except NotFoundError:
            return None

    def _replayed(self, operation: MemoryOperation) -> MemoryMutation | None:
        found = self._document(self._receipts, operation.id)
        if found is None:
            return None
        receipt = found["value"]
        if receipt["fingerprint"] != operation.fingerprint:
            raise MemoryOperationConflictError(f"operation id {operation.id!r} was reused with different arguments")
        if not receipt["done"]:
            file = self._document(self._files, receipt["path"])
            receipt["version"] = _version(file) if file else None
            is_written = file is not None and file["value"]["operation"] == operation.id
            is_removed = receipt["removes"] and receipt["version"] != receipt["expected"]
            if not (is_written or is_removed):
                return None
        version = None if receipt["removes"] else receipt["version"]
        return MemoryMutation(version=version, replayed=True, existed=receipt["expected"] is not None)

    def _change(
        self, path: str, value: dict[str, Any] | None, expected: str | None, operation: MemoryOperation | None
    ) -> MemoryMutation:
        if operation and (former := self._replayed(operation)):
            return former
        found = self._document(self._files, path)
        # The numbers begin anew when a file is created again, so the whole version is compared as well.
        if (_version(found) if found else None) != expected:
            raise MemoryConflictError(f"memory path {path!r} has changed")
        receipt = {"path": path, "expected": expected, "removes": value is None, "done": False, "version": None}
        self._keep(operation, receipt)
        version = self._carry_out(path, value, found["version"] if found else 0)
        self._keep(operation, receipt | {"done": True, "version": version})
        return MemoryMutation(version=version, replayed=False, existed=found is not None)

    def _carry_out(self, path: str, value: dict[str, Any] | None, number: int) -> str | None:
        try:
            if value is not None:
                written = self._memory.put_document(
                    self._files, path, value=value, expected_version=number, indexed=["content"]
                )
                return _version(written)
            if number:
                self._memory.delete_document(self._files, path, expected_version=number)
            return None
        except (ConflictError, NotFoundError) as error:
            raise MemoryConflictError(f"memory path {path!r} has changed") from error

    def _keep(self, operation: MemoryOperation | None, receipt: dict[str, Any]) -> None:
        if operation:
            value = {**receipt, "fingerprint": operation.fingerprint}
            self._memory.put_document(
                self._receipts, operation.id, value=value, lifetime_seconds=RECEIPT_SECONDS, indexed=[]
            )

    def _paths(self, prefix: str, limit: int) -> list[str]:
        paths: list[str] = []
        cursor = None
        while len(paths) < limit:
            options: dict[str, Any] = {"key_prefix": prefix, "limit": min(PAGE, limit - len(paths)), "cursor": cursor}
            try:
                page = self._memory.documents(self._files, **options)
            except NotFoundError:
                break
            paths += [document["key"] for document in page["documents"] if document["collection"] == self._files]
            cursor = page.get("next_cursor")
            if not cursor:
                break
        return paths

    def _search(self, prefix: str, query: str, limit: int, max_chars: int) -> MemorySearchResult:
        try:
            found = self._memory.search_documents(query, collection=self._files, limit=BEST)["results"]
        except NotFoundError:
            found = []
        below = [one for one in found if _is_child(one["document"]["key"], prefix)]
        matches: list[MemorySearchMatch] = []
        for one in below[:limit]:
            key, snippet = one["document"]["key"], one["text"][: max(0, max_chars)]
            max_chars -= len(key) + len(snippet)
            matches.append(MemorySearchMatch(path=key, snippet=snippet, score=one["score"]))
        return MemorySearchResult(matches=matches, scanned=len(below), truncated=len(below) > limit or max_chars < 0)


def _version(document: wire.DocumentView) -> str:
    return f"{document['version']}@{document['created_at']}"


def _is_child(path: str, prefix: str) -> bool:
    return path.startswith(prefix) and "/" not in path.removeprefix(prefix)
