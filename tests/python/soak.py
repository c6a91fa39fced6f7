#!/usr/bin/env python3
"""Keeps the real service busy for hours: python3 tests/python/soak.py ANNALS MESSAGES [MINUTES] [SEED] [FOLDER]

Six agents are written to, searched, asked for contexts, corrected and forgotten from, a few requests a second, with texts of MESSAGES
(JSON lines with `content`). Their messages' times run ahead of the clock by half an hour each, from years ago on, so that days close and
the service's own jobs roll up and extract. Every minute one line goes to FOLDER/soak.csv: memory, file handles, disk, requests and
their 95th percentiles. At the end the service is killed, started again, and each agent's export is compared with what was
acknowledged; FOLDER/soak.svg shows the figures over time. Needs nothing but Python. Exits with 1 if anything was lost, doubled or refused.
"""

import collections
import csv
import datetime
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

AGENTS = ["ann", "bob", "cid", "dee", "eve", "fay"]
PAUSE = 0.25
STEP = datetime.timedelta(minutes=30)
# How often each request is made, of a hundred.
WEIGHTS = {"ingest": 50, "search": 24, "context": 8, "timeline": 6, "facts": 4, "revise": 4, "forget": 2, "status": 2}


class Service:
    def __init__(self, annals, folder):
        command = [annals, "serve", "--json", "--listen", "127.0.0.1:0", "--data", str(folder),
                   "--set", "limits.requests_per_minute=1000000", "--set", "limits.burst=1000000"]
        with open(folder.parent / "service.log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        self.address = json.loads(self.process.stdout.readline())["address"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.read()

    def resident(self):
        """Megabytes: all, and those that are not backed by files."""
        lines = pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        fields = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("VmRSS", "RssAnon"))}
        return int(fields["VmRSS"]) / 1000, int(fields["RssAnon"]) / 1000

    def handles(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def kill(self):
        self.process.kill()
        self.process.wait()


class Agent:
    """What the service has acknowledged: the content of each message, by conversation and id."""

    def __init__(self, name, chance):
        self.name, self.chance = name, chance
        self.kept, self.count = {}, 0
        self.clock = datetime.datetime(2021, 1, 4, 8, tzinfo=datetime.timezone.utc)

    def path(self, rest):
        return f"/v1/agents/{self.name}/{rest}"

    def ingest(self, service, texts):
        conversation, messages = f"talk {self.clock:%Y-%m-%d}", []
        for _ in range(self.chance.randint(1, 5)):
            role = "user" if self.count % 2 == 0 else "assistant"
            messages.append({"id": f"m{self.count}", "role": role, "content": self.chance.choice(texts),
                             "at": self.clock.strftime("%Y-%m-%dT%H:%M:%SZ")})
            self.count += 1
            self.clock += STEP
        service.ask("POST", self.path("messages"), {"conversation": conversation, "messages": messages})
        for message in messages:
            self.kept[(conversation, message["id"])] = message

    def search(self, service, texts):
        words = self.chance.choice(texts).split()
        service.ask("POST", self.path("search"), {"query": " ".join(words[:8])})

    def context(self, service, texts):
        service.ask("POST", self.path("context"), {"prompt": self.chance.choice(texts)[:300], "budget_tokens": 1500})

    def timeline(self, service, _):
        service.ask("GET", self.path("timeline?limit=50"))

    def facts(self, service, _):
        service.ask("GET", self.path("facts"))

    def status(self, service, _):
        service.ask("GET", self.path("status"))

    def revise(self, service, texts):
        conversation, number = self.recent()
        message = dict(self.kept[(conversation, number)], content=self.chance.choice(texts) + " (corrected)")
        body = {"conversation": conversation, "messages": [message], "revise": True}
        service.ask("POST", self.path("messages"), body)
        self.kept[(conversation, number)] = message

    def forget(self, service, _):
        """A whole conversation: nothing of it may come back."""
        conversation, _ = self.recent()
        service.ask("POST", self.path("forget"), {"conversation": conversation, "dry_run": False})
        self.kept = {key: message for key, message in self.kept.items() if key[0] != conversation}

    def recent(self):
        return self.chance.choice(list(self.kept)[-400:])


class Load:
    def __init__(self, agents, texts, chance):
        self.agents, self.texts, self.chance = agents, texts, chance
        self.times, self.refused = collections.defaultdict(list), []

    def run(self, service):
        agent = self.chance.choice(self.agents)
        kind = self.chance.choices(list(WEIGHTS), list(WEIGHTS.values()))[0] if len(agent.kept) > 50 else "ingest"
        begun = time.perf_counter()
        try:
            getattr(agent, kind)(service, self.texts)
        except urllib.error.HTTPError as error:
            self.refused.append(f"{kind}: {error.code} {error.read()[:200]!r}")
        self.times[kind].append((time.perf_counter() - begun) * 1e3)

    def percentiles(self):
        """The 95th percentile of each kind since last asked, in milliseconds."""
        figures = {kind: p95(self.times[kind]) for kind in WEIGHTS}
        self.times.clear()
        return figures


def p95(times):
    return round(sorted(times)[int(len(times) * 0.95)], 1) if times else ""


def disk(folder):
    sizes = (path.stat().st_size for path in folder.rglob("*") if path.is_file())
    try:
        return sum(sizes) / 1e6
    except FileNotFoundError:  # a table was compacted meanwhile
        return disk(folder)


def compare(service, agents):
    """What is lost, doubled or back, by agent."""
    faults = []
    for agent in agents:
        found = collections.Counter()
        for line in service.ask("GET", agent.path("export")).decode().splitlines():
            record = json.loads(line)
            if "content" in record and "role" in record:
                found[(record.get("conversation"), record.get("id"), record["content"])] += 1
        wanted = collections.Counter((talk, number, kept["content"]) for (talk, number), kept in agent.kept.items())
        lost, extra = wanted - found, found - wanted
        faults += [f"{agent.name}: lost {key[:2]}" for key in lost] + [f"{agent.name}: too many {key[:2]}" for key in extra]
    return faults


def plot(rows, target):
    """One small chart a figure, over the minutes."""
    charts = [("resident_mb", "resident memory, MB"), ("anonymous_mb", "of it not backed by files, MB"), ("handles", "file handles"),
              ("disk_mb", "data folder, MB"), ("ingest", "messages: p95, ms"), ("search", "search: p95, ms"),
              ("context", "context: p95, ms"), ("forget", "forget: p95, ms")]
    width, height, parts = 380, 120, []
    for place, (key, title) in enumerate(charts):
        values = [(float(row["minute"]), float(row[key])) for row in rows if row[key] not in ("", None)]
        left, top = 20 + place % 2 * (width + 40), 30 + place // 2 * (height + 50)
        most = max((value for _, value in values), default=1.0) or 1.0
        last = max((minute for minute, _ in values), default=1.0) or 1.0
        points = " ".join(f"{left + minute / last * width:.1f},{top + height - value / most * height:.1f}" for minute, value in values)
        parts.append(f'<text x="{left}" y="{top - 8}">{title} (top: {most:.0f}; {last:.0f} minutes)</text>'
                     f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#ccc"/>'
                     f'<polyline points="{points}" fill="none" stroke="#06c"/>')
    size = f'width="{2 * width + 80}" height="{4 * (height + 50) + 20}"'
    target.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">{"".join(parts)}</svg>\n')


def main():
    annals, source = sys.argv[1], pathlib.Path(sys.argv[2])
    minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 120
    seed = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    folder = pathlib.Path(sys.argv[5] if len(sys.argv) > 5 else tempfile.mkdtemp())
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(seed)
    texts = [json.loads(line)["content"] for line in source.read_text(encoding="utf-8").splitlines()]
    agents = [Agent(name, chance) for name in AGENTS]
    load, service, rows = Load(agents, texts, chance), Service(annals, folder / "data"), []
    begun, requests = time.monotonic(), 0
    with open(folder / "soak.csv", "w", newline="", encoding="utf-8") as file:
        names = ["minute", "requests", "resident_mb", "anonymous_mb", "handles", "disk_mb", "refused", *WEIGHTS]
        table = csv.DictWriter(file, names)
        table.writeheader()
        while time.monotonic() - begun < minutes * 60:
            until = begun + (len(rows) + 1) * 60
            while time.monotonic() < until:
                load.run(service)
                requests += 1
                time.sleep(PAUSE)
            resident, anonymous = service.resident()
            row = {"minute": round((time.monotonic() - begun) / 60, 1), "requests": requests, "resident_mb": round(resident),
                   "anonymous_mb": round(anonymous), "handles": service.handles(), "disk_mb": round(disk(folder / "data")),
                   "refused": len(load.refused), **load.percentiles()}
            rows.append(row)
            table.writerow(row)
            file.flush()
    service.kill()
    service = Service(annals, folder / "data")
    faults = compare(service, agents)
    service.kill()
    plot(rows, folder / "soak.svg")
    kept = sum(len(agent.kept) for agent in agents)
    print(f"seed {seed}: {requests:,} requests in {minutes:.0f} minutes, {len(load.refused)} refused, {kept:,} messages kept, "
          f"{len(faults)} lost, doubled or back; {folder / 'soak.csv'}, {folder / 'soak.svg'}")
    for fault in (load.refused + faults)[:20]:
        print(f"  {fault}")
    sys.exit(1 if faults or load.refused else 0)


main()
