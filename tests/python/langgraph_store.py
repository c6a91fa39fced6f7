"""LangGraph's SDK, the store of our own package, and LangGraph graphs with `store=` over Annals, beside LangGraph's own store in
memory: the same calls, and the same answers.

    pip install langgraph==1.2.22 langgraph-checkpoint==4.3.2 langgraph-sdk==0.4.14 annals-memory
    python tests/python/langgraph_store.py --url http://127.0.0.1:7411 [--key KEY] [--agent NAME]

The SDK is not changed: its URL names the agent. The agent should be new.
"""

import argparse
import time
from typing import TypedDict

from annals_memory import Annals
from annals_memory.langgraph import AnnalsStore
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore, GetOp, Item, ListNamespacesOp, PutOp, SearchItem, SearchOp
from langgraph.store.memory import InMemoryStore
from langgraph_sdk import get_sync_client

ITEMS = [
    (("users", "ann"), "profile", {"name": "Ann", "age": 34, "city": {"name": "Bern", "zip": "3000"}}),
    (("users", "ann"), "tea", {"text": "Ann drinks green tea in the morning", "rating": 4.5, "tags": ["drink", "tea"]}),
    (("users", "ann", "trips"), "azores", {"text": "A sailing trip to the Azores was cancelled", "year": 2026}),
    (("users", "bob"), "profile", {"name": "Bob", "age": 41, "city": {"name": "Basel", "zip": "4000"}}),
    (("users", "bob"), "note", {"text": "Bob broke his arm", "year": 2026, "open": True}),
    (("docs", "2026", "v1"), "0b7c2f8e-1111-4222-8333-944455556666", {"text": "東京 and Zürich", "nothing": None}),
    (("docs", "2026", "v2"), "key with / and ü", {"text": "second", "deep": {"er": {"still": [1, 2, {"x": 1}]}}}),
    (("users2",), "other", {"name": "not below users"}),
]

FILTERS = [
    None,
    {"name": "Ann"},
    {"age": {"$gt": 34}},
    {"age": {"$gte": 34, "$lt": 41}},
    {"age": {"$ne": 34}, "name": "Bob"},
    {"year": 2026},
    {"year": {"$eq": 2026.0}},
    {"rating": {"$lte": 4.5}},
    {"open": True},
    {"name": {"$eq": "Bob"}, "age": 41.0},
    {"city": {"name": "Bern"}},
    {"tags": ["drink", "tea"]},
    {"tags": ["drink"]},
    {"missing": None, "name": "Bob"},
]


class OverSdk(BaseStore):
    """LangGraph's interface of a store over LangGraph's own client of a store."""

    supports_ttl = True

    def __init__(self, client):
        self.client = client

    def batch(self, ops):
        return [self.run(op) for op in ops]

    async def abatch(self, ops):
        return self.batch(ops)

    def run(self, op):
        if isinstance(op, GetOp):
            found = self.client.get_item(list(op.namespace), op.key, refresh_ttl=op.refresh_ttl)
            return found and Item(**self.fields(found))
        if isinstance(op, PutOp):
            if op.value is None:
                return self.client.delete_item(list(op.namespace), op.key)
            return self.client.put_item(list(op.namespace), op.key, op.value, index=op.index, ttl=op.ttl)
        if isinstance(op, SearchOp):
            found = self.client.search_items(
                list(op.namespace_prefix), filter=op.filter, limit=op.limit, offset=op.offset, query=op.query
            )
            return [SearchItem(**self.fields(item), score=item.get("score")) for item in found["items"]]
        if isinstance(op, ListNamespacesOp):
            paths = {condition.match_type: list(condition.path) for condition in op.match_conditions or ()}
            found = self.client.list_namespaces(
                paths.get("prefix"), paths.get("suffix"), op.max_depth, limit=op.limit, offset=op.offset
            )
            return [tuple(namespace) for namespace in found["namespaces"]]
        raise TypeError(op)

    @staticmethod
    def fields(item):
        names = ("value", "key", "namespace", "created_at", "updated_at")
        return {name: tuple(item[name]) if name == "namespace" else item[name] for name in names}


class Comparison:
    """Asks both stores, and counts the answers that differ."""

    def __init__(self, ours):
        self.theirs, self.ours, self.count, self.different = InMemoryStore(), ours, 0, 0

    def both(self, what, ask):
        try:
            expected = ask(self.theirs)
        except TypeError:
            # The store in memory fails on items that lack a field of the filter.
            return
        self.expect(what, expected, ask(self.ours))

    def expect(self, what, expected, found):
        self.count += 1
        if expected != found:
            self.different += 1
            print(f"{what}\n  expected: {expected!r}\n  found:    {found!r}")


def plain(item):
    return item and (item.namespace, item.key, item.value)


def listed(items):
    return sorted((item.namespace, item.key) for item in items)


def store_and_read(compared):
    for store in (compared.theirs, compared.ours):
        for namespace, key, value in ITEMS:
            store.put(namespace, key, value)
        store.put(("users", "bob"), "gone", {"a": 1})
        store.delete(("users", "bob"), "gone")
        store.delete(("users", "bob"), "was never there")
        store.put(("users2",), "other", {"name": "written again"})
    for namespace, key, _ in [*ITEMS, (("users", "bob"), "gone", None), (("users", "bob"), "never", None)]:
        compared.both(f"get {namespace} {key}", lambda store: plain(store.get(namespace, key)))


def search_without_a_query(compared):
    for prefix in [(), ("users",), ("users", "ann"), ("users", "a"), ("docs", "2026"), ("nobody",)]:
        for wanted in FILTERS:
            ask = lambda store: listed(store.search(prefix, filter=wanted, limit=100))
            compared.both(f"search {prefix} {wanted}", ask)
    pages = [item for offset in range(0, 10, 3) for item in compared.ours.search((), limit=3, offset=offset)]
    compared.expect("pages", listed(compared.theirs.search((), limit=100)), listed(pages))


def search_with_a_query(compared):
    ours = compared.ours
    found = ours.search(("users",), query="green tea in the morning", limit=3)
    compared.expect("best of a query", ("tea", 3), (found[0].key, len(found)))
    scores = [item.score for item in found if item.score is not None]
    compared.expect("scores fall", sorted(scores, reverse=True), scores)
    found = ours.search(("users",), query="sailing trip", filter={"year": 2026})
    compared.expect("query and filter", (["azores", "note"], "azores"), (sorted(i.key for i in found), found[0].key))
    ours.put(("index",), "silent", {"text": "a walnut tree"}, index=False)
    ours.put(("index",), "field", {"text": "a walnut tree", "title": "an iron gate"}, index=["title"])
    ours.put(("index",), "whole", {"text": "a walnut tree"})
    found = ours.search(("index",), query="a walnut tree")
    compared.expect("indexed fields", ("whole", "silent", 3), (found[0].key, found[-1].key, len(found)))
    compared.expect("no score without an index", None, found[-1].score)


def list_namespaces(compared):
    for arguments in [
        {},
        {"prefix": ("users",)},
        {"prefix": ("users", "*")},
        {"suffix": ("v2",)},
        {"prefix": ("docs",), "suffix": ("*", "v1")},
        {"max_depth": 1},
        {"prefix": ("docs",), "max_depth": 2},
        {"limit": 2, "offset": 1},
        {"prefix": ("nobody",)},
    ]:
        compared.both(f"namespaces {arguments}", lambda store: store.list_namespaces(**arguments))


def time_to_live(compared):
    ours = compared.ours
    ours.put(("ttl",), "short", {"a": 1}, ttl=0.02)
    ours.put(("ttl",), "long", {"a": 1}, ttl=60)
    compared.expect("both are there", 2, len(ours.search(("ttl",), refresh_ttl=False)))
    time.sleep(1.5)
    compared.expect("one is over", ["long"], [item.key for item in ours.search(("ttl",))])
    compared.expect("over for a read", None, ours.get(("ttl",), "short"))


class State(TypedDict):
    question: str
    answer: str


def graph(compared):
    """A graph of two nodes: one remembers what the user says, one looks it up."""

    def remember(state: State, *, store: BaseStore):
        store.put(("graph", "ann"), "said", {"text": state["question"]})
        return {}

    def recall(state: State, *, store: BaseStore):
        found = store.search(("graph", "ann"), query=state["question"], limit=1)
        return {"answer": found[0].value["text"] if found else ""}

    builder = StateGraph(State)
    builder.add_node("remember", remember)
    builder.add_node("recall", recall)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", "recall")
    builder.add_edge("recall", END)
    ran = builder.compile(store=compared.ours).invoke({"question": "I like rye bread.", "answer": ""})
    compared.expect("a graph remembers", "I like rye bread.", ran["answer"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--key")
    parser.add_argument("--agent", default=f"langgraph-{time.time_ns()}")
    options = parser.parse_args()
    client = get_sync_client(url=f"{options.url}/compat/langgraph/{options.agent}", api_key=options.key)
    package = AnnalsStore(Annals(options.url, options.key), f"{options.agent}-package")
    checks = (store_and_read, search_without_a_query, list_namespaces, search_with_a_query, time_to_live, graph)
    compared = [Comparison(OverSdk(client.store)), Comparison(package)]
    for one in compared:
        for check in checks:
            check(one)
    different = sum(one.different for one in compared)
    print(f"{sum(one.count for one in compared)} answers, {different} of them different")
    raise SystemExit(different > 0)


if __name__ == "__main__":
    main()
