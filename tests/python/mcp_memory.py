"""The MCP reference memory server beside /mcp-memory: the same calls to both, and their answers compared.

    npm install @modelcontextprotocol/server-memory@2026.8.31
    pip install mcp==2.3.0
    python tests/python/mcp_memory.py --url http://127.0.0.1:7411 [--key KEY] [--agent NAME] \\
        -- node node_modules/@modelcontextprotocol/server-memory/dist/index.js

The agent must be new. Compares the tools, the texts and the structured answers of every call, and the resource.
"""

import argparse
import asyncio
import os
import tempfile

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


def entity(name, kind, *observations):
    return {"name": name, "entityType": kind, "observations": list(observations)}


def relation(start, kind, end):
    return {"from": start, "to": end, "relationType": kind}


def plain(value):
    """Returns a schema without what depends on the version of zod that npm installs beside the reference server."""
    if isinstance(value, dict):
        return {name: plain(inner) for name, inner in value.items() if name != "additionalProperties"}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


LONG = "A long observation: " + "word " * 200
CALLS = [
    ("read_graph", {}),
    ("search_nodes", {"query": "anything"}),
    ("create_entities", {"entities": [entity("Ann", "person", "Likes tea", "Lives in Bern"), entity("Bern", "city")]}),
    ("create_entities", {"entities": [entity("Ann", "robot", "Likes oil"), entity("Zoë Ünal", "person", "東京に住む")]}),
    ("create_entities", {"entities": []}),
    ("create_relations", {"relations": [relation("Ann", "visits", "Bern"), relation("Ann", "works at", "Acme Corp")]}),
    ("create_relations", {"relations": [relation("Ann", "visits", "Bern"), relation("Zoë Ünal", "knows", "Ann")]}),
    ("create_relations", {"relations": [relation("Nobody", "knows", "Nothing")]}),
    ("create_relations", {"relations": [relation("Zoë Ünal", "is_a", "Bern"), relation("Bern", "observation", "Ann")]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["Likes tea", "Plays go", LONG, "two\nlines"]}]}),
    ("add_observations", {"observations": [{"entityName": "Bern", "contents": ["Old town"]}, {"entityName": "Ann", "contents": []}]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["new"]}, {"entityName": "Missing", "contents": ["x"]}]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["LIKES TEA", "likes tea."]}]}),
    ("read_graph", {"unknown": 1}),
    ("search_nodes", {"query": "TEA", "limit": 1}),
    ("search_nodes", {"query": "city"}),
    ("search_nodes", {"query": "東京"}),
    ("search_nodes", {"query": "no such thing"}),
    ("search_nodes", {"query": ""}),
    ("open_nodes", {"names": ["Bern"]}),
    ("open_nodes", {"names": ["Bern", "Missing"]}),
    ("open_nodes", {"names": []}),
    ("delete_observations", {"deletions": [{"entityName": "Ann", "observations": ["Likes tea", LONG, "never said"]}]}),
    ("delete_observations", {"deletions": [{"entityName": "Missing", "observations": ["x"]}]}),
    ("delete_relations", {"relations": [relation("Ann", "works at", "Acme Corp"), relation("a", "b", "c")]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Bern", "Missing"]}),
    ("read_graph", {}),
    ("create_entities", {"entities": [entity("Bern", "capital", "Bears")]}),
    ("add_observations", {"observations": [{"entityName": "Ann", "contents": ["Likes tea"]}]}),
    ("read_graph", {}),
    ("delete_entities", {"entityNames": ["Ann", "Bern", "Zoë Ünal"]}),
    ("read_graph", {}),
]
# What is wrong with a call is said in other words than zod's.
REFUSED = [
    ("create_entities", {"entities": [{"name": "X"}]}),
    ("open_nodes", {"names": "Ann"}),
    ("search_nodes", {}),
    ("no_such_tool", {}),
]


async def both(us, reference):
    clients = (us, reference)
    listed = [{tool.name: tool for tool in (await client.list_tools()).tools} for client in clients]
    assert list(listed[0]) == list(listed[1]), "the tools differ"
    for name, tool in listed[1].items():
        mine = listed[0][name]
        for field in ("title", "description", "input_schema", "output_schema"):
            ours, theirs = [plain(getattr(one, field)) for one in (mine, tool)]
            assert ours == theirs, f"{field} of {name}: {ours} against {theirs}"
    for name, arguments in CALLS:
        mine, other = [await client.call_tool(name, arguments) for client in clients]
        call = f"{name} {arguments}"
        assert mine.is_error == other.is_error, f"{call}: {mine} against {other}"
        assert mine.structured_content == other.structured_content, f"{call}:\n{mine}\n{other}"
        assert mine.content[0].text == other.content[0].text, f"{call}:\n{mine}\n{other}"
    for name, arguments in REFUSED:
        for client in clients:
            result = await client.call_tool(name, arguments)
            assert result.is_error and "MCP error -32602" in result.content[0].text, f"{name} {arguments}: {result}"
    mine, other = [await client.read_resource("memory://knowledge-graph") for client in clients]
    assert mine.contents == other.contents, f"{mine} against {other}"
    mine, other = [(await client.list_resources()).resources for client in clients]
    assert mine == other, f"{mine} against {other}"


async def run(wish):
    headers = {"Authorization": f"Bearer {wish.key}"} if wish.key else {}
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"MEMORY_FILE_PATH": os.path.join(folder, "memory.jsonl")}
        command, *arguments = wish.command
        reference = StdioServerParameters(command=command, args=arguments, env=environment)
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            transport = streamable_http_client(f"{wish.url}/mcp-memory/{wish.agent}", http_client=http)
            async with Client(transport) as ours, Client(reference) as theirs:
                await both(ours, theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--key")
    parser.add_argument("--agent", default="mcp-memory-client")
    parser.add_argument("command", nargs="+", help="how to start the reference server, after --")
    asyncio.run(run(parser.parse_args()))
    print(f"{len(CALLS)} calls compared, {len(REFUSED)} refused by both")


if __name__ == "__main__":
    main()
