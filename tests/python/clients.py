"""Runs every script of this folder that drives a client, and the tests of our packages, against a service of its own.

    scripts/clients [NAME…]

The service gets a temporary folder, a free port and a key. Each check runs in a process of its own, with agents of its own and a time
limit. Prints a line for each: whether it passed, its seconds, and the counts that it ends with.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
START_SECONDS = 60
# Far more than any takes on an idle machine.
CHECK_SECONDS = 600
# Checks mostly wait for the service, and there may be two processors only.
AT_ONCE = 2
UNLIMITED = [
    "--set", "limits.requests_per_minute=100000", "--set", "limits.burst=100000", "--set", "limits.concurrent=100",
]  # fmt: skip


class Failed(Exception):
    """A step that must succeed before anything can be checked."""


@contextlib.contextmanager
def service(binary, folder):
    """Serves a folder on a free port. Yields the address."""
    log = open(folder.with_suffix(".log"), "w+")
    command = [binary, "serve", "--json", "--listen", "127.0.0.1:0", "--data", folder, *UNLIMITED]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        address = greeting(process, log)
        wait_until_ready(address)
        yield address
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()


def greeting(process, log):
    """Returns the address, which the service prints when it listens."""
    lines = queue.Queue()
    threading.Thread(target=lambda: lines.put(process.stdout.readline()), daemon=True).start()
    try:
        return json.loads(lines.get(timeout=START_SECONDS))["address"]
    except (queue.Empty, ValueError):
        log.seek(0)
        raise Failed(f"the service did not start within {START_SECONDS} s:\n{log.read()[-2000:]}") from None


def wait_until_ready(address):
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end:
        with contextlib.suppress(urllib.error.URLError, OSError):
            if urllib.request.urlopen(f"{address}/readyz", timeout=5).status == 200:
                return
        time.sleep(0.1)
    raise Failed(f"{address}/readyz was not ready within {START_SECONDS} s")


def new_key(binary, folder):
    command = [binary, "key", "add", "clients", "--scope", "search,ingest,admin", "--data", folder, "--json"]
    made = subprocess.run(command, capture_output=True, text=True, timeout=START_SECONDS)
    if made.returncode:
        raise Failed(f"annals key add: {made.stderr}")
    return json.loads(made.stdout)["key"]


def with_wheel(packages, folder):
    """Installs the wheel with what it needs, and nothing else, into a folder. Returns that for `PYTHONPATH`."""
    (wheel,) = packages.glob("annals_memory-*.whl")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", folder, wheel]
    done = subprocess.run(command, capture_output=True, text=True, timeout=CHECK_SECONDS)
    if done.returncode:
        raise Failed(f"{wheel.name} cannot be installed:\n{done.stderr}")
    # Without the frameworks, which are in the site-packages that -S leaves out.
    alone = [sys.executable, "-S", "-c", "import annals_memory; annals_memory.Annals().close()"]
    subprocess.run(alone, check=True, timeout=60, env=os.environ | {"PYTHONPATH": str(folder)})
    return folder


def with_tarball(packages, node, folder):
    """Unpacks the npm package beside the packages that its tests need. Returns the folder of the tests."""
    (tarball,) = packages.glob("annals-memory-*.tgz")
    modules = folder / "node_modules"
    modules.mkdir(parents=True)
    shutil.unpack_archive(tarball, folder, "gztar")
    (folder / "package").rename(modules / "annals-memory")
    for entry in (node / "node_modules").iterdir():
        (modules / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "clients/typescript/tests", folder / "tests")
    (folder / "package.json").write_text('{"type": "module"}')
    return folder


def checks(options, address, key, data, scratch):
    """Returns the commands of all checks, by name, each with the folder it runs in."""
    python = sys.executable
    typescript = with_tarball(options.packages, options.node, scratch / "typescript")
    reference = options.node / "node_modules/@modelcontextprotocol/server-memory/dist/index.js"
    stdio = [options.binary, "mcp", "--scope", "read,ingest,forget", "--data", data, "--agent", "stdio"]

    def script(name, *more):
        return [python, HERE / name, "--url", address, "--key", key, "--agent", name.removesuffix(".py"), *more]

    tests = [str(path) for path in sorted((typescript / "tests").glob("*.test.js"))]
    return {
        "anthropic memory tool": (script("memory_tool.py"), ROOT),
        "langgraph sdk and store": (script("langgraph_store.py"), ROOT),
        "langgraph agent": (script("langgraph_agent.py"), ROOT),
        "mem0 client, cli, self-hosted": (script("mem0_client.py"), ROOT),
        "openai agents and conversations": (script("openai_conversations.py"), ROOT),
        "openai tool loop": (script("openai_loop.py"), ROOT),
        "mcp client": (script("mcp_client.py", "--", *stdio), ROOT),
        "mcp reference server": (script("mcp_memory.py", "--", "node", reference), ROOT),
        "readme": (script("readme.py"), ROOT),
        "packed files": ([python, HERE / "packed.py", options.packages], ROOT),
        "python package": ([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "clients/python/tests"], ROOT),
        "python types": ([python, "-m", "mypy", "--cache-dir", scratch / "mypy"], ROOT / "clients/python"),
        "typescript package": (["node", "--test", "--test-reporter=spec", *tests], typescript),
    }


def run(name, command, folder, environment):
    """Runs a check. Returns whether it passed."""
    begin = time.monotonic()
    command = [str(part) for part in command]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=CHECK_SECONDS, stdin=subprocess.DEVNULL
        )
        code, output = done.returncode, done.stdout + done.stderr
    except subprocess.TimeoutExpired as late:
        code, output = "none", f"{text_of(late.stdout)}{text_of(late.stderr)}\nnot done after {CHECK_SECONDS} s"
    except OSError as error:
        code, output = "none", str(error)
    seconds = f"{time.monotonic() - begin:5.1f} s"
    if code == 0:
        print(f"ok      {seconds}  {name}: {counts(done.stdout)}", flush=True)
    else:
        print(f"FAILED  {seconds}  {name}: exit code {code}\n{indented(output)}", flush=True)
    return code == 0


def text_of(output):
    return output.decode(errors="replace") if isinstance(output, bytes) else output or ""


def counts(output):
    """Returns the line that a check ends with; of node's reporter, the counts."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = [line.removeprefix("ℹ ") for line in lines if line.startswith(("ℹ pass", "ℹ fail"))]
    return ", ".join(told) or (lines[-1] if lines else "")


def indented(output):
    return "\n".join(f"    {line}" for line in output.strip().splitlines()[-60:])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("binary", "packages", "node"):
        parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="words of the names of the checks to run")
    options = parser.parse_args()
    # So that the service ends, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("annals: stopped by SIGTERM"))
    with tempfile.TemporaryDirectory(prefix="annals-clients-") as scratch:
        scratch = pathlib.Path(scratch)
        data = scratch / "data"
        with service(options.binary, data) as address:
            key = new_key(options.binary, data)
            environment = os.environ | {
                "ANNALS_URL": address,
                "ANNALS_KEY": key,
                "ANNALS_BINARY": str(options.binary),
                "HOME": str(scratch),
                "PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}",
                "PYTHONPATH": str(with_wheel(options.packages, scratch / "wheel")),
                "PYTHONDONTWRITEBYTECODE": "1",
                "MEM0_TELEMETRY": "false",
                "OPENAI_AGENTS_DISABLE_TRACING": "1",
            }
            wanted = {
                name: one
                for name, one in checks(options, address, key, data, scratch).items()
                if not options.names or any(word in name for word in options.names)
            }
            with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
                passed = list(pool.map(lambda item: run(item[0], *item[1], environment), wanted.items()))
    print(f"{len(passed)} clients, {passed.count(False)} failed")
    return not all(passed) or not passed


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as error:
        sys.exit(f"annals: {error}")
