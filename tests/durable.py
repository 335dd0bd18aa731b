"""A server over a state folder, for tests that kill it."""

import tempfile
import time
import unittest
from pathlib import Path

from braid_runs import SAMPLES, TIMEOUT_S
from served import Server, text_of

FLAGS = ("--window-tokens", "1024")
SPEECH = SAMPLES / "utterance2.wav"
SAID = "the code is"
QUESTION = "What did the speaker say?"


class Durable(unittest.TestCase):
    """A server that can be killed and started again over the same folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name, "state")
        self.server = None
        self.addCleanup(self.kill)

    def start(self, *flags, **popen):
        self.server = Server(*FLAGS, "--state-dir", str(self.state), *flags, **popen)

    def restart(self, *flags):
        self.kill()
        self.start(*flags)

    def kill(self):
        if self.server is None:
            return
        self.server.process.kill()
        self.server.process.wait(timeout=TIMEOUT_S)
        self.server.reader.join()
        self.server.process.stderr.close()
        self.server = None

    def metric(self, name):
        for line in self.server.request("GET", "/metrics")[1].splitlines():
            if line.startswith(f"braid:{name}{{"):
                return float(line.rsplit(" ", 1)[1])
        self.fail(f"there is no metric {name}")

    def sessions_kept(self):
        return [p.name for p in self.state.iterdir() if p.is_dir()]

    def wait_until(self, holds, what):
        deadline = time.monotonic() + TIMEOUT_S
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def make_session(self, source=SPEECH, **more):
        status, session = self.server.json("POST", "/v1/sessions", {"sources": [str(source)], **more})
        self.assertEqual(status, 201, session)
        return session

    def begin(self, snapshots=1):
        """A session that was written so often."""
        self.start()
        session = self.make_session()
        self.wait_until(lambda: self.metric("snapshots_written_total") >= snapshots, "nothing is kept")
        return session

    def ask(self, session, question=QUESTION):
        status, answer = self.server.chat(question, braid={"session": session["id"]}, temperature=0)
        self.assertEqual(status, 200, answer)
        return text_of(answer), answer["braid"]["window"]

    def resume(self, session, token=None):
        return self.server.json("POST", "/v1/sessions",
                                {"resume": {"id": session["id"], "token": token or session["resume_token"]}})

    def show(self, session):
        return self.server.json("GET", f"/v1/sessions/{session['id']}")[1]

    def hear(self, session):
        """What it says of the speech, once that is heard."""
        self.wait_until(lambda: self.show(session)["kept"] >= 1, "nothing is heard")
        answer, window = self.ask(session)
        self.assertIn(SAID, answer)
        return answer, window

    def told_of(self, session):
        """The one line of the log that names it."""
        lines = [line for line in self.server.log if session["id"] in line]
        self.assertEqual(len(lines), 1, lines)
        return lines[0]
