"""An OpenAI-style provider of batches that fails on the way, and of vectors that cost no time. Counts every token that it would charge.

Tokens are those of OpenAI's models. Answers have about as many tokens as the recorded answers of a capable model to the same prompts: those for a
day half of the words that the prompt allows, but 25; those for longer periods two fifths of the words of the sources.
"""

import collections
import http.server
import json
import re
import threading

import tokenizer

DIMENSION = 16
LINE = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
ALLOWED = re.compile(r"Write at most (\d+) words")


def answer(prompt):
    """Quotes numbered lines from all over the sources, in sentences of at most 16 words."""
    # The lines of the example in the instructions are no sources.
    sources = prompt[prompt.index("<sources"):]
    lines = [(int(number), text.split(": ", 1)[-1].split()) for number, text in LINE.findall(sources)]
    allowed, given = int(ALLOWED.search(prompt)[1]), sum(len(words) for _, words in lines)
    is_day = "The day is" in prompt
    left = min(max(25, allowed // 2) if is_day else allowed * 2 // 3, given // 2 if is_day else given * 2 // 5)
    sentences = []
    for number, words in sorted(lines, key=lambda line: -len(line[1])):
        for start in range(0, len(words), 16):
            if left > 0:
                words_here = words[start:start + min(16, left)]
                left -= len(words_here)
                sentences.append({"text": " ".join(words_here).rstrip(".") + ".", "day": "2023-01-01", "sources": [number]})
    return json.dumps({"sentences": sentences})


class Provider:
    """Files and batches, and the faults that are still to come."""

    def __init__(self):
        self.files, self.batches, self.asked = {}, {}, collections.Counter()
        self.bill = collections.Counter()
        self.faults = {"upload": 1, "create": 1, "status": 2, "truncated": 1}
        self.lock = threading.Lock()
        self.tokens = tokenizer.Tokenizer().count

    def fails(self, what):
        if self.faults.get(what, 0):
            self.faults[what] -= 1
            self.bill["faults"] += 1
            return True
        return False

    def create(self, request):
        number = len(self.batches) + 1
        out, errors = [], []
        for place, line in enumerate(self.files[request["input_file_id"]].splitlines(), 1):
            line = json.loads(line)
            name, body = line["custom_id"], line["body"]
            # In the first batch some requests fail, some expire, and some answers cannot be used.
            if number == 1 and place % 101 == 0:
                failed = {"status_code": 500, "body": {"error": {"message": "failed", "type": "server_error"}}}
                errors.append({"custom_id": name, "error": None, "response": failed})
                continue
            if number == 1 and place % 103 == 0:
                errors.append({"custom_id": name, "response": None, "error": {"code": "batch_expired", "message": "late"}})
                continue
            out.append(self.charged(name, body, is_bad=number == 1 and place % 107 == 0))
        batch = f"batch_{number}"
        for kind, lines in [("output", out[::-1]), ("error", errors)]:
            self.files[f"{kind}-{batch}"] = "".join(json.dumps(line) + "\n" for line in lines)
        self.batches[batch] = {"metadata": request.get("metadata"), "input_file_id": request["input_file_id"], "polls": 0,
                               "out": len(out), "errors": len(errors)}
        self.bill["batches"] += 1
        return batch

    def charged(self, name, body, is_bad):
        text = "".join(message["content"] for message in body["messages"])
        reply = "I would rather not." if is_bad else answer(body["messages"][-1]["content"])
        self.asked[text] += not is_bad
        self.bill["twice"] += self.asked[text] > 1
        used = {"prompt_tokens": self.tokens(text), "completion_tokens": self.tokens(reply)}
        self.bill["calls"] += 1
        self.bill["tokens_in"] += used["prompt_tokens"]
        self.bill["tokens_out"] += used["completion_tokens"]
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": reply}}
        whole = {"id": name, "object": "chat.completion", "created": 0, "model": "m", "choices": [choice],
                 "usage": used | {"total_tokens": sum(used.values())}}
        return {"id": f"r-{name}", "custom_id": name, "error": None, "response": {"status_code": 200, "body": whole}}

    def state(self, name):
        batch = self.batches[name]
        batch["polls"] += 1
        over = batch["polls"] > 2
        file = lambda kind, number: f"{kind}-{name}" if over and number else None
        counts = {"total": batch["out"] + batch["errors"], "completed": batch["out"] * over, "failed": batch["errors"] * over}
        return {"id": name, "object": "batch", "status": "completed" if over else "in_progress", "metadata": batch["metadata"],
                "input_file_id": batch["input_file_id"], "output_file_id": file("output", batch["out"]),
                "error_file_id": file("error", batch["errors"]), "request_counts": counts}


class Handler(http.server.BaseHTTPRequestHandler):
    provider = None
    protocol_version = "HTTP/1.1"

    def send(self, status, body, cut=False):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(body[: len(body) // 2] if cut else body)
        except OSError:
            pass  # The client was killed.
        self.close_connection = cut

    def do_GET(self):
        provider, path = self.provider, self.path.split("?")[0].strip("/").split("/")[1:]
        with provider.lock:
            match path:
                case ["batches"]:
                    self.send(200, {"object": "list", "has_more": False, "data": [provider.state(name) for name in provider.batches]})
                case ["batches", name] if name in provider.batches:
                    self.send(503, {}) if provider.fails("status") else self.send(200, provider.state(name))
                case ["files"]:
                    listed = [{"id": name, "filename": name} for name in provider.files if name.startswith("file-")]
                    self.send(200, {"object": "list", "has_more": False, "data": listed})
                case ["files", name, "content"] if name in provider.files:
                    self.send(200, provider.files[name].encode(), cut=provider.fails("truncated"))
                case _:
                    self.send(404, {})

    def do_DELETE(self):
        with self.provider.lock:
            name = self.path.rstrip("/").split("/")[-1]
            self.provider.files.pop(name, None)
            self.send(200, {"id": name, "deleted": True})

    def do_POST(self):
        provider, body = self.provider, self.rfile.read(int(self.headers["Content-Length"]))
        with provider.lock:
            if self.path.endswith("/embeddings"):
                number = len(json.loads(body)["input"])
                vector = [1.0] + [0.0] * (DIMENSION - 1)
                data = [{"index": index, "embedding": vector} for index in range(number)]
                self.send(200, {"data": data, "usage": {"prompt_tokens": 0, "total_tokens": 0}})
            elif self.path.endswith("/files"):
                text = body.decode()
                if provider.fails("upload"):
                    return self.send(500, {})
                name = f"file-{len(provider.files) + 1}"
                provider.files[name] = text[text.index('{"'): text.rindex("\r\n--")]
                self.send(200, {"id": name, "object": "file", "purpose": "batch"})
            elif self.path.endswith("/batches"):
                name = provider.create(json.loads(body))
                # The batch exists although its sender is told that it does not.
                self.send(504, {}) if provider.fails("create") else self.send(200, provider.state(name))
            else:
                provider.bill["direct"] += 1
                self.send(404, {})

    def log_message(self, *_):
        pass


def start():
    """Starts the server in this process. Returns its base URL and the provider."""
    Handler.provider = Provider()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1", Handler.provider
