"""Much of everything: a day with more turns than one page shows, more agents than one page lists, and batches under way."""

import re
import sqlite3
from contextlib import closing

from browser import Service, Walk, command
from states import turn_off_rollup

# Turns of the crowded day; a page shows 300.
TURNS = 700
# A page lists 50.
AGENTS = 60


def crowded_day_shows_all_its_turns(playwright, service):
    """Page by page, and an open page of the rest is not replaced by the first one when something happens."""
    said = lambda n: {"role": "user", "name": "Ann", "content": f"Ship {n} is in the harbour.", "at": f"2026-03-04T{8 + n // 60:02}:{n % 60:02}:00Z"}
    service.post("/v1/agents/harbour/messages", {"conversation": "c", "messages": [said(n) for n in range(TURNS)]})
    for options in ({}, {"java_script_enabled": False}):
        walk = Walk(playwright, service.address, **options)
        page = walk.page
        walk.go("/agents/harbour?period=2026-03-04")
        seen = []
        while True:
            turns = page.locator("#opened ol.turns .what").all_inner_texts()
            seen += turns
            assert f"Made from {TURNS} turns" in page.inner_text("#opened")
            if page.get_by_role("link", name="Next turns").count() == 0:
                break
            with page.expect_navigation():
                page.get_by_role("link", name="Next turns").click()
        assert seen == [f"Ship {n} is in the harbour." for n in range(TURNS)], len(seen)
        if not options:
            walk.axe("rest of a crowded day")
            service.post("/v1/agents/harbour/messages", {"conversation": "late", "messages": [{"role": "user", "content": "The last ship.", "at": "2026-03-04T22:00:00Z"}]})
            page.locator("#opened", has_text="The last ship.").wait_for()
            assert page.locator("#opened ol.turns li").count() == TURNS % 300 + 1, "the refreshed part shows other turns"
            service.post("/v1/agents/harbour/forget", {"conversation": "late", "dry_run": False})
            page.wait_for_function("() => !document.body.innerText.includes('The last ship')")
        walk.go("/agents/harbour?period=2026-03-04&after=nonsense")
        assert page.inner_text("h1") != "", "a wrong position is refused in words"
        walk.done()


def agents_are_found_by_name(playwright, service):
    for number in range(AGENTS):
        service.post(f"/v1/agents/worker-{number:02}/messages", {"conversation": "c", "messages": [{"role": "user", "content": "Hello."}]})
    walk = Walk(playwright, service.address)
    page = walk.page
    walk.go("/")
    assert page.locator("tbody tr").count() == 50
    page.fill("input[name=name]", "Worker-5")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("name=Worker-5"))
    assert page.locator("tbody tr").count() == 10, page.locator("tbody tr").count()
    walk.axe("agents by name")
    page.fill("input[name=name]", "<b>nobody</b>")
    page.keyboard.press("Enter")
    page.get_by_text("No agent has this in its name.").wait_for()
    # A new agent appears on a page that is open.
    walk.go("/?name=arrives")
    service.post("/v1/agents/arrives/messages", {"conversation": "c", "messages": [{"role": "user", "content": "Hello."}]})
    page.get_by_role("link", name="arrives").wait_for()
    walk.done()


def batches_are_told_apart(playwright, folder):
    """What runs at a provider, and which tokens came at half the price."""
    data = folder / "batches"
    message = folder / "batches.jsonl"
    message.write_text('{"agent": "ann", "conversation": "c", "role": "user", "at": "2026-03-04T10:00:00Z", "content": "We sold the boat."}')
    command("import", str(message), "--data", str(data))
    turn_off_rollup(data)
    with closing(sqlite3.connect(data / "catalog.sqlite")) as connection, connection as catalog:
        for day, batch, tokens in (("2026-03-05", 0, 100), ("2026-03-05", 1, 1000)):
            catalog.execute("INSERT INTO usage (agent_id, day, purpose, model, batch, calls, tokens_in, tokens_out) "
                            "SELECT agent_id, ?, 'daily', 'small-model', ?, 1, ?, 10 FROM agent WHERE name = 'ann'", (day, batch, tokens))
        catalog.execute("INSERT INTO batch (batch_id, base_url, model, remote, state, at, requests, done, reads) VALUES "
                        "('b1', 'http://127.0.0.1:1/v1', '<b>small-model</b>', 'r1', 'sent', 1773219600000000, 40, 12, 0)")
    service = Service(data)
    service.put("/v1/prices", {"currency": "EUR", "prices": [{"model": "small-model", "input": 1000, "output": 0}]})
    walk = Walk(playwright, service.address)
    page = walk.page
    walk.go("/costs?from=2026-03-02&to=2026-03-08")
    text = page.inner_text("main")
    assert "0.60 EUR for 1,120 tokens" in text and "1,010 tokens of these came in batches, at half the price." in text, text
    row = page.locator("table.costs", has_text="By model").locator("tbody tr")
    assert row.count() == 1 and "1,010" in row.inner_text(), row.all_inner_texts()
    walk.axe("costs of batches")
    walk.go("/jobs")
    row = page.locator("#batches ~ div tbody tr").first
    assert re.search(r"<b>small-model</b>\s+sent\s.*\s40\s+12", row.inner_text()), row.inner_text()
    walk.axe("batches")
    walk.done()
    service.stop()
