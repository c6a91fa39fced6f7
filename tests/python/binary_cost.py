#!/usr/bin/env python3
"""What the main commands cost with one binary or several, for example that of the dev profile and that of a release.

    python3 tests/python/binary_cost.py MESSAGES QUERIES ANNALS [ANNALS ...]

Imports MESSAGES into an empty folder, rolls them up, searches from the command line, and asks the service the first 500 of QUERIES
after 50 that warm it up. Prints the figures of each binary. Does not check answers; needs an idle machine.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time

from forget_cost import Service

WARM_UP, ASKED = 50, 500


def main() -> None:
    parser = argparse.ArgumentParser(description="Measures what the main commands cost.")
    parser.add_argument("messages", help="messages in the import format")
    parser.add_argument("queries", help="a JSON object with agent and query on each line")
    parser.add_argument("annals", nargs="+", help="a binary")
    arguments = parser.parse_args()
    with open(arguments.queries) as file:
        questions = [json.loads(line) for line in file][:ASKED]
    for binary in arguments.annals:
        with tempfile.TemporaryDirectory() as folder:
            measure(binary, f"{folder}/data", arguments.messages, questions)


def measure(binary: str, data: str, messages: str, questions: list) -> None:
    first = questions[0]
    print(binary, f"({os.path.getsize(binary) / 1e6:.0f} MB)")
    print("  import     ", cost([binary, "import", messages, "--data", data]))
    print("  roll-up    ", cost([binary, "rollup", "--data", data]))
    print("  one search ", cost([binary, "search", "--agent", first["agent"], first["query"], "--data", data]))
    service = Service(binary, data)
    try:
        before = resident(service)
        times = [ask(service, question) for question in questions[:WARM_UP] + questions][WARM_UP:]
        times.sort()
        p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
        print(f"  the service p50 {p50:.1f} ms, p95 {p95:.1f} ms; resident {before:.0f} MB, after the searches {resident(service):.0f} MB")
    finally:
        service.stop()


def cost(command: list) -> str:
    """Wall and processor time of a command that must succeed."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return f"{wall:.1f} s, {processor:.1f} s of processor"


def ask(service: Service, question: dict) -> float:
    """Milliseconds until the answer was there."""
    began = time.perf_counter()
    service.ask("POST", f"/v1/agents/{question['agent']}/search", {"query": question["query"]})
    return (time.perf_counter() - began) * 1000


def resident(service: Service) -> float:
    """Megabytes, the pages of the binary and its libraries included."""
    lines = pathlib.Path(f"/proc/{service.process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS:"))


if __name__ == "__main__":
    main()
