"""Anthropic's memory tool over Annals beside the file tool of Anthropic's own SDK: the same commands, and the texts byte for byte.

    pip install anthropic==2.12.0 annals-memory
    python tests/python/memory_tool.py --url http://127.0.0.1:7411 [--key KEY] [--agent NAME]

Both run every command in order: Annals over HTTP, the SDK's tool on a folder that is removed afterwards. Only the sizes of
directories are left out of the comparison, because they are those of the disk. The agent should be new.
"""

import argparse
import asyncio
import tempfile
import time

from annals_memory import Annals
from annals_memory.anthropic import AnnalsMemoryTool, AsyncAnnalsMemoryTool
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

def create(path, text=""):
    return {"command": "create", "path": path, "file_text": text}


def view(path, *span):
    return {"command": "view", "path": path} | ({"view_range": list(span)} if span else {})


def replace(path, old, new=""):
    return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def insert(path, line, text):
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def delete(path):
    return {"command": "delete", "path": path}


def rename(old, new):
    return {"command": "rename", "old_path": old, "new_path": new}


POEM = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"

COMMANDS = [
    # An empty memory.
    view("/memories"),
    view("/memories/"),
    view("/memories/none.txt"),
    delete("/memories"),
    delete("/memories/"),
    delete("/memories/none.txt"),
    rename("/memories", "/memories/x"),
    rename("/memories/none.txt", "/memories/moved.txt"),
    replace("/memories/none.txt", "a", "b"),
    insert("/memories/none.txt", 0, "a"),
    # Files.
    create("/memories/poem.txt", POEM),
    create("/memories/poem.txt", "again"),
    create("/memories", "a directory"),
    create("/memories/empty.txt", ""),
    create("/memories/open_end.txt", "no line end"),
    create("/memories/crlf.txt", "a\r\nb\r\n"),
    create("/memories/umlaut.md", "Grüße aus Zürich 🏔\n東京\n"),
    create("/memories/with space & sign.txt", "x"),
    view("/memories/poem.txt"),
    view("/memories/empty.txt"),
    view("/memories/open_end.txt"),
    view("/memories/crlf.txt"),
    view("/memories/umlaut.md"),
    view("/memories/with space & sign.txt"),
    view("/memories/poem.txt/"),
    view("/memories/./poem.txt"),
    view("/memories//poem.txt"),
    view("/memories/poem.txt/inside"),
    # Ranges of lines.
    view("/memories/poem.txt", 2, 4),
    view("/memories/poem.txt", 6, -1),
    view("/memories/poem.txt", 0, 2),
    view("/memories/poem.txt", -3, 2),
    view("/memories/poem.txt", 3, 99),
    view("/memories/poem.txt", 99, 100),
    view("/memories/poem.txt", 4, 3),
    view("/memories/poem.txt", 1, -2),
    view("/memories/poem.txt", 2),
    # Replacements.
    replace("/memories/poem.txt", "four", "4"),
    replace("/memories/poem.txt", "FOUR", "4"),
    replace("/memories/poem.txt", "o", "0"),
    replace("/memories/poem.txt", "", "x"),
    replace("/memories/poem.txt", "one\ntwo", "eins"),
    replace("/memories/poem.txt", "seven\n", "7\n8\n9"),
    replace("/memories/poem.txt", "three\n", ""),
    replace("/memories/umlaut.md", "Zürich", "Bern"),
    replace("/memories/crlf.txt", "\r\nb", "\r\nB"),
    replace("/memories/empty.txt", "", "filled"),
    replace("/memories/empty.txt", "filled", "aaa"),
    replace("/memories/empty.txt", "aa", "b"),
    view("/memories/poem.txt"),
    view("/memories/crlf.txt"),
    # Insertions.
    insert("/memories/poem.txt", 0, "title"),
    insert("/memories/poem.txt", 2, "between\n\n"),
    insert("/memories/poem.txt", 99, "too far"),
    insert("/memories/poem.txt", -1, "before"),
    insert("/memories/open_end.txt", 1, "last"),
    insert("/memories/crlf.txt", 2, "c"),
    insert("/memories/umlaut.md", 1, "é\nè"),
    view("/memories/poem.txt"),
    view("/memories/open_end.txt"),
    view("/memories/crlf.txt"),
    view("/memories/umlaut.md"),
    # Directories.
    create("/memories/plans/plan.md", "# Plan\n"),
    create("/memories/plans/2026/march.md", "x" * 1500),
    create("/memories/plans/2026/q1/deep.md", "deep"),
    create("/memories/plans/.hidden", "hidden"),
    create("/memories/.secret/file.txt", "hidden"),
    create("/memories/plans", "a file"),
    view("/memories"),
    view("/memories/plans"),
    view("/memories/plans/"),
    view("/memories/plans/2026"),
    view("/memories/plans/.hidden"),
    view("/memories/.secret"),
    replace("/memories/plans", "a", "b"),
    insert("/memories/plans", 0, "a"),
    # Moves.
    rename("/memories/poem.txt", "/memories/plans/poem.txt"),
    rename("/memories/plans/poem.txt", "/memories/plans/plan.md"),
    rename("/memories/plans/plan.md", "/memories/plans/plan.md"),
    rename("/memories/plans/plan.md", "/memories/plans"),
    rename("/memories/none", "/memories/made/by/mistake"),
    rename("/memories/plans/2026", "/memories/archive/years/2026"),
    view("/memories"),
    view("/memories/archive"),
    view("/memories/archive/years/2026/q1/deep.md"),
    # Removals.
    delete("/memories/archive/years/2026/q1/deep.md"),
    view("/memories/archive/years/2026/q1"),
    view("/memories/archive/years"),
    delete("/memories/archive"),
    delete("/memories/archive"),
    view("/memories/archive"),
    create("/memories/archive", "now a file"),
    delete("/memories/plans/poem.txt"),
    delete("/memories/umlaut.md/x"),
    view("/memories"),
    # Ways out.
    view("/etc/passwd"),
    view("memories/poem.txt"),
    view("/memories/.."),
    view("/memories/../../etc/passwd"),
    create("/memories/../outside.txt", "x"),
    create("/memories/plans/../../outside.txt", "x"),
    create("/memories/plans/../inside.txt", "x"),
    view("/memories/inside.txt"),
    create("/memories/%2e%2e/literal.txt", "x"),
    delete("/memories/plans/.."),
    rename("/memories/inside.txt", "/memories/../outside.txt"),
    rename("/memories/../outside.txt", "/memories/inside2.txt"),
    replace("/memories/../outside.txt", "a", "b"),
    insert("/memories/../outside.txt", 0, "a"),
    view("/memories"),
]


def outcome(tool, command):
    try:
        return "text", tool.call(command)
    except ToolError as error:
        return "error", str(error)


def without_sizes_of_directories(command, outcome):
    kind, text = outcome
    if command["command"] != "view" or not text.startswith("Here're the files"):
        return outcome
    head, *lines = text.split("\n")
    parts = [line.split("\t", 1) for line in lines]
    cleaned = ["-" if path == command["path"] or path.endswith("/") else size for size, path in parts]
    return kind, "\n".join([head, *(f"{size}\t{path}" for size, (_, path) in zip(cleaned, parts))])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--key")
    parser.add_argument("--agent", default=f"memory-tool-{time.time_ns()}")
    options = parser.parse_args()
    different = 0
    with tempfile.TemporaryDirectory() as folder:
        annals = Annals(options.url, options.key)
        tools = [BetaLocalFilesystemMemoryTool(folder), AnnalsMemoryTool(annals, options.agent)]
        for number, command in enumerate(COMMANDS):
            theirs, ours = (without_sizes_of_directories(command, outcome(tool, command)) for tool in tools)
            if theirs != ours:
                different += 1
                print(f"{number}: {command}\n  SDK:    {theirs!r}\n  Annals: {ours!r}")
    twin = AsyncAnnalsMemoryTool(annals, options.agent)
    assert asyncio.run(twin.call(view("/memories"))) == tools[1].call(view("/memories"))
    assert tools[1].clear_all_memory() and tools[1].call(view("/memories")).count("\n") == 1
    print(f"{len(COMMANDS)} commands, {different} with another text")
    raise SystemExit(different > 0)


if __name__ == "__main__":
    main()
