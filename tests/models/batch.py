"""Rolls up years of a diary in batches of a provider that fails, with the process killed twice, through the command.

Every period must be written once, nothing may be paid twice, what is booked must be the bill, and the estimate of `rollup --dry-run` must be
within ten per cent of the bill. MESSAGES are of one agent. Prints figures as Markdown.

    python3 tests/models/batch.py ANNALS MESSAGES.jsonl
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import batch_server

# Dollars for a million tokens, to compare the estimate with the bill in money: cheap and dear answers.
PRICES = [(0.15, 0.6), (0.25, 2.0)]
GRAINS = ["daily", "weekly", "monthly", "quarterly", "yearly"]


class Annals:
    """The command over a folder of its own."""

    def __init__(self, program, data, url, after):
        self.command = [program, "--data", str(data), "--now", after]
        (data / "annals.toml").write_text(
            f'[models]\nbase_url = "{url}"\nmodel = "m"\nwindow = 65536\n[models.extraction]\noff = true\n'
            f'[embedder]\nbase_url = "{url}"\nmodel = "e"\ndimension = {batch_server.DIMENSION}\n'
        )

    def run(self, *args):
        done = subprocess.run([*self.command, *args], capture_output=True, text=True)
        assert done.returncode == 0, (args, done.stdout, done.stderr)
        return done.stdout

    def json(self, *args):
        return json.loads(self.run("--json", *args))

    def roll_up(self, kill_after=None):
        """Rolls up in batches. Kills the process after a line with this word."""
        command = [*self.command, "rollup", "--batch", "--budget", "1000000000"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        lines = []
        for line in process.stdout:
            lines.append(line)
            if kill_after and kill_after in line:
                process.kill()
                break
        process.wait()
        assert not kill_after or kill_after in lines[-1], lines
        return lines


def errors(estimates, agent):
    """Prints tokens of estimate and bill by purpose. Returns the errors of the estimate in money, in per cent, at each price."""
    sums = {name: [0, 0, 0, 0] for name in GRAINS}
    for estimate in estimates:
        sums[estimate["purpose"]][:2] = estimate["tokens_in"], estimate["tokens_out"]
    for usage in agent["usage"]:
        sums[usage["purpose"]][2] += usage["tokens_in"]
        sums[usage["purpose"]][3] += usage["tokens_out"]
    sums["all"] = [sum(each) for each in zip(*sums.values())]
    print("| | tokens in, estimated | out, estimated | in, billed | out, billed |\n| --- | --- | --- | --- | --- |")
    for name, tokens in sums.items():
        print(f"| {name} |", " | ".join(str(count) for count in tokens), "|")
    money = lambda tokens, price: tokens[0] * price[0] + tokens[1] * price[1]
    return [100 * (money(sums["all"][:2], price) / money(sums["all"][2:], price) - 1) for price in PRICES]


def check(annals, provider, due):
    """Compares what is stored and booked with the bill. Returns the state of the agent."""
    agent = annals.json("status")["agents"][0]
    written = sum(agent["memories"][grain] for grain in GRAINS)
    assert written == due, (written, due)
    booked = {name: sum(one[name] for one in agent["usage"] if one["batch"]) for name in ["calls", "tokens_in", "tokens_out"]}
    assert all(booked[name] == provider.bill[name] for name in booked), (booked, provider.bill)
    assert provider.bill["twice"] == 0 and provider.bill["direct"] == 0, provider.bill
    assert not any(provider.faults.values()), provider.faults
    return agent


def main():
    program, messages = (str(pathlib.Path(argument).absolute()) for argument in sys.argv[1:3])
    last = max(json.loads(line)["at"] for line in open(messages, encoding="utf-8"))
    url, provider = batch_server.start()
    data = pathlib.Path(tempfile.mkdtemp())
    annals = Annals(program, data, url, f"{int(last[:4]) + 2}-01-15T00:00:00Z")
    annals.run("import", messages)
    plan = annals.json("rollup", "--dry-run")[0]
    due = len(plan["periods"])
    begun = time.monotonic()
    annals.roll_up(kill_after="sent")
    annals.roll_up(kill_after="wrote")
    annals.roll_up()
    took = time.monotonic() - begun
    bill = dict(provider.bill)
    agent = check(annals, provider, due)
    print(f"{bill}; {took:.0f} s; {agent['memories']}", flush=True)
    off = errors(plan["estimates"], agent)
    print(", ".join(f"at ${price[0]} and ${price[1]} a million the estimate is {error:+.1f} % of the bill" for price, error in zip(PRICES, off)), flush=True)
    annals.roll_up()
    assert dict(provider.bill) == bill, "a further roll-up asked again"
    assert annals.json("verify")["sound"]
    assert all(abs(error) <= 10 for error in off), off
    shutil.rmtree(data)


if __name__ == "__main__":
    main()
