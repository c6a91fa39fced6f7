"""Other memories beside Annals: the same rows, vectors, questions and date range.

    annals-bench scale --messages M.jsonl --folder F --export DIR --json > annals.json
    pip install -r tests/python/peers.txt
    python tests/python/peers.py DIR --annals annals.json --json peers.json

Prints a Markdown table of figures, with ratios to Annals (peer / Annals) if its own figures are given. What each peer
is, and how its documentation sets it up, stands at the head of its file in `peer/`. Ten results a question, each with
its text; times without embedding. An answer outside the range that was asked for ends the run.
"""

import argparse
import json
import os
import pathlib
import platform
import sys

from peer import measure, table
from peer.export import BadInput


def main():
    arguments = parse()
    try:
        truth = measure.truth(arguments.export)
        annals = table.read_annals(arguments.annals, len(truth.rows.ids)) if arguments.annals else None
    except BadInput as error:
        sys.exit(f"peers: {error}")
    result = {
        "rows": len(truth.rows.ids),
        "questions": len(truth.questions.ids),
        "in_range": int(truth.mask.sum()),
        **machine(),
    }
    if annals:
        result["annals"] = annals
    result["peers"] = [measured(name, arguments, truth, annals) for name in arguments.only or measure.MODULES]
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    print(table.markdown(result))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=pathlib.Path, metavar="DIR", help="what `annals-bench scale --export DIR` wrote")
    parser.add_argument(
        "--annals", type=pathlib.Path, metavar="FILE", help="the JSON of Annals' own run over the same rows"
    )
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="where to write every figure")
    parser.add_argument(
        "--only", action="append", choices=list(measure.MODULES), metavar="NAME", help=", ".join(measure.MODULES)
    )
    parser.add_argument(
        "--deadline", type=minutes, default=30.0, metavar="MINUTES", help="for building, and again for asking (30)"
    )
    return parser.parse_args()


def minutes(text):
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError("is not above 0")
    return number


def measured(name, arguments, truth, annals):
    print(f"{name} …", file=sys.stderr)
    peer = measure.measure(name, arguments.export, truth, arguments.deadline)
    if annals and "late" not in peer:
        peer["ratios"] = table.ratios(peer, annals)
    print(f"{name}: {json.dumps(peer, ensure_ascii=False)}", file=sys.stderr)
    return peer


def machine():
    return {"python": platform.python_version(), "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 2)}


if __name__ == "__main__":
    main()
