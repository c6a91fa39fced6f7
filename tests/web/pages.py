"""Walks the pages in a real browser. Run by scripts/web-test, which sets ANNALS, CHROMIUM and AXE."""

import json
import re
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

from playwright.sync_api import sync_playwright

from browser import Service, Walk, command
from facts import facts_are_explored
from hostile import erased_memory_ends_its_pages, markup_is_text_everywhere, other_sites_change_nothing, streams_that_nobody_reads_block_nobody, two_tabs_may_disagree
from many import agents_are_found_by_name, batches_are_told_apart, crowded_day_shows_all_its_turns
from states import every_state_is_shown, summary_under_way_is_shown
from trials import what_did_last_week_cost, what_happened_in_week_24, where_did_she_live_in_march

EVIL = "<script>window.hacked = 1</script><img src=x onerror=\"window.hacked = 2\"> and the walnut tree"
SESSION = json.dumps({"type": "user", "uuid": "u1", "sessionId": "s1", "timestamp": "2026-03-04T10:00:00Z",
                      "message": {"role": "user", "content": "We sold the boat."}}) + "\nnot a line\n"

PAGES = [
    ("", "year"), ("?period=2020s", "decade"), ("?period=2025-Q1", "quarter"), ("?period=2025-02&open=2025-W07", "month"),
    ("?period=2025-W07", "week"), ("?period=2025-02-11", "day"), ("/search?q=walnut&explain=yes", "search"),
    ("/context?prompt=Is+Marta+allergic+to+walnuts%3F", "context"), ("/facts?history=yes", "facts"), ("/facts?about=Nora&depth=2", "graph"), ("/facts?as_of=2025-03-31&compare=2025-09-30", "changes"),
    ("?period=2026-03&go=soon", "no time"), ("?period=2020-03", "empty month"), ("/status", "status"), ("/import", "import"),
]
OTHERS = ("/keys", "/jobs", "/operator", "/costs", "/?all=yes", "/login", "/agents/demo/forget?conversation=none")


def reads_well_everywhere(playwright, address):
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 320), ("dark", 320), ("light", 3840)):
        walk = Walk(playwright, address, color_scheme=scheme, viewport={"width": width, "height": 900})
        for path, name in PAGES:
            assert walk.go("/agents/demo" + path) == 200, path
            what = f"{name} {scheme} {width}"
            walk.axe(what)
            wide = walk.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert wide <= 0, f"{what} is {wide} px too wide"
        for path in OTHERS:
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


def fingers_zoom(playwright, address):
    walk = Walk(playwright, address, viewport={"width": 800, "height": 900}, has_touch=True)
    page = walk.page
    walk.go("/agents/demo?period=2025")
    box = page.locator("svg.strata").bounding_box()
    touch = walk.context.new_cdp_session(page)

    def pinch(before, after):
        middle, y = box["x"] + box["width"] * 0.6, box["y"] + 100
        send = lambda kind, apart: touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": middle - apart, "y": y}, {"x": middle + apart, "y": y}]})
        send("touchStart", before)
        send("touchMove", (before + after) / 2)
        send("touchMove", after)
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    pinch(40, 120)
    walk.settle("period=2025-Q3")
    page.wait_for_timeout(400)
    pinch(120, 40)
    walk.settle("period=2025$")
    walk.done()


def a_label_or_words_lead_there(playwright, address):
    """The field takes what people type, and says so if it names no time."""
    for options in ({}, {"java_script_enabled": False}):
        walk = Walk(playwright, address, **options)
        page = walk.page
        walk.go("/agents/demo?period=2025-Q1")
        for text, period in (("2025-w24", "2025-W24"), ("week 24", "2025-W24"), ("2025-03", "2025-03"), ("March 2025", "2025-03"), ("2025-06-12", "2025-06-12"),
                             ("last week", "2026-W10"), ("2020s", "2020s")):
            page.fill("#go", text)
            page.keyboard.press("Enter")
            page.wait_for_url(re.compile(f"period={period}$"))
        page.fill("#go", "<b>soon</b>")
        page.get_by_role("button", name="Go").click()
        assert "“<b>soon</b>” names no time" in page.inner_text("main") and page.inner_text("h1") == "2020–2029"
        walk.done()


def days_are_chosen_on_the_strip(playwright, address):
    """By mouse, by keys, and without script by the fields alone."""
    walk = Walk(playwright, address, viewport={"width": 1280, "height": 1000})
    page = walk.page
    value = lambda name: page.input_value(f"#between input[name={name}]")
    walk.go("/agents/demo?period=2025")
    box = page.locator(".brush").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.25, box["y"] + 20)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 20, steps=5)
    page.mouse.up()
    assert value("from").startswith("2025-0") and "2025-06-2" < value("to") < "2025-07-1", (value("from"), value("to"))
    before = value("from")
    page.get_by_role("slider", name="First day").focus()
    for key in ("ArrowRight", "ArrowRight", "PageUp", "ArrowLeft"):
        page.keyboard.press(key)
    moved = (date.fromisoformat(value("from")) - date.fromisoformat(before)).days
    assert moved == 8 and "period=2025" in page.url, (moved, page.url)
    assert "2025" in page.get_by_role("slider", name="First day").get_attribute("aria-valuetext")
    walk.axe("brush")
    page.fill("#between input[name=q]", "walnut")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(f"/search.*from={value_of(moved, before)}"))
    assert page.input_value("form.search input[name=from]") == value_of(moved, before)
    walk.done()
    plain = Walk(playwright, address, java_script_enabled=False)
    plain.go("/agents/demo?period=2025-02")
    assert plain.page.locator(".brush").is_hidden()
    plain.page.fill("#between input[name=q]", "walnut")
    plain.page.click("#between button")
    assert "from=2025-0" in plain.page.url
    plain.done()


def value_of(days, first):
    return (date.fromisoformat(first) + timedelta(days=days)).isoformat()


def open_page_follows_what_happens(playwright, service):
    """Messages and an import appear on pages that are open, and a hidden page holds no connection."""
    walk = Walk(playwright, service.address)
    page = walk.page
    walk.go("/agents/demo?period=2026-03-04")
    assert page.get_by_label(re.compile("follows by itself")).count() == 0
    service.post("/v1/agents/demo/messages", {"conversation": "live", "messages": [
        {"role": "user", "content": "This page follows by itself.", "at": "2026-03-04T10:00:00Z"}]})
    page.get_by_label(re.compile("follows by itself")).first.wait_for(state="attached")
    walk.go("/agents/imported/import")
    page.select_option("select[name=from]", "claude-code")
    page.fill("input[name=me]", "Ann")
    page.set_input_files("input[name=file]", {"name": "s.jsonl", "mimeType": "text/plain", "buffer": SESSION.encode()})
    page.get_by_role("button", name="Upload").click()
    page.get_by_text("Nothing was stored.").wait_for()
    assert "Skipped" in page.inner_text("main"), page.inner_text("main")
    walk.axe("report of an upload")
    walk.go("/agents/imported/import")
    page.select_option("select[name=from]", "claude-code")
    page.uncheck("input[name=dry_run]")
    page.set_input_files("input[name=file]", {"name": "s.jsonl", "mimeType": "text/plain", "buffer": SESSION.encode()})
    page.get_by_role("button", name="Upload").focus()
    page.keyboard.press("Enter")
    page.get_by_text("Everything is stored and searchable.").wait_for()
    page.get_by_role("link", name="Look at it on the timeline").click()
    page.wait_for_url(re.compile("/agents/imported\\?period=2026"))
    walk.done()


def operator_sees_and_changes(playwright, address):
    walk = Walk(playwright, address)
    page = walk.page
    walk.go("/costs")
    page.fill("input[name=currency]", "USD")
    page.fill("input[name=model_0]", "small-model")
    page.fill("input[name=input_0]", "0.15")
    page.fill("input[name=output_0]", "0.6")
    page.get_by_role("button", name="Save prices").click()
    page.wait_for_url(re.compile("/costs#prices"))
    assert page.input_value("input[name=input_0]") == "0.15"
    page.get_by_role("link", name="Last week").click()
    page.get_by_text("no model was called").wait_for()
    walk.go("/operator")
    assert "healthy" in page.inner_text("main") and "[backup]" in page.inner_text("main")
    page.get_by_role("button", name="Examine now").click()
    page.get_by_text("write and read").wait_for()
    walk.axe("doctor")
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


def timed(test, *arguments):
    begun = time.monotonic()
    test(*arguments)
    print(f"{test.__name__}: ok, {time.monotonic() - begun:.0f} s", flush=True)


def main():
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        folder = Path(folder)
        data = folder / "demo"
        command("demo", "--data", str(data))
        run = lambda test, *arguments: timed(test, playwright, *arguments)
        run(every_state_is_shown, data, folder)
        service = Service(data)
        for test in (what_happened_in_week_24, where_did_she_live_in_march, mouse_opens_and_wheel_zooms, fingers_zoom, keys_move_and_zoom, a_label_or_words_lead_there,
                     days_are_chosen_on_the_strip, content_is_there_without_script, operator_sees_and_changes, reads_well_everywhere):
            run(test, service.address)
        for test in (open_page_follows_what_happens, markup_of_memories_is_text, markup_is_text_everywhere, two_tabs_may_disagree,
                     erased_memory_ends_its_pages, streams_that_nobody_reads_block_nobody, crowded_day_shows_all_its_turns, agents_are_found_by_name):
            run(test, service)
        run(facts_are_explored, service, data, folder)
        service.stop()
        run(other_sites_change_nothing, data)
        run(keys_open_what_they_may, data)
        run(summary_under_way_is_shown, folder)
        run(what_did_last_week_cost, folder)
        run(batches_are_told_apart, folder)


if __name__ == "__main__":
    main()
