# Sourced by scripts/packages, scripts/clients and scripts/test: installs what they need from PyPI and npm into the cache, once for each list of
# versions. When a package cannot be fetched, says which.

cache="${ANNALS_CACHE:-$HOME/.cache/annals}"

require() { command -v "$1" >/dev/null 2>&1 || { echo "annals: $1 is missing; install it with: $2" >&2; exit 1; }; }

# python_environment REQUIREMENTS: prints the folder of a virtual environment with these packages.
python_environment() {
  local folder
  require python3 "apt-get install python3 python3-pip"
  folder="$cache/clients/python-$( (python3 --version; cat "$1") | sha256sum | cut -c1-12)"
  if [ ! -f "$folder/complete" ]; then
    rm -rf "$folder"
    empty_environment "$folder" || return 1
    "$folder/bin/pip" install --quiet --disable-pip-version-check -r "$1" >&2 || { name_unavailable "$folder" "$1"; return 1; }
    touch "$folder/complete"
  fi
  echo "$folder"
}

# Debian's Python comes without venv; virtualenv from PyPI does the same.
empty_environment() {
  mkdir -p "$cache/clients"
  python3 -m venv "$1" >/dev/null 2>&1 && return
  rm -rf "$1"
  python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --upgrade \
    --target "$cache/clients/virtualenv" virtualenv==21.15.8 >&2 \
    || { echo "annals: virtualenv==21.15.8 cannot be fetched from PyPI; or install venv with: apt-get install python3-venv" >&2; return 1; }
  PYTHONPATH="$cache/clients/virtualenv" python3 -m virtualenv --quiet --no-download "$1" >&2
}

# Asks for each package of the list alone, because pip stops at the first fault and names other packages too.
name_unavailable() {
  local package
  grep -v '^#' "$2" | while read -r package; do
    "$1/bin/pip" download --quiet --disable-pip-version-check --no-deps --dest "$1/try" "$package" >/dev/null 2>&1 \
      || echo "annals: $package cannot be fetched from PyPI" >&2
  done
  echo "annals: the packages of $2 could not be installed; the lines above say why" >&2
}

# node_environment FOLDER: prints a folder whose node_modules has the development packages of the package.json in FOLDER.
node_environment() {
  local folder
  require node "apt-get install nodejs (version 20 or newer)"
  require npm "apt-get install npm"
  folder="$cache/clients/node-$( (node --version; cat "$1/package.json") | sha256sum | cut -c1-12)"
  if [ ! -f "$folder/complete" ]; then
    rm -rf "$folder" && mkdir -p "$folder"
    cp "$1/package.json" "$folder/"
    # npm names the package that it cannot find.
    (cd "$folder" && npm install --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error >&2) \
      || { echo "annals: the packages of $1/package.json could not be installed from npm; the lines above say which" >&2; return 1; }
    touch "$folder/complete"
  fi
  echo "$folder"
}
