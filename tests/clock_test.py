"""`braid clock`: what is known of clocks, from a file of stamps and of a session that lives in a server."""

import json
import random
import subprocess
import sys

import official_client  # noqa: F401: brings websockets along
from braid_runs import BRAID, ROOT, TIMEOUT_S, BraidTest, main
from served import Served

sys.path.insert(0, str(ROOT / "clients/python"))

from braid_client import Realtime  # noqa: E402


def clock(*arguments, code=0):
    done = subprocess.run([BRAID, "clock", *map(str, arguments)], capture_output=True, text=True, timeout=TIMEOUT_S)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def packets(seconds, ppm, jitter_ms, rng, step_s=None):
    """A sender five hours ahead and `ppm` fast, 50 packets a second; after `step_s` it is 2 s further ahead."""
    for number in range(50 * seconds):
        us = 20_000 * number
        ahead = 18_000_000_000 + (2_000_000 if step_s is not None and us >= step_s * 1e6 else 0)
        yield {"source": "cam", "stamp": round(ahead + us * (1 + ppm * 1e-6)),
               "arrival_us": us + 1000 + round(rng.expovariate(1 / (1000 * jitter_ms)))}


class Files(BraidTest):
    def log(self, lines):
        return self.write("stamps.jsonl", "".join(json.dumps(line) + "\n" for line in lines))

    def test_skew_offset_and_a_step_are_told(self):
        log = self.log(packets(60, 50, 0.2, random.Random(1), step_s=20))
        (told,) = json.loads(clock(log, "--json").stdout)["data"]
        self.assertEqual(told["source"], "cam")
        self.assertAlmostEqual(told["skew_ppm"], 50, delta=2)
        # The offset is session time less the sender's, at the newest stamp: two seconds and 60 s of skew more.
        self.assertAlmostEqual(told["offset_ms"], -18_002_000 - 60 * 0.05 + 1, delta=0.3)
        self.assertEqual((told["packets"], told["resets"], told["events"]["step"]), (3000, 1, 1))
        table = clock(log).stdout
        self.assertIn("cam", table)
        self.assertIn("1 step", table)

    def test_a_ticking_counter_may_run_over(self):
        rate, bits = 90_000, 33
        lines = [{"source": "ts", "stamp": (2**bits - 45_000 + 1800 * n) % 2**bits, "arrival_us": 20_000 * n,
                  "ticks_per_s": rate, "wrap_bits": bits} for n in range(200)]
        (told,) = json.loads(clock(self.log(lines), "--json").stdout)["data"]
        self.assertEqual((told["events"]["wrap"], told["resets"]), (1, 0))

    def test_it_is_drawn(self):
        picture = self.folder / "clock.svg"
        clock(self.log(packets(20, -80, 4, random.Random(2))), "--svg", picture)
        text = picture.read_text()
        self.assertTrue(text.startswith("<svg"))
        self.assertGreater(text.count("<circle"), 500)
        self.assertIn("cam", text)

    def test_exchanges_narrow_the_bound(self):
        lines = list(packets(10, 0, 0.2, random.Random(3)))
        (wide,) = json.loads(clock(self.log(lines), "--json").stdout)["data"]
        sent = 5_000_000
        lines.insert(251, {"source": "cam", "t1": 18_000_000_000 + sent, "t2_us": sent + 1000, "t3_us": sent + 1100,
                           "t4": 18_000_000_000 + sent + 2100})
        (narrow,) = json.loads(clock(self.log(lines), "--json").stdout)["data"]
        self.assertGreater(wide["error_bound_ms"], 20)
        self.assertLess(narrow["error_bound_ms"], 5)

    def test_other_files_are_refused_by_line(self):
        done = clock(self.write("bad.jsonl", '{"source":"a","stamp":1,"arrival_us":1}\n{"stamp":"x"\n'), code=3)
        self.assertIn("line 2", done.stderr)
        self.assert_one_sentence(done.stderr)
        clock(self.write("bad.jsonl", '{"stamp":1,"arrival_us":9e99}\n'), code=3)
        clock(self.folder / "none", code=3)


class Sessions(Served):
    def test_a_living_sessions_clocks_are_shown(self):
        with Realtime(f"ws://127.0.0.1:{self.server.port}") as session:
            created = session.next_event(TIMEOUT_S)["session"]["id"]
            for _ in range(20):
                session.reading({"pressure": 2.1}, source="press")
            self.assertTrue(session.wait_for_clock(TIMEOUT_S))
            session.reading({"pressure": 2.2}, source="press")
            session.answer("What is the pressure?", TIMEOUT_S)
            where = ("--server", f"http://127.0.0.1:{self.server.port}")
            (told,) = json.loads(clock(created, "--json", *where).stdout)["data"]
            self.assertEqual((told["source"], told["packets"]), ("press", 21))
            # Pings have told how long the path is: less than what is assumed of one that nobody knows.
            self.assertLess(told["error_bound_ms"], 20)
            _, offset_us, bound_us = session.clock()
            self.assertAlmostEqual(told["offset_ms"], offset_us / 1e3, delta=bound_us / 1e3 + told["error_bound_ms"])
            self.assertIn("press", clock(created, *where).stdout)
            metrics = self.server.request("GET", "/metrics")[1]
            self.assertRegex(metrics, rf'braid:clock_error_bound_seconds{{session="{created}",source="press"')
            self.assertIn('braid:clock_events_total{event="step"', metrics)
        clock("sess_none", *where, code=3)


if __name__ == "__main__":
    main()
