"""`AnnalsMemoryBlock` in LlamaIndex's `Memory`."""

import asyncio
import time

from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory

from annals_memory.llama_index import AnnalsMemoryBlock


def test_messages_that_no_longer_fit_are_remembered(annals, name):
    async def converse():
        block = AnnalsMemoryBlock(annals, name, speaker="Ann")
        memory = Memory.from_defaults(
            session_id="chat-1", token_limit=60, chat_history_token_ratio=0.5, token_flush_size=20, memory_blocks=[block],
            tokenizer_fn=str.split,
        )  # fmt: skip
        await memory.aput(ChatMessage(role="user", content="I moved from Oslo to Bern, and I keep bees behind the house."))
        await memory.aput(ChatMessage(role="assistant", content="How nice, I hope that the bees are well there."))
        for number in range(6):
            await memory.aput(ChatMessage(role="user", content=f"Note {number}: the weather stays as it was yesterday."))
            await memory.aput(ChatMessage(role="assistant", content=f"Noted {number}."))
        await memory.aput(ChatMessage(role="user", content="Which animals do I keep?"))
        for _ in range(50):
            prompt = "\n".join(str(message.content) for message in await memory.aget())
            if "bees behind the house" in prompt:
                return prompt
            time.sleep(0.2)
        return prompt

    prompt = asyncio.run(converse())
    assert "<long_term_memory>" in prompt and "bees behind the house" in prompt, prompt
    stored = annals.agent(name).timeline(grains=["working"])["memories"]
    assert {turn["conversation"] for turn in stored} == {"chat-1"}
    assert {turn["speaker"] for turn in stored} == {"Ann", "assistant"}


def test_nothing_is_asked_without_a_prompt(annals, name):
    assert asyncio.run(AnnalsMemoryBlock(annals, name).aget([])) == ""
