"""Makes the pictures of the pages in docs/, and measures the pages. Run by scripts/web-test.

    scripts/web-test --figures [--diary FILE] [BINARY]    pictures; that of ten years only with messages of the diary (JSON Lines)
    scripts/web-test --measure [BINARY]                   times at 1,000, 100,000 and 1,000,000 turns; memory with twenty pages
"""

import json
import os
import sqlite3
import statistics
import sys
import tempfile
from contextlib import closing
from datetime import date, datetime, timedelta, timezone
from pathlib import Path

from playwright.sync_api import sync_playwright

from browser import DOCS, NOW, Service, Walk, command
from model import Model
from states import set_states

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def shoot(playwright, address, name, path, scheme="light", size=(1200, 820), whole=False):
    walk = Walk(playwright, address, color_scheme=scheme, viewport={"width": size[0], "height": size[1]})
    assert walk.go(path) == 200, path
    walk.page.wait_for_timeout(300)
    target = DOCS / f"{name}.png"
    walk.page.screenshot(path=target, full_page=whole)
    print(f"{target.name}: {target.stat().st_size / 1000:.0f} kB", flush=True)
    walk.done()


def lately():
    """The time of the pictures: now, or the evening before if the roll-ups of this day, at seven, are still to come."""
    now = datetime.now(timezone.utc).replace(microsecond=0)
    return now if now.hour >= 8 else now.replace(hour=23, minute=50, second=0) - timedelta(days=1)


def refuse(prompt):
    """A model that cannot read what a hotel says, and is away for a clinic."""
    if "ward" in prompt and str(lately().date() - timedelta(days=2)) in prompt:
        return 503, "the model is loading"
    return "I cannot summarise this." if "sauna" in prompt else None


SAID = {
    "shop": ["Order {n} was sent to Porto.", "The supplier raises the price of oak by four per cent.", "Mrs Okafor asked for a refund of order {n}."],
    "clinic": ["Ward three has {n} free beds.", "Dr Lindqvist moved the round of the ward to nine.", "The new scanner on the ward was tested."],
    "hotel": ["Room {n} wants a late breakfast.", "The sauna is closed until Friday.", "A group of {n} arrives on Saturday."],
}


def busy(playwright, folder):
    """Three agents over ten days, with a model that fails for two of them."""
    data = Path(folder) / "busy"
    data.mkdir()
    (data / "annals.toml").write_text(
        f'[models]\nbase_url = "{Model(refuse).address}"\nmodel = "small-model"\ndaily_tokens = 20000\nprocess_daily_tokens = 40000\n'
        f'[models.weekly]\nmodel = "large-model"\n[backup]\ntarget = "{folder}/backups"\nkeep = 14\n')
    # A roll-up with failures ends with 1.
    at = lambda when, *arguments: command(*arguments, "--data", str(data), now=when, expect=(0, 1))
    now = lately()
    for ago in range(10, 0, -1):
        day = now.date() - timedelta(days=ago)
        lines = [json.dumps({"agent": agent, "conversation": str(day), "role": "user", "name": agent.title(), "at": f"{day}T{9 + hour:02}:05:00Z",
                             "content": text.format(n=day.day * 7 + hour)})
                 for agent, texts in SAID.items() for hour, text in enumerate(texts * (1 + ago % 3))]
        messages = Path(folder) / "messages.jsonl"
        messages.write_text("\n".join(lines))
        at(f"{day}T20:00:00Z", "import", str(messages))
        at(f"{day + timedelta(days=1)}T07:00:00Z", "rollup")
        if ago % 3 == 1:
            at(f"{day + timedelta(days=1)}T02:30:00Z", "backup")
    service = Service(data, f"{now:%Y-%m-%dT%H:%M:%SZ}")
    monday = now.date() - timedelta(days=now.weekday() + 7)
    service.put("/v1/prices", {"currency": "USD", "prices": [{"model": "small-model", "input": 0.15, "output": 0.6},
                                                             {"model": "large-model", "input": 2.5, "output": 10}]})
    shoot(playwright, service.address, "web-jobs", "/jobs")
    shoot(playwright, service.address, "web-costs", f"/costs?from={monday}&to={monday + timedelta(days=6)}", size=(1200, 900))
    shoot(playwright, service.address, "web-operator", "/operator", size=(1200, 900))
    shoot(playwright, service.address, "web-failed", f"/agents/hotel?period={label(2, now.date() - timedelta(days=4))}&open={now.date() - timedelta(days=4)}", size=(1200, 900))
    service.stop()


def pictures(playwright, folder, diary):
    data = Path(folder) / "demo"
    command("demo", "--data", str(data))
    service = Service(data)
    shoot(playwright, service.address, "web-timeline", "/agents/demo?period=2025&open=2025-Q2")
    service.stop()
    failed, _ = set_states(data)
    service = Service(data)
    shoot(playwright, service.address, "web-states", f"/agents/demo?period=2025-Q1&open={failed}", "dark")
    service.stop()
    busy(playwright, folder)
    if diary:
        data = Path(folder) / "diary"
        part = Path(folder) / "diary.jsonl"
        # One entry of three is enough for the picture, and a third of the work.
        part.write_text("".join(line for number, line in enumerate(open(diary, encoding="utf-8")) if number % 3 == 0))
        then = "1670-02-01T09:00:00Z"
        command("import", str(part), "--data", str(data), now=then)
        command("rollup", "--data", str(data), now=then)
        service = Service(data, then)
        shoot(playwright, service.address, "web-decade", "/agents/pepys?period=1660s&open=1666", size=(1200, 900))
        service.stop()


def micros(day, seconds=0):
    at = datetime(day.year, day.month, day.day, tzinfo=timezone.utc) + timedelta(seconds=seconds)
    return (at - EPOCH) // timedelta(microseconds=1)


def label(grain, day):
    """The label of the period of a day. Weeks go to the month of their Thursday."""
    thursday = day - timedelta(days=day.weekday()) + timedelta(days=3)
    quarter = (thursday.month + 2) // 3
    return [None, day.isoformat(), f"{day.isocalendar()[0]}-W{day.isocalendar()[1]:02}", f"{thursday:%Y-%m}", f"{thursday.year}-Q{quarter}", f"{thursday.year}"][grain]


def fill(data, turns):
    """Writes turns of ten years and all their summaries into the catalog, as if they had been imported, embedded and rolled up: embedding
    a million turns would take a day, and the pages read no vectors."""
    seed = data.parent / "seed.jsonl"
    seed.write_text(json.dumps({"agent": "big", "conversation": "c", "role": "user", "at": "2016-01-04T08:00:00Z", "content": "It begins."}))
    command("import", str(seed), "--data", str(data))
    command("rollup", "--data", str(data))
    first, days = date(2016, 1, 5), 3652
    with closing(sqlite3.connect(data / "catalog.sqlite")) as connection, connection as catalog:
        (agent, seq), = catalog.execute("SELECT agent_id, seq FROM agent WHERE name = 'big'")
        seq += 1000
        row = lambda n, day, second: (agent, f"t-{n:026}", f"c{n % 97}", str(n), day.isoformat(), micros(day, 30000 + second), "user", "Ann", f"Message {n} about the walnut tree and the boat.", seq + n)
        places = ((n, first + timedelta(days=n * days // turns)) for n in range(turns))
        catalog.executemany("INSERT INTO turn (agent_id, id, conversation, message, day, at, role, name, content, seq) VALUES (?,?,?,?,?,?,?,?,?,?)",
                            (row(n, day, n * 37 % 50000) for n, day in places))
        seq += turns
        used = sorted({first + timedelta(days=n * days // turns) for n in range(turns)})
        for grain in range(1, 6):
            for number, period in enumerate(sorted({label(grain, day) for day in used})):
                seq += 1
                sentences = json.dumps([{"day": "2016-01-05", "text": "They talked about the boat.", "from": [f"t-{number:026}"]}] * 8)
                catalog.execute("INSERT OR IGNORE INTO summary (agent_id, grain, period, id, seq, cover_start, cover_end, text, sentences) VALUES (?,?,?,?,?,?,?,?,?)",
                                (agent, grain, period, f"s-{grain}{seq:025}", seq, 0, 1, "They talked about the boat.", sentences))
                catalog.execute("INSERT OR REPLACE INTO ledger (agent_id, grain, period, dirty_seq, clean_seq, dirty_at, input_digest) VALUES (?,?,?,?,?,0,zeroblob(32))", (agent, grain, period, 1, 1))
        catalog.execute("UPDATE agent SET seq = ?", (seq,))
        catalog.execute("UPDATE watermark SET applied = ?", (seq,))
        catalog.execute("INSERT INTO journal (agent_id, extracted) VALUES (?, ?) ON CONFLICT (agent_id) DO UPDATE SET extracted = excluded.extracted", (agent, seq))
    # The jobs that look at every row have just run.
    (data / "done").mkdir(exist_ok=True)
    for job in ("verification", "compaction"):
        (data / "done" / job).write_text(NOW)
    # Ids are digests; the service knows those of its periods.
    service = Service(data)
    ids = [(view["summary"], view["period"]) for view in service.send("GET", "/v1/agents/big/periods", None)["periods"] if view.get("summary")]
    service.stop()
    with closing(sqlite3.connect(data / "catalog.sqlite")) as connection, connection as catalog:
        catalog.executemany("UPDATE summary SET id = ? WHERE period = ?", ids)


def resident(process):
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def timed(walk, path):
    """Milliseconds to the first byte, to the end of the page, and to its first picture."""
    assert walk.go(path) == 200, path
    walk.page.wait_for_timeout(200)
    return walk.page.evaluate("""() => { const n = performance.getEntriesByType('navigation')[0], p = performance.getEntriesByName('first-contentful-paint')[0];
        return [n.responseStart - n.requestStart, n.responseEnd - n.requestStart, (p ? p.startTime : NaN) - n.requestStart, n.loadEventEnd - n.requestStart, n.encodedBodySize]; }""")


def measure(playwright, folder):
    for turns in (1_000, 100_000, 1_000_000):
        data = Path(folder) / f"t{turns}"
        fill(data, turns)
        service = Service(data)
        walk = Walk(playwright, service.address, viewport={"width": 1280, "height": 900})
        for path in ("?period=2010s", "?period=2020", "?period=2020-06", "?period=2020-W24", "?period=2020-06-10", "/status"):
            runs = [timed(walk, "/agents/big" + path) for _ in range(5)]
            byte, end, paint, load = (statistics.median(run[part] for run in runs) for part in range(4))
            print(f"{turns:>9,} turns {path:22} first byte {byte:5.0f} ms, last {end:5.0f}, painted {paint:5.0f}, loaded {load:5.0f} (max {max(run[3] for run in runs):.0f}); {runs[0][4] / 1000:.0f} kB", flush=True)
        walk.done()
        if turns == 100_000:
            before = resident(service.process)
            crowd = Walk(playwright, service.address)
            for number in range(20):
                crowd.context.browser.new_context().new_page().goto(f"{service.address}/agents/big?period={2016 + number % 10}")
            crowd.page.wait_for_timeout(5000)
            print(f"resident: {before} MB before, {resident(service.process)} MB with twenty pages open", flush=True)
            crowd.done()
        service.stop()


def main():
    arguments = sys.argv[1:]
    diary = arguments[arguments.index("--diary") + 1] if "--diary" in arguments else None
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        if "--measure" in arguments:
            print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
            measure(playwright, folder)
            print(f"load {os.getloadavg()[0]:.1f} at the end")
        else:
            pictures(playwright, folder, diary)


if __name__ == "__main__":
    main()
