"""Drives mem0's own clients, unmodified, against /compat/mem0: the Python MemoryClient, mem0-cli, and the routes of the
self-hosted server.

    pip install mem0ai==2.2.1 mem0-cli==0.2.13
    python tests/python/mem0_client.py --url http://127.0.0.1:7411 --key KEY [--agent mem0-client]

mem0's clients cannot do without a key: make one with `annals key add`. The agent must be new.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

FOLDER = tempfile.mkdtemp()
os.environ["MEM0_DIR"] = FOLDER
os.environ["MEM0_TELEMETRY"] = "false"

from mem0 import MemoryClient
from mem0.exceptions import MemoryNotFoundError, ValidationError


def raises(error, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except error as raised:
        return raised
    raise AssertionError(f"{call.__name__} {arguments} {named} did not fail")


def until(ask, is_good):
    for _ in range(50):
        answer = ask()
        if is_good(answer):
            return answer
        time.sleep(0.2)
    raise AssertionError(f"last answer: {answer}")


def texts(answer):
    return [memory["memory"] for memory in answer["results"]]


def python_client(host, key):
    client = MemoryClient(api_key=key, host=host)
    assert client.project_id, "the ping names no project"
    added = client.add(
        [{"role": "user", "content": "I moved to Lucerne and I like green tea."}, {"role": "assistant", "content": "Noted."}],
        user_id="ann",
        run_id="chat-1",
        metadata={"topic": "home"},
    )
    assert added["status"] == "PENDING" and added["event_id"], added
    listed = until(lambda: client.get_all(filters={"user_id": "ann"}), lambda answer: answer["count"] > 0)
    memory = listed["results"][0]
    assert memory["user_id"] == "ann" and memory["metadata"] == {"topic": "home"}, memory
    client.add("Bob prefers coffee.", user_id="bob", infer=False, metadata={"rating": 4})
    client.add([{"role": "user", "content": "first"}, {"role": "assistant", "content": "second"}], agent_id="bot", infer=False)
    assert texts(client.get_all(filters={"agent_id": "bot"})) == ["second", "first"]
    assert texts(client.get_all(filters={"AND": [{"user_id": "bob"}, {"metadata": {"rating": {"gte": 4}}}]})) == [
        "Bob prefers coffee."
    ]
    assert client.get_all(filters={"OR": [{"user_id": "bob"}, {"agent_id": "bot"}]}, page=1, page_size=2)["count"] == 3
    assert client.get_all(filters={"user_id": "nobody"})["results"] == []

    found = until(
        lambda: client.search("What does Bob drink?", filters={"user_id": "bob"}, top_k=3), lambda answer: answer["results"]
    )
    assert found["results"][0]["memory"] == "Bob prefers coffee." and 0 < found["results"][0]["score"] <= 1, found
    assert client.search("coffee", filters={"user_id": "nobody"})["results"] == []

    bob = found["results"][0]["id"]
    assert client.get(bob)["memory"] == "Bob prefers coffee."
    assert client.update(bob, text="Bob prefers espresso.", metadata={"rating": 5})["memory"] == "Bob prefers espresso."
    assert client.get(bob)["metadata"] == {"rating": 5}
    history = client.history(bob)
    assert [event["event"] for event in history] == ["ADD", "UPDATE"], history
    assert history[1]["old_memory"] == "Bob prefers coffee." and history[1]["new_memory"] == "Bob prefers espresso."

    users = client.users()["results"]
    assert {("user", "ann"), ("user", "bob"), ("agent", "bot"), ("run", "chat-1")} <= {(u["type"], u["name"]) for u in users}
    bots = client.get_all(filters={"agent_id": "bot"})["results"]
    changes = [{"memory_id": memory["id"], "text": f"{memory['memory']} changed"} for memory in bots]
    assert "2" in client.batch_update(changes)["message"]
    assert texts(client.get_all(filters={"agent_id": "bot"})) == ["second changed", "first changed"]
    client.batch_delete([{"memory_id": memory["id"]} for memory in bots])
    assert client.get_all(filters={"agent_id": "bot"})["count"] == 0

    client.delete(bob)
    raises(MemoryNotFoundError, client.get, bob)
    raises(MemoryNotFoundError, client.get, "00000000-0000-4000-8000-000000000000")
    raises(ValidationError, client.get, "no-uuid")
    raises(ValidationError, client.get_all, filters={"colour": "red"})
    assert "not supported" in str(raises(Exception, client.create_memory_export, schema="{}"))
    client.delete_all(user_id="ann")
    assert client.get_all(filters={"user_id": "ann"})["count"] == 0
    client.add("To be reset", user_id="zoe", infer=False)
    client.delete_users(user_id="zoe")
    assert client.get_all(filters={"user_id": "zoe"})["count"] == 0
    client.project.update(custom_instructions="Be brief.")
    assert client.project.get()["custom_instructions"] == "Be brief."
    wrong = raises(ValueError, MemoryClient, api_key="annals_wrong", host=host)
    assert "API key" in str(wrong), wrong


def command_line(host, key):
    program = shutil.which("mem0", path=os.path.dirname(sys.executable)) or shutil.which("mem0")
    environment = os.environ | {"MEM0_BASE_URL": host, "MEM0_API_KEY": key, "HOME": FOLDER}

    def mem0(*arguments):
        done = subprocess.run([program, *arguments], env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"mem0 {arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    mem0("status")
    mem0("add", "Cleo plays the cello.", "--user-id", "cleo", "--no-infer")
    assert "cello" in mem0("list", "--user-id", "cleo")
    until(lambda: mem0("search", "cello", "--user-id", "cleo", "--threshold", "0"), lambda shown: "plays the cello" in shown)


def self_hosted(host, key):
    def ask(method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "X-API-Key": key}
        with urllib.request.urlopen(urllib.request.Request(host + path, data, headers, method=method), timeout=60) as answer:
            return json.load(answer)

    messages = [{"role": "user", "content": "Dora keeps bees."}]
    added = ask("POST", "/memories", {"messages": messages, "user_id": "dora", "infer": False})["results"][0]
    assert added["event"] == "ADD" and added["memory"] == "Dora keeps bees.", added
    until(lambda: ask("POST", "/search", {"query": "bees", "user_id": "dora"})["results"], lambda found: found)
    assert ask("GET", "/memories?user_id=dora")["results"][0]["id"] == added["id"]
    ask("PUT", f"/memories/{added['id']}", {"text": "Dora keeps goats."})
    assert ask("GET", f"/memories/{added['id']}")["memory"] == "Dora keeps goats."
    assert len(ask("GET", f"/memories/{added['id']}/history")) == 2
    ask("DELETE", f"/memories/{added['id']}")
    assert ask("GET", "/memories?user_id=dora")["results"] == []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--key", required=True, help="with the scopes search, ingest and admin")
    parser.add_argument("--agent", default="mem0-client")
    wish = parser.parse_args()
    host = f"{wish.url}/compat/mem0/{wish.agent}"
    ways = (python_client, command_line, self_hosted)
    for way in ways:
        way(host, wish.key)
    print(f"{len(ways)} clients: MemoryClient, mem0-cli, routes of the self-hosted server")


if __name__ == "__main__":
    main()
