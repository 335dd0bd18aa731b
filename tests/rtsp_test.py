"""A camera that speaks RTSP, played by GStreamer's server: questions are answered while it goes on."""
import os
import signal
import subprocess
import threading
import unittest

from braid_runs import BRAID, CLIP, TIMEOUT_S, BraidTest, Run, main

try:
    import gi
    gi.require_version("Gst", "1.0")
    gi.require_version("GstRtspServer", "1.0")
    from gi.repository import GLib, Gst, GstRtspServer
except (ImportError, ValueError) as missing:
    gi, why_not = None, missing


class Camera:
    """Plays a film at its own pace from when somebody connects."""

    def __init__(self, film):
        Gst.init(None)
        self.loop = GLib.MainLoop()
        server = GstRtspServer.RTSPServer()
        server.set_address("127.0.0.1")
        server.set_service("0")
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(f"( filesrc location={film} ! qtdemux name=d d.video_0 ! queue ! "
                           "rtph264pay name=pay0 pt=96 config-interval=1 )")
        server.get_mount_points().add_factory("/1", factory)
        server.attach(None)
        self.server = server
        self.url = f"rtsp://user:s3cret@127.0.0.1:{server.get_bound_port()}/1"
        self.thread = threading.Thread(target=self.loop.run, daemon=True)
        self.thread.start()

    def close(self):
        self.loop.quit()
        self.thread.join()


class Rtsp(BraidTest):
    def setUp(self):
        if gi is None:
            raise unittest.SkipTest(f"GStreamer's RTSP server is not installed ({why_not})")
        # Two minutes: longer than two answers take on any machine.
        film = self.folder / "film.mp4"
        subprocess.run(["ffmpeg", "-loglevel", "error", "-y", "-stream_loop", "9", "-i", CLIP, "-an", "-c", "copy", film],
                       check=True, timeout=TIMEOUT_S)
        self.camera = Camera(film)
        self.addCleanup(self.camera.close)

    def test_a_camera_is_asked_again_and_again_until_it_is_interrupted(self):
        command = [BRAID, "watch", self.camera.url, "--json", "--ask", "What do you see now?", "--every", "2s",
                   "--max-tokens", "24"]
        environment = dict(os.environ, OPENBLAS_NUM_THREADS="1")
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment) as process:
            watchdog = threading.Timer(TIMEOUT_S, process.kill)
            watchdog.start()
            lines, answers = "", 0
            while answers < 2:
                line = process.stdout.readline()
                self.assertTrue(line, "ended before two answers: " + lines[-2000:])
                lines += line
                answers += '"type":"answer"' in line
            process.send_signal(signal.SIGINT)
            rest, errors = process.stdout.read(), process.stderr.read()
            process.wait()
            watchdog.cancel()
        run = Run(process.returncode, lines + rest, errors)
        self.assertEqual(run.code, 0, errors)
        self.check_events(run)
        self.assertNotIn("s3cret", run.out + run.err)
        self.assertTrue(run.of("frame"))
        self.assertTrue(run.events[-1]["interrupted"])
        first = run.of("answer")[0]
        self.assertLessEqual(first["window"]["to_us"], first["asked_at_us"])
        (seen,) = first["window"]["sources"].values()
        self.assertFalse(seen["missing"])
        # How long the quickest packet is under way nobody has told.
        self.assertGreater(seen["error_bound_ms"], 20)


if __name__ == "__main__":
    main()
