"""A chat model for tests: it repeats the first lines of what it is asked, and fails where a test wants it to."""

import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    """`refuse` takes the prompt of a summary and returns why the model fails, as text of an answer or as a status with a message."""

    def __init__(self, refuse=lambda prompt: None):
        handler = type("Handler", (Answers,), {"refuse": staticmethod(refuse)})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server.server_port}/v1"


class Answers(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        # A second attempt comes with the first prompt.
        prompt = "\n".join(message["content"] for message in asked["messages"] if message["role"] == "user")
        is_summary = "operations" not in str(asked)
        refusal = self.refuse(prompt) if is_summary else None
        if isinstance(refusal, tuple):
            return self.reply(refusal[0], {"error": {"message": refusal[1]}})
        text = refusal or json.dumps(self.answer(prompt, is_summary))
        used = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(text) // 4, "total_tokens": 0}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        self.reply(200, {"id": "1", "object": "chat.completion", "created": 1, "model": asked["model"], "choices": [choice], "usage": used})

    @staticmethod
    def answer(prompt, is_summary):
        if not is_summary:
            return {"facts": [], "operations": []}
        sources = re.findall(r"^\[(\d+)\] (?:\S+ )?(.+)$", prompt, re.MULTILINE)[:3]
        return {"sentences": [{"text": text[:200], "day": None, "sources": [int(number)]} for number, text in sources]}

    def reply(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass
