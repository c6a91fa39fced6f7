"""FAISS flat and BM25 (bm25s), both in memory, fused by reciprocal rank.

- Vectors: IndexFlatIP; the date range as an IDSelector, a bitmap, which takes half the time of a batch of ids:
  https://github.com/facebookresearch/faiss/wiki/Setting-search-parameters-for-one-query
- Texts: bm25s as in its README with all that it recommends (stemmer; numba, which makes a question thirty times faster
  and the process 90 MB larger). The date range is its weight mask, which makes every other score zero: no answer.

Neither package keeps times, so they lie beside as an array, and each question makes its own mask of it. Both are saved
and loaded again: what is resident afterwards is what answering takes.
"""

import pathlib

import bm25s
import faiss
import numpy as np
import Stemmer

from .words import fused, words

NAME = "FAISS flat + BM25"
VERSIONS = ("faiss-cpu", "bm25s")
NOTE = "in memory; reciprocal rank fusion"


def build(folder, rows):
    folder = pathlib.Path(folder)
    index = faiss.IndexFlatIP(rows.vectors.shape[1])
    index.add(np.ascontiguousarray(rows.vectors))
    faiss.write_index(index, str(folder / "vectors.faiss"))
    tokens = bm25s.tokenize(rows.texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)
    retriever = bm25s.BM25(backend="numba")
    retriever.index(tokens, show_progress=False)
    entries = [{"id": id, "text": text} for id, text in zip(rows.ids, rows.texts)]
    retriever.save(folder / "bm25", corpus=entries, show_progress=False)
    np.save(folder / "at.npy", rows.at)


class Memory:
    def __init__(self, folder):
        folder = pathlib.Path(folder)
        self.index = faiss.read_index(str(folder / "vectors.faiss"))
        self.retriever = bm25s.BM25.load(folder / "bm25", load_corpus=True)
        # Numbers are asked for, and turned into ids and texts once the legs are fused.
        self.entries, self.retriever.corpus = self.retriever.corpus, None
        self.at = np.load(folder / "at.npy")
        self.stemmer = Stemmer.Stemmer("english")

    def ask(self, text, vector, bounds, k):
        mask = self.mask(bounds)
        numbers = fused([self.vector_leg(vector, mask, k), self.text_leg(text, mask, k)], k)
        return [(self.entries[number]["id"], self.entries[number]["text"]) for number in numbers]

    def nearest(self, vector, bounds, k):
        return [self.entries[number]["id"] for number in self.vector_leg(vector, self.mask(bounds), k)]

    def mask(self, bounds):
        return (self.at >= bounds.start) & (self.at < bounds.end) if bounds else None

    def vector_leg(self, vector, mask, k):
        params = None
        if mask is not None:
            selector = faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))
            params = faiss.SearchParameters(sel=selector)
        _, numbers = self.index.search(vector[None, :], k, params=params)
        return [number for number in numbers[0].tolist() if number >= 0]

    def text_leg(self, text, mask, k):
        tokens = self.stemmer.stemWords(words(text))
        weights = None if mask is None else mask.astype(np.float32)
        numbers, scores = self.retriever.retrieve([tokens], k=k, weight_mask=weights, show_progress=False)
        return [number for number, score in zip(numbers[0].tolist(), scores[0]) if score > 0]
