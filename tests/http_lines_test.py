"""Films and cameras behind HTTP servers that break off, stall, or can't go back."""

import json
import os
import re
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from ingest_report import REPORT, Reader, wait_until
from listener import Listener


class Web(Listener):
    """Serves `data` at any address, so many bytes a connection, then cuts it or falls silent."""

    def __init__(self, data, most, ranges=True, stalls=False, a_second=None):
        self.data, self.most, self.ranges, self.stalls, self.a_second = data, most, ranges, stalls, a_second
        self.asked = []
        self.sending, self.sent_last = 0, 0.0
        super().__init__()
        self.address = f"http://127.0.0.1:{self.port}/film"

    def take(self, client):
        self.threads.append(threading.Thread(target=self.answer, args=(client,), daemon=True))
        self.threads[-1].start()

    def answer(self, client):
        with client:
            request = b""
            while not request.endswith(b"\r\n\r\n"):
                more = client.recv(4096)
                if not more:
                    return
                request += more
            wanted = re.search(rb"Range: bytes=(\d+)-", request)
            begin = int(wanted[1]) if wanted and self.ranges else 0
            self.asked.append(begin)
            head = f"HTTP/1.1 {'206 Partial Content' if self.ranges else '200 OK'}\r\nConnection: close\r\n"
            if self.a_second is None:
                head += f"Content-Length: {len(self.data) - begin}\r\n"
            if self.ranges:
                head += f"Accept-Ranges: bytes\r\nContent-Range: bytes {begin}-{len(self.data) - 1}/{len(self.data)}\r\n"
            try:
                client.sendall(head.encode() + b"\r\n")
                self.sending += 1
                self.send(client, self.data[begin:begin + self.most])
                self.sending, self.sent_last = self.sending - 1, time.monotonic()
                if self.stalls and begin + self.most < len(self.data):
                    self.closing.wait(20)
            except OSError:
                pass  # the reader has had enough

    def send(self, client, data):
        step = self.a_second // 20 if self.a_second else len(data)
        for at in range(0, len(data), step):
            client.sendall(data[at:at + step])
            if self.a_second and self.closing.wait(0.05):
                return


def film(ending, *encoder):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "film." + ending)
        subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=4", *encoder, "-c:v", "libx264", "-preset",
                        "ultrafast", "-pix_fmt", "yuv420p", "-g", "10", "-b:v", "800k", str(path)], check=True, timeout=60)
        return path.read_bytes()


class Http(unittest.TestCase):
    def serve(self, *arguments, **more):
        web = Web(*arguments, **more)
        self.addCleanup(web.close)
        return web

    def read(self, spec, *limits):
        done = subprocess.run([REPORT, *limits, spec], capture_output=True, text=True, timeout=100)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check_whole(self, report):
        self.assertEqual(report["damage"], [])
        self.assertEqual(len(report["frames"]), 100)
        for i, frame in enumerate(report["frames"]):
            self.assertAlmostEqual(frame["at"], i / 25, delta=0.0011)

    def test_a_film_that_is_cut_goes_on_from_the_byte_where_it_was(self):
        data = film("mkv")
        web = self.serve(data, len(data) // 3 + 1)
        self.check_whole(self.read(web.address))
        self.assertGreaterEqual(len(web.asked), 3)

    @unittest.skipUnless(os.environ.get("LINES") == "long", "make torture runs it")
    def test_a_film_that_stalls_goes_on_from_the_byte_where_it_was(self):
        data = film("ts")
        web = self.serve(data, len(data) // 2, stalls=True)
        self.check_whole(self.read(web.address, "--network-timeout", "0.5"))
        self.assertGreaterEqual(len(web.asked), 2)

    def test_of_a_server_that_cant_go_back_what_came_is_used(self):
        for ending in ("mkv", "ts"):
            self.check_half(film(ending))

    def check_half(self, data):
        web = self.serve(data, len(data) // 2, ranges=False)
        report = self.read(web.address)
        self.assertTrue(30 < len(report["frames"]) < 70, len(report["frames"]))
        self.assertTrue(report["damage"])
        self.assertEqual(len(web.asked), 1)

    def test_a_camera_whose_stream_breaks_off_is_opened_again(self):
        data = film("ts")
        web = self.serve(data, len(data) // 2, ranges=False, a_second=len(data) // 4)
        reader = Reader(f"live=1,url={web.address}")
        wait_until(lambda: len(web.asked) == 2)
        wait_until(lambda: not web.sending)
        report = reader.stop()
        self.assertEqual(report["broken_bounds"], [])
        (gap,) = [fault for fault in report["damage"] if "nothing came from" in fault["message"]]
        begin, end = map(float, re.search(r"from ([\d.]+) to ([\d.]+) s", gap["message"]).groups())
        self.assertGreater(end - begin, 0.4)
        times = [frame["at"] for frame in report["frames"]]
        self.assertTrue(any(at <= begin for at in times) and any(at >= end - 0.1 for at in times), (gap, times))
        self.assertEqual([at for at in times if begin + 0.1 < at < end - 0.1], [])
        # A picture of the second line isn't later than it was sent, nor much earlier.
        for frame in report["frames"]:
            self.assertLessEqual(frame["at"], web.sent_last - report["begun"])


if __name__ == "__main__":
    unittest.main()
