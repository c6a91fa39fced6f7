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


def test_own_embedder_gives_the_scores(annals, name):
    def embed(texts):
        return [[float(text.count("tea")), float(text.count("bread"))] for text in texts]

    store = AnnalsStore(annals, name, index={"dims": 2, "embed": embed, "fields": ["likes"]})
    for key, likes in (("ann", "tea tea bread"), ("bob", "bread"), ("eve", "tea")):
        store.put(("a",), key, {"likes": likes, "dislikes": "tea"})
    store.put(("a",), "all", {"likes": "water", "note": "tea"}, index=["note"])
    store.put(("a",), "none", {"likes": "tea"}, index=False)
    found = store.search(("a",), query="tea")
    assert [item.key for item in found[2:]] == ["ann", "bob", "none"] and {found[0].key, found[1].key} == {"eve", "all"}
    assert [round(item.score, 3) for item in found[:4]] == [1.0, 1.0, 0.894, 0.0] and found[4].score is None
    assert [item.key for item in store.search(("a",), query="tea", offset=2, limit=1)] == ["ann"]
    assert [item.key for item in store.search(("a",), query="tea", filter={"likes": "bread"})] == ["bob"]


def test_filters_take_numbers_that_json_cannot_carry(annals, name):
    store = AnnalsStore(annals, name)
    store.put(("a",), "k", {"n": 1})
    for wanted, expect in (
        ({"$lt": float("inf")}, 1),
        ({"$gt": float("-inf"), "$lt": 10**100}, 1),
        ({"$gt": float("inf")}, 0),
        ({"$eq": float("nan")}, 0),
        (float("nan"), 0),
        ({"$ne": float("nan")}, 1),
    ):
        assert len(store.search(("a",), filter={"n": wanted})) == expect, wanted
