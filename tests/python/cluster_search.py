#!/usr/bin/env python3
"""Measures how many searches and contexts one, two, … nodes answer.

    ANNALS_CATALOG_URL=postgres://… ANNALS_OBJECTS_URL=s3://bucket/prefix ANNALS_OBJECTS_ENDPOINT=http://… AWS_…=… \\
        python3 tests/python/cluster_search.py ANNALS MESSAGES QUERIES [--nodes 3] [--share 0.4] [--seconds 20]

As root, on Linux with control groups of version 1. Each node gets a share of one core. Database, bucket and clients have the rest of the machine. Imports the
messages (JSON lines) once, and asks the queries (JSON lines with `agent` and `query`), each time another node, first with one node, then with two, and so on.
Prints the answers a second, their times, and how many of them standby nodes gave. One node is measured again at the end, to show what has changed meanwhile.
"""

import argparse
import http.client
import http.server
import itertools
import json
import os
import re
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request

KEY = "0123456789abcdef0123456789abcdef"
PERIOD = 20_000
CLIENTS = 8


class Node:
    def __init__(self, annals, share):
        with http.server.HTTPServer(("127.0.0.1", 0), None) as free:
            self.address = f"127.0.0.1:{free.server_port}"
        self.annals, self.folder = annals, tempfile.mkdtemp()
        settings = {
            "ANNALS_SERVER_LISTEN": self.address,
            "ANNALS_CLUSTER_ADDRESS": f"http://{self.address}",
            "ANNALS_CLUSTER_KEY": KEY,
            "ANNALS_LIMITS_REQUESTS_PER_MINUTE": "1000000",
            "ANNALS_LIMITS_BURST": "1000000",
        }
        self.environment = os.environ | settings
        self.group = f"/sys/fs/cgroup/cpu/annals-{self.address}"
        os.mkdir(self.group)
        write(f"{self.group}/cpu.cfs_period_us", PERIOD)
        self.limit(share)
        self.process = subprocess.Popen(
            [annals, "serve", "--data", self.folder],
            env=self.environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=lambda: write(f"{self.group}/tasks", os.getpid()),
        )
        while "status" not in self.get("/readyz"):
            if self.process.poll() is not None:
                raise SystemExit("a node ended; see what `annals serve` says with these settings")
            time.sleep(0.2)

    def limit(self, share):
        write(f"{self.group}/cpu.cfs_quota_us", int(PERIOD * share) if share else -1)

    def get(self, path):
        try:
            with urllib.request.urlopen(f"http://{self.address}{path}", timeout=10) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def answered(self):
        return int(re.search(r"^annals_node_answered_searches_total (\d+)", self.get("/metrics/node"), re.M)[1])

    def run(self, *arguments):
        command = [self.annals, *arguments, "--data", self.folder, "--json"]
        return subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout

    def stop(self):
        self.process.terminate()
        self.process.wait()
        os.rmdir(self.group)


def write(path, value):
    with open(path, "w") as file:
        file.write(str(value))


def ask(nodes, key, bodies, path, seconds):
    """Sends requests from CLIENTS threads for some seconds. Returns the time that each took."""
    places, times, end = itertools.count(), [], time.monotonic() + seconds
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def client():
        connections = {node.address: http.client.HTTPConnection(node.address, timeout=60) for node in nodes}
        while time.monotonic() < end:
            place = next(places)
            agent, body = bodies[place % len(bodies)]
            connection = connections[nodes[place % len(nodes)].address]
            begun = time.monotonic()
            connection.request("POST", f"/v1/agents/{agent}/{path}", body, headers)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == 200, answer.status
            times.append(time.monotonic() - begun)

    threads = [threading.Thread(target=client) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(times)


def measure(nodes, key, queries, seconds):
    for path, field in [("search", "query"), ("context", "prompt")]:
        bodies = [(query["agent"], json.dumps({field: query["query"]})) for query in queries]
        ask(nodes, key, bodies, path, 5)
        before = sum(node.answered() for node in nodes)
        times = ask(nodes, key, bodies, path, seconds)
        standby = sum(node.answered() for node in nodes) - before
        rate, median, p95 = len(times) / seconds, statistics.median(times), times[int(len(times) * 0.95)]
        print(
            f"{len(nodes)} nodes, {path}: {rate:.1f} answers/s, p50 {median * 1000:.0f} ms, p95 {p95 * 1000:.0f} ms, "
            f"{standby / len(times):.0%} by standby nodes",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("annals")
    parser.add_argument("messages")
    parser.add_argument("queries")
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.4)
    parser.add_argument("--seconds", type=int, default=20)
    args = parser.parse_args()
    queries = [json.loads(line) for line in open(args.queries)]
    nodes = []
    try:
        nodes.append(Node(args.annals, None))
        nodes[0].run("import", args.messages)
        key = json.loads(nodes[0].run("key", "add", "bench", "--scope", "admin"))["key"]
        nodes[0].limit(args.share)
        while True:
            measure(nodes, key, queries, args.seconds)
            if len(nodes) == args.nodes:
                break
            nodes.append(Node(args.annals, args.share))
        while len(nodes) > 1:
            nodes.pop().stop()
        measure(nodes, key, queries, args.seconds)
    finally:
        for node in reversed(nodes):
            node.stop()


if __name__ == "__main__":
    main()
