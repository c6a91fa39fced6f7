"""A loop of the `openai` package with Annals' tools mounted, against a model server that follows a script.

    python tests/python/openai_loop.py --url http://127.0.0.1:7411 [--key KEY]

The definitions come from GET /v1/tools?format=openai and are given to the model as they are. The model "calls" search_memory;
the call is executed by POST /v1/agents/{agent}/tools/{name}; its text goes back to the model, which must see dated results.
"""

import argparse
import json
import re
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer

import openai

QUESTION = "Why was the sailing trip cancelled?"
SAID = [
    ("2026-03-04T18:31:00Z", "I planned a sailing trip to the Azores with Bob."),
    ("2026-03-06T09:00:00Z", "The sailing trip was cancelled because Bob broke his arm."),
]


class Annals:
    """The three requests that an application needs."""

    def __init__(self, url, key, agent):
        self.url, self.agent = url, agent
        self.headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, self.headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def remember(self, messages):
        path = f"/v1/agents/{self.agent}/messages?wait=searchable"
        return self.ask("POST", path, {"conversation": "openai-loop", "messages": messages})

    def tools(self):
        return self.ask("GET", "/v1/tools?format=openai")

    def run(self, call):
        path = f"/v1/agents/{self.agent}/tools/{call.function.name}"
        return self.ask("POST", path, json.loads(call.function.arguments))["text"]


class Model(BaseHTTPRequestHandler):
    """Follows a script: first a call of search_memory, then an answer out of what the tool said."""

    asked = []

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append(request)
        told = [message for message in request["messages"] if message["role"] == "tool"]
        self.answer(self.from_memory(told[-1]["content"]) if told else self.calls_the_tool(request["tools"]))

    def calls_the_tool(self, tools):
        names = [tool["function"]["name"] for tool in tools]
        assert "search_memory" in names, names
        arguments = {"query": QUESTION, "grains": ["working"], "from": "2026-03-01", "to": "2026-03-31"}
        function = {"name": "search_memory", "arguments": json.dumps(arguments)}
        message = {"content": None, "tool_calls": [{"id": "call-1", "type": "function", "function": function}]}
        return message, "tool_calls"

    def from_memory(self, text):
        line = next(line for line in text.splitlines() if "broke his arm" in line)
        return {"content": "As was said on " + re.search(r"\d{4}-\d{2}-\d{2}", line)[0] + ": Bob broke his arm."}, "stop"

    def answer(self, scripted):
        message, reason = scripted
        choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": reason}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        body = {"id": "c", "object": "chat.completion", "created": 0, "model": "script", "choices": [choice], "usage": usage}
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def converse(client, annals, question):
    """The whole of what mounting memory takes."""
    messages, tools = [{"role": "user", "content": question}], annals.tools()
    while True:
        answer = client.chat.completions.create(model="script", messages=messages, tools=tools).choices[0].message
        messages.append(answer)
        if not answer.tool_calls:
            return answer.content
        for call in answer.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": annals.run(call)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--key")
    parser.add_argument("--agent", default="openai-loop")
    wish = parser.parse_args()
    annals = Annals(wish.url, wish.key, wish.agent)
    said = [{"role": "user", "name": "Ann", "id": f"m{i}", "content": text, "at": at} for i, (at, text) in enumerate(SAID)]
    stored = annals.remember(said)
    assert stored["accepted"] + stored["duplicate"] == len(SAID), stored

    server = HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    client = openai.OpenAI(base_url=f"http://127.0.0.1:{server.server_port}/v1", api_key="none", max_retries=0)
    answer = converse(client, annals, QUESTION)
    server.shutdown()

    told = [message["content"] for message in Model.asked[-1]["messages"] if message["role"] == "tool"]
    lines = [line for line in told[0].splitlines() if line.startswith("- ")]
    assert len(Model.asked) == 2 and lines, told
    assert all(re.search(r"2026-03-0[46]", line) for line in lines), lines
    assert answer == "As was said on 2026-03-06: Bob broke his arm.", answer
    print(f"the loop ended with: {answer}")


if __name__ == "__main__":
    main()
