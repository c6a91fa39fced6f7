"""The table of figures and ratios, as Markdown for docs/recall.md, and the JSON that Annals' own run left."""

import json

from .export import BadInput

FIGURES = (
    "latency_ms.no_filter.p50",
    "latency_ms.no_filter.p95",
    "latency_ms.range.p50",
    "latency_ms.range.p95",
    "resident_mb",
    "build_s",
)

HEAD = "| | no filter, p50 / p95 ms | range, p50 / p95 ms | resident MB | to build, s | recall@10 in % |"


def read_annals(path, rows):
    """Annals' own figures; refused if they are of another number of rows, for a ratio to those would say nothing."""
    try:
        annals = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}") from None
    except json.JSONDecodeError as error:
        raise BadInput(f"{path}:{error.lineno}: is not JSON: {error}") from None
    for name in ("rows", *FIGURES):
        if not isinstance(figure(annals, name), int | float):
            raise BadInput(f'{path}: "{name}" is missing or not a number')
    for name in ("recall@10", "recall@10_range"):
        if name in annals and not 1 < annals[name] <= 100:
            raise BadInput(f'{path}: "{name}" is {annals[name]}, which is not in percent')
    if annals["rows"] != rows:
        raise BadInput(f"{path}: is of {annals['rows']} rows, the export has {rows}")
    return annals


def figure(tree, name):
    for part in name.split("."):
        tree = tree.get(part) if isinstance(tree, dict) else None
    return tree


def ratios(peer, annals):
    """Peer / Annals of every figure that both have: above 1 the peer takes more."""
    both = {name: (figure(peer, name), figure(annals, name)) for name in FIGURES}
    return {name: round(theirs / ours, 2) for name, (theirs, ours) in both.items() if theirs is not None and ours}


def markdown(result):
    annals = result.get("annals")
    lines = [HEAD, "| --- | --- | --- | --- | --- | --- |"]
    if annals:
        lines.append(row("Annals", annals, {}))
    for peer in result["peers"]:
        lines.append(
            row(f"{peer['name']}: {peer['note']}", peer, peer.get("ratios", {})) if "late" not in peer else late(peer)
        )
    return "\n".join(lines)


def late(peer):
    built = shown(peer["build_s"]) if "build_s" in peer else "–"
    return f"| {peer.get('name', peer['key'])} | {peer['late']} | – | – | {built} | – |"


def row(name, tree, ratio):
    cells = [name, pair(tree, ratio, "latency_ms.no_filter"), pair(tree, ratio, "latency_ms.range")]
    cells += [single(tree, ratio, "resident_mb"), single(tree, ratio, "build_s"), recall(tree)]
    return "| " + " | ".join(cells) + " |"


def pair(tree, ratio, name):
    p50, p95 = f"{name}.p50", f"{name}.p95"
    text = f"{shown(figure(tree, p50))} / {shown(figure(tree, p95))}"
    return f"{text} (× {shown(ratio[p50])} / {shown(ratio[p95])})" if p50 in ratio and p95 in ratio else text


def single(tree, ratio, name):
    text = shown(figure(tree, name))
    return f"{text} (× {shown(ratio[name])})" if name in ratio else text


def recall(tree):
    """In percent. A peer has one figure for each way of asking; Annals' second stands beside its first."""
    first = tree.get("recall@10")
    both = first.values() if isinstance(first, dict) else (first, tree.get("recall@10_range"))
    return " / ".join(f"{percent:.1f}" for percent in both if percent is not None)


def shown(number):
    return f"{number:.{0 if number >= 100 else 1 if number >= 10 else 2}f}"
