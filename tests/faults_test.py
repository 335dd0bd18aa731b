"""A server among clients that err, leave, stall and lie: it lives, nothing stays behind, and nobody else notices.

FAULTS_REQUESTS is how much is tried (1,000 by default, 10,000 by `make faults`), FAULTS_SEED begins another series.
"""

import contextlib
import os
import re
import resource
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import hostile_media
from braid_runs import BRAID, TIMEOUT_S
from hostile_clients import SEED, Storm, Witness, stream_body
from raw_socket import RawWebSocket, connect, http_request, is_whole, read_reply, reset, status_of
from served import Server, config_file

REQUESTS = int(os.environ.get("FAULTS_REQUESTS", "1000"))
FLAT = 1.02  # resident memory of the last quarter against the third
CONFIG = """
[server]
max_sessions = 64
max_sessions_per_key = 64
[engine]
deterministic = true
kv_cells = 16384
[session]
window_tokens = 512
max_answer_tokens = 160
join_turns = false
[speech]
vad = "energy"
[limits]
header_timeout_ms = 1500
body_timeout_ms = 1500
keep_alive_timeout_ms = 2000
write_timeout_ms = 2000
web_socket_timeout_ms = 120000
outgoing_bytes = 65536
"""


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(*config_file(cls, CONFIG))
        cls.addClassCleanup(cls.end)
        cls.media = {kind: hostile_media.make(kind) for kind in ("image", "sound", "film")}
        cls.media["hostile"] = hostile_media.hostile()

    @classmethod
    def end(cls):
        """Sanitizers speak at the end too, of what leaked."""
        code, log = cls.server.stop(), "".join(cls.server.log)
        assert code == 0 and "ERROR:" not in log and "runtime error:" not in log, f"ended with {code}: {log[-20000:]}"

    def setUp(self):
        self.witness = Witness(self.server)
        self.quiet = self.witness.ask()
        self.addCleanup(self.witness.socket.close)
        self.before = self.held()
        self.storm = Storm(self.server, self.media)
        self.witness.thread.start()

    def held(self):
        """What the process holds: descriptors, threads, promised cells, sessions."""
        text = self.server.request("GET", "/metrics")[1]
        value = lambda name: float(re.search(rf"^{name}(?:{{[^}}]*}})? (\S+)", text, re.M)[1])
        names = ("process_open_fds", "process_threads", "braid:kv_cells_promised", "braid:sessions", "braid:http_connections_open",
                 "braid:web_sockets_open", "braid:http_requests_open", "braid:num_requests_running")
        return {name: value(name) for name in names}

    def more_than_before(self):
        return {name: (value, self.before[name]) for name, value in self.held().items() if value > self.before[name]}

    def tearDown(self):
        """Nothing of the others is left, and the witness was told the same throughout."""
        self.witness.stop()
        self.keep_inputs()
        self.assertIsNone(self.server.process.poll(), "".join(self.server.log)[-20000:])
        self.assertEqual(self.storm.faults, [])
        mine = self.witness.session
        for session in self.server.json("GET", "/v1/sessions")[1]["data"]:
            if session["id"] != mine:
                self.server.request("DELETE", f"/v1/sessions/{session['id']}")
        deadline = time.monotonic() + 30
        while (more := self.more_than_before()) and time.monotonic() < deadline:
            time.sleep(0.2)
        self.assertEqual(more, {}, "stayed behind, and how much there was before")
        self.assertGreater(len(self.witness.told), 0)
        self.assertEqual(set(self.witness.told), {self.quiet})

    def keep_inputs(self):
        """The last inputs, where a server died of one of them."""
        if self.server.process.poll() is not None or self.storm.faults:
            kept = Path(tempfile.gettempdir(), f"braid-faults-{SEED}-{self._testMethodName}.txt")
            kept.write_text("\n".join(map(repr, self.storm.recent)))
            print(f"the last inputs are in {kept}", flush=True)

    def assert_flat(self):
        """Memory of the second half; only a long run is past its warm-up."""
        samples = self.storm.samples
        quarter = len(samples) // 4
        third, last = (sorted(part)[len(part) // 2] for part in (samples[-2 * quarter:-quarter], samples[-quarter:]))
        print(f"resident: {third} kB in the third quarter, {last} kB in the last ({last / third:.3f}x); {dict(self.storm.statuses)}",
              flush=True)
        if REQUESTS >= 10000:
            self.assertLessEqual(last, FLAT * third)

    def test_requests_that_are_nearly_right(self):
        self.storm.run([self.storm.http], REQUESTS)
        self.assertGreater(self.storm.statuses[200], 0, self.storm.statuses)
        self.assertGreater(self.storm.statuses[400], 0, self.storm.statuses)
        self.assert_flat()

    def test_realtime_events_in_any_order(self):
        self.storm.run([self.storm.realtime], REQUESTS // 4)
        self.assert_flat()

    def test_files_that_lie(self):
        self.storm.run([self.storm.upload], REQUESTS // 10)

    def test_clients_that_are_slow(self):
        self.storm.run([self.storm.slow_reader, self.storm.slow_writer], REQUESTS // 20)

    def test_all_at_once(self):
        storm = self.storm
        storm.run([storm.http, storm.http, storm.realtime, storm.upload, storm.slow_reader, storm.slow_writer], REQUESTS // 4)

    def test_streams_left_at_every_event(self):
        """After each number of events of a chat's stream, by FIN and by RST."""
        whole = 1
        number = 0
        while number <= whole:
            for leave in (reset, socket.socket.close):
                with connect(self.server.port, TIMEOUT_S) as client:
                    client.sendall(http_request("POST", "/v1/chat/completions", stream_body()))
                    reply = b""
                    while reply.count(b"\ndata: ") < number and not is_whole(reply):
                        piece = client.recv(256)
                        if not piece:
                            break
                        reply += piece
                    whole = max(whole, reply.count(b"\ndata: ") + (0 if is_whole(reply) else 1))
                    leave(client)
            number += max(1, 3000 // REQUESTS)

    def test_responses_left_at_every_event(self):
        """The same for Realtime."""
        number, over = 1, False
        while not over:
            for leave in (reset, socket.socket.close):
                client = RawWebSocket(self.server.port, timeout=TIMEOUT_S)
                self.assertFalse(client.closed, client.status)
                client.send({"type": "response.create", "response": {"instructions": "count"}})
                over = all(client.receive()["type"] != "braid.stages" for _ in range(number)) is False
                leave(client.socket)
            number += max(1, 3000 // REQUESTS)

    def test_connections_that_stay_half_open(self):
        """They are ended by the server's own bounds while their clients do nothing."""
        starts = [b"", b"GET / HTT", b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{",
                  http_request("GET", "/health")]
        held = [connect(self.server.port) for _ in range(60)]
        for number, client in enumerate(held):
            client.sendall(starts[number % len(starts)])
            if number % 8 == 0:
                client.shutdown(socket.SHUT_WR)
        deadline = time.monotonic() + 30
        for client in held:
            client.settimeout(max(0.1, deadline - time.monotonic()))
            with contextlib.suppress(ConnectionError):
                while client.recv(4096):
                    pass
            client.close()

    def test_bodies_past_every_bound(self):
        for size, path in ((33 << 20, "/v1/chat/completions"), (300 << 10, "/v1/sessions"), (33 << 20, "/v1/audio/transcriptions")):
            with contextlib.suppress(OSError), connect(self.server.port, TIMEOUT_S) as client:
                client.sendall(http_request("POST", path, b" " * size))
                self.assertEqual(status_of(read_reply(client)), 413)
        client = RawWebSocket(self.server.port, timeout=TIMEOUT_S)
        with client.socket:
            with contextlib.suppress(ConnectionError):
                client.send(b" " * (17 << 20))
            with contextlib.suppress(ConnectionError):
                while client.receive() is not None:
                    pass


class Ending(unittest.TestCase):
    """A server that is told to stop in the middle of everything stops, in time and well."""

    def test_it_ends_while_clients_go_on(self):
        media = {kind: hostile_media.make(kind) for kind in ("image", "sound", "film")} | {"hostile": hostile_media.hostile()}
        for turn in range(max(2, REQUESTS // 500)):
            server = Server("--vad", "energy", "--grace", "0.2")
            storm = Storm(server, media)
            clients = threading.Thread(target=storm.run, args=([storm.http, storm.realtime, storm.slow_reader], 10**6))
            clients.start()
            time.sleep(0.3 + 0.1 * (turn % 5))
            code, log = server.stop(), "".join(server.log)
            clients.join()
            self.assertEqual(code, 0, log[-20000:])
            self.assertNotIn("ERROR:", log)
            self.assertNotIn("runtime error:", log)


class FullDisk(unittest.TestCase):
    def test_a_log_that_cannot_be_written_costs_the_log_alone(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with open("/dev/full", "wb") as full:
            process = subprocess.Popen([BRAID, "serve", "--port", str(port), "--vad", "energy"], stdout=full, stderr=full)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + TIMEOUT_S
        while True:
            self.assertIsNone(process.poll(), "it ended for want of a log")
            self.assertLess(time.monotonic(), deadline)
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as client:
                client.sendall(http_request("GET", "/health"))
                if status_of(read_reply(client)) == 200:
                    break
            time.sleep(0.1)
        process.terminate()
        self.assertEqual(process.wait(timeout=TIMEOUT_S), 0)


@unittest.skipIf(os.environ.get("FAULTS_SANITIZED"), "without descriptors UBSan takes every object for a broken one")
class FewDescriptors(unittest.TestCase):
    """More clients than the process may have files: those that there is room for are answered, and later all."""

    def test_others_wait_and_nothing_is_lost(self):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        limited = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
        server = Server("--vad", "energy", preexec_fn=limited)
        try:
            held = []
            for _ in range(150):
                with contextlib.suppress(OSError):
                    held.append(connect(server.port))
            for client in held:
                reset(client)
            deadline = time.monotonic() + TIMEOUT_S
            while True:
                with contextlib.suppress(OSError):
                    if server.json("GET", "/health")[0] == 200:
                        break
                self.assertIsNone(server.process.poll())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.1)
        finally:
            self.assertEqual(server.stop(), 0, "".join(server.log))


if __name__ == "__main__":
    unittest.main(verbosity=2)
