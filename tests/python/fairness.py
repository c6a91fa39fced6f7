#!/usr/bin/env python3
"""Measures what one agent's load costs another: python3 tests/python/fairness.py ANNALS [SECONDS] [KIND...]

Serves a new data folder. Bob sends a message every fifth of a second and waits until it is searchable; first alone, then for SECONDS
(15) beside each kind of load of another agent, or of a hostile tenant who has an admin key of a workspace of their own. Prints
Bob's 95th percentile alone and under load, how often it took longer than alone, how often /readyz was asked and did not answer, and what
the load came to. The idle value is measured before and after each load, because other programs use the machine too: its load is
printed. Needs nothing but Python.
"""

import concurrent.futures
import contextlib
import datetime
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

WORDS = "the tram was late and nobody at the station knew why it had stopped behind the bridge again".split()
BOUND = 3.0


def text(number, words=25):
    return " ".join(WORDS[(number * 7 + index * 3) % len(WORDS)] for index in range(words)) + f" {number}."


class SlowModel(http.server.BaseHTTPRequestHandler):
    """A model that takes two seconds for each answer and says what no reader can use."""

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        time.sleep(2)
        said = {"role": "assistant", "content": "{\"sentences\": []}"}
        usage = {"prompt_tokens": 700, "completion_tokens": 5, "total_tokens": 705}
        answer = json.dumps({"choices": [{"message": said, "finish_reason": "stop"}], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(answer)

    def log_message(self, *_):
        pass


class Service:
    def __init__(self, annals, folder, model):
        self.annals, self.folder = annals, folder
        folder.mkdir(parents=True)
        (folder / "annals.toml").write_text(f'[models]\nbase_url = "http://127.0.0.1:{model}/v1"\nmodel = "slow"\n')
        self.keys = {workspace: self.key(workspace) for workspace in ("bobs", "loads", "mallorys")}
        command = [annals, "serve", "--json", "--listen", "127.0.0.1:0", "--data", str(folder)]
        self.log = open(folder.parent / "service.log", "wb")
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self.log)
        self.address = json.loads(self.process.stdout.readline())["address"]
        self.host = urllib.parse.urlsplit(self.address)

    def key(self, workspace):
        command = [self.annals, "key", "add", workspace, "--workspace", workspace, "--json", "--data", str(self.folder)]
        for scope in ("ingest", "search", "admin"):
            command += ["--scope", scope]
        return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)["key"]

    def ask(self, who, method, path, body=None, timeout=120):
        """Status and answer; a refusal is an answer too."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.keys[who]}"}
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            return refused.code, refused.read()
        except (OSError, ConnectionError):
            return 0, b""

    def resident(self):
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1000
        return 0.0

    def stop(self):
        self.process.terminate()
        self.process.wait()


def p95(times):
    times = sorted(times) or [0.0]
    return times[min(len(times) - 1, int(len(times) * 0.95))]


class Bob:
    """Says something every fifth of a second and waits until it is found."""

    def __init__(self, service):
        self.service, self.count = service, 0

    def sample(self, seconds, stop=None):
        times, until = [], time.monotonic() + seconds
        while time.monotonic() < until:
            self.count += 1
            body = {"conversation": "bob", "messages": [{"role": "user", "name": "Bob", "id": str(self.count),
                                                         "content": f"Bob went to market {self.count}."}]}
            begun = time.monotonic()
            status, answer = self.service.ask("bobs", "POST", "/v1/agents/bob/messages?wait=searchable&timeout_seconds=60", body)
            took = time.monotonic() - begun
            if status != 202 or json.loads(answer)["status"] == "accepted":
                took = max(took, 60.0)
            times.append(took)
            time.sleep(max(0.0, 0.2 - took))
        return times


def ready(service, until, found):
    while not until.is_set():
        begun = time.monotonic()
        try:
            with urllib.request.urlopen(service.address + "/readyz", timeout=10) as answer:
                found.append((time.monotonic() - begun, answer.status == 200))
        except OSError:
            found.append((time.monotonic() - begun, False))
        until.wait(0.1)


def repeat(act, until):
    """How often it was done, and how often it was refused."""
    done, refused = 0, 0
    while not until.is_set():
        status = act(done + refused)
        if status in (200, 202, 204):
            done += 1
        else:
            refused += 1
            until.wait(0.05 if status in (429, 503) else 0.0)
    return done, refused


def messages(number, count, words=25):
    day = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(minutes=number * count)
    at = lambda n: (day + datetime.timedelta(seconds=n)).strftime("%Y-%m-%dT%H:%M:%SZ")
    said = [{"role": "user", "name": "Ann", "id": f"{number}-{n}", "content": text(number * count + n, words), "at": at(n)}
            for n in range(count)]
    return {"conversation": f"talk {number}", "messages": said}


# Loads of a tenant that means no harm.

def importing(service, number):
    lines = [json.dumps({"agent": f"import{number}", "conversation": "c", **said}) for said in messages(number, 4000)["messages"]]
    file = service.folder.parent / "import.jsonl"
    file.write_text("\n".join(lines))
    command = [service.annals, "import", str(file), "--data", str(service.folder)]
    return 200 if subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0 else 500


def ingesting(service, number):
    return service.ask("loads", "POST", "/v1/agents/big/messages", messages(number, 100))[0]


def modelling(service, number):
    service.ask("loads", "POST", "/v1/agents/modelled/messages", messages(number, 20))
    return service.ask("loads", "POST", "/v1/agents/modelled/rollup", {})[0]


def forgetting(service, number):
    service.ask("loads", "POST", "/v1/agents/forgetful/messages", messages(number, 100))
    target = {"conversation": f"talk {number}", "dry_run": False}
    return service.ask("loads", "POST", "/v1/agents/forgetful/forget", target)[0]


def exporting(service, number):
    if number < 20:
        service.ask("loads", "POST", "/v1/agents/exported/messages", messages(number, 200, 80))
    return service.ask("loads", "GET", "/v1/agents/exported/export")[0]


# What a hostile tenant sends. Made once: a client that is busy making it would keep Bob, who is in the same process, from
# reading his clock.

LOOP = "{% for a in turns %}{% for b in turns %}{% for c in turns %}{{ c }}{% endfor %}{% endfor %}{% endfor %}"
SETTINGS = [json.dumps(strange).encode() for strange in [
    {"prompts": {"daily": LOOP * 20}},
    {"prompts": {"daily": "{{ text }}" * 6000, "weekly": "{% if " + "a and " * 5000 + "a %}{% endif %}"}},
    {"prompts": {"extraction": "{{ (((" * 9000}},
    {"daily_tokens": 10**12},
    {"plan": "p" * 100_000},
    {"time_zone": "../" * 10_000},
    *({"time_zone": zone, "language": language} for zone in ("Pacific/Apia", "America/Los_Angeles") for language in ("de", "en", "fr", "es")),
    {"plan": "free"},
    {"daily_tokens": 2**63},
    {"language": "x" * 200_000},
    {"prompts": {str(n): "x" for n in range(20_000)}},
]]
QUERIES = [(method, "/v1/agents/mallory/" + path, body and json.dumps(body).encode()) for method, path, body in [
    ("POST", "search", {"query": "tram " * 190_000}),
    ("POST", "search", {"query": "".join(chr(0x4E00 + n % 20_000) for n in range(300_000))}),
    ("POST", "search", {"query": "".join(chr(0x4E00 + n) for n in range(10_000)), "limit": 200}),
    ("POST", "search", {"query": " ".join(WORDS) * 340, "limit": 200, "budget_tokens": 10**12}),
    ("POST", "context", {"prompt": "why " * 8000, "budget_tokens": 100_000}),
    ("POST", "context", {"prompt": text(5, 5000), "budget_tokens": 100_000}),
    ("POST", "search", {"query": "in January and " * 2000 + "2026", "limit": 200}),
    ("GET", "timeline?limit=200&from=0001-01-01&to=9999-12-31", None),
    ("GET", "facts?about=" + "a" * 7000, None),
]]
BODIES = [
    b"[" * 500_000,
    b'{"messages": [' + b'{"role": "user", "content": "x"},' * 20_000 + b'{"role": "user", "content": "x"}]}',
    *(json.dumps({"messages": [{"role": "user", "content": content}]}).encode() for content in [
        "a b. " * 50_000,
        "password=hunter2 sk-" + "A" * 200_000,
        "My name is " + "Ann and I live in Rome. " * 9000,
        "\u0301" * 120_000,
    ]),
]


def settings(service, number):
    return service.ask("mallorys", "PUT", "/v1/agents/mallory/settings", SETTINGS[number % len(SETTINGS)])[0]


def queries(service, number):
    return service.ask("mallorys", *QUERIES[number % len(QUERIES)])[0]


def bodies(service, number):
    return service.ask("mallorys", "POST", "/v1/agents/mallory/messages", BODIES[number % len(BODIES)])[0]


def slow_bytes(service, number):
    """A connection that sends a byte now and then: head or body, with a key and without."""
    head = f"POST /v1/agents/mallory/messages HTTP/1.1\r\nhost: {service.host.netloc}\r\ncontent-type: application/json\r\n"
    head += f"authorization: Bearer {service.keys['mallorys']}\r\ncontent-length: 100000\r\n\r\n"
    try:
        with socket.create_connection((service.host.hostname, service.host.port), timeout=5) as connection:
            if number % 2:
                connection.sendall(head.encode())
                head = "[" * 1000
            for byte in head[:40]:
                connection.sendall(byte.encode())
                time.sleep(0.1)
    except OSError:
        return 503
    return 200


def slow_export(service, number):
    """Asks for everything and reads it by the byte."""
    if number < 10:
        return service.ask("mallorys", "POST", "/v1/agents/mallory/messages", messages(number, 300, 80))[0]
    head = f"GET /v1/agents/mallory/export HTTP/1.1\r\nhost: {service.host.netloc}\r\nauthorization: Bearer {service.keys['mallorys']}\r\n\r\n"
    try:
        with socket.create_connection((service.host.hostname, service.host.port), timeout=5) as connection:
            connection.sendall(head.encode())
            for _ in range(50):
                connection.recv(10)
                time.sleep(0.1)
    except OSError:
        return 503
    return 200


KINDS = {
    "import": (importing, 1), "ingest": (ingesting, 4), "model": (modelling, 4), "forget": (forgetting, 2), "export": (exporting, 2),
    "settings": (settings, 4), "queries": (queries, 8), "bodies": (bodies, 8), "slow-bytes": (slow_bytes, 120),
    "slow-export": (slow_export, 16),
}


def measure(service, bob, kind, seconds):
    act, threads = KINDS[kind]
    idle = bob.sample(seconds / 2)
    stop, found, counter = threading.Event(), [], iter(range(10**9))
    lock = threading.Lock()

    def one(_):
        with lock:
            number = next(counter)
        return act(service, number)

    with concurrent.futures.ThreadPoolExecutor(threads + 1) as pool:
        pool.submit(ready, service, stop, found)
        loads = [pool.submit(repeat, one, stop) for _ in range(threads)]
        time.sleep(1)
        loaded = bob.sample(seconds)
        stop.set()
        came = [load.result() for load in loads]
    done, refused = sum(done for done, _ in came), sum(refused for _, refused in came)
    time.sleep(1)
    idle += bob.sample(seconds / 2)
    bound = BOUND * p95(idle)
    failed = sum(1 for _, ok in found if not ok)
    load = os.getloadavg()[0]
    print(f"{kind:12} {p95(idle) * 1e3:7.0f} {p95(loaded) * 1e3:7.0f} {p95(loaded) / p95(idle):6.1f}"
          f" {sum(took > bound for took in loaded):4}/{len(loaded):<4} {failed:4}/{len(found):<4} {p95([took for took, _ in found]) * 1e3:7.0f}"
          f" {done:6} {refused:7} {service.resident():6.0f} {load:5.1f}", flush=True)
    return p95(loaded) <= bound and failed == 0


def main():
    annals = os.path.abspath(sys.argv[1])
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 15.0
    kinds = sys.argv[3:] or list(KINDS)
    model = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowModel)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(annals, pathlib.Path(folder) / "data", model.server_address[1])
        service.ask("bobs", "PUT", "/v1/agents/bob/settings", {"engine": "extractive"})
        for agent in ("big", "forgetful", "exported"):
            service.ask("loads", "PUT", f"/v1/agents/{agent}/settings", {"engine": "extractive"})
        for number in range(4):
            service.ask("mallorys", "POST", "/v1/agents/mallory/messages?wait=searchable&timeout_seconds=60", messages(number, 500))
        bob = Bob(service)
        bob.sample(3)
        print("load         idle p95  loaded  ratio  above    not ready  readyz   done refused  MB    load of the machine")
        try:
            unfair = [kind for kind in kinds if not measure(service, bob, kind, seconds)]
        finally:
            service.stop()
    print(f"above {BOUND} times idle, or not ready: {', '.join(unfair) or 'none'}")
    sys.exit(1 if unfair else 0)


main()
