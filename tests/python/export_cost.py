#!/usr/bin/env python3
"""Measures the memory that an export and its import take: python3 tests/python/export_cost.py ANNALS [MEGABYTES]

Makes a data folder with an agent of MEGABYTES (200), serves it, exports the agent over REST and checks the catalog, and prints by
how much the service's memory grew and how long commits of another agent took meanwhile. Then imports the export into a new
folder: once killed half-way, which must leave no agent, and once until all is stored (not until it is embedded, which takes hours).
Needs nothing but Python.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from forget_cost import Service, fill, message, watched


def anonymous(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1000
    except OSError:
        pass
    return 0.0


def fetch(service, target):
    with urllib.request.urlopen(service.address + "/v1/agents/big/export", timeout=600) as answer, open(target, "wb") as file:
        while piece := answer.read(1 << 20):
            file.write(piece)


def ended(process, folder, until):
    """The most memory until the catalog has so many bytes, or the process ends."""
    most, catalog = 0.0, folder / "catalog.sqlite"
    while process.poll() is None:
        most = max(most, anonymous(process.pid))
        if catalog.exists() and catalog.stat().st_size >= until:
            break
        time.sleep(0.01)
    return most


def agents(annals, folder):
    listed = subprocess.run([annals, "status", "--json", "--data", str(folder)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return listed.stdout.decode().strip()


def main():
    annals = os.path.abspath(sys.argv[1])
    megabytes = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        folder, file = scratch / "data", scratch / "big.jsonl"
        service = Service(annals, folder)
        service.ask("POST", "/v1/agents/ann/messages?wait=searchable", {"conversation": "talk", "messages": [message(1, "Ann likes tea.")]})
        service.stop()
        fill(folder, megabytes)
        size = (folder / "catalog.sqlite").stat().st_size
        print(f"catalog: {size / 1e6:.0f} MB")
        service = Service(annals, folder)
        try:
            time.sleep(5)  # What the service does at its start.
            print("an export:")
            watched(service, lambda: fetch(service, file))
            print(f"  {file.stat().st_size / 1e6:.0f} MB, {sum(1 for _ in open(file, 'rb'))} records")
            print("a check of the catalog:")
            watched(service, lambda: subprocess.run([annals, "job", "run", "verification", "--data", str(folder)], stdout=subprocess.DEVNULL))
        finally:
            service.stop()
        for until, what in [(size // 2, "killed half-way"), (size * 9 // 10, "until nine tenths are stored")]:
            new = scratch / f"new{until}"
            command = [annals, "import", str(file), "--data", str(new)]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            most = ended(process, new, until)
            process.send_signal(signal.SIGKILL)
            process.wait()
            print(f"an import, {what}: at most {most:.0f} MB; then: {agents(annals, new)[:200]}")


if __name__ == "__main__":
    main()
