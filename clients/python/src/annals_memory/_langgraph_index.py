"""Search by an embedder of the caller's own, as LangGraph's `IndexConfig` has it.

The service ranks with its own model. A store that is given an embedder must answer that embedder's similarities instead: then the
items below the prefix are read, and scored here. Vectors are kept by text, as many as `KEPT`; items without a text follow the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from langgraph.store.base import IndexConfig, SearchItem, ensure_embeddings, get_text_at_path, tokenize_path

KEPT = 20_000
WHOLE = "$"


class OwnIndex:
    """The caller's embedder, and the vectors that it has made."""

    def __init__(self, config: IndexConfig) -> None:
        self.embeddings = ensure_embeddings(config["embed"])
        self._vectors: dict[str, list[float]] = {}

    def ranked(self, items: list[tuple[SearchItem, list[str] | None]], query: str) -> list[SearchItem]:
        """Returns items with their scores, the best first. Each comes with the paths of its value that are searched."""
        texts = [_texts(item.value, paths) for item, paths in items]
        self._embed(text for some in texts for text in some)
        asked = self.embeddings.embed_query(query)
        for (item, _), some in zip(items, texts, strict=True):
            item.score = max((_cosine(asked, self._vectors[text]) for text in some), default=None)
        ordered = sorted((item for item, _ in items if item.score is not None), key=_score, reverse=True)
        found = ordered + [item for item, _ in items if item.score is None]
        while len(self._vectors) > KEPT:
            self._vectors.pop(next(iter(self._vectors)))
        return found

    def _embed(self, texts: Iterable[str]) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if new:
            self._vectors.update(zip(new, self.embeddings.embed_documents(new), strict=True))


def _texts(value: dict[str, Any], paths: list[str] | None) -> list[str]:
    selected = [WHOLE] if paths is None else paths
    found = [get_text_at_path(value, path if path == WHOLE else tokenize_path(path)) for path in selected]
    return [text for some in found for text in some]


def _score(item: SearchItem) -> float:
    return item.score or 0.0


def _cosine(one: list[float], other: list[float]) -> float:
    length = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / length if length else 0.0
