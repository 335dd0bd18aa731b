"""Live sessions, 1, 2, 4, ... at once: each a camera of a frame a second, somebody who speaks, and a question every ten
seconds. `braid serve` perceives as it comes (Realtime); llama-server's client keeps the window and sends it again.

Latencies count from when a question was meant to be asked. A question that fails counts as infinitely late. The first of
each session isn't counted: the peer's client has its whole window to send for the first time.
"""

import base64
import http.client
import io
import json
import math
import subprocess
import sys
import threading
import time
import wave
from pathlib import Path

import peers
import pictures
import serving

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from raw_socket import RawWebSocket  # noqa: E402: the tests' own client

LEVELS = (1, 2, 4, 8, 16)
GOAL_MS = 1000.0
BETWEEN_S = 10.0
WARM_UP_S = 10.0  # of frames and speech before the first question
WINDOW_FRAMES = 32  # the peer's client keeps so many, then the newest half: the policy of Braid's window
WINDOW_TOKENS = 1024
CELLS = 49152
TOKENS = 16
QUESTION = "What do you see now?"
SPEECH = ROOT / "models/nano/samples/utterance2.wav"


def sound(rate):
    """The sample as 16-bit samples of one channel."""
    done = subprocess.run(["ffmpeg", "-v", "error", "-i", SPEECH, "-ac", "1", "-ar", str(rate), "-f", "s16le", "-"], check=True,
                          capture_output=True)
    return done.stdout


def wav_data(samples, rate):
    made = io.BytesIO()
    with wave.open(made, "wb") as out:
        out.setparams((1, 2, rate, 0, "NONE", ""))
        out.writeframes(samples)
    return base64.b64encode(made.getvalue()).decode()


class Times:
    """When what of a session is due, by seconds since the run's begin."""

    def __init__(self, number, level, seconds):
        shift = BETWEEN_S * number / level  # questions of different sessions are spread out
        self.frames = [float(i) + number / level for i in range(int(seconds))]
        self.speech = [BETWEEN_S * i + shift + 3 for i in range(int(seconds // BETWEEN_S))]
        self.questions = [at for i in range(int(seconds // BETWEEN_S))
                          if WARM_UP_S <= (at := BETWEEN_S * i + shift + WARM_UP_S) < seconds]


class BraidSession:
    """What is due is sent by one thread; another reads."""

    def __init__(self, port, films, speech):
        self.films, self.speech = films, speech
        self.socket = RawWebSocket(port, timeout=120)
        if self.socket.closed or self.socket.until("session.created") is None:
            raise RuntimeError("the session was refused")
        self.socket.send({"type": "session.update", "session": {"type": "realtime", "audio": {"input": {"turn_detection": {
            "type": "server_vad", "create_response": False, "interrupt_response": False}}}}})
        self.asked, self.late_ms, self.open = [], [], True
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        try:
            while (event := self.socket.receive()) is not None:
                if event["type"] == "response.output_text.delta" and event["output_index"] == 0 and self.waiting():
                    self.late_ms.append((time.perf_counter() - self.asked[len(self.late_ms)]) * 1e3)
                elif event["type"] == "response.done" and self.open:
                    if self.waiting() and event["response"]["status"] not in ("completed", "incomplete"):
                        self.late_ms.append(math.inf)
                    self.open = False
        except OSError:
            pass

    def waiting(self):
        return self.open and len(self.late_ms) < len(self.asked)

    def frame(self, number):
        self.socket.send({"type": "input_video_buffer.append", "image": self.films[number % len(self.films)].split(",", 1)[1]})

    def speak(self):
        for at in range(0, len(self.speech), 48_000):
            self.socket.send({"type": "input_audio_buffer.append",
                              "audio": base64.b64encode(self.speech[at:at + 48_000]).decode()})
        self.socket.send({"type": "input_audio_buffer.append", "audio": base64.b64encode(bytes(48_000)).decode()})

    def ask(self, intended):
        while len(self.late_ms) < len(self.asked):  # the answer before it is still to begin: it is as late as that makes it
            time.sleep(0.01)
        self.asked.append(intended)
        self.open = True
        self.socket.send({"type": "response.create", "response": {"instructions": QUESTION, "max_output_tokens": TOKENS}})

    def close(self):
        deadline = time.monotonic() + 30
        while len(self.late_ms) < len(self.asked) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.socket.close()
        self.reader.join()
        return (self.late_ms + [math.inf] * (len(self.asked) - len(self.late_ms)))[1:]


class PeerSession:
    """The window is the client's: every question sends it whole. Its slot is its own, so that its prefix is cached."""

    def __init__(self, port, slot, films, speech):
        self.port, self.slot, self.films, self.speech = port, slot, films, speech
        self.parts, self.frames, self.late_ms, self.askers = [], 0, [], []

    def add(self, part, at):
        self.parts.append([{"type": "text", "text": f"[{at:.1f}s]"}, part, {"type": "text", "text": "\n"}])

    def frame(self, number):
        self.add({"type": "image_url", "image_url": {"url": self.films[number % len(self.films)]}}, float(number))
        self.frames += 1
        if self.frames > WINDOW_FRAMES:
            self.parts, self.frames = self.parts[len(self.parts) // 2:], WINDOW_FRAMES // 2

    def speak(self):
        self.add({"type": "input_audio", "input_audio": {"data": self.speech, "format": "wav"}}, float(self.frames))

    def ask(self, intended):
        content = [piece for part in self.parts for piece in part] + [{"type": "text", "text": QUESTION}]
        self.askers.append(threading.Thread(target=self.request, args=(content, intended)))
        self.askers[-1].start()

    def request(self, content, intended):
        body = json.dumps({"messages": [{"role": "user", "content": content}], "stream": True, "cache_prompt": True,
                           "id_slot": self.slot, "temperature": 0, "max_tokens": TOKENS})
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
            first = next(time.perf_counter() for line in connection.getresponse()
                         if line.startswith(b"data: {") and json.loads(line[6:])["choices"][0]["delta"].get("content"))
            self.late_ms.append((first - intended) * 1e3)
            connection.close()
        except (OSError, StopIteration, KeyError, http.client.HTTPException):
            self.late_ms.append(math.inf)

    def close(self):
        for asker in self.askers:
            asker.join()
        return self.late_ms[1:]


def follow(session, times, begin):
    """Everything when it is due, in order."""
    due = sorted([(at, "frame", i) for i, at in enumerate(times.frames)] + [(at, "speak", 0) for at in times.speech] +
                 [(at, "ask", 0) for at in times.questions])
    for at, what, number in due:
        time.sleep(max(0.0, begin + at - time.perf_counter()))
        try:
            if what == "frame":
                session.frame(number)
            elif what == "speak":
                session.speak()
            else:
                session.ask(begin + at)
        except OSError:
            return


def at_once(make, level, seconds):
    """Latencies of all questions of so many sessions; none: a session was refused."""
    try:
        sessions = [make(number) for number in range(level)]
    except (RuntimeError, OSError):
        return []
    begin = time.perf_counter() + 0.1
    threads = [threading.Thread(target=follow, args=(session, Times(number, level, seconds), begin))
               for number, session in enumerate(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [late for session in sessions for late in session.close()]


def climb(prefix, make_server, make_session, seconds, levels, samples, say):
    """Level by level until the goal is passed."""
    for level in levels:
        server = make_server(level)
        try:
            late = at_once(lambda number: make_session(server.port, number), level, seconds)
        finally:
            server.close()
        worst = serving.percentile(late, 0.99) if late else math.inf
        samples.add(f"{prefix}live_{level}_p99_ms", worst)
        samples.add(f"{prefix}live_{level}_p50_ms", serving.percentile(late, 0.5) if late else math.inf)
        say(f"{prefix or 'braid_'}live: {level} sessions, {len(late)} questions, first token p99 {worst:.0f} ms")
        if worst > GOAL_MS:
            return


def span(quick):
    """Seconds of each level, and the levels."""
    return (35, LEVELS[:2]) if quick else (45, LEVELS)


def ours(sides, quick, samples, say):
    """`sides`: serving.Sides."""
    films, speech = pictures.prepare(sides.folder("pictures"), 40), sound(24_000)
    flags = ["--window-tokens", str(WINDOW_TOKENS), "--kv-cells", str(CELLS)]
    climb("", lambda _: sides.braid(*flags), lambda port, number: BraidSession(port, films[number:], speech), *span(quick), samples,
          say)


def peer(sides, quick, samples, say):
    films, speech = pictures.prepare(sides.folder("pictures"), 40), wav_data(sound(16_000), 16_000)
    climb("peer_", lambda level: sides.peer("-np", str(level), "-c", str(level * 2 * WINDOW_TOKENS)),
          lambda port, number: PeerSession(port, number, films[number:], speech), *span(quick), samples, say)


def held(prefix, samples):
    """Most sessions whose p99 was within the goal, all smaller levels too."""
    count = 0
    for level in LEVELS:
        if samples.get(f"{prefix}live_{level}_p99_ms", [math.inf])[0] > GOAL_MS:
            break
        count = level
    return count


def text_of(samples, name):
    value = samples.get(name, [None])[0]
    return "" if value is None else "refused or failed" if value == math.inf else f"{value:.0f}"


def add_rows(table, samples):
    for level in LEVELS:
        if f"live_{level}_p99_ms" in samples or f"peer_live_{level}_p99_ms" in samples:
            for share in ("p50", "p99"):
                table.add(f"live sessions, {level} at once: first token {share}, ms", text_of(samples, f"live_{level}_{share}_ms"),
                          text_of(samples, f"peer_live_{level}_{share}_ms"))
    if "live_1_p99_ms" not in samples:
        return
    mine, theirs = held("", samples), held("peer_", samples)
    table.add("live sessions with p99 within 1 s", str(mine), str(theirs), f"{mine / theirs:.1f}x" if theirs else "",
              ">= 4 and >= 2x", mine >= 4 and mine >= 2 * theirs)
