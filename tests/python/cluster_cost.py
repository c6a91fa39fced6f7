#!/usr/bin/env python3
"""Measures what messages cost a node of a cluster: requests to the bucket, and bytes in bucket and database.

    ANNALS_CATALOG_URL=postgres://… ANNALS_OBJECTS_URL=s3://bucket/prefix ANNALS_OBJECTS_ENDPOINT=http://… AWS_…=… \\
        python3 tests/python/cluster_cost.py ANNALS MESSAGES

The database must be empty, and so must the prefix. A proxy between node and bucket counts requests and adds up what is stored. The script sends
messages of the file to two agents, each alone, and others to a third one in requests of a hundred; then it imports the file, rolls all up, and
runs compaction twice and verification. It prints a line of requests for each step, and at the end bytes per memory in the bucket and per message
in the database. Needs psql, and otherwise nothing but Python.
"""

import collections
import http.client
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

ALONE, TOGETHER, REQUEST = 60, 2_000, 100
# Read as a fact by rule, at the next run of the job `rollup`.
FACT = "I live in Oslo."
# A step has ended after so many seconds without a request.
QUIET = 4


class Bucket(http.server.ThreadingHTTPServer):
    """Forwards requests to the real server, counts them, and knows the size of each object."""

    def __init__(self, endpoint):
        super().__init__(("127.0.0.1", 0), Forward)
        self.upstream = urllib.parse.urlsplit(endpoint).netloc
        self.requests, self.sizes, self.parts, self.lock = collections.Counter(), {}, collections.Counter(), threading.Lock()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def note(self, method, path, source, body):
        url = urllib.parse.urlsplit(path)
        query = urllib.parse.parse_qs(url.query, keep_blank_values=True)
        with self.lock:
            kind = "LIST" if "list-type" in query else "DELETE" if "delete" in query else method
            self.requests[kind] += 1
            if "uploadId" in query and method == "PUT":
                self.parts[url.path] += len(body)
            elif "uploadId" in query and method == "POST":
                self.sizes[url.path] = self.parts.pop(url.path, 0)
            elif method == "PUT":
                self.sizes[url.path] = self.sizes.get("/" + urllib.parse.unquote(source).lstrip("/"), 0) if source else len(body)
            elif method == "DELETE":
                self.sizes.pop(url.path, None)
            elif kind == "DELETE":
                for name in re.findall(r"<Key>(.*?)</Key>", body.decode()):
                    self.sizes.pop(f"/{url.path.strip('/')}/{name}", None)

    def bytes(self):
        return sum(self.sizes.values())

    def settle(self):
        before, since = 0, time.monotonic()
        while time.monotonic() - since < QUIET:
            time.sleep(0.5)
            if before != (before := sum(self.requests.values())):
                since = time.monotonic()


class Forward(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def forward(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        upstream = http.client.HTTPConnection(self.server.upstream, timeout=60)
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            upstream.putheader(name, value)
        upstream.endheaders(body or None)
        answer = upstream.getresponse()
        content = answer.read()
        upstream.close()
        if answer.status < 300:
            self.server.note(self.command, self.path, self.headers.get("x-amz-copy-source"), body)
        self.send_response_only(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("transfer-encoding", "connection", "content-length"):
                self.send_header(name, value)
        self.send_header("content-length", answer.getheader("content-length") or str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = forward

    def log_message(self, *_):
        pass


class Node:
    def __init__(self, annals, folder, endpoint):
        with http.server.HTTPServer(("127.0.0.1", 0), None) as free:
            address = f"127.0.0.1:{free.server_port}"
        self.annals, self.folder, self.url = annals, folder, f"http://{address}"
        settings = {"SERVER_LISTEN": address, "CLUSTER_ADDRESS": self.url, "OBJECTS_ENDPOINT": endpoint}
        settings |= {"LIMITS_REQUESTS_PER_MINUTE": "100000", "LIMITS_BURST": "100000"}
        self.environment = os.environ | {f"ANNALS_{name}": value for name, value in settings.items()}
        self.key = json.loads(self.run("key", "add", "cost", "--scope", "admin", "--json"))["key"]
        serve, nowhere = [annals, "serve", "--data", folder], subprocess.DEVNULL
        self.process = subprocess.Popen(serve, env=self.environment, stdout=nowhere, stderr=nowhere)
        while not self.is_active():
            time.sleep(0.2)

    def run(self, *arguments):
        command = [self.annals, *arguments, "--data", self.folder]
        return subprocess.run(command, env=self.environment, check=True, stdout=subprocess.PIPE).stdout

    def is_active(self):
        try:
            with urllib.request.urlopen(self.url + "/readyz", timeout=10) as answer:
                return json.load(answer)["status"] == "ok"
        except OSError:
            return False

    def send(self, agent, messages):
        body = json.dumps({"conversation": "c", "messages": messages}).encode()
        headers = {"authorization": f"Bearer {self.key}", "content-type": "application/json"}
        url = f"{self.url}/v1/agents/{agent}/messages?wait=searchable&timeout_seconds=60"
        urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=150).read()

    def memories(self):
        counts = collections.Counter()
        for agent in json.loads(self.run("status", "--json"))["agents"]:
            counts.update({grain: count for grain, count in agent["memories"].items() if count})
        return counts


def database_bytes():
    command = ["psql", os.environ["ANNALS_CATALOG_URL"], "--no-psqlrc", "--quiet", "--tuples-only", "--no-align"]
    command += ["--command", "VACUUM", "--command", "SELECT pg_database_size(current_database())"]
    return int(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def main():
    annals, file = sys.argv[1:3]
    messages = [json.loads(line) for line in open(file)]
    bucket, counted = Bucket(os.environ["ANNALS_OBJECTS_ENDPOINT"]), collections.Counter()
    folder = tempfile.mkdtemp()
    node = Node(annals, folder, f"http://127.0.0.1:{bucket.server_port}")

    def step(name, count=1):
        bucket.settle()
        since = bucket.requests - counted
        counted.update(since)
        each = ", ".join(f"{kind} {since[kind] / count:.2f}" for kind in ("PUT", "LIST", "GET", "DELETE"))
        print(f"{name}: {each}; {bucket.bytes() / 1e6:.1f} MB", flush=True)

    try:
        step("start")
        empty = database_bytes()
        texts = [{"role": "user", "content": message["content"]} for message in messages]
        for message in texts[:ALONE]:
            node.send("alone", [message])
        step("each message alone, an agent without facts, a message", ALONE)
        node.send("knows", [{"role": "user", "name": "Ann", "content": FACT}])
        time.sleep(90)
        step("a fact")
        for message in texts[:ALONE]:
            node.send("knows", [message])
        step("each message alone, an agent with facts, a message", ALONE)
        texts = texts[ALONE:][:TOGETHER]
        for at in range(0, len(texts), REQUEST):
            node.send("together", texts[at:at + REQUEST])
        step(f"requests of {REQUEST}, a message", len(texts))
        node.run("import", file, "--json")
        step("import, a message", len(messages))
        before = node.memories()
        node.run("rollup")
        memories = node.memories()
        step("roll-up, a summary", (memories - before).total())
        tables = sum(path.endswith("/head") for path in bucket.sizes)
        for job in ("compaction", "compaction", "verification"):
            node.run("job", "run", job)
            step(f"{job}, a table of {tables}", tables)
        print(f"memories: {dict(memories)}; in the bucket {bucket.bytes() / memories.total():.0f} bytes a memory")
        grown = database_bytes() - empty
        print(f"database: {empty / 1e6:.1f} MB empty, then {grown / memories['working']:.0f} bytes a message")
        print(f"text: {sum(len(message['content'].encode()) for message in messages) / len(messages):.0f} bytes a message")
    finally:
        node.process.terminate()
        node.process.wait()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
