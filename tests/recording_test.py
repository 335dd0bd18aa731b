"""`braid watch --record` and `braid replay`: what was recorded goes the same way again, or the difference is said."""

import json
import signal
import subprocess

from braid_runs import BRAID, CLIP, TIMEOUT_S, BraidTest, main

# More frames than the encoder takes, of which a full lane drops some.
UNDER_LOAD = ("--realtime", "--no-novelty", "--fps", 30, "--sample-fps", 30, "--ask", "What do you see?", "--every",
              "1500ms", "--ask", "What was said?")


class Recordings(BraidTest):
    def record(self, name, *arguments):
        path = self.folder / name
        run = self.watch(CLIP, "--json", "--max-tokens", 12, "--record", path, *arguments)
        return path, run

    def replay(self, path, *arguments, code=0):
        command = [BRAID, "replay", str(path), "--json", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}\n{done.stderr}")
        return json.loads(done.stdout) if done.stdout else done.stderr

    def test_a_session_under_load_goes_the_same_way(self):
        path, run = self.record("load", *UNDER_LOAD, "--threads", 2)
        told = self.replay(path)
        self.assertNotIn("difference", told)
        self.assertEqual(told["recording"], "whole")
        self.assertEqual(told["answers"], len(run.of("answer")))
        self.assertGreater(told["dropped"], 0, "it was no load")
        self.assertEqual(told["decisions"], len(run.of("frame", "utterance")))
        self.assertGreater(told["steps"], told["answers"])
        self.assertEqual(self.replay(path, "--speed", 20), told)
        self.flipped_bytes_are_told(path)
        self.what_is_cut_is_replayed_up_to_there(path, told)

    def flipped_bytes_are_told(self, path):
        content = bytearray(path.read_bytes())
        for at in (9, len(content) // 3, len(content) - 1):
            content[at] ^= 1
            flipped = self.write("flipped", bytes(content))
            self.assertIn("altered", self.replay(flipped, code=3))
            content[at] ^= 1

    def what_is_cut_is_replayed_up_to_there(self, path, whole):
        content = path.read_bytes()
        told = self.replay(self.write("cut", content[: len(content) * 2 // 3]))
        self.assertEqual(told["recording"], "cut")
        self.assertNotIn("difference", told)
        self.assertLess(0, told["windows"])
        self.assertLess(told["windows"], whole["windows"])

    def test_the_model_says_the_same_with_another_number_of_threads(self):
        path, run = self.record("model", "--deterministic", "--ask", "What do you see?", "--at", "2", "--threads", 2)
        told = self.replay(path, "--with-model", "--threads", 1)
        self.assertNotIn("difference", told)
        self.assertEqual(told["answers"], len(run.of("answer")))
        self.assertGreater(told["tokens"], 0)

    def test_a_killed_run_leaves_what_was_until_then(self):
        path = self.folder / "killed"
        command = [BRAID, "watch", CLIP, "--json", "--record", path, *UNDER_LOAD]
        with subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True) as run:
            seen = 0
            for line in run.stdout:
                seen += json.loads(line)["type"] == "frame"
                if seen == 4:
                    break
            run.send_signal(signal.SIGKILL)
        told = self.replay(path)
        self.assertEqual(told["recording"], "cut")
        self.assertNotIn("difference", told)
        self.assertGreater(told["decisions"], 2)

    def test_a_file_that_is_there_is_not_written_over(self):
        path = self.write("mine", "mine")
        run = self.watch(CLIP, "--json", "--record", path, "--ask", "What?", code=2)
        self.assertIn("is there already", run.events[0]["message"])
        self.assertEqual(path.read_text(), "mine")


if __name__ == "__main__":
    main()
