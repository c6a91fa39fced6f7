#!/usr/bin/env python3
"""Measures an agent with many turns: python3 tests/python/large_agent.py ANNALS [TURNS] [FOLDER]

Makes a data folder with an agent of TURNS (200,000) messages of 40 words. Prints the most resident memory of each command that
lists or exports everything. Then serves the folder, and prints how long commits of another agent took beside an export over HTTP
and beside the dry run of a forgetting by subject of the large one. Needs nothing but Python.
"""

import datetime
import pathlib
import os
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

from forget_cost import Service, message, text, watched

# A year ago: every command lists all of it.
BEGIN = 1_767_600_000_000_000


def fill(folder, turns):
    """Writes the rows as the catalog has them, read and searchable already: embedding them would take hours."""
    catalog = sqlite3.connect(folder / "catalog.sqlite")
    catalog.execute("PRAGMA synchronous = OFF")
    agent = catalog.execute("INSERT INTO agent (workspace, name) SELECT workspace, 'big' FROM agent LIMIT 1").lastrowid
    day = [(datetime.date(2026, 1, 5) + datetime.timedelta(days=n // 500)).isoformat() for n in range(turns)]
    rows = (
        (1 + n, agent, f"t-big{n * 2654435761 % 2**40:x}-{n}", f"talk {n % 500}", f"m{n}", day[n], BEGIN + n * 172_800_000,
         "user", "Bob", text(n, 40))
        for n in range(turns)
    )
    catalog.executemany(
        "INSERT INTO turn (seq, agent_id, id, conversation, message, day, at, role, name, content) VALUES (?,?,?,?,?,?,?,?,?,?)",
        rows,
    )
    catalog.executemany(
        "INSERT INTO ledger (agent_id, grain, period, dirty_seq, clean_seq, dirty_at) VALUES (?, 1, ?, ?, ?, ?)",
        [(agent, label, turns, turns, BEGIN) for label in sorted(set(day))],
    )
    catalog.execute("UPDATE agent SET seq = ? WHERE agent_id = ?", (turns, agent))
    catalog.executemany(
        "INSERT INTO watermark (agent_id, grain, generation, applied) VALUES (?, ?, 0, ?)",
        [(agent, grain, turns) for grain in range(6)],
    )
    catalog.execute("INSERT INTO journal (agent_id, extracted) VALUES (?, ?)", (agent, turns))
    catalog.commit()
    catalog.close()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    (folder / "done").mkdir(exist_ok=True)
    for job in ("verification", "compaction"):
        (folder / "done" / job).write_text(now)


def peak(annals, folder, arguments):
    """Runs a command, and returns the most memory that it had in megabytes, and its seconds."""
    script = "import resource,subprocess,sys,time\nb=time.time()\n"
    script += "c=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL).returncode\n"
    script += "print(c,resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss/1000,time.time()-b)"
    command = [sys.executable, "-c", script, annals, *arguments, "--data", str(folder)]
    code, memory, seconds = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    return f"{float(memory):.0f} MB, {float(seconds):.1f} s" + ("" if code == "0" else f", failed with {code}")


def main():
    annals = sys.argv[1]
    turns = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000
    place = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp())
    folder = place / "data"
    if not folder.exists():
        service = Service(annals, folder)
        service.ask("POST", "/v1/agents/ann/messages", {"conversation": "talk", "messages": [message(1, "Hello.")]})
        service.stop()
        fill(folder, turns)
    print(f"catalog: {os.path.getsize(folder / 'catalog.sqlite') / 1e6:.0f} MB")
    everything = ["--agent", "big", "--json"]
    for name, arguments in [
        ("status", ["status", "--json"]),
        ("export", ["export", str(place / "big.jsonl"), *everything]),
        ("export --parquet", ["export", "--parquet", str(place / "parquet"), *everything]),
        ("timeline", ["timeline", "--grain", "working", *everything]),
        ("conversations", ["conversations", *everything]),
    ]:
        print(f"{name}: {peak(annals, folder, arguments)}", flush=True)
    service = Service(annals, folder)
    try:
        def export():
            with urllib.request.urlopen(service.address + "/v1/agents/big/export", timeout=600) as answer:
                while answer.read(1 << 20):
                    pass

        print("an export over HTTP:")
        watched(service, export)
        print("a dry run of a forgetting by subject:")
        watched(service, lambda: service.ask("POST", "/v1/agents/big/forget", {"subject": "Zelda Quist"}))
    finally:
        service.stop()


if __name__ == "__main__":
    main()
