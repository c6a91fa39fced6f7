"""Drives OpenAI's own clients, unmodified, against /compat/openai: a real Runner with OpenAIConversationsSession and a scripted
model, and the conversations of the openai package.

    pip install openai-agents==0.24.0 openai==3.54.0
    python tests/python/openai_conversations.py --url http://127.0.0.1:7411 [--key KEY] [--agent openai-client]

Without a key the client sends none.
"""

import argparse
import asyncio
import json
import os
import urllib.request

os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"

import httpx2
from agents import Agent, OpenAIConversationsSession, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from openai import AsyncOpenAI, BadRequestError, NotFoundError


def client(base, key, agent):
    url = f"{base}/compat/openai/{agent}/v1"
    if key:
        return AsyncOpenAI(base_url=url, api_key=key)

    async def without_key(request):
        request.headers.pop("authorization", None)

    http = httpx2.AsyncClient(event_hooks={"request": [without_key]})
    return AsyncOpenAI(base_url=url, api_key="none", http_client=http)


def search(base, key, agent, query):
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    body = json.dumps({"query": query, "grains": ["working"]}).encode()
    request = urllib.request.Request(f"{base}/v1/agents/{agent}/search", body, headers)
    return json.load(urllib.request.urlopen(request))["results"]


async def until_found(base, key, agent, query, text):
    for _ in range(50):
        found = search(base, key, agent, query)
        if any(text in memory["text"] for memory in found):
            return found
        await asyncio.sleep(0.2)
    raise AssertionError(f"{text!r} is not found")


@function_tool
def get_weather(city: str) -> str:
    """Returns the weather."""
    return f"It rains in {city}."


async def runner(base, key, agent):
    session = OpenAIConversationsSession(openai_client=client(base, key, agent))
    model = ScriptedModel(
        [
            [function_call("get_weather", {"city": "Lucerne"}, call_id="call_1")],
            [assistant_message("It rains in Lucerne, take the yellow umbrella.")],
            [assistant_message("You asked about Lucerne.")],
        ]
    )
    helper = Agent(name="helper", model=model, tools=[get_weather])
    first = await Runner.run(helper, "How is the weather in Lucerne?", session=session)
    assert first.final_output == "It rains in Lucerne, take the yellow umbrella.", first.final_output
    second = await Runner.run(helper, "What did I ask?", session=session)
    assert second.final_output == "You asked about Lucerne."
    model.assert_complete()

    seen = model.last_call.input
    kinds = [item.get("type", "message") for item in seen]
    assert kinds == ["message", "function_call", "function_call_output", "message", "message"], kinds
    call = next(item for item in seen if item.get("type") == "function_call")
    assert json.loads(call["arguments"]) == {"city": "Lucerne"} and call["call_id"] == "call_1", call

    items = await session.get_items()
    assert len(items) == 6, items
    assert [item["role"] for item in items if item["type"] == "message"] == ["user", "assistant", "user", "assistant"]
    assert items[0]["content"][0]["text"] == "How is the weather in Lucerne?", items[0]
    assert await session.get_items(limit=2) == items[-2:]
    assert await session.get_items(limit=0) == []
    found = await until_found(base, key, agent, "yellow umbrella", "yellow umbrella")
    assert any(memory.get("conversation") == session.session_id for memory in found)

    assert await session.pop_item() == items[-1]
    assert await session.get_items() == items[:-1]
    await session.add_items([{"role": "user", "content": f"note {number}"} for number in range(45)])
    texts = [item["content"][0]["text"] for item in (await session.get_items())[5:]]
    assert texts == [f"note {number}" for number in range(45)], texts
    former = session.session_id
    await session.clear_session()
    assert not [memory for memory in search(base, key, agent, "yellow umbrella") if "umbrella" in memory["text"]]
    again = OpenAIConversationsSession(conversation_id=former, openai_client=client(base, key, agent))
    try:
        await again.get_items()
        raise AssertionError("a deleted conversation is still there")
    except NotFoundError:
        pass


async def conversations(base, key, agent):
    api = client(base, key, agent).conversations
    made = await api.create(metadata={"topic": "demo"}, items=[{"type": "message", "role": "user", "content": "Hello"}])
    assert made.object == "conversation" and made.metadata == {"topic": "demo"}
    assert (await api.retrieve(made.id)) == made
    changed = await api.update(made.id, metadata={"topic": "other"})
    assert changed.metadata == {"topic": "other"} and changed.created_at == made.created_at
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "thinks"}]}
    extra = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{\"a\": [1, null]}", "status": "completed"}
    added = await api.items.create(made.id, items=[reasoning, extra])
    sent = [reasoning, extra | {"id": added.data[1].id}]
    assert [item.to_dict(exclude_unset=True) for item in added.data] == sent, added
    page = await api.items.list(made.id, order="asc", limit=2)
    assert page.has_more and [item.type for item in page.data] == ["message", "reasoning"]
    rest = [item async for item in api.items.list(made.id, order="asc", limit=1)]
    assert [item.type for item in rest] == ["message", "reasoning", "function_call"]
    newest = await api.items.list(made.id)
    assert [item.id for item in newest.data] == [item.id for item in reversed(rest)] and not newest.has_more
    one = await api.items.retrieve(rest[0].id, conversation_id=made.id)
    assert one == rest[0]
    assert (await api.items.delete("rs_1", conversation_id=made.id)).id == made.id
    for wrong in (api.items.retrieve("rs_1", conversation_id=made.id), api.retrieve("conv_none")):
        try:
            await wrong
            raise AssertionError("found what does not exist")
        except NotFoundError as error:
            assert error.code == "not_found" and error.type == "invalid_request_error", error.body
    try:
        await api.items.create(made.id, items=[{"role": "user", "content": "x"}] * 1000)
        raise AssertionError("1,000 items were accepted")
    except BadRequestError as error:
        assert "items are 1000" in error.message, error.message
    gone = await api.delete(made.id)
    assert (gone.object, gone.deleted, gone.id) == ("conversation.deleted", True, made.id)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--key")
    parser.add_argument("--agent", default="openai-client")
    wish = parser.parse_args()
    asyncio.run(runner(wish.url, wish.key, wish.agent))
    asyncio.run(conversations(wish.url, wish.key, wish.agent))
    print("2 clients: a runner with OpenAIConversationsSession, client.conversations")


if __name__ == "__main__":
    main()
