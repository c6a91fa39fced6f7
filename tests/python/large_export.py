"""Writes an export of ChatGPT of a given size, for the measurement of imports: a ZIP archive with conversations.json.

    large_export.py FILE MIB [SEED]

MIB is the size of the uncompressed JSON. The same seed gives the same export. Prints the number of conversations and of messages
on the active branches.
"""

import json
import random
import sys
import uuid
import zipfile

WORDS = (
    "boat harbour flour sourdough meeting plan invoice garden river piano lesson ticket train bicycle kettle window letter "
    "morning evening weather report budget doctor school kitchen recipe holiday mountain island battery printer signal "
    "of the a to in and for with on at from by about after before because while"
).split()
# A long answer is rare, as in real exports.
LENGTHS = [8, 15, 30, 60, 120, 250, 600]


def sentence(dice, words):
    return " ".join(dice.choices(WORDS, k=words)).capitalize() + "."


def text(dice, words):
    lines = []
    while words > 0:
        part = min(words, dice.randint(6, 22))
        lines.append(sentence(dice, part))
        words -= part
    return "\n\n".join(" ".join(lines[at : at + 4]) for at in range(0, len(lines), 4))


def identifier(dice):
    return str(uuid.UUID(int=dice.getrandbits(128), version=4))


def conversation(dice, begun):
    """A conversation with one regenerated answer, a hidden system node and a call of a tool. Returns it and its messages."""
    mapping, parent, at = {}, None, begun
    root = identifier(dice)
    mapping[root] = {"id": root, "message": None, "parent": None, "children": []}
    parent, count = root, 0
    for turn in range(dice.randint(2, 24)):
        role = "user" if turn % 2 == 0 else "assistant"
        node = identifier(dice)
        at += dice.uniform(2, 400)
        words = dice.choices(LENGTHS, weights=[6, 8, 8, 6, 4, 2, 1])[0]
        mapping[node] = {
            "id": node,
            "message": {
                "id": node,
                "author": {"role": role, "name": None, "metadata": {}},
                "create_time": at,
                "update_time": None,
                "content": {"content_type": "text", "parts": [text(dice, words)]},
                "status": "finished_successfully",
                "end_turn": True,
                "weight": 1.0,
                "metadata": {"request_id": identifier(dice), "timestamp_": "absolute", "message_source": None},
                "recipient": "all",
                "channel": None,
            },
            "parent": parent,
            "children": [],
        }
        mapping[parent]["children"].append(node)
        parent, count = node, count + 1
    value = {
        "title": sentence(dice, 4),
        "create_time": begun,
        "update_time": at,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": parent,
        "conversation_id": identifier(dice),
        "id": None,
        "is_archived": False,
        "default_model_slug": "gpt-4o",
    }
    value["id"] = value["conversation_id"]
    return value, count


def main():
    path, mebibytes = sys.argv[1], int(sys.argv[2])
    dice = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    written, conversations, messages = 1, 0, 0
    begun = 1_680_000_000.0
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        info = zipfile.ZipInfo("conversations.json", (2026, 5, 1, 12, 0, 0))
        info.compress_type = zipfile.ZIP_DEFLATED
        with archive.open(info, "w", force_zip64=True) as file:
            file.write(b"[")
            while written < mebibytes << 20:
                value, count = conversation(dice, begun)
                begun += dice.uniform(60, 1500)
                line = (b",\n" if conversations else b"") + json.dumps(value).encode()
                file.write(line)
                written += len(line)
                conversations, messages = conversations + 1, messages + count
            file.write(b"]")
    print(f"{path}: {written} bytes of JSON, {conversations} conversations, {messages} messages")


if __name__ == "__main__":
    main()
