"""The Python client: its clock by the table that all clients share, its sessions against a running server."""

import json
import sys
import threading
import time
import unittest
from pathlib import Path

import official_client  # noqa: F401: brings websockets along
from braid_runs import SAMPLES, TIMEOUT_S
from served import KEY, Keyed, Served

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "clients/python"))

from braid_client import Closed, DriftClock, Realtime  # noqa: E402


class Drift(unittest.TestCase):
    def test_it_agrees_with_the_table_of_cases_that_all_clients_share(self):
        for case in json.loads((ROOT / "tests/data/drift.json").read_text()):
            clock = DriftClock()
            for number, (what, *values) in enumerate(case["steps"]):
                with self.subTest(case["name"], step=number):
                    if what == "ping":
                        clock.exchange(*values)
                        continue
                    at, is_open, offset, bound, closed, refused, ping_after_ms = values
                    best = clock.estimate(at)
                    self.assertEqual((clock.is_open, clock.closed, clock.refused, clock.ping_after_s * 1000, best is None),
                                     (is_open, closed, refused, ping_after_ms, offset is None))
                    if best:
                        self.assertAlmostEqual(best[0], offset, places=3)
                        self.assertAlmostEqual(best[1], bound, places=3)
                        self.assertEqual(clock.session_us(at), round(at + best[0]))
                        self.assertEqual(clock.bound_us(at), best[1])


class Client(Served):
    flags = ("--window-tokens", "1024")

    def open(self, **more):
        session = Realtime(f"ws://127.0.0.1:{self.server.port}", **more)
        self.addCleanup(session.close)
        return session

    def test_what_is_captured_is_asked_about(self):
        session = self.open()
        self.assertEqual(session.next_event(TIMEOUT_S)["type"], "session.created")
        session.frame((SAMPLES / "still2.jpg").read_bytes())
        session.reading({"pressure": 2.1}, source="press")
        self.assertRegex(session.answer("What do you see now?", TIMEOUT_S), "dog|pizza")
        while (event := session.next_event(TIMEOUT_S))["type"] != "braid.stages":
            pass
        self.assertEqual(event["braid"]["window"]["chunks"], 2)
        self.assertEqual(session.dropped, 0)

    def test_clocks_are_compared_while_the_session_lives(self):
        hours_ahead = 3_600_000_000 * 5
        session = self.open(now_us=lambda: time.monotonic_ns() // 1000 + hours_ahead)
        self.assertTrue(session.wait_for_clock(TIMEOUT_S))
        is_open, offset, bound = session.clock()
        self.assertTrue(is_open)
        self.assertLess(bound, 30_000)
        before = time.monotonic_ns() // 1000 + hours_ahead
        mapped = session.session_us(before)
        self.assertAlmostEqual(mapped, before + offset, delta=bound)
        self.assertGreater(mapped, 0)  # session time counts from the session's start
        self.assertLess(mapped, TIMEOUT_S * 1e6)

    def test_an_ended_session_says_so(self):
        session = self.open()
        session.next_event(TIMEOUT_S)
        closing = threading.Timer(0.1, session.close)
        closing.start()
        with self.assertRaises(Closed):
            while True:
                session.next_event(TIMEOUT_S)
        closing.join()
        with self.assertRaises(Closed):
            session.ask("Anybody?")
        with self.assertRaises(Closed):
            session.next_event(0)


class Key(Keyed):
    def test_a_key_opens_a_session(self):
        with Realtime(f"ws://127.0.0.1:{self.server.port}", key=KEY) as session:
            self.assertEqual(session.next_event(TIMEOUT_S)["type"], "session.created")
        with self.assertRaises(Exception) as refused:
            Realtime(f"ws://127.0.0.1:{self.server.port}", key="another")
        self.assertIn("401", str(refused.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)
