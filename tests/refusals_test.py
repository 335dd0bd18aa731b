"""What can't be done is said in one sentence, with the exit code that scripts branch on."""
from braid_runs import CLIP, ROOT, BraidTest, cached_model, main

BASE = cached_model("SmolLM2-135M-Instruct.Q4_1.gguf")
MMPROJ = ROOT / "models/nano/mmproj-nano.gguf"
LORA = ROOT / "models/nano/lora-nano.gguf"


class Refusals(BraidTest):
    def refused(self, *arguments, code):
        """The message, which is the same as text and as JSON."""
        plain = self.watch(*arguments, code=code)
        self.assertEqual(plain.out, "")
        self.assert_one_sentence(plain.err)
        run = self.watch(*arguments, "--json", code=code)
        self.assertEqual([event["type"] for event in run.events], ["error"])
        self.assertIn(run.events[0]["message"], plain.err)
        return run.events[0]["message"]

    def test_wrong_usage_ends_with_2_and_says_why_on_standard_error(self):
        for arguments in ((), (CLIP, "--no-such-flag"), (CLIP, "--at", "3"), (CLIP, "--ask", "x", "--at", "soon"),
                          (CLIP, "--ask", "x", "--every", "0"), (CLIP, "--fps", "-1"), (CLIP, "--ask"),
                          (CLIP, "--realtime", "--fast"), (CLIP, "--ask", "x", "--deadline", "-5"),
                          (CLIP, "--vad", "magic"), (CLIP, "--max-tokens", "0")):
            run = self.watch(*arguments, code=2)
            self.assertEqual(run.out, "", arguments)
            self.assertGreater(len(run.err), 20, arguments)

    def test_a_source_that_is_not_one_is_refused(self):
        garbage = self.write("garbage.mp4", bytes(range(256)) * 40)
        for source in (self.folder / "missing.mp4", garbage, self.write("empty.mp4", b""), self.folder):
            message = self.refused(source, "--ask", "What do you see?", code=3)
            self.assertIn(source.name, message)

    def test_unknown_sources_and_names_used_twice_are_usage_errors(self):
        self.refused("--source", "kind=smell,file=x.csv", "--ask", "x", code=2)
        named = f"name=twice,file={CLIP}"
        self.refused("--source", named, "--source", named, "--ask", "x", code=2)

    def test_a_model_file_that_is_none_is_refused(self):
        garbage = self.write("garbage.gguf", b"GGUF" + bytes(4000))
        self.refused(CLIP, "--ask", "x", "-m", self.folder / "missing.gguf", code=3)
        self.refused(CLIP, "--ask", "x", "-m", garbage, code=3)
        self.refused(CLIP, "--ask", "x", "--mmproj", MMPROJ, code=2)

    def test_model_files_in_each_others_places_are_refused_with_the_right_place(self):
        self.assertIn("--mmproj", self.refused(CLIP, "--ask", "x", "-m", MMPROJ, code=3))
        self.assertIn("mmproj", self.refused(CLIP, "--ask", "x", "-m", BASE, "--mmproj", BASE, code=3))
        self.assertIn("--lora", self.refused(CLIP, "--ask", "x", "-m", LORA, code=3))

    def test_a_text_only_model_says_what_a_video_needs(self):
        message = self.refused(CLIP, "--ask", "x", "-m", BASE, code=3)
        self.assertIn("mmproj", message)

    def test_a_window_larger_than_the_model_knows_is_refused(self):
        self.assertIn("--window-tokens", self.refused(CLIP, "--ask", "x", "--window-tokens", "100000", code=3))


if __name__ == "__main__":
    main()
