#!/bin/sh
# Asks every route that /openapi.json describes for everything the description allows, and for what it does not, against a server
# over stores in memory: no 5xx, no status that is not described, no answer that does not fit its schema.
# Needs Python 3.10 and PyPI. More examples: tests/python/schemathesis.sh --max-examples 500
set -eu
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
if [ -z "${SCHEMATHESIS:-}" ]; then
    python3 -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet 'schemathesis>=4.32,<5'
    SCHEMATHESIS="$folder/venv/bin/schemathesis"
fi
if [ -z "${MEMORY_SERVER:-}" ]; then
    cargo build --quiet -p annals-server --example memory_server
    MEMORY_SERVER="${CARGO_TARGET_DIR:-target}/debug/examples/memory_server"
fi
"$MEMORY_SERVER" 127.0.0.1:0 > "$folder/address" &
server=$!
until [ -s "$folder/address" ]; do sleep 0.2; done
cd "$folder"
# The server has no keys; who may ask what is held by crates/server/src/access/tests.
"$SCHEMATHESIS" run "$(cat address)/openapi.json" --checks all \
    --exclude-checks positive_data_acceptance,ignored_auth,missing_required_header \
    --generation-with-security-parameters false --continue-on-failure --generation-database none --seed 1 "$@"
