"""`braid models`, and files that are none: shown, refused in a sentence, never the end of the process."""
import json
import os
import subprocess
import sys
from pathlib import Path
from unittest import main

from braid_runs import BRAID, ROOT, SAMPLES, TIMEOUT_S, BraidTest

sys.path.insert(0, str(ROOT / "tools"))
from models import damage  # noqa: E402

TINY = Path(os.environ["BRAID_TINY_MODELS"])
DONE, USAGE, BAD_INPUT, RESOURCE = 0, 2, 3, 4
NOTES = "1\n00:00:01,000 --> 00:00:02,000\nThe press starts.\n"


def tiny(name):
    return TINY / f"{name}.gguf"


def braid(*arguments):
    return subprocess.run([BRAID, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=TIMEOUT_S)


class Facts(BraidTest):
    def show(self, *arguments):
        done = braid("models", "show", *arguments, "--json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        return json.loads(done.stdout)

    def test_a_pair_says_what_it_takes_and_needs(self):
        facts = self.show(tiny("qwen2.5omni"), "--mmproj", tiny("qwen2.5omni-mmproj"), "--window", 1024)
        self.assertEqual((facts["family"], facts["quantisation"], facts["trained_context"]), ("qwen2vl", "F32", 4096))
        self.assertEqual(facts["encoders"]["family"], "qwen2.5o")
        self.assertTrue(facts["sees"] and facts["hears"])
        # 2 layers, one KV head of 32 for keys and one for values, two bytes each
        self.assertEqual(facts["memory"]["cache"], 1024 * 2 * 2 * 32 * 2)
        self.assertEqual((facts["sound_rows"], facts["ten_seconds_rows"]), (752, 752))

    def test_what_a_state_and_two_way_attention_forbid_is_said(self):
        hybrid = self.show(tiny("lfm2vl"), "--mmproj", tiny("lfm2vl-mmproj"))
        self.assertFalse(hybrid["can_hide_ranges"])
        self.assertTrue(self.show(tiny("gemma3"), "--mmproj", tiny("gemma3-mmproj"))["indivisible_media"])

    def test_encoders_and_adapters_are_told_by_their_headers(self):
        self.assertEqual(self.show(tiny("ultravox-mmproj"))["kind"], "encoders")
        self.assertEqual(self.show(ROOT / "models/nano/lora-nano.gguf")["kind"], "adapter")

    def test_the_default_model_is_shown_for_people_too(self):
        done = braid("models", "show")
        self.assertEqual(done.returncode, DONE, done.stderr)
        self.assertIn("mapped from the file", done.stdout)
        self.assertIn("nemotron_v2_vl + dots3note_a", done.stdout)

    def test_a_measurement_tells_each_time(self):
        done = braid("models", "bench", tiny("smolvlm"), "--mmproj", tiny("smolvlm-mmproj"), "--rounds", 1, "--json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        times = json.loads(done.stdout)
        self.assertEqual((times["type"], times["prefill_rows"], times["sound_ms"]), ("model_bench", 512, None))
        for part in ("prefill_ms", "decode_ms", "picture_ms"):
            self.assertGreater(times[part], 0)

    def test_cached_files_are_listed_with_their_hashes(self):
        done = braid("models", "list", "--json")
        self.assertEqual(done.returncode, DONE, done.stderr)
        files = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([file["role"] for file in files[:3]], ["language model", "encoders", "speech detector"])
        self.assertEqual((files[0]["family"], files[0]["quantisation"]), ("llama", "Q8_0"))
        self.assertEqual(len({os.path.realpath(file["path"]) for file in files}), len(files))

    def test_weights_are_mapped_from_the_file(self):
        """The model's pages are the file's: shared, and not one of them written."""
        run = subprocess.Popen([BRAID, "serve", "--port", "0", "-m", tiny("text")], stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        while "listening" not in run.stderr.readline():
            self.assertIsNone(run.poll())
        lines = Path(f"/proc/{run.pid}/smaps").read_text().splitlines()
        starts = [i for i, line in enumerate(lines) if line.endswith("text.gguf")]
        sizes = [line.split() for i in starts for line in lines[i:i + 20]]
        mapped = sum(int(words[1]) for words in sizes if words[0] == "Size:")
        self.assertGreaterEqual(mapped, tiny("text").stat().st_size // 1024)
        self.assertEqual({words[1] for words in sizes if words[0] == "Private_Dirty:"}, {"0"})


class Damaged(BraidTest):
    """More than ninety files; what a whole one says is refused or, where nothing is wrong with it for us, run."""

    # Of no use to anybody, but nothing that llama.cpp can't load.
    HARMLESS = {"types-missing", "norm-nan", "end-token-out-of-range", "no-context", "image-of-57"}

    def expect_refused(self, name, done):
        self.assertIn(done.returncode, (BAD_INPUT, RESOURCE), f"{name}: {done.returncode} {done.stdout} {done.stderr[-600:]}")
        self.assert_one_sentence(done.stderr.removeprefix("braid: loading the model\n"))
        self.assertNotIn("no reason given", done.stderr, name)

    def refused_by_show(self, damaged, *rest):
        for name, content in damaged.items():
            with self.subTest(name):
                done = braid("models", "show", *self.placed(self.write("damaged.gguf", content), *rest))
                if name not in self.HARMLESS or done.returncode != DONE:
                    self.expect_refused(name, done)

    def placed(self, damaged, *rest):
        return [damaged if part is None else part for part in (rest or (None,))]

    def test_models_are_refused(self):
        self.refused_by_show(damage.damaged_models(tiny("llava").read_bytes()))

    def test_encoders_are_refused(self):
        self.refused_by_show(damage.damaged_encoders(tiny("llava-mmproj").read_bytes()), tiny("llava"), "--mmproj", None)

    def test_watch_and_serve_refuse_them_too(self):
        notes = self.write("notes.srt", NOTES)
        models = damage.damaged_models(tiny("llava").read_bytes())
        for name in ("cut-at-300", "big-endian", "tensors-overlap", "no-heads", "rows-of-96", "fewer-tokens"):
            path = self.write("damaged.gguf", models[name])
            self.expect_refused(name, braid("watch", notes, "-m", path, "--ask", "What?"))
        self.expect_refused(name, braid("serve", "--port", "0", "-m", path))
        encoders = damage.damaged_encoders(tiny("llava-mmproj").read_bytes())
        for name in ("patch-of-0", "encoder-without-heads", "norm-missing"):
            path = self.write("damaged.gguf", encoders[name])
            self.expect_refused(name, braid("watch", notes, "-m", tiny("llava"), "--mmproj", path, "--ask", "What?"))

    def test_files_in_each_others_places_are_told_apart(self):
        for arguments in ((tiny("llava-mmproj"), "--mmproj", tiny("llava")), (tiny("llava"), "--mmproj", tiny("gemma3")),
                          (tiny("llava"), "--mmproj", ROOT / "models/nano/mmproj-nano.gguf"),
                          (SAMPLES / "clip.mp4",), (ROOT,), ("/nowhere.gguf",)):
            with self.subTest(arguments):
                self.expect_refused(arguments, braid("models", "show", *arguments))

    def test_a_wrong_window_is_a_usage_error(self):
        self.assertEqual(braid("models", "show", tiny("text"), "--window", 0).returncode, USAGE)


class Mutations(BraidTest):
    """Headers with a few bytes changed: run or refused, in the one family after the other."""

    NAMES = ("text", "sliding", "llava", "qwen2.5vl", "lfm2vl", "gemma3")

    def test_none_ends_the_process(self):
        for seed in range(int(os.environ.get("BRAID_MUTATIONS", "40"))):
            name = self.NAMES[seed % len(self.NAMES)]
            path = self.write("mutated.gguf", damage.mutated(tiny(name).read_bytes(), seed))
            done = braid("models", "show", path)
            with self.subTest(seed=seed, name=name):
                self.assertIn(done.returncode, (DONE, BAD_INPUT, RESOURCE), done.stderr[-600:])


if __name__ == "__main__":
    main()
