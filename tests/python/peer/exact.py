"""Exact cosine by numpy: what the vector leg of a peer is measured against.

A row counts as found if its cosine reaches that of the k-th exact one. Comparing ids instead would punish a peer for
which of two equal texts it names: chats are full of "ok" and "thanks".
"""

import numpy as np

BLOCK = 50_000
ROUNDING = 1e-6


def kth_cosines(rows, questions, k, mask=None):
    """For every question the cosine of its k-th nearest row, of those in the mask (the last, if they are fewer)."""
    best = np.full((len(questions), 0), -np.inf, dtype=np.float32)
    for start in range(0, len(rows), BLOCK):
        block = rows[start : start + BLOCK]
        if mask is not None:
            block = block[mask[start : start + BLOCK]]
        best = np.concatenate([best, questions @ block.T], axis=1)
        if best.shape[1] > k:
            best = np.partition(best, best.shape[1] - k, axis=1)[:, -k:]
    return best.min(axis=1)


def recall(rows, questions, kth, found, k):
    """The share of the k nearest that `found` (row numbers for every question) holds."""
    hits = 0
    for question, least, numbers in zip(questions, kth, found):
        cosines = rows[np.array(numbers, dtype=np.int64)] @ question
        hits += int((cosines >= least - ROUNDING).sum())
    return hits / (k * len(questions))
