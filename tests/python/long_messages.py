#!/usr/bin/env python3
"""Whether long messages cost more to search than short ones.

    python3 tests/python/long_messages.py ~/.cache/annals/target/debug/annals [MESSAGES]

Imports so many messages (1,000) of 20 words for one agent and of 600 words for another, starts the real service over them, and
asks both the same 150 questions of eight words, twice. Prints p50 and p95 of the second time in ms; says nothing of right answers.
"""

import json
import random
import subprocess
import sys
import tempfile
import time

from forget_cost import Service

LENGTHS = {"short": 20, "long": 600}
QUESTIONS = 150
SYLLABLES = [start + vowel for start in "bdfgklmnprstvz" for vowel in "aeiou"]


def main() -> None:
    annals = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    draw = random.Random(3)
    vocabulary = ["".join(draw.choices(SYLLABLES, k=draw.randint(1, 4))) for _ in range(5_000)]
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/messages.jsonl", "w") as file:
            for agent, length in LENGTHS.items():
                for number in range(count):
                    words = " ".join(draw.choices(vocabulary, k=length))
                    file.write(json.dumps(message(agent, number, words)) + "\n")
        data = f"{folder}/data"
        subprocess.run([annals, "import", f"{folder}/messages.jsonl", "--data", data], check=True)
        service = Service(annals, data)
        try:
            questions = [" ".join(draw.choices(vocabulary, k=8)) for _ in range(QUESTIONS)]
            for agent, length in LENGTHS.items():
                for question in questions:
                    ask(service, agent, question)
                times = sorted(ask(service, agent, question) for question in questions)
                p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
                print(f"{count} messages of {length} words: p50 {p50:.1f} ms, p95 {p95:.1f} ms")
        finally:
            service.stop()


def message(agent: str, number: int, words: str) -> dict:
    minute = number % 60
    day = number // 60
    at = f"2025-{1 + day // 28:02d}-{1 + day % 28:02d}T10:{minute:02d}:00Z"
    talk = f"talk {number // 20}"
    return {"agent": agent, "conversation": talk, "id": str(number), "role": "user", "content": words, "at": at}


def ask(service: Service, agent: str, question: str) -> float:
    """Milliseconds until the ten best were there."""
    began = time.perf_counter()
    service.ask("POST", f"/v1/agents/{agent}/search", {"query": question, "limit": 10})
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
