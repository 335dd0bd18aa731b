"""Cameras whose lines fail: cut, stalled, lossy, away for a while, back as another. What comes is compared with when each
picture went through the line. LINES=long runs more of them, and longer (make torture)."""

import os
import re
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from ingest_report import Reader, wait_until
from rtsp_line import Line, Plan

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtsp", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtsp, GstRtspServer
except (ImportError, ValueError) as missing:
    gi, why_not = None, missing

LONG = os.environ.get("LINES") == "long"
RATE = 25
LEVELS = [0, 60, 120, 180, 240]  # of grey; a picture's number in base five, one digit a quadrant
# What the times of pictures may be off by: how long a packet is under way here, and half a sampling step of the line.
BOUND_S = 0.06
MOST_BYTES = 400 << 20


def film(path, size, seconds):
    """Pictures that say which they are."""
    width, height = size
    raw = bytearray()
    for number in range(seconds * RATE):
        digits = [LEVELS[number // 5 ** place % 5] for place in range(4)]
        for y in range(height):
            left, right = (digits[0], digits[1]) if y < height // 2 else (digits[2], digits[3])
            raw += bytes([left]) * (width // 2) + bytes([right]) * (width - width // 2)
    command = ["ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-s", f"{width}x{height}", "-r", str(RATE), "-i", "-",
               "-c:v", "libx264", "-preset", "ultrafast", "-tune", "zerolatency", "-g", "12", "-pix_fmt", "yuv420p", str(path)]
    subprocess.run(command, input=bytes(raw), check=True, timeout=60)


def number_of(frame):
    digits = [min(range(5), key=lambda digit: abs(LEVELS[digit] - quadrant[1])) for quadrant in frame["quadrants"]]
    return sum(digit * 5 ** place for place, digit in enumerate(digits))


class Camera:
    """Plays a film from its beginning to whoever connects."""

    def __init__(self, path, over_udp=False):
        Gst.init(None)
        self.loop = GLib.MainLoop()
        self.server = GstRtspServer.RTSPServer()
        self.server.set_address("127.0.0.1")
        self.server.set_service("0")
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(f"( filesrc location={path} ! qtdemux name=d d.video_0 ! queue ! rtph264pay name=pay0 pt=96 config-interval=1 )")
        if over_udp:
            factory.set_protocols(GstRtsp.RTSPLowerTrans.UDP)
        self.server.get_mount_points().add_factory("/1", factory)
        self.source = self.server.attach(None)
        self.port = self.server.get_bound_port()
        self.thread = threading.Thread(target=self.loop.run, daemon=True)
        self.thread.start()

    def close(self):
        self.loop.quit()
        self.thread.join()
        GLib.source_remove(self.source)


class LineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if gi is None:
            raise unittest.SkipTest(f"GStreamer's RTSP server is not installed ({why_not})")
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.film, cls.other = Path(holder.name, "film.mp4"), Path(holder.name, "other.mp4")
        film(cls.film, (64, 48), 20)
        film(cls.other, (96, 64), 20)

    def camera(self, path=None, **more):
        camera = Camera(path or self.film, **more)
        self.addCleanup(camera.close)
        return camera

    def line(self, port, *plans, **more):
        line = Line(port, plans, **more)
        self.addCleanup(line.close)
        return line

    def check_times(self, line, report, bound=BOUND_S, known=True):
        """Each picture is at the time at which it was captured; which connection carried it, the time tells. `known`: its
        number can be read."""
        self.assertEqual(report["broken_bounds"], [])
        times = [frame["at"] for frame in report["frames"]]
        self.assertEqual(times, sorted(times))
        connections = [[at - report["begun"] for at in connection.captured()] for connection in line.connections]
        worst, used = 0, [0] * len(connections)
        for frame in report["frames"]:
            number = number_of(frame) if known else None
            choices = [(min(abs(frame["at"] - at) for at in (times[number:number + 1] if known else times)), i)
                       for i, times in enumerate(connections) if len(times) > (number or 0)]
            self.assertTrue(choices, f"picture {number} went through no connection")
            off, which = min(choices)
            worst, used[which] = max(worst, off), used[which] + 1
            self.assertLessEqual(off, bound + frame["error"], f"picture {number} at {frame['at']}")
        return used

    def check_memory(self, report):
        self.assertLess(report["peak_bytes"], MOST_BYTES)

    def faults(self, report, words):
        return [fault for fault in report["damage"] if words in fault["message"]]

    def check_gaps(self, report, count, reason):
        """Each gap is told with its times, between which there is no picture."""
        gaps = self.faults(report, "nothing came from")
        self.assertEqual(len(gaps), count, report["damage"])
        for gap in gaps:
            begin, end = map(float, re.search(r"from ([\d.]+) to ([\d.]+) s", gap["message"]).groups())
            self.assertAlmostEqual(begin, gap["at"], delta=0.001)
            self.assertGreater(end, begin + 0.4)  # the first wait
            self.assertEqual([f["at"] for f in report["frames"] if begin + 0.001 < f["at"] < end - BOUND_S], [])
            self.assertRegex(gap["message"], reason)

    def lossy(self, seconds, plan, seed):
        line = self.line(self.camera(over_udp=True).port, plan, seed=seed)
        reader = Reader(f"rtsp://127.0.0.1:{line.port}/1")
        wait_until(lambda: line.connections and len(line.connections[-1].passed) > seconds * RATE, seconds + 30)
        report = reader.stop()
        # What is missing is waited for, and a damaged picture may show the one before.
        self.check_times(line, report, BOUND_S + 0.1, known=plan.loss == 0)
        self.check_memory(report)
        self.assertFalse(self.faults(report, "nothing came from"))
        return report


class Lines(LineTest):
    def test_a_camera_that_goes_away_and_comes_back_as_another(self):
        camera, other = self.camera(), self.camera(self.other)
        line = self.line(camera.port, Plan(cut_after=1.5), Plan(cut_after=2.2))
        reader = Reader(f"rtsp://127.0.0.1:{line.port}/1")
        wait_until(lambda: line.connections and line.connections[0].first)
        line.target = None
        wait_until(lambda: line.refused >= 2)
        line.target = other.port
        wait_until(lambda: len(line.connections) == 2 and len(line.connections[1].passed) > 1.8 * RATE)
        line.target = None
        wait_until(lambda: line.refused >= 3)
        report = reader.stop()
        self.assertLess(report["stopped_in"], 1)
        used = self.check_times(line, report)
        self.assertTrue(all(used), used)
        self.check_gaps(report, 1, "its sender closed the line; opened again at attempt [3-9].*96x64")
        sizes = [frame["size"] for frame in report["frames"]]
        self.assertEqual([size for i, size in enumerate(sizes) if i == 0 or sizes[i - 1] != size], [[64, 48], [96, 64]])
        self.assertEqual(len(self.faults(report, "it is opened again")), 2)
        self.assertTrue(self.faults(report, "could not be opened"))
        self.assertNotIn("error", report)
        self.check_memory(report)

    def test_udp_that_loses_reorders_and_doubles(self):
        report = self.lossy(2.5, Plan(loss=0.02, swapped=0.05, doubled=0.05), seed=7)
        self.assertGreater(len(report["frames"]), 20)
        self.assertTrue(report["damage"])


@unittest.skipUnless(LONG, "make torture runs these")
class LongLines(LineTest):
    def test_a_line_that_stalls_is_opened_again(self):
        line = self.line(self.camera().port, Plan(stall_after=1.5), Plan(stall_after=2))
        reader = Reader("--network-timeout", "1", f"rtsp://127.0.0.1:{line.port}/1")
        wait_until(lambda: len(line.connections) == 3 and len(line.connections[2].passed) > 2 * RATE, 60)
        report = reader.stop()
        self.assertTrue(all(self.check_times(line, report)))
        self.check_gaps(report, 2, "timed out")

    def test_a_line_that_is_cut_again_and_again(self):
        line = self.line(self.camera().port, *[Plan(cut_after=2 + i % 3) for i in range(12)])
        reader = Reader(f"rtsp://127.0.0.1:{line.port}/1")
        wait_until(lambda: len(line.connections) == 13 and len(line.connections[12].passed) > 2 * RATE, 180)
        report = reader.stop()
        self.assertTrue(all(self.check_times(line, report)))
        self.check_gaps(report, 12, "closed the line")
        self.check_memory(report)

    def test_a_server_that_is_started_again(self):
        first = Camera(self.film)
        line = self.line(first.port)
        reader = Reader(f"rtsp://127.0.0.1:{line.port}/1")
        wait_until(lambda: line.connections and len(line.connections[0].passed) > 2 * RATE)
        first.close()
        line.connections[0].cut = True
        line.target = self.camera(self.other).port
        wait_until(lambda: len(line.connections) == 2 and len(line.connections[1].passed) > 2 * RATE, 60)
        report = reader.stop()
        self.assertTrue(all(self.check_times(line, report)))
        self.check_gaps(report, 1, "line")

    def test_it_is_given_up_when_it_has_been_tried_for_long_enough(self):
        line = self.line(self.camera().port, Plan(cut_after=1.5))
        for seconds, most in ((0, 0), (2, 6)):
            line.plans, line.connections, line.refused, line.target = [Plan(cut_after=1.5)], [], 0, self.camera().port
            reader = Reader(f"reconnect={seconds},url=rtsp://127.0.0.1:{line.port}/1")
            wait_until(lambda: line.connections and line.connections[0].first)
            line.target = None
            report = reader.end()
            self.assertEqual(report.get("error", {}).get("code"), "not_found" if seconds else None)
            self.assertLessEqual(line.refused, most)

    def test_a_recording_that_has_been_played_isnt_opened_again(self):
        short = self.film.with_name("short.mp4")
        film(short, (64, 48), 3)
        line = self.line(self.camera(short).port)
        report = Reader(f"rtsp://127.0.0.1:{line.port}/1").end()
        self.assertEqual(len(line.connections), 1)
        self.assertNotIn("error", report)
        self.assertFalse(self.faults(report, "opened again"))

    def test_udp_whose_packets_stop_is_opened_again(self):
        line = self.line(self.camera(over_udp=True).port, Plan(stall_after=1.5))
        reader = Reader("--network-timeout", "1", f"rtsp://127.0.0.1:{line.port}/1")
        wait_until(lambda: len(line.connections) == 2 and len(line.connections[1].passed) > 2 * RATE, 60)
        report = reader.stop()
        self.assertTrue(all(self.check_times(line, report, BOUND_S + 0.1)))
        self.check_gaps(report, 1, "timed out")

    def test_udp_that_is_very_bad(self):
        for seed in range(5):
            self.lossy(8, Plan(loss=0.1, swapped=0.2, doubled=0.1), seed=seed)

    def test_udp_that_reorders_and_doubles_loses_nothing(self):
        report = self.lossy(4, Plan(swapped=0.1, doubled=0.1), seed=8)
        numbers = [number_of(frame) for frame in report["frames"]]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))


if __name__ == "__main__":
    unittest.main()
