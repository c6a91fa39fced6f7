#!/usr/bin/env python3
"""Measures what a forgetting costs others: python3 tests/python/forget_cost.py ANNALS [MEGABYTES] [FOLDER]

Makes a data folder in which one agent has 300 messages and another one MEGABYTES of them (395), serves it, and forgets 50 messages of
the first while a third one is written to every few milliseconds. Prints how long commits and /readyz took with and without the
forgetting, by how much the service's memory grew, and how long a write and fsync of the script itself took meanwhile: what the machine
costs anyway. Needs nothing but Python.
"""

import datetime
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

WORDS = "the tram was late and nobody at the station knew why it had stopped behind the bridge again".split()


def text(number, words):
    return " ".join(WORDS[(number * 7 + index * 3) % len(WORDS)] for index in range(words)) + f" {number}."


def fill(folder, megabytes):
    """Writes the large agent's rows as the catalog has them, read and searchable already: embedding them would take hours."""
    catalog = sqlite3.connect(folder / "catalog.sqlite")
    catalog.execute("PRAGMA synchronous = OFF")
    agent = catalog.execute("INSERT INTO agent (workspace, name) SELECT workspace, 'big' FROM agent LIMIT 1").lastrowid
    (last,) = catalog.execute("SELECT seq FROM sequence_floor").fetchone()
    count = megabytes * 1_000_000 // 1494
    rows = (
        (last + 1 + n, agent, f"t-big{n * 2654435761 % 2**40:x}-{n}", f"talk {n % 500}", f"m{n}", "2026-01-05",
         1_767_600_000_000_000 + n, "user", "Bob", text(n, 195))
        for n in range(count)
    )
    catalog.executemany(
        "INSERT INTO turn (seq, agent_id, id, conversation, message, day, at, role, name, content) VALUES (?,?,?,?,?,?,?,?,?,?)",
        rows,
    )
    last += count
    catalog.execute("UPDATE agent SET seq = ? WHERE agent_id = ?", (last, agent))
    catalog.executemany(
        "INSERT INTO watermark (agent_id, grain, generation, applied) VALUES (?, ?, 0, ?)",
        [(agent, grain, last) for grain in range(6)],
    )
    catalog.execute("INSERT INTO journal (agent_id, extracted) VALUES (?, ?)", (agent, last))
    catalog.commit()
    catalog.close()
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    (folder / "done").mkdir(exist_ok=True)
    for job in ("verification", "compaction"):
        (folder / "done" / job).write_text(now)


class Service:
    def __init__(self, annals, folder):
        command = [annals, "serve", "--json", "--listen", "127.0.0.1:0", "--data", str(folder),
                   "--set", "limits.requests_per_minute=1000000", "--set", "limits.burst=1000000"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.address = json.loads(self.process.stdout.readline())["address"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.loads(answer.read())

    def resident(self):
        """Megabytes that are not backed by files: pages of files are the system's to drop."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1000
        return 0.0

    def stop(self):
        self.process.terminate()
        self.process.wait()


def message(number, content):
    return {"role": "user", "name": "Ann", "id": str(number), "content": content, "at": f"2026-03-04T10:{number // 60 % 60:02}:{number % 60:02}Z"}


class Watch:
    """Asks again and again, and keeps how long each answer took."""

    def __init__(self, act, pause):
        self.times, self.ends = [], False
        self.thread = threading.Thread(target=self.run, args=(act, pause))
        self.thread.start()

    def run(self, act, pause):
        while not self.ends:
            begun = time.perf_counter()
            act()
            self.times.append(time.perf_counter() - begun)
            time.sleep(pause)

    def end(self):
        self.ends = True
        self.thread.join()
        times = sorted(self.times) or [0.0]
        return f"{len(times)} times, median {times[len(times) // 2] * 1e3:.1f} ms, longest {times[-1] * 1e3:.1f} ms"


def own_file():
    """Writes 4 KiB to a file of its own and syncs it: how long the machine takes, whatever the service does."""
    file = tempfile.TemporaryFile(buffering=0)

    def write():
        file.write(b"x" * 4096)
        os.fsync(file.fileno())

    return write


def watched(service, work):
    """Runs the work while others write; how they fared."""
    numbers = iter(range(10**9))
    prefix = f"{time.time()}"

    def write():
        number = next(numbers)
        body = {"conversation": prefix, "messages": [message(number, f"Written {prefix} {number}.")]}
        service.ask("POST", "/v1/agents/cid/messages", body)

    peak = [service.resident()]
    before = peak[0]
    watches = [Watch(write, 0.005), Watch(lambda: service.ask("GET", "/readyz"), 0.005),
               Watch(lambda: peak.append(service.resident()), 0.005), Watch(own_file(), 0.005)]
    begun = time.perf_counter()
    work()
    took = time.perf_counter() - begun
    commits, ready, _, machine = (watch.end() for watch in watches)
    print(f"  took {took:.2f} s\n  commits: {commits}\n  /readyz: {ready}\n  memory: {before:.0f} MB, at most {max(peak):.0f} MB")
    print(f"  a write and fsync of this script alone: {machine}; load {os.getloadavg()[0]:.1f}")


def main():
    annals = sys.argv[1]
    megabytes = int(sys.argv[2]) if len(sys.argv) > 2 else 395
    folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else tempfile.mkdtemp()) / "data"
    if not folder.exists():
        service = Service(annals, folder)
        for begin in range(0, 300, 100):
            messages = [message(n, f"Ann said on day {n}: {text(n, 12)}") for n in range(begin, begin + 100)]
            service.ask("POST", "/v1/agents/ann/messages?wait=searchable", {"conversation": "talk", "messages": messages})
        service.stop()
        fill(folder, megabytes)
    print(f"catalog: {os.path.getsize(folder / 'catalog.sqlite') / 1e6:.0f} MB")
    service = Service(annals, folder)
    try:
        found = service.ask("GET", "/v1/agents/ann/timeline?grains=working&limit=100")
        ids = [entry["id"] for entry in next(value for value in found.values() if isinstance(value, list))][:50]
        print("nothing else, for five seconds:")
        watched(service, lambda: time.sleep(5))
        print("a dry run:")
        watched(service, lambda: service.ask("POST", "/v1/agents/ann/forget", {"ids": ids}))
        print(f"forgetting {len(ids)} messages:")
        answer = {}
        watched(service, lambda: answer.update(service.ask("POST", "/v1/agents/ann/forget", {"ids": ids, "dry_run": False})))
        print(f"  {len(answer['turns'])} turns, {answer['proof']}")
    finally:
        service.stop()


if __name__ == "__main__":
    main()
