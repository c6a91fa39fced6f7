"""Counts tokens as OpenAI's models do (o200k_base), by the npm package gpt-tokenizer. npm fetches it into the cache the first time."""

import json
import os
import pathlib
import subprocess

PACKAGE = "gpt-tokenizer@2.9.0"
COUNT = """
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import readline from 'node:readline';
for await (const line of readline.createInterface({ input: process.stdin })) console.log(countTokens(JSON.parse(line)));
"""


def fetched():
    """Returns the folder with the package and the script that counts with it."""
    cache = pathlib.Path(os.environ.get("ANNALS_CACHE") or pathlib.Path.home() / ".cache/annals")
    folder = cache / PACKAGE.replace("@", "-")
    if not (folder / "node_modules/gpt-tokenizer").exists():
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder, PACKAGE], check=True)
    (folder / "count.mjs").write_text(COUNT)
    return folder


class Tokenizer:
    """A process of Node.js that counts one text after the other. Not for several threads at once."""

    def __init__(self):
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(["node", "count.mjs"], cwd=fetched(), text=True, **pipes)

    def count(self, text):
        self.process.stdin.write(json.dumps(text) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())
