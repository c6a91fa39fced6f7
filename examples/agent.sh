#!/bin/sh
# An agent's turn with curl: ask memory before the model is called, and store what was said afterwards.
# Needs a running service (`annals serve`) at ANNALS_URL.
set -eu
memory="${ANNALS_URL:-http://127.0.0.1:7411}/v1/agents/example-sh"

ask() { curl -sSf -H 'content-type: application/json' "$memory/$1" --data "$2"; echo; }

# `wait=searchable`: the answer comes when searches find the message.
ask 'messages?wait=searchable' '{"conversation": "chat-1", "messages": [
  {"role": "user", "name": "Ann", "id": "1", "content": "I moved from Oslo to Bern last week."}]}' >/dev/null

# What a prompt should contain. `text` is ready to be put in front of the question.
ask context '{"prompt": "What is the weather like at home?", "speaker": "Ann", "budget_tokens": 500}'
