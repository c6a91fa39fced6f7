#!/usr/bin/env python3
"""Writes the parts of the packages that follow from other files: the wire types of both languages from docs/openapi.json, and
Python's async client from the sync one. `clients/generate.py --check` writes nothing and fails if a file is out of date.

Needs Python only. It never changes what people wrote: each file that it writes says so in its first line.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
PYTHON = HERE / "python/src/annals_memory"
NOTE = "Written by clients/generate.py"
SCALARS = {
    "string": ("str", "string"),
    "integer": ("int", "number"),
    "number": ("float", "number"),
    "boolean": ("bool", "boolean"),
    "null": ("None", "null"),
}


def expression(schema, typescript):
    """Returns the type of a schema in one of the languages."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    if "oneOf" in schema:
        return " | ".join(expression(one, typescript) for one in schema["oneOf"])
    if "enum" in schema:
        words = [json.dumps(word) for word in schema["enum"]]
        return " | ".join(words) if typescript else f"Literal[{', '.join(words)}]"
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    return " | ".join(of_kind(kind, schema, typescript) for kind in kinds) or ("unknown" if typescript else "Any")


def of_kind(kind, schema, typescript):
    if kind == "array":
        inner = expression(schema["items"], typescript)
        return f"Array<{inner}>" if typescript else f"list[{inner}]"
    if kind == "object":
        values = schema.get("additionalProperties")
        inner = expression(values, typescript) if isinstance(values, dict) else ("unknown" if typescript else "Any")
        return f"Record<string, {inner}>" if typescript else f"dict[str, {inner}]"
    return SCALARS[kind][typescript]


def line_of(schema):
    """Returns the first paragraph of a description as one line."""
    return " ".join(schema.get("description", "").split("\n\n")[0].split())


def python_types(schemas):
    lines = [f'"""Requests and answers as the service sends them. {NOTE} from docs/openapi.json."""', ""]
    lines += ["from __future__ import annotations", "", "from typing import Any, Literal, Union", ""]
    lines += ["from typing_extensions import NotRequired, TypedDict"]
    for name, schema in schemas.items():
        lines += ["", ""] + ([f"# {line_of(schema)}"] if line_of(schema) else [])
        if "properties" not in schema:
            lines.append(f"{name} = {python_alias(expression(schema, False))}")
            continue
        # The functional form, because `from` is a keyword.
        lines += [f"{name} = TypedDict(", f'    "{name}",', "    {"]
        for field, kind in schema["properties"].items():
            text = expression(kind, False)
            text = text if field in schema.get("required", []) else f"NotRequired[{text}]"
            lines.append(f"        {json.dumps(field)}: {json.dumps(text)},  # {line_of(kind)}".rstrip(" #"))
        lines += ["    },", ")"]
    return "\n".join(lines) + "\n"


def python_alias(text):
    names = text.split(" | ")
    return text if len(names) == 1 else f"Union[{', '.join(json.dumps(name) for name in names)}]"


def typescript_types(schemas):
    lines = [f"// Requests and answers as the service sends them. {NOTE} from docs/openapi.json."]
    for name, schema in schemas.items():
        lines += [""] + ([f"/** {line_of(schema)} */"] if line_of(schema) else [])
        if "properties" not in schema:
            lines.append(f"export type {name} = {expression(schema, True)};")
            continue
        lines.append(f"export interface {name} {{")
        for field, kind in schema["properties"].items():
            mark = "" if field in schema.get("required", []) else "?"
            lines += [f"  /** {line_of(kind)} */"] if line_of(kind) else []
            lines.append(f"  {field}{mark}: {expression(kind, True)};")
        lines.append("}")
    return "\n".join(lines) + "\n"


def awaiting(name):
    """Returns the async twin of a module of the sync client: every method that sends a request awaits it."""
    body = (PYTHON / name).read_text().split('"""', 2)[2]
    for sync, twin in [
        (r"\bAnnals\b", "AsyncAnnals"),
        (r"\bAgent\b", "AsyncAgent"),
        (r"\bConnection\b", "AsyncConnection"),
        (r"from \.agent\b", "from .async_agent"),
        (r"    def (?!_|agent\b)", "    async def "),
        (r"self\._ask\(", "await self._ask("),
        (r"self\._connection\.(ask|close)\(", r"await self._connection.\1("),
        (r"def _ask\(", "async def _ask("),
        (r"def __enter__\(", "async def __aenter__("),
        (r"def __exit__\(", "async def __aexit__("),
        (r"self\.close\(", "await self.close("),
        (r"with AsyncAnnals", "async with AsyncAnnals"),
    ]:
        body = re.sub(sync, twin, body)
    return f'"""The same with `await`. {NOTE} from {name}."""{body}'


def main():
    document = json.loads((HERE.parent / "docs/openapi.json").read_text())
    schemas = document["components"]["schemas"]
    files = {
        PYTHON / "types.py": python_types(schemas),
        PYTHON / "async_client.py": awaiting("client.py"),
        PYTHON / "async_agent.py": awaiting("agent.py"),
        HERE / "typescript/src/types.ts": typescript_types(schemas),
    }
    old = [path for path, text in files.items() if not path.exists() or path.read_text() != text]
    if "--check" in sys.argv[1:]:
        for path in old:
            print(f"annals: {path.relative_to(HERE.parent)} is out of date; run clients/generate.py", file=sys.stderr)
        raise SystemExit(bool(old))
    for path in old:
        path.write_text(files[path])


if __name__ == "__main__":
    main()
