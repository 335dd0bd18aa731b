"""The benchmark's arithmetic: what a figure, a goal and an allocation's owner are."""

import os
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import limits
import live_serving
import ours
import pictures
import serving
import turns
import update_docs
from table import Table, summary


def packed_string(text):
    return struct.pack("<Q", len(text)) + text.encode()


def tiny_gguf(path):
    """Two tensors: a tied table of 64 x 32 in Q8_0 and a layer of 32 x 32 in F32."""
    with open(path, "wb") as file:
        file.write(b"GGUF" + struct.pack("<IQQ", 3, 2, 2))
        file.write(packed_string("a.list") + struct.pack("<IIQ", 9, 4, 2) + struct.pack("<II", 1, 2))
        file.write(packed_string("a.name") + struct.pack("<I", 8) + packed_string("tiny"))
        for name, shape, kind in (("token_embd.weight", (32, 64), 8), ("blk.0.ffn.weight", (32, 32), 0)):
            file.write(packed_string(name) + struct.pack("<IQQIQ", 2, *shape, kind, 0))


class BenchTest(unittest.TestCase):
    def test_a_tied_table_is_read_once_a_token_and_layers_alone_cost_prefill(self):
        with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
            tiny_gguf(file.name)
            work = limits.work_of(file.name)
        self.assertEqual(work["decode_bytes_per_token"], 32 * 64 // 32 * 34 + 32 * 32 * 4)
        self.assertEqual(work["prefill_flop_per_row"], 2 * 32 * 32)

    def test_a_file_that_is_no_gguf_is_refused(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"not a model at all")
            file.flush()
            with self.assertRaises(ValueError):
                limits.work_of(file.name)

    def test_a_ratio_says_how_many_times_shorter_ours_is_and_the_goal_is_held_against_it(self):
        table = Table()
        table.against("met", summary([10, 11, 9]), summary([30, 29, 31]), 3)
        table.against("missed", summary([10]), summary([29]), 3)
        self.assertEqual([row[3] for row in table.rows], ["3.00x", "2.90x"])
        self.assertEqual([row[5] for row in table.rows], ["yes", "NO"])

    def test_an_allocation_belongs_to_the_innermost_code_that_is_not_the_allocator(self):
        new = "operator new(unsigned long)"
        self.assertEqual(ours.owner_of({"owner": "ours", "stack": [new, "std::vector<int>::grow()", "braid::kv::Timeline::take()"]}), "ours")
        self.assertEqual(ours.owner_of({"owner": "ours", "stack": ["av_malloc", "braid::ingest::read()"]}), "ffmpeg")
        self.assertEqual(ours.owner_of({"owner": "tokenizer", "stack": [new, "braid::engine::tokenize()"]}), "tokenizer")

    def test_the_interval_of_a_ratio_holds_it_and_narrows_with_rounds_that_agree(self):
        ratio, low, high = serving.interval([10, 11, 9, 10, 10], [10, 10, 10, 10, 10])
        self.assertLess(low, ratio)
        self.assertLess(ratio, high)
        alike = serving.interval([10, 10, 10], [8, 8, 8])
        self.assertAlmostEqual(alike[0], 1.25)
        self.assertAlmostEqual(alike[1], alike[2])
        self.assertEqual(serving.interval([10], [8])[1:], (0.0, float("inf")))

    def test_sessions_are_held_up_to_the_first_level_that_is_late(self):
        samples = {f"live_{level}_p99_ms": [late] for level, late in ((1, 100), (2, 900), (4, 1200), (8, 500))}
        self.assertEqual(live_serving.held("", samples), 2)
        self.assertEqual(live_serving.held("peer_", samples), 0)

    def test_questions_of_live_sessions_are_spread_and_none_comes_before_the_warm_up(self):
        times = [live_serving.Times(number, 4, 45).questions for number in range(4)]
        self.assertEqual([questions[0] for questions in times], [10, 12.5, 15, 17.5])
        self.assertTrue(all(len(questions) >= 3 for questions in times))

    def test_ends_of_turns_are_late_early_or_missing(self):
        said = [[1, 2], [3, 4], [6, 7]]
        delays, cut, missed = turns.score(said, [(1.5, 0), (2.25, 10), (4.5, 0)])
        self.assertEqual((delays, cut, missed), ([260, 500], 1, 1))
        self.assertEqual(turns.quantile([3, 1, 2, 4], .5), 2)
        self.assertEqual(turns.quantile(range(1, 101), .95), 95)

    def test_a_new_table_replaces_the_old_and_nothing_else(self):
        page = "before\n<!-- table: x -->\nold\n<!-- end of table -->\nafter\n"
        once = update_docs.updated(page, "| new |\n")
        self.assertEqual(once, "before\n<!-- table: x -->\n\n| new |\n\n<!-- end of table -->\nafter\n")
        self.assertEqual(update_docs.updated(once, "| new |"), once)
        with self.assertRaises(ValueError):
            update_docs.updated("no marks", "| new |")

    def test_pictures_differ_and_repeat_by_seed(self):
        self.assertEqual(pictures.rows_of(1), pictures.rows_of(1))
        self.assertNotEqual(pictures.rows_of(1), pictures.rows_of(2))
        self.assertEqual({len(row) for row in pictures.rows_of(1)}, {3 * pictures.WIDTH})


if __name__ == "__main__":
    unittest.main()
