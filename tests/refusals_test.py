"""What can't be done is said in one sentence, with the exit code that scripts branch on."""
import json
import subprocess

from braid_runs import BRAID, CLIP, ROOT, TIMEOUT_S, BraidTest, cached_model, main

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
                          (CLIP, "--vad", "magic"), (CLIP, "--max-tokens", "0"), (CLIP, "--ask", ""),
                          (CLIP, "--ask", " "), (CLIP, "--heartbeat", "nan"), (CLIP, "--seed", "-1"),
                          (CLIP, "--ask", "x", "--deadline", ""), (CLIP, "--gpu-layers", "-99"),
                          (CLIP, "--ask", "x", "--deadline", "0"), (CLIP, "--ask", "x", "--at", "1:99"),
                          (CLIP, "--ask", "x", "--memory", ""), (CLIP, "--ask", "x", "--record", "")):
            run = self.watch(*arguments, code=2)
            self.assertEqual(run.out, "", arguments)
            self.assertGreater(len(run.err), 20, arguments)

    def test_a_source_that_is_not_one_is_refused(self):
        garbage = self.write("garbage.mp4", bytes(range(256)) * 40)
        for source in (self.folder / "missing.mp4", garbage, self.write("empty.mp4", b""), self.folder):
            message = self.refused(source, "--ask", "What do you see?", code=3)
            self.assertIn(source.name, message)

    def test_a_misspelt_command_or_flag_is_told_what_may_be_meant(self):
        for arguments, said in ((("wach", CLIP), "braid: no command 'wach': did you mean 'watch'?"),
                                (("memory", "serch", "m", "x"), "braid memory: no command 'serch': did you mean 'search'?"),
                                (("watch", CLIP, "--aks", "hi"), "braid watch: no flag --aks; did you mean --ask?"),
                                (("watch", CLIP, "--questions=hi"), "braid watch: no flag --questions (braid watch --help)"),
                                (("memory", "show", "m", "1", "2"), "braid memory show: one word too many: '2'; put quotes"),
                                (("serve", "--prot", "1"), "braid serve: no flag --prot; did you mean --port?")):
            done = subprocess.run([BRAID, *arguments], capture_output=True, text=True, timeout=TIMEOUT_S)
            self.assertEqual(done.returncode, 2)
            self.assert_one_sentence(done.stderr)
            self.assertIn(said, done.stderr)

    def test_the_log_level_may_follow_the_command(self):
        self.watch(self.folder / "missing.mp4", "--log-level", "error", "--ask", "x", code=3)

    def test_help_fits_a_terminal_and_names_the_page_on_sources(self):
        done = subprocess.run([BRAID, "watch", "--help"], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual([line for line in done.stdout.splitlines() if len(line) > 100], [])
        self.assertIn("docs/sources.md", done.stdout)

    def test_a_question_too_long_for_the_model_is_refused_before_anything_is_watched(self):
        self.assertIn("tokens", self.refused(CLIP, "--realtime", "--ask", "word " * 2000, code=3))

    def test_a_password_in_an_address_is_not_shown(self):
        message = self.refused("http://me:s3cret@127.0.0.1:9/clip.mp4", "--ask", "x", code=3)
        self.assertNotIn("s3cret", message)
        self.assertIn("127.0.0.1:9", message)

    def test_unknown_sources_and_names_used_twice_are_usage_errors(self):
        self.assertIn("kind, file", self.refused("--source", f"colour=red,file={CLIP}", "--ask", "x", code=2))
        self.refused("--source", "kind=smell,file=x.csv", "--ask", "x", code=2)
        named = f"name=twice,file={CLIP}"
        self.refused("--source", named, "--source", named, "--ask", "x", code=2)

    def test_a_model_file_that_is_none_is_refused(self):
        garbage = self.write("garbage.gguf", b"GGUF" + bytes(4000))
        self.assertIn("check the path", self.refused(CLIP, "--ask", "x", "-m", self.folder / "missing.gguf", code=3))
        self.refused(CLIP, "--ask", "x", "-m", garbage, code=3)
        self.refused(CLIP, "--ask", "x", "--mmproj", MMPROJ, code=2)

    def test_model_files_in_each_others_places_are_refused_with_the_right_place(self):
        self.assertIn("--mmproj", self.refused(CLIP, "--ask", "x", "-m", MMPROJ, code=3))
        self.assertIn("mmproj", self.refused(CLIP, "--ask", "x", "-m", BASE, "--mmproj", BASE, code=3))
        self.assertIn("--lora", self.refused(CLIP, "--ask", "x", "-m", LORA, code=3))

    def test_a_text_only_model_says_what_a_video_needs(self):
        message = self.refused(CLIP, "--ask", "x", "-m", BASE, code=3)
        self.assertIn("clip has pictures and sound", message)
        self.assertIn("takes text only: give its encoders with --mmproj", message)

    def test_a_window_larger_than_the_model_knows_is_refused(self):
        self.assertIn("--window-tokens", self.refused(CLIP, "--ask", "x", "--window-tokens", "100000", code=3))

    def test_subtitles_through_a_pipe_are_named_by_the_cure(self):
        lines = self.write("lines.srt", "1\n00:00:01,000 --> 00:00:02,000\nHello.\n")
        with open(lines, "rb") as pipe:
            run = self.watch("-", "--ask", "x", code=3, stdin=pipe)
        self.assertIn("kind=subtitle,file=-", run.err)


class Serving(BraidTest):
    """What is said before a model is loaded: the one named here would be refused for itself."""

    def refused(self, *arguments, code):
        broken = self.write("broken.gguf", b"GGUF" + bytes(4000))
        done = subprocess.run([BRAID, "serve", "--port", "0", "-m", broken, *arguments], capture_output=True, text=True,
                              timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertNotIn("broken.gguf", done.stderr)
        return done.stderr

    def test_a_mistake_is_said_before_the_model_is_loaded(self):
        for arguments, code, said in (
                (("--address", "0.0.0.0"), 2, "keys file"), (("--address", "here"), 2, "IP literal"),
                (("--keys", "/nowhere/keys"), 3, "/nowhere/keys"), (("--tls-cert", "cert.pem"), 2, "both or none"),
                (("--state-dir", "/proc/braid"), 3, "/proc/braid"), (("--media-host", "http://x"), 2, "'http://x'"),
                (("--otlp-url", "foo"), 2, "--otlp-url"), (("--cors-origin", "foo"), 2, "'foo' is no origin"),
                (("--mmproj", "/nowhere/b.gguf"), 3, "/nowhere/b.gguf"), (("clip.mp5",), 3, "clip.mp5")):
            self.assertIn(said, self.refused(*arguments, code=code), arguments)

    def test_a_port_that_is_none_names_those_that_are(self):
        self.assertIn("0 to 65535", self.refused("--port", "70000", code=2))

    def test_encoders_without_their_model_are_refused_by_watch_too(self):
        self.assertIn("-m FILE", self.watch(CLIP, "--ask", "x", "--mmproj", MMPROJ, code=2).err)


class Models(BraidTest):
    def test_the_default_models_files_are_listed(self):
        done = subprocess.run([BRAID, "models", "--json"], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        listed = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([file["role"] for file in listed[:3]], ["language model", "encoders", "speech detector"])
        for file in listed[:3]:
            self.assertGreater(file["bytes"], 100000, file)


if __name__ == "__main__":
    main()
