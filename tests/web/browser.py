"""A service of its own, and a browser that notes what a page must not do. scripts/web-test sets ANNALS, CHROMIUM and AXE."""

import json
import os
import re
import subprocess
import urllib.request
from pathlib import Path

BINARY, CHROMIUM, AXE = (os.environ[name] for name in ("ANNALS", "CHROMIUM", "AXE"))
DOCS = Path(__file__).resolve().parents[2] / "docs"
NOW = "2026-03-11T09:00:00Z"


class Service:
    """A running service over a folder of its own."""

    def __init__(self, data, now=NOW):
        command = [BINARY, "--now", now, "serve", "--listen", "127.0.0.1:0", "--json", "--data", str(data)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        told = ""
        while not told.rstrip().endswith("}"):
            assert self.process.poll() is None, "the service did not start"
            told += self.process.stdout.readline()
        self.address = json.loads(told)["address"]

    def post(self, path, body):
        return self.send("POST", path, body)

    def put(self, path, body):
        return self.send("PUT", path, body)

    def send(self, method, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode() if body is not None else None, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def command(*arguments, now=NOW, expect=(0,)):
    done = subprocess.run([BINARY, "--now", now, *arguments], capture_output=True, text=True)
    assert done.returncode in expect, f"{arguments}: {done.stderr}"
    return done.stdout


class Walk:
    """A browser that notes every request to another host, every fault of a page, and every violation of the policy."""

    def __init__(self, playwright, address, **options):
        self.address, self.faults = address, []
        self.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        self.context = self.browser.new_context(**options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.page.on("request", lambda request: self.note_request(request.url))
        self.page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        self.page.on("console", lambda line: self.faults.append(line.text) if line.type == "error" and "status of" not in line.text else None)

    def note_request(self, url):
        if not url.startswith((self.address + "/", "data:")):
            self.faults.append(f"request to {url}")

    def go(self, path):
        response = self.page.goto(self.address + path)
        return response.status

    def settle(self, expect):
        self.page.wait_for_url(re.compile(expect))
        self.page.wait_for_load_state("load")

    def axe(self, what):
        # The policy of the pages forbids inline script; the test adds its own to an isolated evaluation.
        self.page.evaluate(Path(AXE).read_text())
        found = self.page.evaluate("axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).slice(0, 4).join(' | ') + ' ' + (v.nodes[0].failureSummary || '').replace(/\\n/g, ' ')))")
        assert found == [], f"{what}: " + "\n".join(found)

    def done(self):
        self.browser.close()
        assert self.faults == [], self.faults
