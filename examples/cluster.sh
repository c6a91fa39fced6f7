#!/bin/sh
# Three nodes on this machine. The active one is killed, a fourth joins, and no message is lost.
# Needs a PostgreSQL database (ANNALS_CATALOG_URL) and a bucket (ANNALS_OBJECTS_URL, and ANNALS_OBJECTS_ENDPOINT and the AWS_…
# variables if the bucket needs them). Stores under the agent `example-cluster`. The first port is ANNALS_PORT.
set -eu
annals="${ANNALS:-annals}" first="${ANNALS_PORT:-7421}" folder="$(mktemp -d)" nodes=""
export ANNALS_CLUSTER_LEASE_SECONDS=5
trap '[ $? = 0 ] || tail -n 3 "$folder"/*.log >&2; kill -9 $nodes 2>/dev/null || true; rm -rf "$folder"' EXIT

port() { echo $((first + $1 - 1)); }

start() {
  ANNALS_CLUSTER_ADDRESS="http://127.0.0.1:$(port "$1")" "$annals" serve --listen "127.0.0.1:$(port "$1")" --data "$folder/$1" \
    >"$folder/$1.log" 2>&1 &
  nodes="$nodes $!"
}

# ask NODE PATH BODY: repeats a request while no node is active.
ask() {
  curl -sSf --retry 60 --retry-delay 1 --retry-all-errors -H "Authorization: Bearer $key" -H 'content-type: application/json' \
    "http://127.0.0.1:$(port "$1")/v1/agents/example-cluster/$2" --data "$3" 2>>"$folder/curl.log"
}

say() {
  ask "$1" 'messages?wait=searchable' '{"conversation": "chat", "messages": [
    {"role": "user", "name": "Ann", "id": "'"$2"'", "content": "Parcel '"$2"' is in locker '"$2"'4."}]}' >/dev/null
  echo "node $1 took message $2"
}

key="$("$annals" key add example --scope ingest,search --data "$folder/1" --json | sed 's/.*"key":"\([^"]*\)".*/\1/')"
for node in 1 2 3; do start "$node"; sleep 1; done
for message in 1 2 3; do say "$message" "$message"; done

kill -9 "$(echo "$nodes" | cut -d' ' -f2)"
echo "node 1, the active one, is killed"
say 2 4

start 4
say 4 5
echo "node 3 finds:"
ask 3 search '{"query": "In which locker is parcel 1?", "limit": 5}' | grep -o 'Parcel [0-9] is in locker [0-9]*' | sort -u
