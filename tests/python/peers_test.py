"""Tries `peers.py` on a few hundred rows: python tests/python/peers_test.py

Every peer answers with rows of the range alone and finds the nearest; bad input is refused with file and line; a late
peer is said to be late, one that breaks ends the run; ratios are peer / Annals.
"""

import json
import pathlib
import tempfile
import unittest

import numpy as np

from peer import exact, measure, sqlite_vec_fts5, table
from peer.export import BadInput, read_bounds, read_questions, read_rows
from peer.words import fused, words

ROWS, QUESTIONS = 300, 6
FIRST_DAY, DAY = 1_700_000_000_000_000, 86_400_000_000
SUBJECTS = ["boats", "gardens", "trains", "bread", "planets"]
ANNALS = {
    "rows": ROWS,
    "latency_ms": {"no_filter": {"p50": 2.0, "p95": 4.0}, "range": {"p50": 1.0, "p95": 2.0}},
    "resident_mb": 50.0,
    "build_s": 0.5,
    "recall@10": 99.0,
    "recall@10_range": 98.04,
}


def unit(count, seed):
    drawn = np.random.default_rng(seed).normal(size=(count, 384)).astype("<f4")
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def write_export(folder):
    rows = [
        {"id": f"m{n}", "text": f"note {n} about {SUBJECTS[n % 5]}", "at": FIRST_DAY + (n * 7 % ROWS) * DAY // 10}
        for n in range(ROWS)
    ]
    # The last is about nothing that any row says.
    about = [*SUBJECTS, "quartz"]
    questions = [{"id": f"q{n}", "text": f"who told them of the {subject}?"} for n, subject in enumerate(about)]
    write_lines(folder / "rows.jsonl", rows)
    write_lines(folder / "questions.jsonl", questions)
    unit(ROWS, 1).tofile(folder / "vectors.f32")
    unit(QUESTIONS, 2).tofile(folder / "questions.f32")
    (folder / "range.json").write_text(json.dumps({"from": FIRST_DAY + 3 * DAY, "to": FIRST_DAY + 6 * DAY}))


def write_lines(path, trees):
    path.write_text("".join(json.dumps(tree) + "\n" for tree in trees))


class WithExport(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        write_export(self.folder)


class Peers(WithExport):
    def check(self, name):
        truth = measure.truth(self.folder)
        self.assertEqual(int(truth.mask.sum()), 30)
        peer = measure.measure(name, self.folder, truth, deadline_minutes=5)
        self.assertNotIn("late", peer)
        self.assertEqual(peer["recall@10"], {"no_filter": 100.0, "range": 100.0})
        self.assertGreater(peer["resident_mb"], peer["bare_mb"])
        self.assertIn(f"| {peer['name']}", table.markdown({"peers": [peer]}))

    def test_sqlite_vec(self):
        self.check("sqlite-vec")

    def test_chroma(self):
        self.check("chroma")

    def test_faiss(self):
        self.check("faiss")

    def test_sqlite_vec_over_many_partitions(self):
        rows, questions, bounds = read_rows(self.folder), read_questions(self.folder), read_bounds(self.folder)
        before, sqlite_vec_fts5.ROWS_A_PARTITION = sqlite_vec_fts5.ROWS_A_PARTITION, 5
        self.addCleanup(setattr, sqlite_vec_fts5, "ROWS_A_PARTITION", before)
        sqlite_vec_fts5.build(self.folder, rows)
        memory = sqlite_vec_fts5.Memory(self.folder)
        self.assertEqual(memory.width, DAY)
        inside = np.flatnonzero((rows.at >= bounds.start) & (rows.at < bounds.end))
        nearest = inside[np.argsort(-(rows.vectors[inside] @ questions.vectors[0]))[:10]]
        self.assertEqual(memory.nearest(questions.vectors[0], bounds, 10), [rows.ids[number] for number in nearest])

    def test_width_of_partitions(self):
        for rows_a_day, days in [(5000, 1), (1000, 7), (200, 30), (1, 365)]:
            at = np.repeat(np.arange(400, dtype=np.int64) * DAY, rows_a_day)
            self.assertEqual(sqlite_vec_fts5.partition_width(at), days * DAY, rows_a_day)

    def test_a_late_peer_is_said_to_be_so(self):
        peer = measure.measure("sqlite-vec", self.folder, measure.truth(self.folder), deadline_minutes=1e-6)
        self.assertEqual(peer, {"key": "sqlite-vec", "late": "not built in 1e-06 minutes"})
        self.assertIn("not built in", table.markdown({"peers": [peer]}))

    def test_a_broken_peer_ends_the_run(self):
        arguments = ("sqlite-vec", str(self.folder / "absent"), str(self.folder))
        with self.assertRaisesRegex(RuntimeError, "sqlite-vec was not built: BadInput: .*/absent/rows.jsonl"):
            measure.in_process("built", measure.build, arguments, 5)

    def test_an_answer_outside_the_range_is_refused(self):
        truth = measure.truth(self.folder)
        outside = truth.rows.ids[int(np.flatnonzero(~truth.mask)[0])]
        answers = {"fused": [[outside]], "nearest": []}
        self.assertRaisesRegex(RuntimeError, "outside the range", measure.checked_recall, "a", "range", answers, truth)
        answers = {"fused": [["nobody"]], "nearest": []}
        self.assertRaisesRegex(RuntimeError, "not in rows", measure.checked_recall, "a", "no_filter", answers, truth)


class BadInputs(WithExport):
    def check(self, read, name, content, expect):
        (self.folder / name).write_bytes(content)
        with self.assertRaises(BadInput) as raised:
            read(self.folder)
        self.assertEqual(str(raised.exception), f"{self.folder}/{expect}")

    def test_rows(self):
        good = b'{"id": "a", "text": "b", "at": 1}\n'
        for content, expect in [
            (b"", "rows.jsonl: is empty"),
            (good + b"{", "rows.jsonl:2: is not JSON: Expecting property name enclosed in double quotes at column 2"),
            (good + b"[]", "rows.jsonl:2: is not an object"),
            (b'{"id": "a", "at": 1}', 'rows.jsonl:1: has no "text"'),
            (b'{"id": "a", "text": "b", "at": "1"}', 'rows.jsonl:1: "at" is not a whole number'),
            (b'{"id": "a", "text": "b", "at": true}', 'rows.jsonl:1: "at" is not a whole number'),
            (b'{"id": 1, "text": "b", "at": 1}', 'rows.jsonl:1: "id" is not a string'),
            (good * 2, 'rows.jsonl:2: id "a" was on line 1 already'),
            (good + b'{"\xff\n', "rows.jsonl:2: is not UTF-8: invalid start byte at byte 3"),
        ]:
            with self.subTest(expect):
                self.check(read_rows, "rows.jsonl", content, expect)

    def test_vectors(self):
        size = "vectors.f32: has 1 bytes; rows.jsonl has 300 lines, so they should be 300 × 384 × 4 = 460800"
        self.check(read_rows, "vectors.f32", b"x", size)
        long = unit(ROWS, 1)
        long[41] *= 2
        self.check(read_rows, "vectors.f32", long.tobytes(), "vectors.f32: vector 42 has length 2.0000, not 1")
        long[41] = np.nan
        self.check(read_rows, "vectors.f32", long.tobytes(), "vectors.f32: vector 42 has length nan, not 1")

    def test_questions(self):
        self.check(read_questions, "questions.jsonl", b'{"id": "a"}', 'questions.jsonl:1: has no "text"')

    def test_range(self):
        self.check(read_bounds, "range.json", b'{"from": 1}', 'range.json:1: has no "to"')
        self.check(read_bounds, "range.json", b'{"from": 2, "to": 2}', 'range.json: "from" (2) is not before "to" (2)')
        expect = "range.json: holds 0 of 300 rows; 10 are asked for"
        self.check(measure.truth, "range.json", b'{"from": 2, "to": 3}', expect)
        (self.folder / "range.json").unlink()
        self.assertRaisesRegex(BadInput, "range.json: .*No such file", read_bounds, self.folder)

    def test_annals(self):
        path = self.folder / "annals.json"
        for given, expect in [
            ({**ANNALS, "rows": 299}, "is of 299 rows, the export has 300"),
            ({**ANNALS, "build_s": None}, '"build_s" is missing or not a number'),
            ({**ANNALS, "recall@10": 0.99}, '"recall@10" is 0.99, which is not in percent'),
            ({**ANNALS, "latency_ms": {}}, '"latency_ms.no_filter.p50" is missing or not a number'),
        ]:
            path.write_text(json.dumps(given))
            self.assertRaisesRegex(BadInput, expect, table.read_annals, path, ROWS)
        path.write_text(json.dumps(ANNALS))
        self.assertEqual(table.read_annals(path, ROWS), ANNALS)


class Parts(unittest.TestCase):
    def test_words(self):
        for text, expect in [
            ("Did the cat sleep?", ["did", "cat", "sleep"]),
            ("to be or not to be", ["to", "be", "or", "not", "to", "be"]),
            ('a "quoted" -word*', ["quoted", "word"]),
            ("?!", []),
        ]:
            self.assertEqual(words(text), expect)

    def test_fusion(self):
        self.assertEqual(fused([["a", "b"], ["b", "c"]], 3), ["b", "a", "c"])
        self.assertEqual(fused([["a", "b"], []], 1), ["a"])

    def test_recall_counts_equals_and_nothing_else(self):
        rows = np.eye(4, 384, dtype=np.float32)[[0, 0, 1, 2]]
        question = rows[:1]
        kth = exact.kth_cosines(rows, question, 1)
        for found, expect in [([0], 1), ([1], 1), ([2], 0), ([], 0)]:
            self.assertEqual(exact.recall(rows, question, kth, [found], 1), expect)
        masked = exact.kth_cosines(rows, question, 1, np.array([False, False, True, True]))
        self.assertEqual(exact.recall(rows, question, masked, [[2]], 1), 1)

    def test_kth_over_many_blocks(self):
        rows, questions = unit(ROWS, 1), unit(QUESTIONS, 2)
        whole = np.sort(questions @ rows.T, axis=1)[:, -10]
        exact.BLOCK, before = 64, exact.BLOCK
        try:
            np.testing.assert_allclose(exact.kth_cosines(rows, questions, 10), whole, atol=1e-6)
        finally:
            exact.BLOCK = before

    def test_ratios_are_peer_by_annals(self):
        peer = {
            **ANNALS,
            "name": "P",
            "note": "n",
            "resident_mb": 100.0,
            "recall@10": {"no_filter": 90.0, "range": 100.0},
        }
        peer["ratios"] = table.ratios(peer, ANNALS)
        self.assertEqual(peer["ratios"]["resident_mb"], 2.0)
        self.assertEqual(peer["ratios"]["latency_ms.no_filter.p50"], 1.0)
        self.assertEqual(
            table.markdown({"annals": ANNALS, "peers": [peer]}).splitlines()[2:],
            [
                "| Annals | 2.00 / 4.00 | 1.00 / 2.00 | 50.0 | 0.50 | 99.0 / 98.0 |",
                "| P: n | 2.00 / 4.00 (× 1.00 / 1.00) | 1.00 / 2.00 (× 1.00 / 1.00) "
                "| 100 (× 2.00) | 0.50 (× 1.00) | 90.0 / 100.0 |",
            ],
        )


if __name__ == "__main__":
    unittest.main()
