"""A LangGraph agent with `store=` over Annals: an agent made by LangGraph, tools that get the store from it, and a scripted model.

    pip install langgraph==1.2.22 annals-memory
    python tests/python/langgraph_agent.py --url http://127.0.0.1:7411 [--key KEY] [--agent NAME]

In a first thread the agent remembers what the user says; in a second one it looks that up. Run synchronously and asynchronously. The
agent should be new.
"""

import argparse
import asyncio
import time
import warnings
from typing import Annotated

from annals_memory import Annals
from annals_memory.langgraph import AnnalsStore
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.prebuilt import InjectedStore, create_react_agent
from langgraph.store.base import BaseStore

warnings.filterwarnings("ignore", message="create_react_agent")
LIKES = "Ann likes rye bread with butter."


@tool
def remember(text: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Remembers a text about the user."""
    store.put(("memories", "ann"), str(hash(text)), {"text": text})
    return "remembered"


@tool
async def recall(query: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Looks up what is known about the user."""
    found = await store.asearch(("memories", "ann"), query=query, limit=1)
    return found[0].value["text"] if found else "nothing"


@tool
def recall_now(query: str, store: Annotated[BaseStore, InjectedStore()]) -> str:
    """Looks up what is known about the user, without waiting."""
    found = store.search(("memories", "ann"), query=query, limit=1)
    return found[0].value["text"] if found else "nothing"


class Scripted(GenericFakeChatModel):
    """A model that calls the tools of its script."""

    def bind_tools(self, tools, **_):
        return self


def agent(store, tool_name, arguments, answer):
    call = AIMessage(content="", tool_calls=[{"name": tool_name, "args": arguments, "id": "call-1"}])
    model = Scripted(messages=iter([call, AIMessage(content=answer)]))
    return create_react_agent(model, [remember, recall, recall_now], store=store)


def told(result):
    return [message.content for message in result["messages"] if message.type == "tool"]


def until_found(ask):
    """Asks until the item is found by its meaning: it is searchable soon after it was stored."""
    for _ in range(50):
        answer = ask()
        if answer == [LIKES]:
            return answer
        time.sleep(0.2)
    return answer


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--key")
    parser.add_argument("--agent", default=f"langgraph-agent-{time.time_ns()}")
    options = parser.parse_args()
    store = AnnalsStore(Annals(options.url, options.key), options.agent)
    question = {"messages": [("user", "What do I like for breakfast?")]}

    first = agent(store, "remember", {"text": LIKES}, "I will keep that in mind.").invoke({"messages": [("user", LIKES)]})
    assert told(first) == ["remembered"] and first["messages"][-1].content == "I will keep that in mind.", first
    ask = {"query": "breakfast"}
    found = until_found(lambda: told(agent(store, "recall_now", ask, "Rye bread.").invoke(question)))
    assert found == [LIKES], found
    found = until_found(lambda: told(asyncio.run(agent(store, "recall", ask, "Rye bread.").ainvoke(question))))
    assert found == [LIKES], found
    print("3 agents ran: one remembered, two recalled")


if __name__ == "__main__":
    main()
