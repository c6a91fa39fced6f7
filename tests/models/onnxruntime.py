"""Embeds the first 400 messages of a file by ONNX Runtime alone and then by Annals' embedder, with the built-in model, in one run.

ONNX Runtime gets the same texts two ways: one after another on all processors, and one on each processor. The network takes one text at
a time. Annals' figures are those of `cargo run -p annals-embedder --example measure_embedder`, which this starts. Processor
time is what embedding costs; elapsed time also depends on what else runs.

    pip install onnxruntime==1.32.0 tokenizers numpy
    python3 onnxruntime.py MEASURE_EMBEDDER MESSAGES.jsonl
"""

import concurrent.futures
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

# The name of this file is also the package's.
sys.path.pop(0)
import numpy
import onnxruntime
import tokenizers

MODEL = pathlib.Path(__file__).resolve().parents[2] / "models" / "all-MiniLM-L6-v2"
TEXTS, QUESTIONS = 400, 100


def session(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(MODEL / "model.onnx"), options, providers=["CPUExecutionProvider"])


def vector(network, encoded):
    """Returns the mean of the vectors of the tokens, scaled to length 1."""
    rows = {"input_ids": encoded.ids, "attention_mask": [1] * len(encoded.ids), "token_type_ids": encoded.type_ids}
    inputs = {one.name: numpy.array([rows[one.name]], dtype=numpy.int64) for one in network.get_inputs()}
    tokens = network.run(None, inputs)[0]
    mean = tokens[0].mean(axis=0)
    return mean / numpy.linalg.norm(mean)


def measured(name, texts, work):
    for number in range(1, 4):
        began, before = time.monotonic(), time.process_time()
        work()
        each = lambda seconds: seconds * 1000 / len(texts)
        elapsed, used = each(time.monotonic() - began), each(time.process_time() - before)
        print(f"{name}, round {number}: {elapsed:.2f} ms elapsed, {used:.2f} ms of processor time a text", flush=True)


def one_by_one(network, tokenizer, texts):
    times = []
    for text in texts[:QUESTIONS]:
        began = time.monotonic()
        vector(network, tokenizer.encode(text))
        times.append((time.monotonic() - began) * 1000)
    times.sort()
    print(f"  one by one: median {statistics.median(times):.1f} ms, 95th percentile {times[len(times) * 95 // 100]:.1f} ms")


def main():
    program, messages = sys.argv[1:3]
    texts = [json.loads(line)["content"] for line in open(messages, encoding="utf-8")][:TEXTS]
    tokenizer = tokenizers.Tokenizer.from_file(str(MODEL / "tokenizer.json"))
    tokenizer.enable_truncation(256)
    processors = os.cpu_count()
    print(f"{len(texts)} texts, {sum(len(tokenizer.encode(text).ids) for text in texts)} tokens, {processors} processors")

    whole = session(processors)
    one = lambda network, text: vector(network, tokenizer.encode(text))
    [one(whole, text) for text in texts[:20]]
    measured("ONNX Runtime, one text on all processors", texts, lambda: [one(whole, text) for text in texts])
    one_by_one(whole, tokenizer, texts)

    single = [session(1) for _ in range(processors)]

    def part(number):
        for text in texts[number::processors]:
            one(single[number], text)

    with concurrent.futures.ThreadPoolExecutor(processors) as threads:
        measured("ONNX Runtime, one text on each processor", texts, lambda: list(threads.map(part, range(processors))))

    sys.stdout.flush()
    subprocess.run([program, messages], check=True)


if __name__ == "__main__":
    main()
