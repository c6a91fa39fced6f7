"""The official Python SDK of MCP as a client of Annals, over HTTP and over stdio.

    python tests/python/mcp_client.py --url http://127.0.0.1:7411 [--key KEY] -- annals mcp --scope read,ingest,forget --data FOLDER --agent python

Lists the tools with their annotations, calls each, checks every structured answer against the schema of the tool's output,
and what is refused. With a command after `--`, does the same over stdio, then runs three stdio clients at once and kills
the first. The agent (`--agent`, default `python`) is written to; choose one that is not used for anything else.
"""

import argparse
import asyncio
import datetime
import os
import pathlib
import re
import signal
import sys
import tempfile
import uuid

import httpx2
import jsonschema
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

READING = {"search_memory", "get_memory", "timeline", "search_facts", "memory_context"}
ALL = READING | {"add_memory", "forget_memory"}
DATED = re.compile(r"^- \[[^\]]+\] .*\d{4}-\d{2}-\d{2}")


class Tools:
    """The tools of a connection; each answer is checked as it comes."""

    calls = 0

    def __init__(self, client, tools):
        self.client = client
        self.tools = {tool.name: tool for tool in tools}

    async def call(self, name, **arguments):
        Tools.calls += 1
        result = await self.client.call_tool(name, arguments)
        text = result.content[0].text
        assert not result.is_error, f"{name}: {text}"
        jsonschema.validate(
            result.structured_content, self.tools[name].output_schema, cls=jsonschema.Draft202012Validator
        )
        for line in text.splitlines():
            if line.startswith("- ["):
                assert DATED.match(line), f"{name} answers a line without a date: {line}"
        return result.structured_content, text

    async def refused(self, name, expect, **arguments):
        result = await self.client.call_tool(name, arguments)
        text = result.content[0].text
        assert result.is_error and expect in text, f"{name} {arguments}: {text}"


async def opened(client):
    listed = await client.list_tools()
    tools = Tools(client, listed.tools)
    assert set(tools.tools) == ALL, f"listed: {sorted(tools.tools)}"
    for name, tool in tools.tools.items():
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        hints = tool.annotations
        assert tool.description and hints.title and hints.open_world_hint is False, name
        assert hints.read_only_hint == (name in READING), name
        assert hints.destructive_hint == (name == "forget_memory"), name
        assert hints.idempotent_hint == (name != "add_memory"), name
    return tools


async def uses_every_tool(client):
    """A short life of a memory: told, found, traced, summed up or not yet, forgotten."""
    tools = await opened(client)
    mark = f"w{uuid.uuid4().hex[:10]}"
    day = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(days=3)
    moment = day.strftime("%Y-%m-%dT12:00:00Z")

    stored, _ = await tools.call(
        "add_memory",
        content=f"I live in Bern, and the word of the day is {mark}.",
        speaker="Ann",
        at=moment,
        conversation=mark,
    )
    assert stored["accepted"] == 1 and stored["status"] in ("searchable", "extracted"), stored

    found, text = await tools.call(
        "search_memory", query=mark, grains=["working"], min_days_ago=1, max_days_ago=7, limit=5
    )
    assert found["results"] and mark in found["text"] and "text" not in found["results"][0], found
    assert text.count("<annals-memory>") == 1 and text.count("</annals-memory>") == 1, text
    assert found["results"][0]["date"] == day.strftime("%Y-%m-%d"), found
    turn = found["results"][0]["id"]

    empty, text = await tools.call("search_memory", query=mark, period="1999")
    assert empty["range_is_empty"] and not empty["results"] and "1999" in text, text
    few, text = await tools.call("search_memory", query=mark, grains=["daily"], period="1999-03-04")
    assert "without grains" in few["hint"] and few["hint"] in text, few

    memory, text = await tools.call("get_memory", id=turn, sources=True)
    assert memory["memory"]["id"] == turn and "Ann: " in text and mark in text, memory
    listed, text = await tools.call("timeline", grains=["working"], **{"from": day.strftime("%Y-%m-%d")}, limit=1000)
    assert any(memory["id"] == turn for memory in listed["memories"]), listed
    await tools.call("timeline")
    await tools.call("search_facts", about="Ann", history=True)
    walked, _ = await tools.call("search_facts", about="Bern", depth=2, direction="in")
    assert all(fact["depth"] in (1, 2) for fact in walked["facts"]), walked
    path, _ = await tools.call("search_facts", about="Ann", to="Bern", history=True)
    assert isinstance(path["connected"], bool), path
    await tools.refused("search_facts", "about", depth=2)
    context, text = await tools.call("memory_context", prompt=f"What is {mark}?", budget_tokens=500)
    assert mark in text and context["ids"] and context["tokens"] <= 500, context

    await tools.refused("search_memory", "limit", limit=5000)
    await tools.refused("search_memory", "from", **{"from": "yesterday"})
    newest, _ = await tools.call("search_memory", limit=3)
    assert any(result["id"] == turn for result in newest["results"]), newest
    await tools.refused("get_memory", "search_memory", id="t-nothing")
    await tools.refused("forget_memory", "exactly one", ids=[turn], subject="Ann")

    planned, text = await tools.call("forget_memory", conversation=mark)
    assert not planned["done"] and turn in planned["turns"] and planned["confirmation"] in text, planned
    await tools.refused("forget_memory", "confirmation", conversation=mark, dry_run=False)
    still, _ = await tools.call("search_memory", query=mark, grains=["working"])
    assert any(result["id"] == turn for result in still["results"]), "a dry run has forgotten"
    gone, text = await tools.call(
        "forget_memory", conversation=mark, dry_run=False, confirmation=planned["confirmation"]
    )
    assert gone["done"] and gone["proof"]["clean"], gone
    after, _ = await tools.call("search_memory", query=mark, grains=["working"])
    assert mark not in after["text"] and turn not in [result["id"] for result in after["results"]], after


def over_http(url, key, mode):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    http = httpx2.AsyncClient(headers=headers, timeout=60)
    return Client(streamable_http_client(url, http_client=http), mode=mode)


async def three_at_once(command):
    """Three stdio clients of one folder; the first is killed, and the others go on."""
    with tempfile.TemporaryDirectory() as folder:
        pid = pathlib.Path(folder, "pid")
        first = StdioServerParameters(command="sh", args=["-c", 'echo $$ >"$0"; exec "$@"', str(pid), *command])
        usual = StdioServerParameters(command=command[0], args=command[1:])
        async with Client(usual) as second, Client(usual) as third:
            doomed = Client(first)
            async with doomed:
                for client in (doomed, second, third):
                    await (await opened(client)).call("memory_context", prompt="Anything?")
                os.kill(int(pid.read_text()), signal.SIGKILL)
                for client in (second, third):
                    await uses_every_tool(client)
            async with Client(usual) as fourth:
                await uses_every_tool(fourth)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", help="where the service listens")
    parser.add_argument("--key", help="with the scopes search, ingest and admin, where keys are in use")
    parser.add_argument("--agent", default="python")
    parser.add_argument("command", nargs="*", help="after --: what starts a stdio client")
    wish = parser.parse_args()
    if wish.url:
        for mode in ("auto", "legacy"):
            async with over_http(f"{wish.url}/mcp/{wish.agent}", wish.key, mode) as client:
                assert "data" in (client.instructions or ""), client.instructions
                await uses_every_tool(client)
            print(f"over HTTP, {mode}: all seven tools answer as their schemas say")
    if wish.command:
        for mode in ("auto", "legacy"):
            async with Client(StdioServerParameters(command=wish.command[0], args=wish.command[1:]), mode=mode) as client:
                await uses_every_tool(client)
            print(f"over stdio, {mode}: all seven tools answer as their schemas say")
        await three_at_once(wish.command)
        print("three stdio clients at once, the first killed: the others go on, and a new one is served")
    if not wish.url and not wish.command:
        sys.exit("say --url, or a command after --")
    print(f"{Tools.calls} calls of tools, over HTTP and stdio as given")


if __name__ == "__main__":
    asyncio.run(main())
