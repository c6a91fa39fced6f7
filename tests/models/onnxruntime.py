"""Embeds the first 400 messages of a file by ONNX Runtime alone and then by Annals' embedder, with the built-in model, in one run.

ONNX Runtime gets the same texts three ways: one after another on all processors, one on each processor, and in padded batches of texts
of similar length. Annals' figures are those of `cargo run -p annals-embedder --example measure_embedder`, which this starts. Processor
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
TEXTS, BATCH, QUESTIONS = 400, 32, 100


def session(threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(str(MODEL / "model.onnx"), options, providers=["CPUExecutionProvider"])


def vectors(network, encoded):
    """Returns one vector of length 1 for each text: the mean of the vectors of its tokens."""
    length = max(len(one.ids) for one in encoded)
    padded = lambda row: list(row) + [0] * (length - len(row))
    rows = {
        "input_ids": [padded(one.ids) for one in encoded],
        "attention_mask": [padded([1] * len(one.ids)) for one in encoded],
        "token_type_ids": [padded(one.type_ids) for one in encoded],
    }
    inputs = {one.name: numpy.array(rows[one.name], dtype=numpy.int64) for one in network.get_inputs()}
    (tokens,) = network.run(None, inputs)[:1]
    mask = numpy.array(rows["attention_mask"])[:, :, None]
    means = (tokens * mask).sum(axis=1) / mask.sum(axis=1)
    return means / numpy.linalg.norm(means, axis=1, keepdims=True)


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
        vectors(network, [tokenizer.encode(text)])
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
    vectors(whole, tokenizer.encode_batch(texts[:20]))
    measured("one text on all processors", texts, lambda: [vectors(whole, [tokenizer.encode(text)]) for text in texts])
    one_by_one(whole, tokenizer, texts)

    single = [session(1) for _ in range(processors)]

    def part(number):
        for text in texts[number::processors]:
            vectors(single[number], [tokenizer.encode(text)])

    with concurrent.futures.ThreadPoolExecutor(processors) as threads:
        measured("one text on each processor", texts, lambda: list(threads.map(part, range(processors))))

    def batches():
        ordered = sorted(tokenizer.encode_batch(texts), key=lambda one: len(one.ids))
        for begin in range(0, len(ordered), BATCH):
            vectors(whole, ordered[begin : begin + BATCH])

    measured(f"batches of {BATCH}", texts, batches)
    sys.stdout.flush()
    subprocess.run([program, messages], check=True)


if __name__ == "__main__":
    main()
