"""LangGraph's store in process: a `BaseStore` to pass as `store=`. Needs the extra `langgraph`.

    graph = builder.compile(store=AnnalsStore(Annals(), "ann"))

LangGraph's own SDK reaches the same items without this package; a graph that runs in process wants a `BaseStore`, which no client of
LangGraph is. Items are documents of the agent, so search, context, forgetting and export see them. Relies on the routes under
`/compat/langgraph`. A batch reads before it writes and keeps the last write of each key, as `InMemoryStore` does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    TTLConfig,
)

from ._connection import given, path
from .client import Annals


class AnnalsStore(BaseStore):
    """The items of one agent. A `ttl_config` gives items a time to live, which the service keeps."""

    supports_ttl = True
    __slots__ = ("_connection", "_prefix", "ttl_config")

    def __init__(self, annals: Annals, agent: str, *, ttl: TTLConfig | None = None) -> None:
        super().__init__()
        self._connection = annals._connection
        self._prefix = path("compat", "langgraph", agent, "store")
        self.ttl_config = ttl

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Runs operations and returns their results in order."""
        ops = list(ops)
        for op in ops:
            _check(op)
        results = [None if isinstance(op, PutOp) else self._read(op) for op in ops]
        for put in {(op.namespace, op.key): op for op in ops if isinstance(op, PutOp)}.values():
            self._write(put)
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Does the same in a thread, so that graphs of any event loop share the connections."""
        return await asyncio.to_thread(self.batch, ops)

    def _read(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            refresh = str(op.refresh_ttl).lower()
            params = {"namespace": ".".join(op.namespace), "key": op.key, "refresh_ttl": refresh}
            found = self._ask("GET", "/items", params=params)
            return Item(**_fields(found)) if found else None
        if isinstance(op, SearchOp):
            body = given(filter=op.filter, query=op.query, limit=op.limit, offset=op.offset, refresh_ttl=op.refresh_ttl)
            found = self._ask("POST", "/items/search", json={"namespace_prefix": list(op.namespace_prefix), **body})
            return [SearchItem(**_fields(item), score=item.get("score")) for item in found["items"]]
        if isinstance(op, ListNamespacesOp):
            body = given(max_depth=op.max_depth, limit=op.limit, offset=op.offset)
            found = self._ask("POST", "/namespaces", json=_ends(op.match_conditions) | body)
            return [tuple(namespace) for namespace in found["namespaces"]]
        raise TypeError(f"{type(op).__name__} is no operation of a store")

    def _write(self, op: PutOp) -> None:
        place = {"namespace": list(op.namespace), "key": op.key}
        if op.value is None:
            self._ask("DELETE", "/items", json=place)
        else:
            self._ask("PUT", "/items", json={**place, "value": op.value, **given(index=op.index, ttl=op.ttl)})

    def _ask(self, method: str, route: str, **options: Any) -> Any:
        return self._connection.ask(method, self._prefix + route, **options)


def _check(op: Op) -> None:
    """Refuses labels that would name another namespace: the service joins labels with dots."""
    if isinstance(op, ListNamespacesOp):
        labels = [label for condition in op.match_conditions or () for label in condition.path]
    else:
        labels = list(op.namespace_prefix if isinstance(op, SearchOp) else op.namespace)
    for label in labels:
        if not isinstance(label, str) or not label or "." in label:
            raise InvalidNamespaceError(f"the label {label!r} must be a text that is not empty and has no dot")


def _fields(item: dict[str, Any]) -> dict[str, Any]:
    names = ("value", "key", "created_at", "updated_at")
    return {"namespace": tuple(item["namespace"]), **{name: item[name] for name in names}}


def _ends(conditions: tuple[MatchCondition, ...] | None) -> dict[str, list[str]]:
    """Returns the prefix and the suffix that namespaces must have."""
    ends: dict[str, list[str]] = {}
    for condition in conditions or ():
        if condition.match_type in ends:
            raise ValueError(f"namespaces can be listed by one {condition.match_type} at a time")
        ends[condition.match_type] = list(condition.path)
    return ends
