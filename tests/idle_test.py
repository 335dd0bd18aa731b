"""Clients that are connected and say nothing."""

import os
import re
import time
import unittest
from pathlib import Path

from braid_runs import TIMEOUT_S
from raw_socket import RawWebSocket
from served import Served

CONNECTED = 200
MOST_BYTES = 200_000  # of one, outside the KV cache
CONFIG = """
[server]
max_sessions = 300
max_sessions_per_key = 300
[engine]
kv_cells = 2000000
sequences = 2000
[session]
window_tokens = 512
[speech]
vad = "energy"
[limits]
connections_per_remote = 300
"""


class Idle(Served):
    config = CONFIG

    def connect(self, count):
        clients = [RawWebSocket(self.server.port) for _ in range(count)]
        for client in clients:
            self.assertEqual(client.receive()["type"], "session.created")
        return clients

    def resident(self):
        return float(re.search(r"^process_resident_memory_bytes (\S+)", self.server.request("GET", "/metrics")[1], re.M)[1])

    def wake_ups(self):
        """How often each thread of a session has slept and woken, by thread."""
        tasks = Path("/proc", str(self.server.process.pid), "task")
        counts = {}
        for task in tasks.iterdir():
            if (task / "comm").read_text().strip() in ("sync", "encode", "deliver", "source-0"):
                counts[task.name] = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", (task / "status").read_text(), re.M)[1])
        return counts

    def test_they_take_little_room_and_nothing_of_theirs_runs(self):
        for client in self.connect(8):  # what the first ones load is not theirs
            client.close()
        while self.server.json("GET", "/v1/sessions")[1]["data"]:
            time.sleep(0.05)
        before = self.resident()
        clients = self.connect(CONNECTED)
        each = (self.resident() - before) / CONNECTED
        if not os.environ.get("FAULTS_SANITIZED"):
            self.assertLessEqual(each, MOST_BYTES)
        self.assertGreaterEqual(len(self.wake_ups()), 3 * CONNECTED)
        deadline = time.monotonic() + TIMEOUT_S
        while True:  # until a second passes without one; a thread that polls would never let it
            woken = self.wake_ups()
            time.sleep(1)
            if self.wake_ups() == woken:
                break
            self.assertLess(time.monotonic(), deadline, "threads of idle sessions wake up again and again")
        for client in clients:
            client.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
