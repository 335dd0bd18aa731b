"""Sessions that outlive the server: killed at any moment, it gives each back to who shows its token.

DURABILITY_KILLS is how often the loop kills it (5 by default, 50 by `make faults`).
"""

import base64
import contextlib
import hashlib
import hmac
import http.server
import json
import os
import resource
import shutil
import subprocess
import threading
import time
import unittest
from pathlib import Path

import official_client  # before what it brings along
import websockets.sync.client
from braid_runs import BRAID, CLIP, SAMPLES, TIMEOUT_S
from durable import FLAGS, QUESTION, SAID, SPEECH, Durable
from metrics_test import Receiver
from served import KEY, config_file

KILLS = int(os.environ.get("DURABILITY_KILLS", "5"))
A_SNAPSHOT = 2.5  # s: what is older isn't lost


class SlowClip:
    """A clip over HTTP that comes when it may."""

    def __init__(self):
        self.go, self.asked = threading.Event(), threading.Event()
        self.go.set()
        clip = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                clip.asked.set()
                clip.go.wait(TIMEOUT_S)
                body = Path(CLIP).read_bytes()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with contextlib.suppress(OSError):  # it reads no more than it needs
                    self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/clip.mp4"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def hold(self):
        self.go.clear()
        self.asked.clear()

    def close(self):
        self.go.set()
        self.server.shutdown()
        self.server.server_close()


class Sessions(Durable):
    def test_a_killed_servers_session_knows_what_it_saw(self):
        self.start()
        session = self.make_session(CLIP)
        self.wait_until(lambda: self.show(session)["window"]["to_us"] >= 11_500_000, "the clip isn't seen to its end")
        question = "When did the umbrella appear?"
        before, window = self.ask(session, question)
        self.assertIn("4.0s", before)
        time.sleep(A_SNAPSHOT)
        self.restart()
        listed = self.server.json("GET", "/v1/sessions")[1]["data"]
        self.assertEqual([(s["id"], s["state"]) for s in listed], [(session["id"], "resumable")])
        status, back = self.resume(session)
        self.assertEqual((status, back["id"], back["created"]), (200, session["id"], session["created"]), back)
        self.assertNotIn("resume_token", back)
        after, again = self.ask(session, question)
        self.assertEqual(after, before)
        # A file isn't opened again, so what it was called isn't known any more.
        self.assertEqual({**again, "tokens": 0, "sources": {}}, {**window, "tokens": 0, "sources": {}})
        self.assertEqual(self.metric("sessions_resumed_total"), 1)
        self.assertEqual(self.server.json("DELETE", f"/v1/sessions/{session['id']}")[0], 200)
        self.assertEqual(self.sessions_kept(), [])

    def test_only_the_token_opens_it(self):
        session = self.begin()
        self.kill()
        self.assertEqual(os.stat(self.state).st_mode & 0o777, 0o700)
        kept = b"".join(p.read_bytes() for p in self.state.rglob("*") if p.is_file())
        self.assertNotIn(session["resume_token"].encode(), kept)
        self.start()
        for token in ("wrong", session["resume_token"][:-1], session["id"]):
            status, refused = self.resume(session, token)
            self.assertEqual((status, refused["error"]["code"]), (404, "not_found"), refused)
        self.assertEqual(self.resume({"id": "../" + session["id"]}, session["resume_token"])[0], 404)
        self.assertEqual(self.resume(session)[0], 200)
        self.assertEqual(self.resume(session)[0], 200)  # it lives: its client is told so
        self.assertNotIn(session["resume_token"], "".join(self.server.log))

    def test_an_altered_snapshot_is_refused_with_one_line(self):
        session = self.begin(snapshots=2)
        self.kill()
        file = self.state / session["id"] / "snapshot"
        whole = file.read_bytes()
        slots = [0, len(whole) // 2]
        newer = max(slots, key=lambda at: int.from_bytes(whole[at + 16:at + 24], "little"))
        altered = bytearray(whole)
        altered[newer + 60] ^= 1
        file.write_bytes(altered)
        self.start()
        self.assertRegex(self.told_of(session), "its checksum is .* torn or was altered; the one before is taken")
        self.assertEqual(self.resume(session)[0], 200)
        self.kill()
        for at in slots:
            altered[at + 60] ^= 2
        file.write_bytes(altered)
        self.start()
        self.assertIn("can't be resumed: ", self.told_of(session))
        # Whose it was can't be read: nobody hears more than of one that isn't there.
        status, refused = self.resume(session)
        self.assertEqual(status, 404, refused)
        other = "sess_" + "0" * 32
        unknown = self.resume({"id": other}, "x")[1]
        self.assertEqual(json.dumps(refused), json.dumps(unknown).replace(other, session["id"]))
        self.assertEqual(self.server.json("GET", "/v1/sessions")[1]["data"], [])

    def test_a_folder_that_holds_other_things_is_refused_and_they_stay(self):
        for theirs in ("Documents/thesis/final.txt", "photos/snapshot", "work/a.c"):
            path = self.state / theirs
            path.parent.mkdir(parents=True)
            path.write_text("mine")
        self.state.chmod(0o755)
        before = {p: (p.stat().st_mode, p.read_bytes() if p.is_file() else b"") for p in self.state.rglob("*")}
        refused = subprocess.run([BRAID, "serve", "--port", "0", *FLAGS, "--state-dir", str(self.state)],
                                 capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertRegex(refused.stderr, "'Documents'.*name an empty folder")
        after = {p: (p.stat().st_mode, p.read_bytes() if p.is_file() else b"") for p in self.state.rglob("*")}
        self.assertEqual(after, before)
        self.assertEqual(self.state.stat().st_mode & 0o777, 0o755)

    def test_files_that_others_put_into_its_folder_stay(self):
        session = self.begin()
        theirs = [self.state / "notes/snapshot", self.state / session["id"] / "readme"]
        theirs[0].parent.mkdir()
        for path in theirs:
            path.write_text("mine")
        self.restart()
        self.assertEqual(self.server.json("DELETE", f"/v1/sessions/{session['id']}")[0], 200)
        self.restart()
        self.assertEqual([path.read_text() for path in theirs], ["mine", "mine"])
        self.assertEqual([p.name for p in theirs[1].parent.iterdir()], ["readme"])

    def test_files_that_are_cut_or_removed_cost_nothing_but_a_line(self):
        session = self.begin(snapshots=2)
        os.truncate(self.state / session["id"] / "snapshot", 0)
        self.ask(session)  # what it says changes the session
        self.wait_until(lambda: self.metric("snapshots_failed_total") == 1, "it isn't noticed")
        self.assertIn("made anew", self.told_of(session))
        self.wait_until(lambda: (self.state / session["id"] / "snapshot").stat().st_size > 0, "it isn't made anew")
        self.restart()
        self.assertEqual(self.resume(session)[0], 200)
        shutil.rmtree(self.state)
        self.ask(session)
        self.wait_until(lambda: self.metric("snapshots_failed_total") >= 1, "it isn't noticed")
        self.assertTrue(any("was removed while it was used" in line for line in self.server.log))
        self.assertNotIn("resume_token", self.make_session())

    def test_a_full_disk_costs_what_is_kept_and_nothing_else(self):
        self.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
        session = self.make_session()
        self.wait_until(lambda: self.metric("snapshots_failed_total") >= 2, "no failure is counted")
        self.hear(session)
        lines = [line for line in self.server.log if "can't be kept" in line]
        self.assertEqual(len(lines), 1, lines)

    def test_the_configured_session_comes_back_by_itself(self):
        self.start(str(SPEECH))
        session = self.server.json("GET", "/v1/sessions")[1]["data"][0]
        before, _ = self.hear(session)
        self.assertEqual(self.server.stop(), 0)  # a restart as it should be loses nothing at all
        self.start(str(SPEECH))
        self.assertEqual([s["id"] for s in self.server.json("GET", "/v1/sessions")[1]["data"]], [session["id"]])
        self.assertEqual(self.ask(session)[0], before)

    def test_two_servers_do_not_share_a_folder(self):
        self.start()
        second = subprocess.run([BRAID, "serve", "--port", "0", *FLAGS, "--state-dir", str(self.state)],
                                capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(second.returncode, 4, second.stderr)
        self.assertIn("used by another process", second.stderr)


class Standing(Durable):
    def test_a_question_of_a_client_goes_on_without_it_in_step_and_signed(self):
        hook = Receiver()
        self.addCleanup(hook.close)
        flags = config_file(self, "[webhooks]\nallow_private = true\n")
        self.start(*flags)
        session = self.make_session(questions=[
            {"ask": QUESTION, "every_s": 2, "webhook": hook.url, "secret": "hush"}])
        self.wait_until(lambda: any(SAID in p[2].decode() for p in hook.posts), "nothing is answered")
        time.sleep(A_SNAPSHOT)
        self.kill()
        before = len(hook.posts)
        self.start(*flags)
        self.wait_until(lambda: len(hook.posts) >= before + 3, "it doesn't go on")
        for _, headers, body in hook.posts[before:]:
            self.assertEqual(headers["X-Braid-Signature"], "sha256=" + hmac.new(b"hush", body, hashlib.sha256).hexdigest())
            post = json.loads(body)
            self.assertEqual((post["session"], post["question"]), (session["id"], QUESTION))
            self.assertIn(SAID, post["answer"])
        # The first may be one that was open. What is asked on time is asked at multiples of its period.
        self.assertLess(json.loads(hook.posts[-1][2])["asked_at_us"] % 2_000_000, 1_000_000)
        self.assertEqual([(s["id"], s["state"]) for s in self.server.json("GET", "/v1/sessions")[1]["data"]],
                         [(session["id"], "running")])
        self.assertEqual(self.resume(session)[0], 200)
        self.assertTrue(all(p.stat().st_mode & 0o777 == 0o600 for p in self.state.rglob("*") if p.is_file()))
        self.assertNotIn("hush", "".join(self.server.log))

    def test_one_whose_source_is_being_opened_is_seen_and_can_be_deleted(self):
        clip = SlowClip()
        self.addCleanup(clip.close)
        self.start()
        session = self.make_session(clip.url, questions=[{"ask": QUESTION, "every_s": 1}])
        self.wait_until(lambda: self.metric("snapshots_written_total") >= 1, "nothing is kept")
        self.kill()
        clip.hold()
        self.start()
        self.assertTrue(clip.asked.wait(TIMEOUT_S), "it doesn't go on")
        path = f"/v1/sessions/{session['id']}"
        self.assertEqual([s["id"] for s in self.server.json("GET", "/v1/sessions")[1]["data"]], [session["id"]])
        self.assertEqual(self.server.json("GET", path)[0], 200)
        self.assertEqual(self.server.json("DELETE", path)[0], 200)
        self.assertEqual(self.server.json("GET", path)[0], 404)
        self.assertEqual(self.server.json("DELETE", path)[0], 404)
        self.assertEqual(self.resume(session)[0], 404)
        clip.go.set()
        self.wait_until(lambda: self.sessions_kept() == [], "its files stay")
        self.assertEqual(self.server.json("GET", "/v1/sessions")[1]["data"], [])
        self.assertEqual(self.metric("standing_asked_total"), 0)

    def test_it_does_not_go_on_for_a_key_that_was_taken_away(self):
        keys = self.state.parent / "keys"
        line = hashlib.sha256(KEY.encode()).hexdigest() + " anna\n"
        keys.write_text(line)
        bearer = {"Authorization": f"Bearer {KEY}"}
        self.start("--keys", str(keys))
        status, session = self.server.json("POST", "/v1/sessions", {
            "sources": [str(SPEECH)], "questions": [{"ask": QUESTION, "every_s": 2}]}, bearer)
        self.assertEqual(status, 201, session)
        time.sleep(A_SNAPSHOT)
        keys.write_text(line.replace("anna", "otto"))
        self.restart("--keys", str(keys))
        self.wait_until(lambda: any("of session " + session["id"] in told for told in self.server.log), "it goes on")
        self.assertEqual(self.server.json("GET", "/v1/sessions", None, bearer)[1]["data"], [])
        self.assertNotIn(KEY, "".join(self.server.log))
        keys.write_text(line)
        self.restart("--keys", str(keys))
        self.wait_until(lambda: [s["state"] for s in self.server.json("GET", "/v1/sessions", None, bearer)[1]["data"]]
                        == ["running"], "it doesn't go on")


class Realtime(Durable):
    def connect(self, query="model=nano", **more):
        socket = websockets.sync.client.connect(f"ws://127.0.0.1:{self.server.port}/v1/realtime?{query}", **more)
        self.addCleanup(socket.close)
        return socket, self.until(socket, "session.created")["session"]

    def take_up(self, session, token=None):
        token = session["braid"]["resume_token"] if token is None else token
        return self.connect(f"resume={session['id']}", additional_headers={"x-braid-resume-token": token})

    def until(self, socket, kind):
        while True:
            event = json.loads(socket.recv(timeout=TIMEOUT_S))
            self.assertFalse(event["type"] == "error" and kind != "error", event)
            if event["type"] == kind:
                return event

    def send(self, socket, kind, **fields):
        socket.send(json.dumps({"type": kind, **fields}))

    def say(self, socket, text):
        self.send(socket, "conversation.item.create",
                  item={"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
        return self.until(socket, "conversation.item.done")["item"]["id"]

    def answer(self, socket, question):
        self.say(socket, question)
        self.send(socket, "response.create")
        return self.until(socket, "response.done")["response"]["output"][0]["content"][0]["text"]

    def show_picture(self, socket):
        image = base64.b64encode((SAMPLES / "still2.jpg").read_bytes()).decode()
        self.send(socket, "input_video_buffer.append", image=image)

    def begin_seeing(self):
        """A session that saw a picture and was asked about it."""
        self.start()
        socket, session = self.connect()
        self.send(socket, "session.update", session={"type": "realtime", "instructions": "Look."})
        self.until(socket, "session.updated")
        self.show_picture(socket)
        first = self.say(socket, "The code of the door is 4711.")
        self.assertRegex(self.answer(socket, "What do you see?"), "dog|pizza")
        time.sleep(A_SNAPSHOT)
        return socket, session, first

    def test_a_killed_servers_conversation_goes_on(self):
        _, session, first = self.begin_seeing()
        self.restart()
        for token in ("wrong", ""):
            with self.assertRaises(websockets.exceptions.InvalidStatus) as refused:
                self.take_up(session, token)
            self.assertEqual(refused.exception.response.status_code, 404)
        socket, back = self.take_up(session)
        self.assertEqual((back["id"], back["instructions"]), (session["id"], "Look."))
        self.assertNotIn("resume_token", back["braid"])
        self.send(socket, "conversation.item.retrieve", item_id=first)
        item = self.until(socket, "conversation.item.retrieved")["item"]
        self.assertEqual(item["content"][0]["text"], "The code of the door is 4711.")
        self.assertRegex(self.answer(socket, "What do you see?"), "dog|pizza")
        self.assertIn("4711", self.answer(socket, "What is the code of the door?"))

    def test_a_later_connection_takes_over_the_one_that_is_open(self):
        older, session, first = self.begin_seeing()
        with self.assertRaises(websockets.exceptions.InvalidStatus) as refused:
            self.take_up(session, "wrong")
        self.assertEqual(refused.exception.response.status_code, 404)
        began = time.monotonic()
        later, back = self.take_up(session)
        self.assertLess(time.monotonic() - began, 5)  # the older one isn't waited for
        self.assertEqual((back["id"], back["instructions"]), (session["id"], "Look."))
        self.assertEqual(self.until(older, "error")["error"]["code"], "session_taken_over")
        with self.assertRaises(websockets.exceptions.ConnectionClosed) as closed:
            older.recv(timeout=TIMEOUT_S)
        self.assertEqual(closed.exception.rcvd.code, 4001)
        self.assertIn("4711", self.answer(later, "What is the code of the door?"))
        self.assertEqual(len(self.server.json("GET", "/v1/sessions")[1]["data"]), 1)

    def test_what_was_answered_before_the_line_broke_is_not_answered_again(self):
        self.start()
        socket, session = self.connect()
        self.show_picture(socket)
        for turn in range(3):
            self.say(socket, f"What do you see? {turn}")
            self.send(socket, "response.create")
            response = self.until(socket, "response.done")["response"]["id"]
            self.until(socket, "braid.stages")
            before = self.show(session)
            socket.socket.shutdown(2)
            if turn != 1:  # else the line may not be known to be dead
                self.wait_until(lambda: self.metric("sessions_resumable") == 1, "it is gone")
            socket, _ = self.take_up(session)
            shown = self.show(session)
            for fact in ("perceived", "kept"):
                self.assertEqual(shown[fact], before[fact], turn)
            self.assertEqual(shown["window"]["chunks"], before["window"]["chunks"], turn)
            self.assertGreater(shown["window"]["tokens"], 0)
            self.assertGreater(shown["bytes"], 0)
            # The next response is one to what is said next.
            self.say(socket, "Are you there?")
            self.send(socket, "response.create")
            self.assertNotEqual(self.until(socket, "response.created")["response"]["id"], response)
            self.until(socket, "braid.stages")

    def test_a_line_that_broke_is_taken_up_and_one_that_was_closed_is_over(self):
        socket, session, _ = self.begin_seeing()
        socket.socket.close()  # no goodbye
        subprotocols = ["realtime", "braid-resume." + session["braid"]["resume_token"]]
        self.wait_until(lambda: self.metric("sessions_resumable") == 1, "it is gone")
        socket, back = self.connect(f"resume={session['id']}", subprotocols=subprotocols)
        self.assertEqual((back["id"], socket.subprotocol), (session["id"], "realtime"))
        self.assertRegex(self.answer(socket, "What do you see?"), "dog|pizza")
        socket.close()
        self.wait_until(lambda: self.sessions_kept() == [], "it stays behind")


class Kills(Durable):
    def test_whenever_it_is_killed_it_comes_back(self):
        """Each time at another moment after it came back, and then all that had been kept is there."""
        no_turns = config_file(type(self), "[session]\njoin_turns = false\n")  # fifty of them would fill the window
        self.start(*no_turns)
        session = self.make_session()
        before, window = self.hear(session)
        time.sleep(A_SNAPSHOT)
        for turn in range(KILLS):
            self.restart(*no_turns)
            status, back = self.resume(session)
            self.assertEqual((status, back["id"]), (200, session["id"]), (turn, back))
            after, again = self.ask(session)
            self.assertEqual(after, before, turn)
            self.assertGreaterEqual(again["chunks"], window["chunks"], turn)
            time.sleep(0.37 * turn % 2.2)  # in and between snapshots
        self.assertEqual(self.metric("snapshots_refused_total"), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
