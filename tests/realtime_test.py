"""The Realtime protocol as the official client speaks it, against a running server."""

import base64
import hashlib
import http.client
import json
import os
import subprocess
import tempfile
import threading
import time
import unittest

import official_client  # before what it brings along
import websockets.sync.client
from braid_runs import SAMPLES, TIMEOUT_S
from raw_socket import RawWebSocket
from served import KEY, Keyed, Served


def pcm(name, rate=24000, codec="s16le"):
    """A sample's sound as raw bytes."""
    run = subprocess.run(["ffmpeg", "-v", "error", "-i", str(SAMPLES / name), "-ac", "1", "-ar", str(rate), "-f", codec,
                          "-"], check=True, capture_output=True, timeout=TIMEOUT_S)
    return run.stdout


def text_item(text, **more):
    return {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}], **more}


class RealtimeTest(Served):
    flags = ("--window-tokens", "1024")  # room for a few sessions at once

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.client = official_client.connect_to(cls.server)

    def connect(self, **more):
        """A connection that has seen session.created."""
        connection = self.client.realtime.connect(model="nano", **more).enter()
        self.addCleanup(connection.close)
        self.assertEqual(self.until(connection, "session.created")[-1].session.type, "realtime")
        return connection

    def until(self, connection, *kinds):
        """All events up to the first of these kinds."""
        watchdog = threading.Timer(TIMEOUT_S, connection.close)
        watchdog.start()
        events = []
        try:
            while not events or events[-1].type not in kinds:
                events.append(connection.recv())
        finally:
            watchdog.cancel()
        return events

    def answer(self, connection):
        """The events of one response, and its text."""
        events = self.until(connection, "response.done")
        text = "".join(e.delta for e in events if e.type == "response.output_text.delta")
        return events, text


class Text(RealtimeTest):
    def test_a_text_is_answered_word_by_word(self):
        connection = self.connect()
        connection.conversation.item.create(item=text_item("What is the capital of France?"))
        self.until(connection, "conversation.item.done")
        connection.response.create()
        events, text = self.answer(connection)
        done = events[-1].response
        self.assertEqual(done.status, "completed", done)
        self.assertEqual(done.output[0].content[0].text, text)
        self.assertIn("Paris", text)
        self.assertEqual(done.usage.total_tokens, done.usage.input_tokens + done.usage.output_tokens)
        kinds = [e.type for e in events if not e.type.endswith("delta")]
        self.assertEqual(kinds, [
            "response.created", "response.output_item.added", "conversation.item.added",
            "response.content_part.added", "response.output_text.done", "response.content_part.done",
            "conversation.item.done", "response.output_item.done", "response.done"])
        stages = self.until(connection, "braid.stages")[-1].braid
        self.assertAlmostEqual(sum(stages["stages_ms"].values()), stages["wall_ms"], delta=0.01)

    def test_what_was_said_before_is_known(self):
        connection = self.connect()
        for text in ("The code of the door is 4711.", "What is the code of the door?"):
            connection.conversation.item.create(item=text_item(text))
        connection.response.create()
        self.assertIn("4711", self.answer(connection)[1])

    def test_an_answer_can_be_cancelled(self):
        connection = self.connect()
        connection.conversation.item.create(item=text_item("Count from one to a hundred."))
        connection.response.create()
        self.until(connection, "response.output_text.delta")
        connection.response.cancel()
        done = self.answer(connection)[0][-1].response
        self.assertIn(done.status, ("cancelled", "completed", "incomplete"))
        if done.status == "cancelled":
            self.assertEqual(done.status_details.reason, "client_cancelled")
        connection.response.create(response={"instructions": "What is the capital of France?"})
        self.assertEqual(self.answer(connection)[0][-1].response.status, "completed")

    def test_mistakes_are_errors_and_the_connection_lives(self):
        connection = self.connect()
        connection.response.cancel(event_id="mine")
        error = self.until(connection, "error")[-1].error
        self.assertEqual((error.code, error.event_id), ("response_cancel_not_active", "mine"))
        connection.session.update(session={"type": "realtime", "output_modalities": ["audio"]}, event_id="loud")
        error = self.until(connection, "error")[-1].error
        self.assertEqual((error.code, error.event_id), ("unsupported_value", "loud"))
        self.assertEqual(error.param, "session.output_modalities[0]")
        connection.send({"type": "no.such.event"})
        self.assertEqual(self.until(connection, "error")[-1].error.param, "type")
        connection.session.update(session={"type": "realtime", "instructions": "Be brief."})
        session = self.until(connection, "session.updated")[-1].session
        self.assertEqual(session.instructions, "Be brief.")
        self.assertEqual(session.audio.input.turn_detection.type, "server_vad")

    def test_items_are_kept(self):
        connection = self.connect()
        connection.conversation.item.create(item=text_item("One", id="a"))
        connection.conversation.item.create(item=text_item("Two", id="b"), previous_item_id="root")
        self.assertIsNone(self.until(connection, "conversation.item.done")[-1].previous_item_id)
        self.until(connection, "conversation.item.done")
        connection.conversation.item.retrieve(item_id="a")
        self.assertEqual(self.until(connection, "conversation.item.retrieved")[-1].item.content[0].text, "One")
        connection.conversation.item.delete(item_id="a")
        self.assertEqual(self.until(connection, "conversation.item.deleted")[-1].item_id, "a")
        connection.conversation.item.retrieve(item_id="a")
        self.assertEqual(self.until(connection, "error")[-1].error.code, "item_not_found")


class Media(RealtimeTest):
    def say(self, connection, sound, piece=4800):
        for at in range(0, len(sound), piece):
            connection.input_audio_buffer.append(audio=base64.b64encode(sound[at:at + piece]).decode())

    def test_a_turn_is_heard_and_answered(self):
        connection = self.connect()
        self.say(connection, pcm("utterance2.wav") + bytes(48 * 900))
        events, text = self.answer(connection)
        kinds = [e.type for e in events]
        for kind in ("input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped",
                     "input_audio_buffer.committed", "conversation.item.added", "response.created"):
            self.assertIn(kind, kinds)
        self.assertEqual(events[-1].response.status, "completed")
        self.assertGreater(len(text), 0)

    def test_speech_is_asked_about_and_transcribed(self):
        connection = self.connect()
        connection.session.update(session={"type": "realtime", "audio": {"input": {
            "turn_detection": None, "transcription": {"model": "whisper-1"}}}})
        self.until(connection, "session.updated")
        self.say(connection, pcm("utterance2.wav"))
        connection.input_audio_buffer.commit()
        words = self.until(connection, "conversation.item.input_audio_transcription.completed",
                           "conversation.item.input_audio_transcription.failed")[-1]
        self.assertIn("the code is", words.transcript)
        connection.conversation.item.create(item=text_item("What did the speaker say?"))
        connection.response.create()
        self.assertIn("the code is", self.answer(connection)[1])

    def test_telephone_sound_is_heard(self):
        connection = self.connect()
        connection.session.update(session={"type": "realtime", "audio": {"input": {
            "turn_detection": None, "format": {"type": "audio/pcmu"}}}})
        self.until(connection, "session.updated")
        self.say(connection, pcm("utterance2.wav", 8000, "mulaw"))
        connection.input_audio_buffer.commit()
        connection.response.create(response={"instructions": "What did the speaker say?"})
        self.assertIn("the code", self.answer(connection)[1])

    def test_a_picture_in_an_item_is_seen(self):
        connection = self.connect()
        uri = "data:image/jpeg;base64," + base64.b64encode((SAMPLES / "still2.jpg").read_bytes()).decode()
        connection.conversation.item.create(item={"type": "message", "role": "user", "content": [
            {"type": "input_image", "image_url": uri}, {"type": "input_text", "text": "What do you see?"}]})
        connection.response.create()
        self.assertRegex(self.answer(connection)[1], "dog|pizza")

    def test_pictures_and_readings_flow_in(self):
        connection = self.connect()
        image = base64.b64encode((SAMPLES / "still2.jpg").read_bytes()).decode()
        connection.send({"type": "input_video_buffer.append", "image": image, "capture_ts_us": 5_000_000,
                         "source": "camera"})
        connection.send({"type": "input_sensor.append", "source": "press", "values": {"pressure": 2.1}})
        connection.response.create(response={"instructions": "What do you see now?"})
        self.assertRegex(self.answer(connection)[1], "dog|pizza")
        window = self.until(connection, "braid.stages")[-1].braid["window"]
        self.assertEqual(window["chunks"], 2)

    def test_readings_are_read(self):
        connection = self.connect()
        for at in range(3):
            connection.send({"type": "input_sensor.append", "source": "press", "at_us": at * 1000,
                             "values": {"temperature": 81.4}})
        connection.response.create(response={"instructions": "What is the temperature?"})
        self.assertIn("81.4", self.answer(connection)[1])

    def test_a_broken_picture_names_its_event(self):
        connection = self.connect()
        broken = base64.b64encode((SAMPLES / "still1.png").read_bytes()[:200]).decode()
        connection.send({"type": "input_video_buffer.append", "image": broken, "event_id": "pic"})
        self.assertEqual(self.until(connection, "error")[-1].error.event_id, "pic")

    def test_clocks_are_compared(self):
        connection = self.connect()
        connection.send({"type": "clock.ping", "t1_us": 77})
        pong = self.until(connection, "clock.pong")[-1]
        self.assertEqual(pong.t1_us, 77)
        self.assertLessEqual(pong.t2_us, pong.t3_us)


class Turns(RealtimeTest):
    """Ends of turns by their sound, and speech over an answer."""

    SECOND = 48000  # bytes

    def setUp(self):
        self.speech = pcm("utterance2.wav")  # speech from 0.26 s to 2.64 s

    def listen(self, **more):
        connection = self.connect()
        connection.session.update(session={"type": "realtime", "audio": {"input": {
            "turn_detection": {"type": "semantic_vad", **more}, "transcription": {"model": "nano"}}}})
        turns = self.until(connection, "session.updated")[-1].session.audio.input.turn_detection
        self.assertEqual(turns.type, "semantic_vad")
        return connection

    def send_sound(self, connection, sound):
        connection.input_audio_buffer.append(audio=base64.b64encode(sound).decode())

    def count_aloud(self, connection):
        connection.conversation.item.create(item=text_item("Count from one to a hundred."))
        connection.response.create()
        self.until(connection, "response.output_text.delta")

    def test_a_turn_ends_by_its_sound_and_is_answered(self):
        connection = self.listen(eagerness="high")
        self.send_sound(connection, self.speech + bytes(self.SECOND))
        events = self.until(connection, "response.done")
        kinds = [e.type for e in events]
        for kind in ("input_audio_buffer.speech_started", "input_audio_buffer.speech_stopped", "input_audio_buffer.committed"):
            self.assertEqual(kinds.count(kind), 1, kinds)
        stopped = next(e for e in events if e.type == "input_audio_buffer.speech_stopped")
        self.assertLess(stopped.audio_end_ms, 2640 + 700)

    def test_who_speaks_over_an_answer_cuts_it_short(self):
        connection = self.listen(create_response=False)
        self.count_aloud(connection)
        self.send_sound(connection, self.speech)
        events, more = self.answer(connection)
        kinds = [e.type for e in events]
        self.assertLess(kinds.index("braid.delivery.paused"), kinds.index("input_audio_buffer.speech_started"))
        done = events[-1].response
        self.assertEqual((done.status, done.status_details.reason), ("cancelled", "turn_detected"))
        after = kinds[kinds.index("braid.delivery.paused"):]
        self.assertNotIn("response.output_text.delta", after)
        self.assertTrue(done.output[0].content[0].text.endswith(more))

    def test_a_backchannel_lets_the_answer_go_on(self):
        connection = self.listen()
        self.count_aloud(connection)
        begin = int(0.4 * self.SECOND)
        self.send_sound(connection, self.speech[begin:begin + int(0.3 * self.SECOND)] + bytes(self.SECOND))
        events, _ = self.answer(connection)
        kinds = [e.type for e in events]
        self.assertEqual(kinds.count("braid.delivery.paused"), kinds.count("braid.delivery.resumed"))
        self.assertIn("braid.delivery.resumed", kinds)
        self.assertNotIn("input_audio_buffer.speech_started", kinds)
        self.assertIn(events[-1].response.status, ("completed", "incomplete"))


class Sessions(RealtimeTest):
    def test_a_client_that_goes_away_takes_its_session_along(self):
        connections = [self.connect() for _ in range(2)]
        self.assertEqual(len(self.server.json("GET", "/v1/sessions")[1]["data"]), 2)
        connections[0].conversation.item.create(item=text_item("Count from one to a hundred."))
        connections[0].response.create()
        self.until(connections[0], "response.created")
        for connection in connections:
            connection.close()
        deadline = time.monotonic() + TIMEOUT_S
        while self.server.json("GET", "/v1/sessions")[1]["data"]:
            self.assertLess(time.monotonic(), deadline, "sessions stay behind")
            time.sleep(0.05)

    def test_a_session_that_is_deleted_ends_its_line(self):
        connection = self.connect()
        session = self.server.json("GET", "/v1/sessions")[1]["data"][0]["id"]
        connection.conversation.item.create(item=text_item("Count from one to a hundred."))
        connection.response.create()
        self.until(connection, "response.created")
        self.assertEqual(self.server.json("DELETE", f"/v1/sessions/{session}")[0], 200)
        self.assertEqual(self.until(connection, "error")[-1].error.code, "session_deleted")
        with self.assertRaises(websockets.exceptions.ConnectionClosedOK) as closed:
            self.until(connection, "response.done")
        self.assertEqual(closed.exception.rcvd.code, 1000)
        self.assertEqual(self.server.json("GET", "/v1/sessions")[1]["data"], [])
        self.assertEqual(self.server.json("DELETE", f"/v1/sessions/{session}")[0], 404)

    def test_a_secret_opens_a_session_with_its_settings(self):
        secret = self.client.realtime.client_secrets.create(
            expires_after={"anchor": "created_at", "seconds": 60},
            session={"type": "realtime", "instructions": "Be brief.", "audio": {"input": {"turn_detection": None}}})
        self.assertTrue(secret.value.startswith("ek_"))
        with websockets.sync.client.connect(
                f"ws://127.0.0.1:{self.server.port}/v1/realtime?model=nano",
                subprotocols=["realtime", f"openai-insecure-api-key.{secret.value}"]) as socket:
            self.assertEqual(socket.subprotocol, "realtime")
            session = json.loads(socket.recv(timeout=TIMEOUT_S))["session"]
        self.assertEqual(session["instructions"], "Be brief.")
        self.assertIsNone(session["audio"]["input"]["turn_detection"])

    def test_a_made_up_secret_opens_nothing(self):
        with self.assertRaises(websockets.exceptions.InvalidStatus) as refused:
            websockets.sync.client.connect(f"ws://127.0.0.1:{self.server.port}/v1/realtime",
                                           subprotocols=["realtime", "openai-insecure-api-key.ek_no"])
        self.assertEqual(refused.exception.response.status_code, 401)


class Pending(Served):
    """AUTH_PENDING ends in its time: here the threads that begin sessions listen to ten minutes of sound each."""

    config = "[server]\nauth_timeout_ms = 100\n"
    AHEAD = 6  # of the one that asks; the server has two such threads

    def silence(self):
        """A request to transcribe ten minutes of it: its kind, and its body."""
        sound = subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "anullsrc=r=16000:cl=mono", "-t", "600", "-f", "flac", "-"],
                               check=True, capture_output=True).stdout
        part = "--b\r\nContent-Disposition: form-data; name="
        body = (part + '"model"\r\n\r\nnano\r\n' + part + '"file"; filename="a.flac"\r\n\r\n').encode()
        return {"Content-Type": "multipart/form-data; boundary=b"}, body + sound + b"\r\n--b--\r\n"

    def test_who_has_no_session_in_time_is_refused_and_leaves_nothing(self):
        kind, body = self.silence()
        ahead = [http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=TIMEOUT_S) for _ in range(self.AHEAD)]
        for connection in ahead:
            connection.request("POST", "/v1/audio/transcriptions", body, kind)
        refused, until = None, time.monotonic() + 5
        while refused is None and time.monotonic() < until:  # until the sounds have arrived there is room
            try:
                websockets.sync.client.connect(f"ws://127.0.0.1:{self.server.port}/v1/realtime", open_timeout=TIMEOUT_S).close()
            except websockets.exceptions.InvalidStatus as error:
                refused = error
        self.assertIsNotNone(refused, "all were let in")
        self.assertEqual(refused.response.status_code, 503)
        self.assertEqual(json.loads(refused.response.body)["error"]["code"], "auth_timeout")
        for connection in ahead:
            self.assertEqual(connection.getresponse().status, 200)
            connection.close()
        # Whom they had to look at next was gone: its session isn't there.
        again = RawWebSocket(self.server.port, timeout=TIMEOUT_S)
        session = again.until("session.created")["session"]["id"]
        self.assertEqual([one["id"] for one in self.server.json("GET", "/v1/sessions")[1]["data"]], [session])
        again.close()
        metrics = self.server.request("GET", "/metrics")[1]
        illegal = next(line for line in metrics.splitlines() if line.startswith("braid:realtime_illegal_transitions_total"))
        self.assertTrue(illegal.endswith(" 0"), illegal)


class Keys(Keyed):
    def test_secrets_stand_in_for_a_key_here_alone(self):
        with self.assertRaises(official_client.openai.AuthenticationError):
            official_client.connect_to(self.server, "no").realtime.client_secrets.create()
        secret = official_client.connect_to(self.server, KEY).realtime.client_secrets.create().value
        with official_client.connect_to(self.server, secret).realtime.connect(model="nano") as connection:
            self.assertEqual(connection.recv().type, "session.created")
        with self.assertRaises(official_client.openai.AuthenticationError):
            official_client.connect_to(self.server, secret).models.list()
        self.assertNotIn(secret, "".join(self.server.log))

    def test_a_secret_is_worth_nothing_without_the_key_that_made_it(self):
        secret = official_client.connect_to(self.server, KEY).realtime.client_secrets.create().value
        self.write_key("another key of the same name")
        deadline = time.monotonic() + TIMEOUT_S
        while self.server.request("GET", "/v1/models", headers={"Authorization": f"Bearer {KEY}"})[0] != 401:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        line = RawWebSocket(self.server.port, "/v1/realtime?model=nano", TIMEOUT_S, headers={"Authorization": f"Bearer {secret}"})
        self.assertEqual(line.status, 401)

    def test_a_line_ends_when_its_key_is_replaced(self):
        with official_client.connect_to(self.server, KEY).realtime.connect(model="nano") as connection:
            self.assertEqual(connection.recv().type, "session.created")
            self.write_key("another key of the same name")
            with self.assertRaises(websockets.exceptions.ConnectionClosedError) as closed:
                connection.recv()
            self.assertEqual(closed.exception.rcvd.code, 1008)

    def test_sessions_end_with_the_last_key_of_their_name(self):
        official = official_client.connect_to(self.server, KEY)
        bearer = {"Authorization": f"Bearer {KEY}"}
        clip = {"sources": [str(SAMPLES / "clip.mp4")]}
        self.assertEqual(self.server.json("POST", "/v1/sessions", clip, bearer)[0], 201)
        with official.realtime.connect(model="nano") as connection:
            self.assertEqual(connection.recv().type, "session.created")
            self.write_key("another", "line-8")
            error = connection.recv()
            self.assertEqual((error.type, error.error.code), ("error", "session_deleted"))
        metrics = {"Authorization": "Bearer another"}
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            text = self.server.request("GET", "/metrics", headers=metrics)[1]
            if [line for line in text.splitlines() if line.startswith("braid:sessions{") and line.endswith(" 0")]:
                break
            self.assertLess(time.monotonic(), deadline, "sessions stay behind")
            time.sleep(0.1)
        self.assertEqual("".join(self.server.log).count("its key 'line-7' is not in the keys file"), 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
