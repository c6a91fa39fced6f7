"""Reads the folder that `annals-bench scale --export DIR` writes; what is wrong is named by file and line.

    rows.jsonl       {"id": "…", "text": "…", "at": microseconds since 1970}, one a line; row n has vector n
    vectors.f32      rows × 384 little-endian float32, each of unit length
    questions.jsonl  {"id": "…", "text": "…"}; questions.f32 as vectors.f32
    range.json       {"from": microseconds, "to": microseconds}, half-open

Vectors are mapped, not read: a process that only asks never has them in its memory.
"""

import json
import pathlib
from typing import NamedTuple

import numpy as np

DIMENSIONS = 384
UNIT_TOLERANCE = 1e-3


class BadInput(Exception):
    """What is wrong with which file, for whoever runs the script."""


class Rows(NamedTuple):
    ids: list
    texts: list
    at: np.ndarray
    vectors: np.ndarray


class Questions(NamedTuple):
    ids: list
    texts: list
    vectors: np.ndarray


class Bounds(NamedTuple):
    """From the first instant on, up to but without the last."""

    start: int
    end: int


def read_rows(folder):
    path = pathlib.Path(folder) / "rows.jsonl"
    ids, texts, at = [], [], []
    for row in lines(path, {"id": str, "text": str, "at": int}):
        ids.append(row["id"])
        texts.append(row["text"])
        at.append(row["at"])
    refuse_repeated(path, ids)
    return Rows(ids, texts, np.array(at, dtype=np.int64), vectors(path.with_name("vectors.f32"), path, len(ids)))


def read_questions(folder):
    path = pathlib.Path(folder) / "questions.jsonl"
    read = list(lines(path, {"id": str, "text": str}))
    ids = [question["id"] for question in read]
    refuse_repeated(path, ids)
    texts = [question["text"] for question in read]
    return Questions(ids, texts, vectors(path.with_name("questions.f32"), path, len(ids)))


def read_bounds(folder):
    path = pathlib.Path(folder) / "range.json"
    try:
        tree = parsed(path, 1, path.read_bytes(), {"from": int, "to": int})
    except OSError as error:
        raise BadInput(f"{path}: {error}") from None
    if tree["from"] >= tree["to"]:
        raise BadInput(f'{path}: "from" ({tree["from"]}) is not before "to" ({tree["to"]})')
    return Bounds(tree["from"], tree["to"])


def lines(path, fields):
    """Every line as a checked object. Only \\n ends a line: texts may hold other separators."""
    number = 0
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                yield parsed(path, number, line, fields)
    except OSError as error:
        raise BadInput(f"{path}: {error}") from None
    if number == 0:
        raise BadInput(f"{path}: is empty")


def parsed(path, number, text, fields):
    try:
        tree = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{number}: is not JSON: {error.msg} at column {error.colno}") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}:{number}: is not UTF-8: {error.reason} at byte {error.start + 1}") from None
    if not isinstance(tree, dict):
        raise BadInput(f"{path}:{number}: is not an object")
    for name, kind in fields.items():
        if name not in tree:
            raise BadInput(f'{path}:{number}: has no "{name}"')
        if type(tree[name]) is not kind:
            raise BadInput(f'{path}:{number}: "{name}" is not {"a whole number" if kind is int else "a string"}')
    return tree


def refuse_repeated(path, ids):
    seen = {}
    for number, id in enumerate(ids, 1):
        if id in seen:
            raise BadInput(f'{path}:{number}: id "{id}" was on line {seen[id]} already')
        seen[id] = number


def vectors(path, beside, count):
    try:
        size = path.stat().st_size
    except OSError as error:
        raise BadInput(f"{path}: {error}") from None
    if size != count * DIMENSIONS * 4:
        expected = f"{count} × {DIMENSIONS} × 4 = {count * DIMENSIONS * 4}"
        raise BadInput(f"{path}: has {size} bytes; {beside.name} has {count} lines, so they should be {expected}")
    mapped = np.memmap(path, dtype="<f4", mode="r", shape=(count, DIMENSIONS))
    refuse_other_lengths(path, mapped)
    return mapped


def refuse_other_lengths(path, mapped, block=50_000):
    """Cosines are taken as products by every peer but one, which would be quietly wrong with other lengths."""
    for start in range(0, len(mapped), block):
        lengths = np.linalg.norm(mapped[start : start + block], axis=1)
        wrong = np.flatnonzero(~(np.abs(lengths - 1) <= UNIT_TOLERANCE))
        if len(wrong):
            raise BadInput(f"{path}: vector {start + wrong[0] + 1} has length {lengths[wrong[0]]:.4f}, not 1")
