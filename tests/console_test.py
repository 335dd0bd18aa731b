"""The console in a headless Chromium, with camera and microphone fed from the sample clip.

BRAID_SCREENSHOTS names a folder for the pictures in docs/; without it none is written.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from urllib.parse import urlsplit

from braid_runs import BRAID, CLIP, SAMPLES, BraidTest
from served import Server
from webdriver import Browser, browser_is_there

THINGS = "cat|umbrella|rocket|star|key"  # what the sample clip shows
ASKED_S = 90  # an answer on a busy machine


@unittest.skipUnless(browser_is_there(), "chromium and chromium-driver are not installed")
class ConsoleTest(BraidTest):
    sources = ()
    flags = ()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server(*map(str, cls.sources))
        cls.addClassCleanup(cls.server.stop)
        cls.browser = Browser(*cls.fake_devices(), *cls.flags)
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def fake_devices(cls):
        picture, sound = cls.folder / "camera.mjpeg", cls.folder / "microphone.wav"
        make = ["ffmpeg", "-v", "error", "-y", "-i"]
        subprocess.run([*make, CLIP, "-an", "-q:v", "3", picture], check=True)
        subprocess.run([*make, SAMPLES / "utterance2.wav", "-ar", "48000", sound], check=True)
        return ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
                f"--use-file-for-fake-video-capture={picture}", f"--use-file-for-fake-audio-capture={sound}"]

    def setUp(self):
        self.url = f"http://127.0.0.1:{self.server.port}/"
        self.browser.go(self.url)
        self.browser.wait("return document.getElementById('model').textContent")

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])
        asked = [urlsplit(url) for url in self.browser.requested()]
        hosts = {url.netloc for url in asked if url.scheme in ("http", "https", "ws", "wss")}
        self.assertEqual(hosts - {urlsplit(self.url).netloc}, set(), "a request left the machine")

    def choose(self, kind, over="chat"):
        self.browser.click(f"input[value={kind}]")
        if kind != "session":
            self.browser.run("const over = document.getElementById('over'); over.value = arguments[0];"
                             "over.dispatchEvent(new Event('change', {bubbles: true}));", over)

    def start(self, kind, over="chat"):
        self.choose(kind, over)
        self.browser.click("#start")
        self.browser.wait("return !document.getElementById('stop').disabled &&"
                          " document.getElementById('state').textContent.includes('running')")

    def ask(self, question):
        """Types it, and gives the answer once it is whole."""
        turns = self.browser.run("return document.querySelectorAll('#log .answer').length")
        self.browser.type("#question", question)
        self.browser.press("Enter")
        return self.answer(turns)

    def answer(self, turn):
        return self.browser.wait(
            "const item = document.querySelectorAll('#log li:has(.answer)')[arguments[0]];"
            "return item && !item.hasAttribute('aria-busy') && item.innerText.includes('all ') && item.innerText;",
            turn, timeout_s=ASKED_S)

    def wait_for_marks(self, css, count=1):
        self.browser.wait("return document.querySelectorAll(arguments[0]).length >= arguments[1]", css, count,
                          timeout_s=ASKED_S)

    def stages(self):
        """Of the last answer: stage -> its time as shown."""
        return self.browser.run("return Object.fromEntries([...document.querySelectorAll("
                                "'.waterfall:first-child tr[data-stage]')].map((row) => [row.dataset.stage,"
                                " row.querySelector('.number').textContent]))")

    def picture(self, name):
        folder = os.environ.get("BRAID_SCREENSHOTS")
        if folder:
            path = Path(folder) / f"console-{name}.png"
            path.write_bytes(self.browser.screenshot())
            # Flat colours: a palette is enough, and a fifth of the bytes.
            from PIL import Image
            Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)
            self.assertLess(path.stat().st_size, 150_000)


class ServerSession(ConsoleTest):
    """A session that lives in the server, on the sample clip."""

    sources = (CLIP,)

    def test_the_clip_is_asked_and_seen(self):
        self.browser.wait("return document.getElementById('state').textContent.includes('running')")
        self.wait_for_marks(".mark.frame.kept", 2)
        self.assertRegex(self.ask("What do you see now?"), THINGS)
        stages = self.stages()
        self.assertIn("decode", stages)
        self.assertRegex(stages["decode"], r"^[\d.,]+ ms$")
        self.wait_for_marks(".mark.utterance", 2)
        self.wait_for_marks(".mark.frame.dropped")
        self.wait_for_marks(".mark.answer")
        self.assertIn("waiting", self.browser.run("return document.getElementById('gauges').innerText"))
        self.browser.resize(1280, 1080)
        self.picture("light")
        self.browser.colours("dark")
        self.picture("dark")
        self.browser.colours("light")
        self.browser.devtools("Emulation.clearDeviceMetricsOverride")

    def test_a_session_is_started_and_ended(self):
        self.choose("session")
        self.browser.wait("return document.getElementById('session-pick').options.length > 1")
        self.browser.run("const pick = document.getElementById('session-pick'); pick.value = '';"
                         "pick.dispatchEvent(new Event('change', {bubbles: true}));")
        self.browser.type("#session-source", str(CLIP))
        self.browser.click("#start")
        self.browser.wait("return document.querySelectorAll('#sessions tbody tr').length === 2")
        self.browser.click("#sessions tbody tr:last-child button[aria-label^=End]")
        self.browser.wait("return document.querySelectorAll('#sessions tbody tr').length === 1")

    def test_the_keyboard_is_enough(self):
        self.wait_for_marks(".mark.frame")
        self.browser.run("document.activeElement.blur()")
        self.browser.press("/")
        self.assertEqual(self.browser.run("return document.activeElement.id"), "question")
        turns = self.browser.run("return document.querySelectorAll('#log .answer').length")
        self.browser.press(*"What do you see?", "Enter")
        self.assertRegex(self.answer(turns), THINGS)
        self.browser.run("document.getElementById('strip').focus()")
        self.browser.press("Home")
        first = self.browser.run("return document.getElementById('strip-mark').textContent")
        self.assertIn("frame of", first)
        self.browser.press("Right")
        self.assertNotEqual(self.browser.run("return document.getElementById('strip-mark').textContent"), first)
        self.browser.press("?")
        self.assertTrue(self.browser.run("return document.getElementById('help').open"))
        self.browser.press("Escape")
        self.assertFalse(self.browser.run("return document.getElementById('help').open"))

    def test_everything_that_is_operated_has_a_name_and_is_reached_by_tab(self):
        nameless = self.browser.run(
            "return [...document.querySelectorAll('button, input, select, textarea, svg[tabindex], section')]"
            ".filter((e) => !(e.ariaLabel || e.textContent.trim() || e.labels?.length ||"
            " e.getAttribute('aria-labelledby'))).map((e) => e.outerHTML)")
        self.assertEqual(nameless, [])
        seen = set()
        for _ in range(30):
            self.browser.press("Tab")
            seen.add(self.browser.run("return document.activeElement.id || document.activeElement.name"))
        self.assertLessEqual({"kind", "session-pick", "start", "question", "strip"}, seen)

    def test_a_phones_width_is_enough(self):
        self.browser.resize(390, 844)
        self.wait_for_marks(".mark.frame.kept", 2)
        self.assertRegex(self.ask("What do you see now?"), THINGS)
        too_wide = self.browser.run(
            "return [...document.body.querySelectorAll('*')].filter(e => !e.closest('.wide, svg, .unseen')"
            " && e.getBoundingClientRect().right > 390).map(e => e.outerHTML.slice(0, 200))")
        self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth"), 390, too_wide)
        self.browser.run("document.getElementById('conversation').scrollIntoView()")
        self.picture("phone")
        self.browser.devtools("Emulation.clearDeviceMetricsOverride")

    def test_what_a_session_says_is_shown_as_text(self):
        self.ask("<img src=x onerror=alert(1)>")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#log img').length"), 0)


class Remembering(ConsoleTest):
    """The memory's search box."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        memory = str(Path(holder.name) / "plant.memory")
        for text, at in (("somebody opens the gate", "10:01:40"), ("weld alarm <b>", "10:02:03")):
            subprocess.run([BRAID, "memory", "add", memory, "--text", text, "--at", f"2026-11-29T{at}Z", "--embedder", "off"],
                           check=True, stdout=subprocess.DEVNULL)
        cls.sources = ("--memory", memory)
        super().setUpClass()

    def hits(self, text):
        self.browser.run("document.getElementById('memory-text').value = ''")
        self.browser.type("#memory-text", text)
        self.browser.click("#memory-form button")
        self.browser.wait("return document.getElementById('memory-state').textContent.includes('hits')")
        return self.browser.run("return [...document.querySelectorAll('#memory-hits li')].map((e) => e.textContent)")

    def test_hits_are_shown_in_words_and_on_an_axis(self):
        self.assertEqual(self.hits("weld alarm"), ["2026-11-29T10:02:03Z noteweld alarm <b>"])
        self.assertEqual(self.browser.run("return document.querySelectorAll('#memory-axis .hit').length"), 1)
        self.assertEqual(self.hits("what was seen just before the weld alarm?"), ["2026-11-29T10:01:40Z notesomebody opens the gate"])
        self.assertIn("before “weld alarm <b>”", self.browser.run("return document.getElementById('memory-state').textContent"))


class Devices(ConsoleTest):
    """Camera, microphone and files of the browser, over chat."""

    def test_the_camera_is_asked(self):
        self.start("camera")
        self.wait_for_marks(".mark.frame", 2)
        self.assertRegex(self.ask("What do you see?"), THINGS)
        self.assertIn("decode_first", self.stages())
        self.wait_for_marks(".mark.frame.kept")
        self.wait_for_marks(".mark.answer")
        self.browser.click("#stop")
        self.assertTrue(self.browser.run("return document.getElementById('preview').hidden"))

    def test_speech_is_sent_with_the_question(self):
        self.start("microphone")
        self.browser.type("#question", "What did the speaker say?")
        self.browser.run("document.getElementById('speak').click()")
        self.browser.wait("return document.getElementById('speak').getAttribute('aria-pressed') === 'true'")
        self.browser.run("const from = performance.now(); window.saidEnough = () => performance.now() - from > 3500")
        self.browser.wait("return window.saidEnough()")
        self.browser.run("document.getElementById('speak').click()")
        self.assertRegex(self.answer(0), "The speaker said")
        self.wait_for_marks(".mark.utterance.kept")

    def test_a_file_is_played_and_asked(self):
        self.choose("file")
        self.browser.type("#file-pick", str(CLIP))
        self.browser.click("#start")
        self.wait_for_marks(".mark.frame", 3)
        self.assertRegex(self.ask("What do you see?"), THINGS)

    def test_a_picture_is_asked(self):
        self.choose("file")
        self.browser.type("#file-pick", str(SAMPLES / "still2.jpg"))
        self.browser.click("#start")
        self.wait_for_marks(".mark.frame", 1)
        self.ask("What do you see?")
        self.wait_for_marks(".mark.frame.kept", 1)


class Realtime(ConsoleTest):
    """Camera and microphone of the browser, perceived as they are captured."""

    def test_the_camera_is_perceived_and_asked(self):
        self.start("camera", "realtime")
        self.wait_for_marks(".mark.frame.kept", 2)
        self.assertRegex(self.ask("What do you see?"), THINGS)
        self.assertIn("decode", self.stages())
        self.wait_for_marks(".mark.answer")

    def test_what_is_spoken_is_a_question(self):
        self.start("microphone", "realtime")
        self.wait_for_marks(".mark.utterance.kept")
        # The microphone plays its words again and again, so the next ones may interrupt the answer.
        self.browser.wait("return [...document.querySelectorAll('#log .question')].some("
                          "(asked) => asked.textContent === '(spoken)')", timeout_s=ASKED_S)

    def test_the_pages_clock_agrees_with_the_table_of_cases_that_all_clients_share(self):
        table = json.loads((Path(__file__).parent / "data/drift.json").read_text())
        wrong = self.browser.run("""
            const {ClockSync} = await import("/clock.js");
            const wrong = [];
            for (const {name, steps} of arguments[0]) {
              const clock = new ClockSync();
              steps.forEach(([what, at, ...rest], number) => {
                if (what === "ping") return clock.pong({t1_us: at, t2_us: rest[0], t3_us: rest[1]}, rest[2]);
                const best = clock.estimate(at);
                const got = [clock.open, best?.offset_us ?? null, best?.bound_us ?? null, clock.closed, clock.refused,
                             clock.pingAfterMs];
                const same = (a, b) => a === b || typeof a === "number" && Math.abs(a - b) < 1e-3;
                if (!rest.every((value, i) => same(value, got[i]))) wrong.push([name, number, got, rest]);
              });
            }
            return wrong;""", table)
        self.assertEqual(wrong, [])

    def test_the_page_compares_its_clock_with_the_servers(self):
        clock = self.browser.run("""
            const {Realtime} = await import("/realtime.js");
            const session = new Realtime({});
            await session.session;
            while (!session.clock.open) await new Promise((resolve) => setTimeout(resolve, 50));
            const now_us = (performance.timeOrigin + performance.now()) * 1000;
            const best = session.clock.estimate(now_us);
            session.close();
            return {session_us: now_us + best.offset_us, bound_us: best.bound_us};""")
        self.assertGreater(clock["session_us"], 0)  # session time counts from the session's start
        self.assertLess(clock["session_us"], 60e6)
        self.assertLess(clock["bound_us"], 60_000)


if __name__ == "__main__":
    unittest.main(verbosity=2)
