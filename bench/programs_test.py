"""What `make bench` starts is started: its programs answer each command, and `braid serve` takes its flags and requests. No
figure is looked at."""

import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import idle_serving
import live_serving
import ours
import pictures
import run
import serving

BIN = os.path.join(os.environ["BRAID_BENCH_BUILD"], "bin")
CACHE = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
MODEL = os.path.join(CACHE, "braid/models/nano-q8_0.gguf")
MMPROJ = os.path.join(HERE, "../models/nano/mmproj-nano.gguf")


class Programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = folder.name
        cls.films = pictures.prepare(os.path.join(cls.work, "pictures"), 3)

    def test_braid_bench_does_what_it_is_told(self):
        braid = ours.Braid(os.path.join(BIN, "braid_bench"), MODEL, MMPROJ, os.path.join(self.work, "pictures"), 2,
                           os.path.join(self.work, "log"))
        try:
            self.assertGreater(braid.do("info")["frame_rows"], 0)
            for words in (("prefill", 16), ("decode", 2), ("frame",), ("utterance",)):
                self.assertGreater(braid.do(*words)["ms"], 0, words)
            braid.do("open", 4, 1, 0)
            self.assertEqual(braid.do("ask", 1, "What do you see?")["pictures"], 2)
            braid.do("close")
        finally:
            braid.close()

    def test_turns_are_heard(self):
        models = os.path.dirname(MODEL)
        folder = os.path.join(self.work, "turns")
        os.makedirs(folder)
        for name in ("00.wav", "clip.wav"):
            shutil.copy(os.path.join(HERE, "../models/nano/samples/utterance1.wav"), os.path.join(folder, name))
        heard = subprocess.run([os.path.join(BIN, "braid_turns"), folder, os.path.join(models, "silero_vad_openvino_16k.onnx"),
                               os.path.join(models, "smart-turn-v3.2-cpu.onnx")], check=True, capture_output=True, text=True)
        lines = [json.loads(line) for line in heard.stdout.splitlines()]
        self.assertEqual([line.get("mode") for line in lines], ["server_vad", "semantic_vad", None])
        self.assertEqual(lines[0]["changes"][0][0], "start")
        self.assertIn("braid.delivery.paused", [kind for kind, _ in lines[2]["events"]])

    def test_frames_are_counted(self):
        program = os.path.join(BIN, "braid_frame_cost")
        self.assertIn("by_owner", ours.per_frame(ours.frame_cost(program, "session", MODEL, 8)["kept"]))
        film = os.path.join(self.work, "film.y4m")
        pictures.prepare_film(film, 12)
        self.assertGreater(ours.frame_cost(program, "ingest", film)["frames"], 0)

    def test_each_serving_part_has_a_server_that_answers(self):
        os.makedirs(os.path.join(self.work, "idle"), exist_ok=True)
        sides = serving.Sides(os.path.join(BIN, "braid"), None, MODEL, MMPROJ, 2, self.work)
        server = sides.braid("--kv-cells", "8192", "--window-tokens", "1024", "--config", idle_serving.write_config(sides))
        try:
            self.assertGreater(serving.wave(server.port, 2, 1, 0, 1)["tokens_s"], 0)
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
            self.assertIn("stages_ms", idle_serving.one_request(connection, 1)[1])
            connection.close()
            idlers = idle_serving.connect_all(server.port, 2)
            self.assertEqual(len(idlers), 2)
            self.assertGreater(idle_serving.metric(server.port, "process_threads"), 0)
            for idler in idlers:
                idler.close()
            session = live_serving.BraidSession(server.port, self.films, live_serving.sound(24_000))
            session.frame(0)
            session.speak()
            session.ask(0)
            session.ask(0)
            self.assertNotIn(float("inf"), session.close())
        finally:
            server.close()

    def test_every_part_is_known_to_the_whole_run(self):
        told = sys.argv
        try:
            required = [f"--{name}=." for name in ("build", "peers", "llama", "model", "mmproj", "work", "out")]
            sys.argv = ["run.py", *required, "--parts", "serving"]
            self.assertEqual(tuple(run.arguments().parts), run.SERVING)
        finally:
            sys.argv = told


if __name__ == "__main__":
    unittest.main(verbosity=2)
