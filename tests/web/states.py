"""Every state of a summary is shown: its bar, its word and meaning, and what its text says instead of a summary."""

import json
import shutil
import sqlite3
import threading
from contextlib import closing

from browser import DOCS, Service, Walk, command
from model import Model

# What the text below the picture says of a period without a closed summary.
SAYS = {
    "open": "Not over yet", "waiting": "its summary is due", "failed": "Why it failed", "pruned": "was pruned by the retention plan",
    "forgotten": "Nothing is left of it", "degraded": "in place of a model that was unavailable",
}


def turn_off_rollup(data):
    """The job would mend what a test or a picture sets."""
    (data / "jobs").mkdir(exist_ok=True)
    job = (DOCS.parent / "jobs" / "rollup.toml").read_text()
    (data / "jobs" / "rollup.toml").write_text(job.replace("enabled = true", "enabled = false"))


def set_states(data):
    """Gives some periods of the demo states that it does not reach by itself. Returns the day that failed."""
    turn_off_rollup(data)
    with closing(sqlite3.connect(data / "catalog.sqlite")) as connection, connection as catalog:
        catalog.execute("UPDATE ledger SET sealed = 1 WHERE period = '2025-01'")
        catalog.execute("DELETE FROM summary WHERE period IN ('2025-W03', '2025-W10', '2025-W11')")
        catalog.execute("UPDATE ledger SET degraded = 1 WHERE period = '2025-W08'")
        catalog.execute("UPDATE ledger SET dirty_seq = clean_seq + 1 WHERE period = '2025-W10'")
        days = [day for day, in catalog.execute("SELECT period FROM ledger WHERE grain = 1 AND period LIKE '2025-02-%' ORDER BY period")]
        catalog.execute("UPDATE ledger SET dirty_seq = clean_seq + 1 WHERE period = ?", (days[-3],))
        catalog.execute("UPDATE ledger SET dirty_seq = clean_seq + 1, attempts = 2, last_error = 'small-model: the answer is no JSON' WHERE period = ?", (days[4],))
    return days[4], days[-3]


def every_state_is_shown(playwright, demo, folder):
    data = folder / "states"
    shutil.copytree(demo, data)
    failed, stale = set_states(data)
    service = Service(data)
    walk = Walk(playwright, service.address, viewport={"width": 1280, "height": 900})
    page = walk.page
    for state, period, view in (("sealed", "2025-01", "2025-Q1"), ("closed", "2025-02", "2025-Q1"), ("pruned", "2025-W03", "2025-Q1"), ("forgotten", "2025-W11", "2025-Q1"),
                                ("degraded", "2025-W08", "2025-Q1"), ("waiting", "2025-W10", "2025-Q1"), ("stale", stale, "2025-Q1"),
                                ("failed", failed, "2025-Q1"), ("open", "2026-W11", "2026-03")):
        walk.go(f"/agents/demo?period={view}&open={period}")
        opened = page.locator("#strata a.bar[aria-current]")
        assert opened.locator("svg").get_attribute("class") == state, (period, state, opened.locator("svg").get_attribute("class"))
        assert f": {state}, " in opened.get_attribute("aria-label"), opened.get_attribute("aria-label")
        legend = page.locator("#strata .legend div", has=page.locator(f"g.{state}"))
        assert state in legend.inner_text() and len(legend.locator("dd").inner_text()) > 15, state
        panel = page.inner_text("#opened")
        assert page.inner_text("#opened .chip") == state and SAYS.get(state, "") in panel, (state, panel[:400])
    walk.done()
    service.stop()


def summary_under_way_is_shown(playwright, folder):
    """While a slow model writes, the period says so, and the page follows when the summary is there."""
    begun, go_on = threading.Event(), threading.Event()

    def refuse(_):
        begun.set()
        go_on.wait(60)

    data = folder / "slow"
    data.mkdir()
    (data / "annals.toml").write_text(f'[models]\nbase_url = "{Model(refuse).address}"\nmodel = "slow-model"\n')
    turn_off_rollup(data)
    messages = folder / "slow.jsonl"
    messages.write_text(json.dumps({"agent": "ann", "conversation": "c", "role": "user", "at": "2026-03-04T10:00:00Z", "content": "We sold the boat."}))
    command("import", str(messages), "--data", str(data), now="2026-03-05T07:00:00Z")
    service = Service(data)
    walk = Walk(playwright, service.address)
    page = walk.page
    walk.go("/agents/ann?period=2026-W10&open=2026-03-04")
    assert page.inner_text("#opened .chip") == "waiting"
    page.evaluate("window.kept = true")
    writer = threading.Thread(target=lambda: service.post("/v1/agents/ann/rollup", {}), daemon=True)
    writer.start()
    assert begun.wait(60), "the model was never called"
    page.locator("#opened .chip.writing").wait_for()
    assert "is being written now" in page.inner_text("#opened")
    go_on.set()
    page.locator("#opened .chip.closed").wait_for()
    assert "slow-model" in page.inner_text("#opened") and page.evaluate("window.kept"), "the page was loaded again"
    writer.join(60)
    walk.done()
    service.stop()
