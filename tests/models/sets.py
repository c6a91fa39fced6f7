"""Writes the sets of questions in tests/models/languages as folders that `annals-bench retrieval` and `languages.py` read.

    python3 tests/models/sets.py FOLDER

Each text file is one agent's memory. A line is one of these:

    @ CONVERSATION TIME A=Ann,B=Assistant:assistant   begins a conversation; names and roles of its speakers
    A: text                                           a message; `A#tag: text` gives it a tag
    ? type | question                                 asks for the message before
    ?tag,tag type | question                          asks for the messages with these tags
"""

import datetime
import json
import pathlib
import re
import sys

TEXTS = pathlib.Path(__file__).parent / "languages"
PAUSE = datetime.timedelta(seconds=40)
FORMAT = "%Y-%m-%dT%H:%M:%SZ"
MESSAGE = re.compile(r"(\w+)(?:#(\w+))?: (.*)$")
QUESTION = re.compile(r"\?(\S*) (\S+) \| (.*)$")


def read(path):
    """Returns messages and questions of one file. A question is asked a day after the last message."""
    messages, questions, tags = [], [], {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            _, conversation, time, names = line.split(" ", 3)
            at = datetime.datetime.fromisoformat(time)
            speakers = dict(one.split("=") for one in names.split(","))
            place = 0
        elif line.startswith("?"):
            named, kind, text = QUESTION.match(line).groups()
            questions.append((named.split(",") if named else [], kind, text, messages[-1]["id"]))
        else:
            key, tag, text = MESSAGE.match(line).groups()
            name, _, role = speakers[key].partition(":")
            place += 1
            message = {"agent": path.stem, "conversation": conversation, "id": f"{conversation}:{place}", "role": role or "user"}
            messages.append(message | ({"name": name} if name else {}) | {"content": text, "at": at.strftime(FORMAT)})
            at += PAUSE
            if tag:
                tags[tag] = message["id"]
    last = datetime.datetime.strptime(max(message["at"] for message in messages), FORMAT)
    asked = (last + datetime.timedelta(days=1)).strftime(FORMAT)
    query = lambda number, question: {
        "agent": path.stem, "id": f"q{number}", "query": question[2], "at": asked, "type": question[1],
        "evidence": [tags[tag] for tag in question[0]] or [question[3]],
    }
    return messages, [query(number, question) for number, question in enumerate(questions, 1)]


def main():
    for path in sorted(TEXTS.glob("*.txt")):
        folder = pathlib.Path(sys.argv[1], path.stem)
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in zip(["messages", "queries"], read(path)):
            text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
            (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
