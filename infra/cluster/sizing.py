#!/usr/bin/env python3
"""Estimates what a cluster needs: bytes in database and bucket, requests to the bucket, memory, processor time, and tokens of a model.

    python3 infra/cluster/sizing.py --agents 1000 --messages 50 --length 200 [--together 1] [--model]
    python3 infra/cluster/sizing.py --check

--messages is per agent and day, --length the mean of a message in bytes. --together says how many messages of an agent become searchable at once:
1 if they come one by one. Every constant is a figure of a page or of the code. --check compares those of docs/measured.md with that page, and the
size of the bucket with a row that was measured apart. Nothing is estimated that was not measured: the last lines say what that is.
"""

import argparse
import pathlib
import re
import sys

DAYS = 365
# Summaries of an agent that has messages on each day: days, weeks, months, quarters, and the year.
SUMMARIES_A_YEAR = 365 + 52 + 12 + 4 + 1
# An agent has a table for messages, and one for each kind of summary.
TABLES = 6

# docs/measured.md, "A node of a cluster". Bytes of the database for a message, of the bucket for a memory (a message or a summary), with messages
# of two mean lengths, LoCoMo and lme. The former have summaries and facts by rule in them.
LENGTHS, DATABASE, BUCKET = (140, 755), (969, 1424), (2032, 3336)
# The same table, of LoCoMo. Requests that write (PUT) and requests that list (LIST), which stores charge like writes: for a message that becomes
# searchable alone, and for a table in a nightly compaction that has nothing to do. A summary is another row of a table, so its commit counts as
# that of a message.
COMMIT, COMPACTION = (5.35, 0.55), (0.0, 12.42)

# infra/raspberry-pi.md, "Memory": a memory in a table that is held to be searched. crates/strata/src/cache_limits.rs has 600 bytes for the rows alone.
MEMORY = 700
# crates/strata/src/cache_limits.rs: all tables together take an eighth of the memory of the machine or container, from 64 MiB to 1 GiB.
CACHE_PART, CACHE_LEAST, CACHE_MOST = 8, 64 << 20, 1 << 30
# docs/service.md, "Measured": resident megabytes of a service without memories.
SERVICE = 422e6

# docs/measured.md, "Embedding": processor seconds for a text of LoCoMo, ONNX Runtime, on a processor without VNNI instructions.
EMBEDDING = 0.0246
# docs/service.md, "Measured": messages a second, each followed by a search, with catalog and tables on the disk of two cores.
LOAD = 130

# docs/models.md, "What a day costs": prompt tokens of a day with so many messages of LoCoMo, for facts and for the summary of the day.
TOKENS_OF_DAY, TOKENS_FOR_MESSAGES = 3_769 + 2_697, 22
# docs/models.md, `daily_tokens` and `process_daily_tokens`: most tokens of one agent and of the service a day, unless configured.
MOST_OF_AGENT, MOST_OF_SERVICE = 200_000, 50_000_000


def at_length(values, length):
    """Returns a figure for a length, on the line through those of the two lengths that were measured."""
    (short, long), (low, high) = LENGTHS, values
    return low + (high - low) / (long - short) * (length - short)


def bytes_of_bucket(messages, summaries, length):
    return (messages + summaries) * at_length(BUCKET, length)


def estimate(agents, messages, length, together, model):
    """Returns lines of what, figure, and remark."""
    a_day = agents * messages
    summaries_a_day = agents * SUMMARIES_A_YEAR / DAYS
    memories = a_day * DAYS + agents * SUMMARIES_A_YEAR
    commits = a_day / together
    puts, lists = ((commits + summaries_a_day) * each + agents * TABLES * nightly for each, nightly in zip(COMMIT, COMPACTION))
    held = memories * MEMORY
    rate, floor = a_day / 86_400, max(CACHE_LEAST, min(held, CACHE_MOST)) * CACHE_PART
    lines = [
        ("messages", f"{a_day:,.0f} a day", f"{rate:,.2f} a second; one node with its stores on disks took {LOAD}, with searches"),
        ("database", size(a_day * DAYS * at_length(DATABASE, length)), "in a year, with summaries and facts; without write-ahead log and backups"),
        ("bucket", size(bytes_of_bucket(a_day * DAYS, agents * SUMMARIES_A_YEAR, length)), "in a year, after compaction"),
        ("requests for a message", f"{COMMIT[0] / together:.1f} PUT, {COMMIT[1] / together:.1f} LIST", "if it becomes searchable at once"),
        ("requests", f"{puts:,.0f} PUT, {lists:,.0f} LIST", "a day, with compaction"),
        ("all tables in memory", size(held), "after a year; at most 1 GiB is held, the rest is read from the bucket when it is searched"),
        ("memory of a node", size(floor), f"so that tables may take an eighth; without memories it uses {size(SERVICE)}"),
        ("embedding", f"{rate * EMBEDDING:,.3f} cores", "busy in the mean of the day, with texts of 140 bytes"),
    ]
    if model:
        tokens = messages / TOKENS_FOR_MESSAGES * length / LENGTHS[0] * TOKENS_OF_DAY
        limits = {"daily_tokens": tokens > MOST_OF_AGENT, "process_daily_tokens": tokens * agents > MOST_OF_SERVICE}
        over = [name for name, is_over in limits.items() if is_over]
        remark = f"over the default of {' and '.join(over)}" if over else "within the default limits"
        lines.append(("prompt tokens", f"{tokens * agents:,.0f} a day", f"{tokens:,.0f} of an agent, {remark}"))
    return lines


UNKNOWN = """Not measured, so not estimated: how much busier the busiest hour is; messages longer than 755 bytes in the mean; what a node with a bucket takes at
most; processor time of searches and of longer texts; requests of changed facts; bandwidth; the write-ahead log; with a model, its answers and the
summaries of weeks and longer."""


def size(number):
    for unit in ("kB", "MB", "GB", "TB"):
        number /= 1000
        if number < 999.5:
            return f"{number:,.{0 if number >= 10 else 1}f} {unit}"
    return f"{number:,.0f} TB"


def check():
    """Compares the constants with docs/measured.md, and the size of the bucket with the memory of ten years in docs/recall.md."""
    docs = pathlib.Path(__file__).resolve().parents[2] / "docs"
    measured = (docs / "measured.md").read_text()

    def figures(row):
        """Returns the numbers in the cells of a row of a table, after its first cell."""
        line = re.search(rf"^\| {re.escape(row)} \|(.*)\|$", measured, re.M)
        if not line:
            sys.exit(f"docs/measured.md has no row {row!r}")
        return tuple(float(number.replace(",", "")) for number in re.findall(r"[\d,]*\d(?:\.\d+)?", line[1]))

    rows = {
        "bytes of text a message": LENGTHS,
        "bytes in the database a message, with its summaries and facts": DATABASE,
        "bytes in the bucket a memory": BUCKET,
        "the same, of an agent with facts": COMMIT,
        "a table in a compaction, when there is nothing to do": COMPACTION,
    }
    for row, expected in rows.items():
        if figures(row)[:2] != expected:
            sys.exit(f"docs/measured.md has {figures(row)} for {row!r}, sizing.py has {expected}")

    # Ten years of one agent, filled by annals-bench growth, tables on a disk: turns, summaries, bytes of text, bytes of tables.
    turns, summaries, text, tables = 649_807, 3_650 + 521 + 120 + 40 + 10, 37.6e6, 1_205e6
    for figure in ("649,807", "3,650, 521, 120, 40, 10", "37.6", "1,451 / 1,205 / 246"):
        if figure not in (docs / "recall.md").read_text():
            sys.exit(f"docs/recall.md has no {figure} any more")
    estimated = bytes_of_bucket(turns, summaries, text / turns)
    if abs(estimated / tables - 1) > 0.05:
        sys.exit(f"{size(estimated)} are estimated for tables of ten years, {size(tables)} were measured")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int)
    parser.add_argument("--messages", type=float)
    parser.add_argument("--length", type=float)
    parser.add_argument("--together", type=float, default=1)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.check:
        return check()
    if None in (given.agents, given.messages, given.length):
        parser.error("--agents, --messages and --length are needed")
    for what, figure, remark in estimate(given.agents, given.messages, given.length, given.together, given.model):
        print(f"{what:24} {figure:26} {remark}")
    print(UNKNOWN)


if __name__ == "__main__":
    main()
