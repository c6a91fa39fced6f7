"""Runs the Python lines of README.md and docs/adapters.md as written, with the address and the key of the service in their place.

    python tests/python/readme.py --url http://127.0.0.1:7411 --key KEY

What the lines take from a program around them (a graph, an agent, a model) is given to them here; models follow a script, and none is
called over the network. Each block runs alone. What it must have done is checked by the word that tells blocks apart.
"""

import argparse
import asyncio
import json
import os
import pathlib
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from agents import Agent
from agents.testing import ScriptedModel, assistant_message
from annals_memory import Annals
from langgraph.graph import END, START, StateGraph
from llama_index.core.base.llms.types import ChatMessage
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADDRESS = "http://127.0.0.1:7411"
KEY = "annals_…"
TEA = "/memories/tea.md"


class Claude(BaseHTTPRequestHandler):
    """Follows a script: writes a file with the memory tool, then says so."""

    def do_POST(self):
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        create = {"command": "create", "path": TEA, "file_text": "The user likes green tea."}
        call = {"type": "tool_use", "id": "toolu_1", "name": "memory", "input": create}
        result = next((part for part in messages[-1]["content"] if isinstance(part, dict)), None)
        content, reason = ([call], "tool_use") if result is None else ([{"type": "text", "text": "Noted."}], "end_turn")
        assert result is None or not result.get("is_error"), result
        usage = {"input_tokens": 1, "output_tokens": 1}
        body = {"id": "msg_1", "type": "message", "role": "assistant", "model": "script", "usage": usage}
        data = json.dumps(body | {"content": content, "stop_reason": reason, "stop_sequence": None}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def claude():
    """Starts the scripted model, where Anthropic's client looks for it."""
    server = HTTPServer(("127.0.0.1", 0), Claude)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    os.environ["ANTHROPIC_BASE_URL"] = f"http://127.0.0.1:{server.server_port}"
    os.environ["ANTHROPIC_API_KEY"] = "none"


def surroundings():
    """Returns what the lines expect to be there."""
    builder = StateGraph(dict)
    builder.add_node("remember", lambda state, *, store: store.put(("users", "ann"), "tea", {"text": "green"}))
    builder.add_edge(START, "remember")
    builder.add_edge("remember", END)
    model = FunctionModel(lambda *_: ModelResponse(parts=[TextPart("Hi.")]))
    return {
        "builder": builder,
        "agent": Agent(name="helper", model=ScriptedModel([[assistant_message("Hi.")]])),
        "model": model,
        "Agent": PydanticAgent,
    }


def check(block, names, ann):
    """Checks what a block has done. Returns its name."""
    if "MemoryClient" in block:
        assert ann.export().count("I like green tea.") >= 1
        return "mem0"
    if "AnnalsStore(" in block:
        names["graph"].invoke({})
        assert ann.document("users.ann", "tea")["value"] == {"text": "green"}
        return "LangGraph store"
    if "langgraph_sdk" in block:
        assert ann.document("users.ann", "tea")["value"] == {"text": "green"}
        return "LangGraph SDK"
    if "AnnalsMemoryTool" in block:
        assert ann.document("memories", "tea.md")["text"] == "The user likes green tea."
        return "Claude's memory tool"
    if "Session(" in block:
        turns = ann.timeline(grains=["working"], limit=1000)["memories"]
        assert {"Hello", "Hi."} <= {turn["text"] for turn in turns}, turns
        return "session of OpenAI Agents"
    if "AnnalsMemoryStore" in block:
        assert names["agent"].run_sync("Hello").output == "Hi."
        return "notebook of pydantic-ai"
    if "AnnalsMemoryBlock" in block:
        asyncio.run(names["memory"].aput(ChatMessage(role="user", content="Hello")))
        return "memory block of LlamaIndex"
    raise AssertionError(f"nothing checks this block:\n{block}")


def blocks(file):
    return re.findall(r"^```python\n(.*?)^```", (ROOT / file).read_text(), re.MULTILINE | re.DOTALL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--agent", help="not used: the lines name theirs")
    options = parser.parse_args()
    claude()
    annals, ran = Annals(options.url, options.key), []
    for number, file in enumerate(["README.md", "docs/adapters.md"]):
        for count, block in enumerate(blocks(file)):
            # An agent for each block, because each begins with an empty memory.
            name = f"readme-{number}-{count}"
            lines = block.replace(ADDRESS, options.url).replace(KEY, options.key)
            lines = re.sub(r"""(/|\), "|annals, ")ann(?=["/])""", rf"\g<1>{name}", lines)
            names = surroundings()
            try:
                exec(compile(lines, f"{file}, block {count + 1}", "exec"), names)  # noqa: S102
                ran.append(check(block, names, annals.agent(name)))
            except Exception as error:
                raise SystemExit(f"{file}: this block fails with {type(error).__name__}: {error}\n{block}") from error
    assert len(ran) >= 8, ran
    print(f"{len(ran)} blocks ran: {', '.join(ran)}")


if __name__ == "__main__":
    main()
