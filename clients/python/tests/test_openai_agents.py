"""`AnnalsSession` beside the SDK's session over SQLite: the same calls, and the same answers; and in a runner."""

import asyncio

from agents import Agent, Runner, SQLiteSession
from agents.testing import ScriptedModel, assistant_message

from annals_memory import openai_agents
from annals_memory.openai_agents import AnnalsSession

ITEMS = [
    {"role": "user", "content": "How is the weather in Lucerne?"},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "thinks"}]},
    {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "get_weather", "arguments": '{"city": "Lucerne"}'},
    {"type": "function_call_output", "call_id": "call_1", "output": "rain"},
    {"type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "It rains."}]},
    {"role": "assistant", "content": "東京 and 🏔"},
]


async def the_same(sessions, ask):
    ours, theirs = [await ask(session) for session in sessions]
    assert ours == theirs


def test_answers_are_those_of_sqlite(annals, name):
    async def compare():
        sessions = [AnnalsSession(annals, name, "chat-1"), SQLiteSession("chat-1")]
        await the_same(sessions, lambda session: session.get_items())
        await the_same(sessions, lambda session: session.pop_item())
        await the_same(sessions, lambda session: session.add_items([]))
        await the_same(sessions, lambda session: session.add_items(ITEMS))
        for limit in (None, 0, 1, 4, 100):
            await the_same(sessions, lambda session: session.get_items(limit=limit))
        await the_same(sessions, lambda session: session.pop_item())
        await the_same(sessions, lambda session: session.add_items([{"role": "user", "content": f"{n}"} for n in range(145)]))
        await the_same(sessions, lambda session: session.get_items())
        await the_same(sessions, lambda session: session.get_items(limit=120))
        await the_same(sessions, lambda session: session.clear_session())
        await the_same(sessions, lambda session: session.get_items())
        await the_same(sessions, lambda session: session.add_items(ITEMS))
        await the_same(sessions, lambda session: session.get_items())

    asyncio.run(compare())


def test_runner_continues_a_session(annals, memory, name):
    async def converse():
        model = ScriptedModel([[assistant_message("I will.")], [assistant_message("The yellow umbrella.")]])
        helper = Agent(name="helper", model=model)
        await Runner.run(helper, "Remember the yellow umbrella.", session=AnnalsSession(annals, name, "chat-1"))
        second = await Runner.run(helper, "What?", session=AnnalsSession(annals, name, "chat-1"))
        assert second.final_output == "The yellow umbrella." and len(model.last_call.input) == 3

    asyncio.run(converse())
    turns = memory.timeline(grains=["working"])["memories"]
    assert "Remember the yellow umbrella." in [turn["text"] for turn in turns]


def test_failed_batch_leaves_nothing(annals, name, monkeypatch):
    monkeypatch.setattr(openai_agents, "BATCH", 2)

    async def fail():
        session = AnnalsSession(annals, name, "chat-1")
        await session.add_items(ITEMS)
        try:
            await session.add_items([{"role": "user", "content": "x"}] * 3 + [{"no": "type"}])
        except Exception as error:
            assert "has no type" in str(error)
        else:
            raise AssertionError("an item without a type was stored")
        assert await session.get_items() == ITEMS

    asyncio.run(fail())
