"""The client against a running service."""

import asyncio
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from annals_memory import (
    Annals,
    AsyncAnnals,
    AuthenticationError,
    ConflictError,
    InvalidRequestError,
    NotFoundError,
    OverloadedError,
    UnreachableError,
)

BERN = {"role": "user", "name": "Ann", "id": "1", "content": "I moved from Oslo to Bern."}


def test_message_is_found_and_forgotten(memory):
    stored = memory.ingest([BERN], conversation="chat-1", wait="searchable")
    assert (stored["accepted"], stored["duplicate"]) == (1, 0)
    assert memory.ingest([BERN], conversation="chat-1")["duplicate"] == 1
    found = memory.search("Where does Ann live?", grains=["working"], limit=1)["results"][0]
    assert found["text"] == BERN["content"]
    assert "Bern" in memory.context("What is the weather like at home?", speaker="Ann", budget_tokens=500)["text"]
    assert memory.memory(found["id"])["memory"]["message"] == "1"
    assert memory.search("Oslo", from_="1999-01-01", to="1999-12-31")["range_is_empty"]
    assert memory.timeline(grains=["working"])["memories"][0]["id"] == found["id"]
    assert memory.conversations()["conversations"][0]["turns"] == 1
    assert memory.correct(found["id"], pinned=True)["memory"]["pinned"]
    assert BERN["content"] in memory.export()
    assert not memory.forget(conversation="chat-1")["done"]
    assert memory.forget(conversation="chat-1", dry_run=False)["proof"]["clean"]
    assert memory.search("Bern")["results"] == []


def test_facts_blocks_and_documents(memory):
    memory.enter_fact("Ann", "lives_in", "Bern")
    assert memory.facts("Ann")["facts"][0]["object"] == "Bern"
    assert memory.write_blocks(persona="Be brief.")["blocks"][0]["text"] == "Be brief."
    written = memory.put_document("notes.work", "trips/plan.md", text="Bread.", expected_version=0)
    assert memory.document("notes.work", "trips/plan.md")["text"] == "Bread."
    assert memory.documents("notes")["documents"][0]["key"] == "trips/plan.md"
    assert memory.collections()["collections"] == [{"collection": "notes.work", "documents": 1}]
    with pytest.raises(ConflictError):
        memory.put_document("notes.work", "trips/plan.md", text="x", expected_version=7)
    memory.delete_document("notes.work", "trips/plan.md", expected_version=written["version"])
    with pytest.raises(NotFoundError):
        memory.document("notes.work", "trips/plan.md")


def test_problems_are_typed(memory):
    memory.change_settings(time_zone="Europe/Lisbon")
    with pytest.raises(InvalidRequestError) as raised:
        memory.search("x", limit=5000)
    error = raised.value
    assert (error.status, error.code, error.faults[0]["field"]) == (400, "invalid", "limit") and error.request_id
    with pytest.raises(AuthenticationError):
        Annals(key="annals_wrong").agents()
    with pytest.raises(UnreachableError):
        Annals("http://127.0.0.1:9", retries=0).agents()


def test_tools_of_a_model(annals, memory):
    memory.ingest([BERN], conversation="chat-1", wait="searchable")
    assert "search_memory" in [tool["function"]["name"] for tool in annals.tools()]
    assert "Bern" in memory.call_tool("search_memory", {"query": "Bern"})["text"]


def test_async_client(name):
    async def use():
        async with AsyncAnnals() as annals:
            memory = annals.agent(name)
            await memory.ingest([BERN], conversation="chat-1", wait="searchable")
            found = await memory.search("Bern")
            with pytest.raises(NotFoundError):
                await memory.memory("t-none")
            return found["results"][0]["text"]

    assert asyncio.run(use()) == BERN["content"]


@pytest.mark.parametrize(("failures", "retries", "requests"), [(2, 2, 3), (2, 1, 2)])
def test_busy_service_is_asked_again(failures, retries, requests):
    seen = []

    class Busy(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append(self.headers["Idempotency-Key"])
            self.rfile.read(int(self.headers["Content-Length"]))
            body = b'{"code": "busy", "detail": "busy"}'
            self.send_response(503 if len(seen) <= failures else 202)
            for name, value in {"Content-Type": "application/json", "Content-Length": len(body), "Retry-After": 0}.items():
                self.send_header(name, str(value))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Busy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    memory = Annals(f"http://127.0.0.1:{server.server_port}", retries=retries).agent("ann")
    if requests > failures:
        memory.ingest([BERN])
    else:
        with pytest.raises(OverloadedError):
            memory.ingest([BERN])
    server.shutdown()
    # Each attempt carries the same key, so that the messages are stored once.
    assert len(seen) == requests and len(set(seen)) == 1
