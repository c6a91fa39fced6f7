#!/usr/bin/env python3
"""An agent's turn in Python: ask memory before the model is called, and store what was said afterwards.

Needs nothing but Python and a running service (`annals serve`) at ANNALS_URL.
"""

import json
import os
import urllib.request

MEMORY = os.environ.get("ANNALS_URL", "http://127.0.0.1:7411") + "/v1/agents/example-py"


def ask(path, body):
    request = urllib.request.Request(f"{MEMORY}/{path}", json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def remember(conversation, *messages):
    """Stores messages. An `id` for each makes it safe to send them again after a failure."""
    return ask("messages?wait=searchable", {"conversation": conversation, "messages": list(messages)})


def recall(prompt, speaker):
    """Returns the text of memory that belongs in front of the prompt."""
    return ask("context", {"prompt": prompt, "speaker": speaker, "budget_tokens": 500})["text"]


def main():
    remember("chat-1", {"role": "user", "name": "Ann", "id": "1", "content": "I moved from Oslo to Bern last week."})
    prompt = "What is the weather like at home?"
    print(recall(prompt, "Ann"))
    # Here the model is called with this text and the prompt. Then the turn is stored:
    remember("chat-1", {"role": "user", "name": "Ann", "id": "2", "content": prompt},
             {"role": "assistant", "id": "3", "content": "In Bern it is sunny today."})


main()
