"""Every kind of source, and when questions are asked of it."""
import functools
import http.server
import subprocess
import threading

from braid_runs import CLIP, ROOT, TIMEOUT_S, BraidTest, cached_model, main

WHEN = "When did the umbrella appear?"
LENGTH_US = 12032000  # the clip's last block of sound ends after its last picture
PRESS = "time_us,temperature,state\n0,71.5,idle\n1000000,72.0,idle\n2000000,88.4,pressing\n"
SUBTITLES = ("1\n00:00:01,000 --> 00:00:02,000\nThe train leaves from platform nine.\n\n"
             "2\n00:00:03,000 --> 00:00:04,500\nIt is late today.\n")


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class MediaSources(BraidTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        # With its index first: read as it comes. Neither a pipe nor this server can go back.
        cls.streamable = cls.folder / "streamable.mp4"
        command = ["ffmpeg", "-loglevel", "error", "-i", CLIP, "-c", "copy", "-movflags", "+faststart", cls.streamable]
        subprocess.run(command, check=True, timeout=TIMEOUT_S)

    def check_umbrella(self, run):
        self.assertIn("4.0s", run.answer_to(WHEN))
        # However it is read, a file is as long as it is.
        self.assertEqual(run.events[-1]["end_us"], LENGTH_US)
        self.assertEqual(run.events[-1]["frames"]["sampled"], 24)

    def test_a_pipe_is_watched_as_its_file(self):
        self.check_umbrella_piped(self.streamable)

    def check_umbrella_served(self, clip):
        handler = functools.partial(QuietHandler, directory=clip.parent)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            url = f"http://127.0.0.1:{server.server_port}/{clip.name}"
            self.check_umbrella(self.watch(url, "--json", "--ask", WHEN))
            server.shutdown()

    def check_umbrella_piped(self, clip):
        with subprocess.Popen(["cat", clip], stdout=subprocess.PIPE) as cat:
            self.check_umbrella(self.watch("-", "--json", "--ask", WHEN, stdin=cat.stdout))

    def test_an_http_url_is_watched_as_its_file(self):
        self.check_umbrella_served(self.streamable)

    def test_a_pipe_with_its_index_at_the_end_is_watched_as_its_file(self):
        self.check_umbrella_piped(CLIP)

    def test_a_server_that_cannot_go_back_is_watched_as_its_file(self):
        self.check_umbrella_served(CLIP)

    def test_a_still_is_one_frame(self):
        run = self.watch(ROOT / "models/nano/samples/still2.jpg", "--json", "--ask", "What do you see?")
        self.assertEqual(len(run.of("frame")), 1)
        for word in ("dog", "pizza"):
            self.assertIn(word, run.texts()[0])

    def test_sensor_and_subtitles_are_read_beside_a_clip_in_order_of_time(self):
        press, lines = self.write("press.csv", PRESS), self.write("lines.srt", SUBTITLES)
        run = self.watch(CLIP, "--source", f"name=press,kind=sensor,file={press}", lines, "--json", "--ask",
                         "What do you see now?")
        self.assertEqual([(r["source"], r["at_us"]) for r in run.of("reading")],
                         [("press", 0), ("press", 1000000), ("press", 2000000)])
        self.assertIn("temperature=88.4", run.of("reading")[2]["text"])
        self.assertEqual([(t["start_us"], t["end_us"]) for t in run.of("text")],
                         [(1000000, 2000000), (3000000, 4500000)])
        self.assertEqual(run.events[-1]["readings"], 3)
        self.assertEqual(run.events[-1]["lines"], 2)
        # A dropped packet may be told before kept ones that still wait; those in the model's context stand in order.
        kept = [e.get("end_us", e.get("at_us")) for e in run.of("frame", "utterance", "text", "reading") if e["kept"]]
        self.assertEqual(kept, sorted(kept))


    def test_following_the_clock_a_file_is_as_long(self):
        run = self.watch(CLIP, "--realtime", "--json", "--ask", "Later?", "--at", "99", "--deadline", "1h",
                         "--max-tokens", "4")
        self.assertEqual(run.events[-1]["end_us"], LENGTH_US)
        self.assertEqual([(a["asked_at_us"], a["verdict"]) for a in run.of("answer")], [(LENGTH_US, "met")])
        self.assertIn("99.0 s", run.of("notice")[0]["message"])

    def test_a_picture_of_one_colour_is_seen_and_one_of_black_is_not(self):
        for colour, kept in (("red", [True]), ("black", [False])):
            still = self.folder / f"{colour}.png"
            subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", f"color={colour}:s=320x180",
                            "-frames:v", "1", still], check=True, timeout=TIMEOUT_S)
            run = self.watch(still, "--json", "--ask", "What colour is the background?")
            self.assertEqual([frame["kept"] for frame in run.of("frame")], kept, colour)


class Logs(BraidTest):
    def test_whole_seconds_are_seconds_and_that_is_told(self):
        press = self.write("plain.csv", "time,temperature\n0,71.5\n5,72.0\n10,88.4\n")
        run = self.watch("--source", f"name=press,kind=sensor,file={press}", "--json", "--ask", "x", "--max-tokens", "4")
        self.assertEqual([reading["at_us"] for reading in run.of("reading")], [0, 5000000, 10000000])
        self.assertIn("taken for seconds", run.of("notice")[0]["message"])
        window = run.of("answer")[0]["window"]
        self.assertEqual((window["readings"], window["frames"]), (3, 0))

    def test_a_clock_that_jumps_does_not_flood_a_standing_question(self):
        log = self.write("jump.csv", "time_s,temp\n1.0,20\n2.0,21\n1700000000.0,22\n")
        run = self.watch(log, "--vad", "off", "--json", "--ask", "x", "--every", "10s", "--max-tokens", "2")
        self.assertLess(len(run.of("answer")), 100)
        self.assertGreater(run.events[-1]["drops"]["repetition"], 1000000)


class TextOnlyModel(BraidTest):
    def test_a_text_only_model_answers_about_lines(self):
        lines = self.write("lines.srt", SUBTITLES)
        run = self.watch(lines, "--json", "-m", cached_model("SmolLM2-135M-Instruct.Q4_1.gguf"), "--ask",
                         "From which platform does the train leave?", "--max-tokens", "24")
        self.assertIn("nine", run.texts()[0].lower())
        self.assertEqual(run.of("answer")[0]["window"]["chunks"], 2)


class QuestionTimes(BraidTest):
    def test_each_question_is_asked_at_its_own_times(self):
        run = self.watch(CLIP, "--json", "--max-tokens", "8", "--ask", "A?", "--at", "2", "--at", "500ms", "--ask",
                         "B?", "--every", "5s", "--ask", "C?", "--at", "0:09")
        asked = sorted((a["question"], a["asked_at_us"]) for a in run.of("answer"))
        self.assertEqual(asked, [("A?", 500000), ("A?", 2000000), ("B?", 5000000), ("B?", 10000000), ("C?", 9000000)])
        for answer in run.of("answer"):
            self.assertLessEqual(answer["window"]["to_us"], answer["asked_at_us"])

    def test_a_question_sees_what_ended_before_its_time(self):
        question = "What do you see?"
        run = self.watch(CLIP, "--json", "--no-turns", "--ask", question, "--at", "3", "--ask", question, "--at", "11")
        early, late = [a["text"] for a in sorted(run.of("answer"), key=lambda a: a["asked_at_us"])]
        self.assertIn("cat", early)
        self.assertIn("rocket", late)

    def test_a_deadline_gives_a_verdict(self):
        run = self.watch(CLIP, "--json", "--ask", "What do you see?", "--at", "1", "--deadline", "1h")
        self.assertEqual([(a["verdict"], a["deadline_ms"]) for a in run.of("answer")], [("met", 3600000)])
        run = self.watch(CLIP, "--json", "--ask", "What do you see?", "--at", "1", "--deadline", "1ms")
        self.assertEqual([a["verdict"] for a in run.of("answer")], ["late"])

    def test_deltas_joined_are_the_answer(self):
        run = self.watch(CLIP, "--json", "--deltas", "--ask", "What do you see?", "--ask", WHEN)
        for answer in run.of("answer"):
            deltas = [d["text"] for d in run.of("answer_delta") if d["id"] == answer["id"]]
            self.assertEqual("".join(deltas), answer["text"])
        self.assertEqual(len(run.of("answer_begin")), 2)


if __name__ == "__main__":
    main()
