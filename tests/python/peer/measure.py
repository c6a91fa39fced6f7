"""One peer measured: built in a process of its own, asked in another, so that what is resident is what answering takes.

A figure for memory includes the Python interpreter and the peer's packages; `bare_mb` says how much that was before
anything was opened. Both steps have the same deadline; a process that misses it is ended and the result says which step
it was. The ids of all answers come back to the parent, which alone knows what is right.
"""

import importlib
import multiprocessing
import pathlib
import tempfile
import time
from importlib.metadata import version
from typing import NamedTuple

from . import exact
from .export import BadInput, read_bounds, read_questions, read_rows

MODULES = {"sqlite-vec": "sqlite_vec_fts5", "chroma": "chroma", "faiss": "faiss_bm25"}
K = 10
WARM_UP = 5
# Seconds that a process has to close its stores after its last word.
TO_CLOSE = 60


class Late(Exception):
    """The step that was not done within the deadline."""


class Truth(NamedTuple):
    """What every answer is checked against, by the parent alone."""

    rows: object
    questions: object
    bounds: object
    mask: object
    number_of: dict
    kth: dict


def truth(export):
    rows, questions, bounds = read_rows(export), read_questions(export), read_bounds(export)
    mask = (rows.at >= bounds.start) & (rows.at < bounds.end)
    if mask.sum() < K or len(rows.ids) < K:
        raise BadInput(f"{export}/range.json: holds {mask.sum()} of {len(rows.ids)} rows; {K} are asked for")
    kth = {
        "no_filter": exact.kth_cosines(rows.vectors, questions.vectors, K),
        "range": exact.kth_cosines(rows.vectors, questions.vectors, K, mask),
    }
    return Truth(rows, questions, bounds, mask, {id: number for number, id in enumerate(rows.ids)}, kth)


def measure(name, export, truth, deadline_minutes):
    peer = {"key": name}
    with tempfile.TemporaryDirectory(prefix="annals-peer-") as folder:
        try:
            peer |= in_process("built", build, (name, str(export), folder), deadline_minutes)
            peer["disk_mb"] = round(
                sum(file.stat().st_size for file in pathlib.Path(folder).rglob("*") if file.is_file()) / 1e6, 1
            )
            asked = in_process("asked", ask, (name, str(export), folder), deadline_minutes)
        except Late as late:
            return peer | {"late": str(late)}
    found = asked.pop("found")
    return peer | asked | {"recall@10": {each: checked_recall(name, each, ids, truth) for each, ids in found.items()}}


def checked_recall(name, each, answers, truth):
    """Refuses an answer that is no row, or lies outside the range that was asked for; then recall of the vector leg."""
    for ids in answers["fused"] + answers["nearest"]:
        for id in ids:
            if id not in truth.number_of:
                raise RuntimeError(f"{name} answered {id!r}, which is not in rows.jsonl")
            if each == "range" and not truth.mask[truth.number_of[id]]:
                raise RuntimeError(f"{name} answered {id!r}, which lies outside the range")
    numbers = [[truth.number_of[id] for id in ids] for ids in answers["nearest"]]
    return round(100 * exact.recall(truth.rows.vectors, truth.questions.vectors, truth.kth[each], numbers, K), 2)


def build(name, export, folder):
    peer = importlib.import_module(f".{MODULES[name]}", __package__)
    rows = read_rows(export)
    start = time.perf_counter()
    peer.build(folder, rows)
    built = {"build_s": round(time.perf_counter() - start, 1), "build_peak_mb": status_mb("VmHWM")}
    return built | {"name": peer.NAME, "note": peer.NOTE, "versions": {each: version(each) for each in peer.VERSIONS}}


def ask(name, export, folder):
    peer = importlib.import_module(f".{MODULES[name]}", __package__)
    questions, bounds = read_questions(export), read_bounds(export)
    bare, start = status_mb("VmRSS"), time.perf_counter()
    memory = peer.Memory(folder)
    opened = time.perf_counter() - start
    asked = {}
    for each, given in {"no_filter": None, "range": bounds}.items():
        asked[each] = (*timed(memory, questions, given), nearest(memory, questions, given))
    resident = {
        "resident_mb": status_mb("VmRSS"),
        "peak_mb": status_mb("VmHWM"),
        "bare_mb": bare,
        "open_s": round(opened, 2),
    }
    latency = {each: percentiles(took) for each, (took, _, _) in asked.items()}
    found = {each: {"fused": fused, "nearest": nearest} for each, (_, fused, nearest) in asked.items()}
    return resident | {"latency_ms": latency, "found": found}


def timed(memory, questions, bounds):
    """Milliseconds of every question once, after a few as a warm-up; and the ids they were answered with."""
    for text, vector in list(zip(questions.texts, questions.vectors))[:WARM_UP]:
        memory.ask(text, vector, bounds, K)
    took, found = [], []
    for text, vector in zip(questions.texts, questions.vectors):
        start = time.perf_counter()
        answer = memory.ask(text, vector, bounds, K)
        took.append((time.perf_counter() - start) * 1000)
        found.append([id for id, _ in answer])
    return took, found


def nearest(memory, questions, bounds):
    return [memory.nearest(vector, bounds, K) for vector in questions.vectors]


def percentiles(took):
    ordered = sorted(took)
    return {name: round(ordered[len(ordered) * share // 100], 2) for name, share in (("p50", 50), ("p95", 95))}


def status_mb(field):
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return round(int(line.split()[1]) / 1024, 1)
    raise RuntimeError(f"/proc/self/status has no {field}")


def in_process(step, function, arguments, deadline_minutes):
    """What the function returns, in a fresh interpreter."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=send, args=(there, function, arguments), daemon=True)
    process.start()
    there.close()
    try:
        if not here.poll(deadline_minutes * 60):
            raise Late(f"not {step} in {deadline_minutes:g} minutes")
        kind, value = here.recv()
        process.join(TO_CLOSE)
    except EOFError:
        process.join()
        raise RuntimeError(f"{arguments[0]} was not {step}: its process ended with {process.exitcode}") from None
    finally:
        process.kill()
        process.join()
    if kind == "error":
        raise RuntimeError(f"{arguments[0]} was not {step}: {value}")
    return value


def send(pipe, function, arguments):
    try:
        pipe.send(("value", function(*arguments)))
    except Exception as error:
        pipe.send(("error", f"{type(error).__name__}: {error}"))
        raise
