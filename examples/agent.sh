#!/bin/sh
# A turn of an agent with curl: requests a context before the model is called, and stores the messages afterwards.
# Needs a running service (`annals serve`) at ANNALS_URL.
set -eu
memory="${ANNALS_URL:-http://127.0.0.1:7411}/v1/agents/example-sh"

ask() { curl -sSf -H 'content-type: application/json' "$memory/$1" --data "$2"; echo; }

# `wait=searchable`: the answer comes once searches find the message.
ask 'messages?wait=searchable' '{"conversation": "chat-1", "messages": [
  {"role": "user", "name": "Ann", "id": "1", "content": "I moved from Oslo to Bern last week."}]}' >/dev/null

# Returns the context for a prompt. `text` can be put in front of the prompt as it is.
ask context '{"prompt": "What is the weather like at home?", "speaker": "Ann", "budget_tokens": 500}'
