"""What `AnnalsStore` does beyond LangGraph's own stores; tests/python/langgraph_store.py compares the rest with `InMemoryStore`."""

import asyncio

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, PutOp

from annals_memory.langgraph import AnnalsStore


def test_batch_reads_first_and_keeps_the_last_write(annals, name):
    store = AnnalsStore(annals, name)
    puts = [PutOp(("a",), "k", {"n": n}) for n in (1, 2)]
    assert store.batch([GetOp(("a",), "k"), *puts]) == [None, None, None]
    assert asyncio.run(store.aget(("a",), "k")).value == {"n": 2}


def test_label_with_a_dot_reaches_no_other_namespace(annals, name):
    store = AnnalsStore(annals, name)
    store.put(("a", "b"), "k", {"n": 1})
    for op in (GetOp(("a.b",), "k"), PutOp(("a", ""), "k", None)):
        with pytest.raises(InvalidNamespaceError):
            store.batch([PutOp(("valid",), "k", {}), op])
    assert store.get(("valid",), "k") is None and store.get(("a", "b"), "k").value == {"n": 1}


def test_default_time_to_live(annals, name, memory):
    store = AnnalsStore(annals, name, ttl={"default_ttl": 60})
    store.put(("a",), "k", {"n": 1})
    assert memory.document("a", "k")["expires_at"]
