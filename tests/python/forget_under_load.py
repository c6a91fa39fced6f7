"""Forgets a conversation through a service while four clients send messages to its agent all the time.

  forget_under_load.py ANNALS     prints how long the forgetting took, and the rate of messages
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PORT = 7795
MESSAGES = f"http://127.0.0.1:{PORT}/v1/agents/ann/messages"
LONGEST = 600
# Without it a busy service answers 429: more than it can embed waits.
PAUSE = 0.04


def message(number, content):
    return {"role": "user", "name": "Ann", "id": number, "content": content}


def send(conversation, *messages):
    body = json.dumps({"conversation": conversation, "messages": messages}).encode()
    urllib.request.urlopen(urllib.request.Request(MESSAGES, body, {"content-type": "application/json"})).read()


class Client(threading.Thread):
    def __init__(self, name):
        super().__init__()
        self.client, self.sent, self.stopped = name, 0, False

    def run(self):
        while not self.stopped:
            send("live", message(f"{self.client}-{self.sent}", f"Message {self.sent} of {self.client} went to Turin."))
            self.sent += 1
            time.sleep(PAUSE)


def measure(annals, folder):
    clients = [Client(f"client {number}") for number in range(4)]
    for client in clients:
        client.start()
    time.sleep(5)
    before, begun = sum(client.sent for client in clients), time.monotonic()
    command = [annals, "forget", "--agent", "ann", "--conversation", "old", "--yes", "--data", folder]
    try:
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=LONGEST)
        print(f"forgotten after {time.monotonic() - begun:.1f} s")
    except subprocess.TimeoutExpired:
        print(f"not forgotten after {LONGEST} s")
    print(f"{(sum(client.sent for client in clients) - before) / (time.monotonic() - begun):.0f} messages a second")
    for client in clients:
        client.stopped = True
        client.join()


def main():
    annals = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "annals.toml").write_text("[limits]\nrequests_per_minute = 1000000\nburst = 1000000\n")
        service = subprocess.Popen(
            [annals, "serve", "--listen", f"127.0.0.1:{PORT}", "--data", folder], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        service.stdout.readline()
        send("old", message("1", "I bought a lamp in Turin."), message("2", "It cost nineteen euros."))
        measure(annals, folder)
        service.terminate()
        service.wait()


main()
