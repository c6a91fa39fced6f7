"""Walks the pages in a real browser. Run by scripts/web-test, which sets ANNALS, CHROMIUM and AXE."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import sync_playwright

BINARY, CHROMIUM, AXE = (os.environ[name] for name in ("ANNALS", "CHROMIUM", "AXE"))
DOCS = Path(__file__).resolve().parents[2] / "docs"
NOW = "2026-03-11T09:00:00Z"
EVIL = "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 2\"> and the walnut tree"


class Service:
    """A running service over a folder of its own."""

    def __init__(self, data, now=NOW):
        command = [BINARY, "--now", now, "serve", "--listen", "127.0.0.1:0", "--json", "--data", str(data)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        told = ""
        while not told.rstrip().endswith("}"):
            told += self.process.stdout.readline()
        self.address = json.loads(told)["address"]

    def post(self, path, body, key=None):
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def command(*arguments):
    return subprocess.run([BINARY, "--now", NOW, *arguments], check=True, capture_output=True, text=True).stdout


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
        self.page.wait_for_load_state("networkidle")

    def axe(self, what):
        # The policy of the pages forbids inline script; the test adds its own to an isolated evaluation.
        self.page.evaluate(Path(AXE).read_text())
        found = self.page.evaluate("axe.run({resultTypes: ['violations']}).then(r => r.violations.map(v => v.id + ': ' + v.nodes.map(n => n.target.join(' ')).slice(0, 4).join(' | ') + ' ' + (v.nodes[0].failureSummary || '').replace(/\\n/g, ' ')))")
        assert found == [], f"{what}: " + "\n".join(found)

    def done(self):
        self.browser.close()
        assert self.faults == [], self.faults


PAGES = [
    ("", "year"), ("?period=2020s", "decade"), ("?period=2025-Q1", "quarter"), ("?period=2025-02&open=2025-W07", "month"),
    ("?period=2025-W07", "week"), ("?period=2025-02-11", "day"), ("/search?q=walnut&explain=yes", "search"),
    ("/context?prompt=Is+Marta+allergic+to+walnuts%3F", "context"), ("/facts?history=yes", "facts"), ("/status", "status"),
]


def reads_well_everywhere(playwright, address):
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 320), ("dark", 320), ("light", 3840)):
        walk = Walk(playwright, address, color_scheme=scheme, viewport={"width": width, "height": 900})
        for path, name in PAGES:
            assert walk.go("/agents/demo" + path) == 200, path
            what = f"{name} {scheme} {width}"
            walk.axe(what)
            wide = walk.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{what} is {wide} px too wide"
        for path in ("/keys", "/jobs", "/?all=yes", "/login", "/agents/demo/forget?conversation=none"):
            assert walk.go(path) == 200, path
            walk.axe(f"{path} {scheme} {width}")
        walk.done()


def keys_move_and_zoom(playwright, address):
    walk = Walk(playwright, address, viewport={"width": 1280, "height": 900})
    page = walk.page
    walk.go("/agents/demo?period=2025")
    for key, period in (("ArrowDown", "2025-Q"), ("ArrowDown", "2025-"), ("ArrowUp", "2025-Q"), ("ArrowUp", "2025"), ("ArrowUp", "2020s"),
                        ("ArrowDown", "202"), ("ArrowLeft", "2025"), ("ArrowLeft", "2024"), ("ArrowRight", "2025"), ("Home", "2026")):
        before = page.url
        page.keyboard.press(key)
        page.wait_for_function("before => location.href !== before", arg=before)
        walk.settle("period=" + period)
        page.wait_for_function("document.querySelector('#main h1') !== null")
    # By Tab alone: the list leads to the text of a week, and from there to a turn.
    walk.go("/agents/demo?period=2025-Q1")
    page.focus("details.list summary")
    page.keyboard.press("Enter")
    for _ in range(40):
        page.keyboard.press("Tab")
        if "Week" in page.evaluate("document.activeElement.textContent"):
            break
    name = page.evaluate("document.activeElement.textContent").strip()
    assert name.startswith("Week"), name
    page.keyboard.press("Enter")
    page.wait_for_function("name => document.querySelector('#opened-name')?.textContent === name", arg=name)
    walk.done()


def mouse_opens_and_wheel_zooms(playwright, address):
    walk = Walk(playwright, address, viewport={"width": 1280, "height": 900})
    page = walk.page
    walk.go("/agents/demo?period=2025-Q1")
    page.get_by_label(re.compile("Week 7 of 2025,")).click()
    walk.settle("open=2025-W07")
    page.wait_for_function("document.querySelector('#opened-name').textContent === 'Week 7 of 2025'")
    assert page.locator("#opened .sentences li").count() > 0
    with page.expect_navigation():
        page.get_by_role("link", name="source").first.click()
    assert "/memories/t-" in page.url, page.url
    walk.go("/agents/demo?period=2025")
    box = page.locator("svg.strata").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + 100)
    page.mouse.wheel(0, -200)
    walk.settle("period=2025-Q3")
    page.wait_for_timeout(400)
    page.mouse.wheel(0, 200)
    walk.settle("period=2025$")
    page.go_back()
    walk.settle("period=2025-Q3")
    walk.done()


def content_is_there_without_script(playwright, address):
    walk = Walk(playwright, address, java_script_enabled=False)
    for path, words in (("?period=2025-02&open=2025-W07", "Week 7 of 2025"), ("?period=2025-02-11", "Made from"), ("/search?q=walnut", "walnut"),
                        ("/facts", "has grandmother"), ("/status", "retention plan"), ("/context?prompt=walnut", "tokens")):
        assert walk.go("/agents/demo" + path) == 200
        text = walk.page.inner_text("main")
        assert words.lower() in text.lower(), f"{path}: {text[:400]}"
    walk.go("/agents/demo?period=2025")
    walk.page.click("text=+ Closer")
    assert "period=2025-Q" in walk.page.url
    walk.done()


def markup_of_memories_is_text(playwright, service):
    service.post("/v1/agents/evil/messages?wait=searchable", {"conversation": "c", "messages": [
        {"role": "user", "content": EVIL, "at": "2026-03-04T10:00:00Z", "name": "<b>Eve</b>"}]})
    walk = Walk(playwright, service.address)
    for path in ("?period=2026-03-04", "?period=2026-W10&open=2026-03-04", "/search?q=walnut", "/context?prompt=walnut+tree"):
        assert walk.go("/agents/evil" + path) == 200
        assert walk.page.evaluate("window.hacked") is None, path
        assert "<script>window.hacked" in walk.page.inner_text("main"), path
    walk.done()


def keys_open_what_they_may(playwright, data):
    """A service of its own: with the first key everything needs one."""
    key = lambda *arguments: re.search(r"annals_\w+", command("key", "add", *arguments, "--data", str(data))).group()
    admin = key("admin", "--scope", "admin")
    read = key("read", "--scope", "search")
    foreign = key("foreign", "--scope", "admin", "--workspace", "elsewhere")
    service = Service(data)

    def sign_in(walk, key):
        walk.go("/agents/demo")
        walk.page.fill("#key", key)
        with walk.page.expect_navigation():
            walk.page.keyboard.press("Enter")

    walk = Walk(playwright, service.address)
    sign_in(walk, "annals_wrong_key")
    assert "does not open anything" in walk.page.inner_text("main")
    sign_in(walk, read)
    assert walk.page.url.endswith("/agents/demo"), walk.page.url
    assert walk.page.evaluate("document.cookie") == "", "a script can read the session"
    assert walk.page.get_by_role("link", name="Keys").count() == 0
    assert walk.go("/keys") == 403
    walk.axe("refusal")
    walk.go("/agents/demo?period=2025-02-11")
    with walk.page.expect_navigation():
        walk.page.locator("#opened a.when").first.click()
    assert walk.page.get_by_role("button", name="Pin").count() == 0, "a read-only key sees no changes"
    walk.page.get_by_role("button", name="Sign out").click()
    walk.page.wait_for_url(re.compile("/login"))
    sign_in(walk, foreign)
    assert "Not found" in walk.page.inner_text("main")
    walk.context.clear_cookies()
    sign_in(walk, admin)
    walk.go("/agents/demo?period=2025-02-11")
    walk.page.locator("#opened a.when").first.click()
    walk.page.get_by_role("button", name="Pin").click()
    walk.page.get_by_role("button", name="Unpin").wait_for()
    walk.page.get_by_role("link", name="Forget it").click()
    walk.page.get_by_text("Nothing has been erased yet.").wait_for()
    walk.axe("dry run")
    walk.done()
    service.stop()


def figures(playwright, address):
    for name, path, scheme in (("web-timeline", "/agents/demo?period=2025&open=2025-Q2", "light"), ("web-week", "/agents/demo?period=2025-Q1&open=2025-W07", "dark"),
                               ("web-status", "/agents/demo/status", "light")):
        walk = Walk(playwright, address, color_scheme=scheme, viewport={"width": 1200, "height": 820})
        walk.go(path)
        walk.page.wait_for_timeout(300)
        target = DOCS / f"{name}.png"
        walk.page.screenshot(path=target)
        print(f"{target.name}: {target.stat().st_size / 1000:.0f} kB")
        walk.done()


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        data = Path(folder) / "demo"
        command("demo", "--data", str(data))
        service = Service(data)
        if "--figures" in sys.argv:
            figures(playwright, service.address)
        for test in (mouse_opens_and_wheel_zooms, keys_move_and_zoom, content_is_there_without_script, reads_well_everywhere):
            begun = time.monotonic()
            test(playwright, service.address)
            print(f"{test.__name__}: ok, {time.monotonic() - begun:.0f} s", flush=True)
        markup_of_memories_is_text(playwright, service)
        print("markup_of_memories_is_text: ok", flush=True)
        service.stop()
        keys_open_what_they_may(playwright, data)
        print("keys_open_what_they_may: ok", flush=True)


if __name__ == "__main__":
    main()
