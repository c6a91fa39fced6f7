#!/usr/bin/env python3
"""Writes messages of many agents in the import format, for measuring what each agent costs.

    python3 tests/python/many_agents.py MESSAGES AGENTS EACH > many.jsonl

The texts are those of the file MESSAGES (JSON lines) with more than 15 characters. Each agent gets EACH of them that follow each other, on three days
of October 2026. The same arguments give the same file.
"""

import json
import random
import sys


def main():
    file, agents, each = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    texts = [text for text in (json.loads(line)["content"] for line in open(file)) if len(text) > 15]
    dice = random.Random(5)
    for agent in range(agents):
        first, day = dice.randrange(len(texts) - each), dice.randrange(1, 26)
        for index, text in enumerate(texts[first:first + each]):
            date = f"2026-10-{day + index * 3 // each:02}"
            message = {"agent": f"u{agent:06}", "conversation": date, "id": str(index), "role": ("user", "assistant")[index % 2]}
            print(json.dumps(message | {"content": text, "at": f"{date}T{9 + index % 10:02}:{(agent * 7 + index) % 60:02}:00Z"}))


if __name__ == "__main__":
    main()
