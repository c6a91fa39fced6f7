#!/usr/bin/env python3
"""Measures what standby nodes add to the speed of an import.

    ANNALS_CATALOG_URL=postgres://… ANNALS_OBJECTS_URL=s3://bucket/prefix ANNALS_OBJECTS_ENDPOINT=http://… AWS_…=… \\
        python3 tests/python/cluster_embedding.py ANNALS MESSAGES [NODES]

Starts up to NODES nodes (2), each on one core, and imports the file (JSON lines) once with one node, once with two, and so on, for other agents each
time. Prints the seconds until all messages can be searched, and the number of texts that standby nodes embedded. Database and bucket share the cores.
The first number of nodes is measured again at the end, to show what has changed meanwhile.
"""

import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request

KEY = "0123456789abcdef0123456789abcdef"


class Node:
    def __init__(self, annals, core):
        with http.server.HTTPServer(("127.0.0.1", 0), None) as free:
            address = f"127.0.0.1:{free.server_port}"
        self.annals, self.folder, self.url = annals, tempfile.mkdtemp(), f"http://{address}"
        settings = {"ANNALS_SERVER_LISTEN": address, "ANNALS_CLUSTER_ADDRESS": self.url, "ANNALS_CLUSTER_KEY": KEY}
        self.environment = os.environ | settings
        command = ["taskset", "--cpu-list", str(core), annals, "serve", "--data", self.folder]
        self.process = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while "status" not in self.get("/readyz"):
            time.sleep(0.2)

    def get(self, path):
        try:
            with urllib.request.urlopen(self.url + path, timeout=10) as answer:
                return answer.read().decode()
        except OSError:
            return ""

    def embedded(self):
        return int(re.search(r"^annals_node_embedded_texts_total (\d+)", self.get("/metrics/node"), re.M)[1])

    def import_file(self, path):
        begun = time.monotonic()
        command = [self.annals, "import", path, "--data", self.folder, "--json"]
        subprocess.run(command, env=self.environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return time.monotonic() - begun


def renamed(messages, run):
    """Writes the messages with other agents, and with texts that no cache knows."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", delete=False) as file:
        for message in messages:
            line = message | {"agent": f"{message['agent']}-{run}", "content": f"{message['content']} ({run})"}
            file.write(json.dumps(line) + "\n")
    return file.name


def main():
    annals, file, most = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 2
    messages = [json.loads(line) for line in open(file)]
    nodes = []
    try:
        for number in range(1, most + 1):
            nodes.append(Node(annals, (number - 1) % os.cpu_count()))
            measure(nodes, messages, str(number))
        while len(nodes) > 1:
            stopped = nodes.pop().process
            stopped.terminate()
            stopped.wait()
        measure(nodes, messages, "again")
    finally:
        for node in nodes:
            node.process.kill()
            node.process.wait()


def measure(nodes, messages, run):
    before = sum(node.embedded() for node in nodes)
    seconds = nodes[0].import_file(renamed(messages, run))
    texts = sum(node.embedded() for node in nodes) - before
    rate = len(messages) / seconds
    print(f"{len(nodes)} nodes: {seconds:.1f} s, {rate:.0f} messages/s, {texts} texts embedded by standby nodes", flush=True)


if __name__ == "__main__":
    main()
