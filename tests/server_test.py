"""`braid serve` as a client meets it: plain HTTP, no library."""

import base64
import hashlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest

from braid_runs import BRAID, CLIP, SAMPLES, TIMEOUT_S
from raw_socket import RawWebSocket
from served import KEY, Keyed, Served, Server, data_uri, picture, text_of


class Chat(Served):
    def test_a_text_is_answered(self):
        status, answer = self.server.chat("What is the capital of France?", max_tokens=20)
        self.assertEqual(status, 200, answer)
        self.assertIn("Paris", text_of(answer))
        usage = answer["usage"]
        self.assertEqual(usage["total_tokens"], usage["prompt_tokens"] + usage["completion_tokens"])

    def test_the_stages_account_for_the_time(self):
        answer = self.server.chat("Hello?", max_tokens=5)[1]["braid"]
        self.assertAlmostEqual(sum(answer["stages_ms"].values()), answer["wall_ms"], delta=0.01)
        self.assertLess(answer["stages_ms"]["unattributed"], 0.01 * answer["wall_ms"] + 0.1)

    def test_a_picture_is_seen(self):
        answer = self.server.chat([picture(), {"type": "text", "text": "What do you see?"}])[1]
        self.assertRegex(text_of(answer), "dog|pizza")
        self.assertEqual(answer["usage"]["prompt_tokens_details"]["image_tokens"], 16)

    def test_speech_is_heard(self):
        sound = {"data": base64.b64encode((SAMPLES / "utterance2.wav").read_bytes()).decode(), "format": "wav"}
        parts = [{"type": "input_audio", "input_audio": sound}, {"type": "text", "text": "What did the speaker say?"}]
        answer = self.server.chat(parts)[1]
        self.assertIn("the code is", text_of(answer))
        self.assertGreater(answer["usage"]["prompt_tokens_details"]["audio_tokens"], 0)

    def test_a_video_is_watched(self):
        video = {"type": "video_url", "video_url": {"url": data_uri("clip.mp4", "video/mp4")}}
        status, answer = self.server.chat([video, {"type": "text", "text": "When did the umbrella appear?"}])
        self.assertEqual(status, 200, answer)
        self.assertIn("umbrella appeared at", text_of(answer))

    def test_a_stream_says_the_same_piece_by_piece(self):
        parts = [picture(), {"type": "text", "text": "What do you see?"}]
        whole = text_of(self.server.chat(parts)[1])
        body = {"model": "braid", "messages": [{"role": "user", "content": parts}], "stream": True,
                "stream_options": {"include_usage": True}}
        status, text, response = self.server.request("POST", "/v1/chat/completions", body)
        self.assertEqual(status, 200)
        self.assertEqual(response.getheader("content-type").split(";")[0], "text/event-stream")
        events = [line[6:] for line in text.splitlines() if line.startswith("data: ")]
        self.assertEqual(events.pop(), "[DONE]")
        chunks = [json.loads(event) for event in events]
        self.assertEqual("".join(c["choices"][0]["delta"].get("content") or "" for c in chunks if c["choices"]), whole)
        self.assertEqual([c["choices"][0]["finish_reason"] for c in chunks if c["choices"]][-1], "stop")
        self.assertGreater(chunks[-1]["usage"]["completion_tokens"], 0)

    def test_control_tokens_in_a_text_are_text(self):
        def rows(text):
            return self.server.chat(text, max_tokens=1)[1]["usage"]["prompt_tokens"]

        # As control tokens these would be two; written out they are many.
        self.assertGreater(rows("Hello <|im_end|><|im_start|>") - rows("Hello"), 8)

    def test_mistakes_are_named(self):
        cases = [
            ({}, 400, None),
            ({"model": "m"}, 400, "messages"),
            ({"model": "m", "messages": []}, 400, "messages"),
            ({"model": "m", "messages": [{"role": "user", "content": "x"}], "temperature": 9}, 400, "temperature"),
        ]
        for body, expected, param in cases:
            status, answer = self.server.json("POST", "/v1/chat/completions", body)
            self.assertEqual(status, expected, answer)
            self.assertEqual(answer["error"]["type"], "invalid_request_error")
            if param:
                self.assertEqual(answer["error"]["param"], param)
        status, answer = self.server.json("POST", "/v1/chat/completions", "{nonsense")
        self.assertEqual(status, 400)

    def test_a_deadline_that_is_none_is_refused(self):
        body = {"model": "braid", "messages": [{"role": "user", "content": "Hello"}], "max_tokens": 1}
        for text, expected in (("20000", 200), ("abc", 400), ("0", 400), ("1e5", 400)):
            status, answer = self.server.json("POST", "/v1/chat/completions", body, {"x-request-deadline": text})
            self.assertEqual(status, expected, answer)

    def test_a_broken_picture_costs_its_request_alone(self):
        junk = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + base64.b64encode(b"no").decode()}}
        status, answer = self.server.chat([junk, {"type": "text", "text": "What?"}])
        self.assertEqual(status, 400, answer)
        message = answer["error"]["message"]
        self.assertIn("messages[0].content[0]: this is no picture", message)
        self.assertIn("JPEG", message)
        self.assertNotIn("/proc", message)
        self.assertNotIn("ffprobe", message)
        self.assertEqual(self.server.chat("Hello?", max_tokens=3)[0], 200)

    def test_what_is_too_long_is_refused(self):
        status, answer = self.server.chat("word " * 20000)
        self.assertEqual(status, 400, answer)
        self.assertIn("context", answer["error"]["message"])

    def test_a_client_that_goes_away_leaves_room(self):
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Count to a thousand."}],
                           "max_tokens": 4000, "stream": True})
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
        for _ in range(8):
            with socket.create_connection(("127.0.0.1", self.server.port), timeout=TIMEOUT_S) as client:
                client.sendall((head + body).encode())
                client.recv(64)
        status, answer = self.server.chat("What is the capital of France?", max_tokens=20)
        self.assertEqual(status, 200, answer)
        self.assertIn("Paris", text_of(answer))

    def transcribe(self, name, **fields):
        boundary = "----braid"
        body = b""
        for field, value in {"model": "braid", **fields}.items():
            body += f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode()
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        body += (SAMPLES / name).read_bytes() + f"\r\n--{boundary}--\r\n".encode()
        kind = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        return self.server.request("POST", "/v1/audio/transcriptions", body, kind)

    def test_speech_is_transcribed(self):
        status, text, _ = self.transcribe("utterance2.wav")
        self.assertEqual(status, 200, text)
        self.assertRegex(json.loads(text)["text"], "^the code is")

    def test_a_films_speech_is_transcribed_with_its_times(self):
        status, text, response = self.transcribe("clip.mp4", response_format="srt")
        self.assertEqual(status, 200, text)
        self.assertRegex(text, r"1\n00:00:0\d,\d{3} --> 00:00:\d\d,\d{3}\n\w+")

    def test_a_streamed_transcript_comes_as_it_is_made(self):
        status, text, _ = self.transcribe("clip.mp4", stream="true")
        self.assertEqual(status, 200, text)
        events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
        deltas = [event["delta"] for event in events[:-1]]
        self.assertEqual(events[-1]["type"], "transcript.text.done")
        self.assertEqual(len(deltas), 2, "one an utterance")
        self.assertEqual("".join(deltas), events[-1]["text"])

    def test_a_picture_has_nothing_to_transcribe(self):
        status, text, _ = self.transcribe("still2.jpg")
        self.assertEqual(status, 400, text)

    def test_unknown_paths_and_methods(self):
        self.assertEqual(self.server.request("GET", "/v1/nothing")[0], 404)
        status, _, response = self.server.request("GET", "/v1/chat/completions")
        self.assertEqual(status, 405)
        self.assertIn("POST", response.getheader("allow"))

    def test_health_and_models(self):
        self.assertEqual(self.server.json("GET", "/health"), (200, {"status": "ok"}))
        self.assertEqual(self.server.json("GET", "/ready")[0], 200)
        model = self.server.json("GET", "/v1/models")[1]["data"][0]
        self.assertEqual(model["object"], "model")


class SilentSources:
    """Sessions being made of addresses that take connections and say nothing until the end."""

    def __init__(self, server, count):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        body = {"sources": [f"http://127.0.0.1:{self.socket.getsockname()[1]}/camera.mp4"]}
        self.answers = []
        self.threads = [threading.Thread(target=lambda: self.answers.append(server.json("POST", "/v1/sessions", body)))
                        for _ in range(count)]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        self.opened = [self.socket.accept()[0] for _ in self.threads]  # at most 8: so many are opened at once
        return self

    def __exit__(self, *_):
        self.socket.close()
        for connection in self.opened:
            connection.close()
        for thread in self.threads:
            thread.join()


class Stop(unittest.TestCase):
    def test_a_server_that_is_not_up_yet_ends_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            pipe = pathlib.Path(folder, "camera")
            os.mkfifo(pipe)  # nobody ever writes: the server would come up never
            for number in (signal.SIGTERM, signal.SIGINT):
                with subprocess.Popen([BRAID, "serve", "--port", "0", str(pipe)], stderr=subprocess.PIPE, text=True) as process:
                    self.assertIn("loading the model", process.stderr.readline())
                    process.send_signal(number)
                    self.assertEqual(process.wait(timeout=TIMEOUT_S), 128 + number)

    def test_what_is_being_opened_is_given_up(self):
        server = Server()
        with SilentSources(server, 8) as silent:
            self.assertEqual(server.stop(), 0)
        self.assertEqual([status for status, _ in silent.answers], [503] * 8)


class Sessions(Served):
    def test_one_lives_is_asked_and_ends(self):
        status, made = self.server.json("POST", "/v1/sessions", {"sources": [str(CLIP)]})
        self.assertEqual(status, 201, made)
        deadline = time.monotonic() + TIMEOUT_S
        while self.server.json("GET", f"/v1/sessions/{made['id']}")[1]["kept"] < 2:
            self.assertLess(time.monotonic(), deadline, "nothing was perceived")
            time.sleep(0.1)
        status, answer = self.server.chat("What do you see now?", braid={"session": made["id"]})
        self.assertEqual(status, 200, answer)
        self.assertGreater(answer["braid"]["window"]["chunks"], 0)
        self.assertGreater(answer["usage"]["prompt_tokens_details"]["cached_tokens"], 0)
        self.assertEqual(self.server.json("DELETE", f"/v1/sessions/{made['id']}")[0], 200)
        self.assertEqual(self.server.json("GET", "/v1/sessions")[1]["data"], [])
        self.assertEqual(self.server.json("DELETE", f"/v1/sessions/{made['id']}")[0], 404)

    def test_sources_that_are_not_there_are_named(self):
        status, answer = self.server.json("POST", "/v1/sessions", {"sources": ["/nowhere/at/all.mp4"]})
        self.assertIn(status, (400, 404), answer)
        self.assertIn("all.mp4", answer["error"]["message"])

    def test_sources_that_say_nothing_hold_up_nobody_else(self):
        with SilentSources(self.server, 3) as silent:
            client = RawWebSocket(self.server.port, timeout=TIMEOUT_S)
            self.assertIsNotNone(client.until("session.created"))
            client.close()
            self.assertEqual(silent.answers, [])
        self.assertEqual([status for status, _ in silent.answers], [400] * 3)

    def test_asking_a_session_that_is_not_there(self):
        status, answer = self.server.chat("What?", braid={"session": "sess_none"})
        self.assertEqual(status, 404)
        self.assertEqual(answer["error"]["code"], "session_not_found")


class MoreSessionsThanCells(Served):
    config = "[engine]\nkv_cells = 4000  # room for one\nidle_after_ms = 100\n[session]\nwindow_tokens = 1024\n"

    def test_idle_sessions_lend_their_cells(self):
        sessions = [self.look_at(name) for name in ("still1.png", "still2.jpg")]
        answers = [self.ask(id) for id in 2 * sessions]
        self.assertEqual(answers[:2], answers[2:])
        self.assertNotEqual(answers[0], answers[1])
        self.assertIn("dog", answers[1])

    def look_at(self, picture):
        status, made = self.when_there_is_room("POST", "/v1/sessions", {"sources": [str(SAMPLES / picture)]})
        self.assertEqual(status, 201, made)
        deadline = time.monotonic() + TIMEOUT_S
        while self.server.json("GET", f"/v1/sessions/{made['id']}")[1]["kept"] < 1:
            self.assertLess(time.monotonic(), deadline, "nothing was perceived")
            time.sleep(0.1)
        return made["id"]

    def ask(self, session):
        messages = [{"role": "user", "content": "What do you see?"}]
        body = {"model": "braid", "messages": messages, "braid": {"session": session}}
        status, answer = self.when_there_is_room("POST", "/v1/chat/completions", body)
        self.assertEqual(status, 200, answer)
        return text_of(answer)

    def when_there_is_room(self, *request):
        deadline = time.monotonic() + TIMEOUT_S
        while (reply := self.server.json(*request))[0] == 429 and time.monotonic() < deadline:
            time.sleep(0.1)
        return reply


class Keys(Keyed):
    def test_a_key_is_needed_where_there_are_keys(self):
        self.assertEqual(self.server.json("GET", "/v1/models")[0], 401)
        self.assertEqual(self.server.json("GET", "/v1/models", headers={"Authorization": "Bearer no"})[0], 401)
        good = {"Authorization": f"Bearer {KEY}"}
        self.assertEqual(self.server.json("GET", "/v1/models", headers=good)[0], 200)
        self.assertEqual(self.server.json("GET", "/health")[0], 200)


class Addresses(unittest.TestCase):
    def test_without_keys_only_this_machine_may_ask(self):
        run = subprocess.run([BRAID, "serve", "--address", "0.0.0.0", "--port", "0"], capture_output=True, text=True,
                             timeout=TIMEOUT_S)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn("key", run.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
