#!/usr/bin/env python3
"""`make bench BENCH=paths`: two cameras on clocks of their own, behind a network that delays: when were their pictures taken?

Each camera is a real RTSP server (GStreamer's). It paints into each picture the millisecond at which it is taken, and stamps it by
a clock that runs fast or slow; a relay holds its packets for as long as a LAN, Wi-Fi or LTE does. `braid watch` pulls both, a pipeline cuts
their pictures out in windows of two seconds, each at the time to which its clock was mapped; and the code in the picture
says what it should be. Session time 0 is unknown to the cameras: times are compared between pictures of one, and of both.
"""
import argparse
import json
import random
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

COLUMNS, ROWS, CELL = 6, 4, 24  # a cell is a bit, white or black
WIDTH, HEIGHT, FPS = COLUMNS * CELL, ROWS * CELL, 20
BITS = COLUMNS * ROWS
WRAP_MS = 1 << BITS
PATHS = dict(LAN=(0.3, 0.2, 0, 0), WiFi=(2, 4, 0.02, 40), LTE=(25, 12, 0.03, 120))  # ms: least, jitter, share and size of spikes
PIPELINE = """
unperceived = ["a", "b"]
[[stage]]
name = "cut"
time_window = {{ length = "2s", hop = "2s" }}
action = "clip"
folder = "{folder}"
"""


def picture(ms):
    """The lowest bits of a millisecond as cells, in grey."""
    rows = []
    for row in range(ROWS):
        line = b"".join((b"\xff" if ms >> (row * COLUMNS + column) & 1 else b"\x00") * CELL for column in range(COLUMNS))
        rows.append(line * CELL)
    return b"".join(rows)


def read(grey):
    value = 0
    for bit in range(BITS):
        row, column = divmod(bit, COLUMNS)
        middle = (row * CELL + CELL // 2) * WIDTH + column * CELL + CELL // 2
        value |= (grey[middle] > 127) << bit
    return value


class Camera:
    """Takes pictures while somebody watches; its clock gains `ppm`."""

    def __init__(self, ppm):
        self.rate = 1 + ppm * 1e-6
        server = GstRtspServer.RTSPServer()
        server.set_address("127.0.0.1")
        server.set_service("0")
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(f"( appsrc name=eye is-live=true format=time caps=video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT},"
                           f"framerate={FPS}/1 ! videoconvert ! video/x-raw,format=I420 ! jpegenc quality=90 ! rtpjpegpay name=pay0 pt=26 )")
        factory.connect("media-configure", self.configured)
        server.get_mount_points().add_factory("/1", factory)
        server.attach(None)
        self.server, self.port = server, server.get_bound_port()

    def configured(self, _factory, media):
        eye = media.get_element().get_by_name("eye")
        threading.Thread(target=self.take, args=(eye,), daemon=True).start()

    def take(self, eye):
        began = time.monotonic()
        for number in range(10**9):
            time.sleep(max(0.0, began + number / FPS - time.monotonic()))
            taken = time.monotonic()
            buffer = Gst.Buffer.new_wrapped(picture(round(taken * 1000) % WRAP_MS))
            buffer.pts = int((taken - began) * self.rate * 1e9)
            if eye.emit("push-buffer", buffer) != Gst.FlowReturn.OK:
                return


class Relay:
    """Passes on what a server sends after a delay; what comes first goes first, as TCP has it."""

    def __init__(self, target, path, seed):
        self.target, self.path, self.random = target, path, random.Random(seed)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            for end in (client, server):
                end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.copy, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self.copy, args=(server, client, True), daemon=True).start()

    def delay_s(self):
        least, jitter, share, spike = self.path
        return (least + self.random.expovariate(1 / jitter) + (spike if self.random.random() < share else 0)) / 1000

    def copy(self, origin, to, delayed):
        waiting, ready = [], threading.Condition()
        if delayed:
            threading.Thread(target=self.pass_on, args=(waiting, ready, to), daemon=True).start()
        try:
            while data := origin.recv(1 << 16):
                if not delayed:
                    to.sendall(data)
                    continue
                with ready:
                    waiting.append((time.monotonic() + self.delay_s(), data))
                    ready.notify()
        except OSError:
            pass

    @staticmethod
    def pass_on(waiting, ready, to):
        try:
            while True:
                with ready:
                    while not waiting:
                        ready.wait()
                    due, data = waiting.pop(0)
                time.sleep(max(0.0, due - time.monotonic()))
                to.sendall(data)
        except OSError:
            pass


def pictures_of(file):
    """(time in the file, ms; the ms painted) of each picture."""
    probed = subprocess.run(["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=pts_time", "-of", "csv=p=0",
                             file], capture_output=True, text=True, check=True).stdout
    grey = subprocess.run(["ffmpeg", "-v", "error", "-i", file, "-f", "rawvideo", "-pix_fmt", "gray", "-fps_mode", "passthrough", "-"],
                          capture_output=True, check=True).stdout
    size = WIDTH * HEIGHT
    return [(1000 * float(line.split(",")[0]), read(grey[i * size:(i + 1) * size])) for i, line in enumerate(probed.split())]


def watch(braid, ports, folder, seconds):
    (folder / "pipeline.toml").write_text(PIPELINE.format(folder=folder / "clips"))
    command = [braid, "watch", *(f"name={name},url=rtsp://127.0.0.1:{port}/1" for name, port in zip("ab", ports)), "--fps", str(FPS * 2),
               "--sample-fps", str(FPS * 2), "--max-frame-side", str(WIDTH), "--json", "--pipeline", str(folder / "pipeline.toml")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        timer = threading.Timer(seconds, process.send_signal, (signal.SIGINT,))
        timer.start()
        out, err = process.communicate()
        timer.cancel()
    events = [json.loads(line) for line in out.splitlines()]
    cuts = [event for event in events if event["type"] == "pipeline" and event["files"]]
    if not cuts:
        sys.exit(f"nothing was cut out: {err[-500:]} {out[-500:]}")
    return cuts


def measure(braid, path, seconds, seed):
    """By camera, {ms painted: session ms less that}."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cameras = [Camera(80), Camera(-60)]
        relays = [Relay(camera.port, path, seed + i) for i, camera in enumerate(cameras)]
        seen = {"a": {}, "b": {}}
        for cut in watch(braid, [relay.port for relay in relays], folder, seconds):
            for file in cut["files"]:
                for at, painted in pictures_of(file):
                    seen[file.rsplit("-", 1)[1][0]][painted] = cut["from_us"] / 1000 + at - painted
    return seen


def p99(values):
    values = sorted(values)
    return values[min(len(values) - 1, int(0.99 * len(values)))]


def row(name, seen):
    """Of each camera about its own median, and of the two about one another."""
    # GStreamer's server keeps a picture from before anybody plays, and stamps it and the first ones anew.
    begins = {camera: min(painted) + 5000 for camera, painted in seen.items()}
    kept = {camera: {at: off for at, off in painted.items() if at >= begins[camera]} for camera, painted in seen.items()}
    own = [abs(off - statistics.median(painted.values())) for painted in kept.values() for off in painted.values()]
    across = []
    others = sorted(kept["b"])
    for at, off in kept["a"].items():
        nearest = min(others, key=lambda other: abs(other - at))
        if abs(nearest - at) <= 1000 / FPS:
            across.append(abs(off - kept["b"][nearest]))
    return f"| {name} | {len(own)} | {p99(own):.1f} | {statistics.median(across):.1f} | {p99(across):.1f} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--braid", required=True)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--paths", default=",".join(PATHS))
    options = parser.parse_args()
    Gst.init(None)
    loop = GLib.MainLoop()
    threading.Thread(target=loop.run, daemon=True).start()
    print("| path | pictures | of one camera, p99 ms | of two, median ms | p99 ms (goal 40) |\n| --- | --- | --- | --- | --- |")
    for number, name in enumerate(options.paths.split(",")):
        seen = measure(options.braid, PATHS[name], options.seconds, 10 * number)
        print(row(name, seen), flush=True)


if __name__ == "__main__":
    main()
