"""`AnnalsMemoryStore` beside the harness's store in memory: the same calls, and the same answers; and in an agent."""

import asyncio
import time

import pytest
from pydantic_ai import Agent
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai_harness.memory import (
    InMemoryStore,
    Memory,
    MemoryConflictError,
    MemoryOperation,
    MemoryOperationConflictError,
    MetadataMemoryStore,
    SearchableMemoryStore,
)

from annals_memory.pydantic_ai import AnnalsMemoryStore


@pytest.fixture
def stores(annals, name):
    return [AnnalsMemoryStore(annals, name), InMemoryStore()]


def both(stores, ask):
    """Returns what both answer; versions are opaque, so callers leave them out."""
    ours, theirs = [asyncio.run(ask(store)) for store in stores]
    assert ours == theirs
    return ours


async def changed(store, path, content, read="current", **options):
    current = await store.read(path, max_chars=1) if read == "current" else None
    expected = current.version if current else None
    made = await (store.delete(path, expected_version=expected, **options) if content is None else
                  store.write(path, content, expected_version=expected, **options))  # fmt: skip
    return made.existed, made.replayed, made.version is None


async def read(store, path, most=100):
    found = await store.read(path, max_chars=most)
    return found and (found.content, found.truncated, found.operation_id, found.metadata)


def test_files_are_read_written_listed_and_deleted(stores):
    both(stores, lambda store: read(store, "a/MEMORY.md"))
    for path, content in [("a/MEMORY.md", "one"), ("a/b/deep.md", "two"), ("b/x.md", "three"), ("a/MEMORY.md", "four" * 50)]:
        both(stores, lambda store: changed(store, path, content))
    both(stores, lambda store: read(store, "a/MEMORY.md"))
    both(stores, lambda store: read(store, "a/MEMORY.md", most=3))
    for prefix, limit in [("", 10), ("a/", 10), ("a/", 1), ("c/", 10)]:
        both(stores, lambda store: store.list_paths(prefix, limit=limit))
    both(stores, lambda store: changed(store, "b/x.md", None))
    both(stores, lambda store: changed(store, "b/x.md", None))
    both(stores, lambda store: read(store, "b/x.md"))


def test_stale_versions_conflict(stores):
    async def conflicts(store):
        first = await store.write("n.md", "1", expected_version=None)
        second = await store.write("n.md", "2", expected_version=first.version)
        for expected in (None, first.version, "7"):
            with pytest.raises(MemoryConflictError):
                await store.write("n.md", "3", expected_version=expected)
            with pytest.raises(MemoryConflictError):
                await store.delete("n.md", expected_version=expected)
        await store.delete("n.md", expected_version=second.version)
        await store.write("n.md", "1", expected_version=None)
        with pytest.raises(MemoryConflictError):
            await store.write("n.md", "2", expected_version=first.version)

    both(stores, conflicts)


def test_repeated_operations_change_nothing(stores):
    async def repeats(store):
        write, remove = MemoryOperation("op-1", "f"), MemoryOperation("op-2", "f")
        answers = [await store.get_operation(write)]
        for _ in range(2):
            made = await store.write("n.md", "1", expected_version=None, operation=write)
            answers.append((made.existed, made.replayed))
        version = (await store.read("n.md", max_chars=1)).version
        assert (await store.get_operation(write)).version == version
        for _ in range(2):
            made = await store.delete("n.md", expected_version=version, operation=remove)
            answers.append((made.existed, made.replayed, made.version))
        with pytest.raises(MemoryOperationConflictError):
            await store.get_operation(MemoryOperation("op-1", "other"))
        return answers

    both(stores, repeats)


def test_interrupted_operation_is_found_in_the_file(stores, memory):
    ours, operation = stores[0], MemoryOperation("op-1", "f")
    asyncio.run(ours.write("n.md", "1", expected_version=None, operation=operation))
    receipt = memory.document("notebook-receipts", "op-1")["value"]
    # As a process leaves it that dies before the receipt is complete.
    memory.put_document("notebook-receipts", "op-1", value=receipt | {"done": False, "version": None})
    assert asyncio.run(ours.get_operation(operation)).replayed
    version = asyncio.run(ours.read("n.md", max_chars=1)).version
    asyncio.run(ours.delete("n.md", expected_version=version))
    assert asyncio.run(ours.get_operation(operation)) is None


def test_metadata_and_search(stores):
    ours = stores[0]
    assert isinstance(ours, MetadataMemoryStore) and isinstance(ours, SearchableMemoryStore)
    written = dict(expected_version=None, metadata={"by": "ann"})
    both(stores, lambda store: changed(store, "a/other.md", "An iron gate."))

    async def write(store):
        await store.write_with_metadata("a/tea.md", "Ann drinks green tea.", **written)

    both(stores, write)
    both(stores, lambda store: read(store, "a/tea.md"))
    bounds = dict(limit=1, max_files=10, max_chars=200, max_file_chars=1000)
    for _ in range(50):
        found = asyncio.run(ours.search("a/", "what does she drink?", **bounds))
        if found.matches and found.matches[0].path == "a/tea.md":
            break
        time.sleep(0.2)
    assert found.matches[0].path == "a/tea.md" and "green tea" in found.matches[0].snippet
    assert asyncio.run(ours.search("b/", "tea", **bounds)).matches == []


def test_agent_writes_its_notebook(annals, name):
    script = iter([ToolCallPart("write_memory", {"content": "Ann likes rye bread."}, "call-1"), TextPart("Noted.")])
    model = FunctionModel(lambda *_: ModelResponse(parts=[next(script)]))
    agent = Agent(model, capabilities=[Memory(store=AnnalsMemoryStore(annals, name))])
    assert agent.run_sync("I like rye bread.").output == "Noted."
    documents = annals.agent(name).documents("notebook")["documents"]
    assert [document["key"].rsplit("/", 1)[-1] for document in documents if document["collection"] == "notebook"] == ["MEMORY.md"]
