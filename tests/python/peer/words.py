"""What the text legs share: the words of a question, and fusion by reciprocal rank.

Neither FTS5 nor bm25s knows what a question is. Its words are asked for as alternatives: for 487 of 500 questions about
a chat no row held them all. Stop words are left out, as bm25s does by default: FTS5 has no such list, and with them it
took half as long again in a date range.
"""

import re

WORD = re.compile(r"\w+")
# bm25s' own list. Written out, for importing the package costs 80 MB, which sqlite-vec would be charged for.
STOP = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)
RRF_K = 60


def words(text):
    every = WORD.findall(text.lower())
    return [word for word in every if word not in STOP] or every


def fused(legs, k):
    """Ids by the sum of 1 / (60 + rank) over the legs they are in, as sqlite-vec's documentation weights them."""
    scores = {}
    for leg in legs:
        for rank, id in enumerate(leg, 1):
            scores[id] = scores.get(id, 0.0) + 1.0 / (RRF_K + rank)
    return sorted(scores, key=scores.get, reverse=True)[:k]
