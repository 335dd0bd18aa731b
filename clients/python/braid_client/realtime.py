"""One Realtime session over a WebSocket. A thread reads its events and keeps the clocks compared."""

import base64
import collections
import json
import threading
import time
import urllib.parse

import websockets.exceptions
import websockets.sync.client

from .drift import DriftClock

PONG_WITHIN_S = 5.0  # else the next ping goes out without it
MOST_SOURCES = 32  # that one ping may name
MOST_EVENTS = 10_000  # that nobody took; then the oldest go
MOST_BYTES = 16 << 20  # of an event


class Closed(Exception):
    """The session has ended."""


def monotonic_us():
    return time.monotonic_ns() // 1000


class Realtime:
    """A session; use it in a `with`. All its methods may be called from any thread.

    `now_us` is the clock that captures are stamped with, in microseconds: the machine's monotonic clock unless told otherwise.
    """

    def __init__(self, url="ws://127.0.0.1:8080", key=None, model="braid", now_us=monotonic_us, **connect):
        self.now_us = now_us
        self.dropped = 0  # events that nobody took in time
        self._clock = DriftClock()
        self._pong_us = None  # when the last one came
        self._sources = {}  # that were stamped by now_us; a set in order
        self._events = collections.deque()
        self._changed = threading.Condition()
        self._ended = None
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._socket = websockets.sync.client.connect(
            f"{url.rstrip('/')}/v1/realtime?model={urllib.parse.quote(model)}", additional_headers=headers,
            max_size=MOST_BYTES, **connect)
        self._reader = threading.Thread(target=self._read, name="braid-realtime", daemon=True)
        self._reader.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()
        self._reader.join()

    def send(self, event):
        """Any event of the protocol."""
        try:
            self._socket.send(json.dumps(event))
        except websockets.exceptions.ConnectionClosed as error:
            raise Closed(str(error)) from error

    def frame(self, image, captured_us=None, source="camera"):
        """A JPEG, PNG or WebP file's bytes, captured at this time of now_us (none: now)."""
        self._stamps(source)
        self.send({"type": "input_video_buffer.append", "image": base64.b64encode(image).decode(), "source": source,
                   "capture_ts_us": self.now_us() if captured_us is None else captured_us})

    def reading(self, values, source, captured_us=None):
        """{name: number, text or boolean}, captured at this time of now_us (none: now)."""
        self._stamps(source)
        self.send({"type": "input_sensor.append", "source": source, "values": values,
                   "at_us": self.now_us() if captured_us is None else captured_us})

    def ask(self, text):
        """Puts a question; its answer comes as events."""
        self.send({"type": "conversation.item.create", "item": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}})
        self.send({"type": "response.create"})

    def next_event(self, timeout_s=None):
        """The next event but clock.pong. TimeoutError: none came; Closed: none will."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._events or self._ended, timeout_s):
                raise TimeoutError(f"no event within {timeout_s} s")
            if self._events:
                return self._events.popleft()
            raise Closed(self._ended)

    def answer(self, text, timeout_s=None):
        """Asks and gives the answer's text. Events of other things that come meanwhile are passed over."""
        self.ask(text)
        pieces = []
        while (event := self.next_event(timeout_s))["type"] != "response.done":
            if event["type"] == "response.output_text.delta":
                pieces.append(event["delta"])
        return "".join(pieces)

    def clock(self):
        """(whether the sync window is open, session time less now_us, what that is off by at most); None: not known yet."""
        with self._changed:
            best = self._clock.estimate(self.now_us())
            return (self._clock.is_open, *best) if best else None

    def wait_for_clock(self, timeout_s=None):
        """Blocks until the sync window is open. False: it isn't, within that time or for ever."""
        with self._changed:
            self._changed.wait_for(lambda: self._clock.is_open or self._ended, timeout_s)
            return self._clock.is_open

    def session_us(self, captured_us):
        """A time of now_us in session time. None: not known yet."""
        with self._changed:
            return self._clock.session_us(captured_us)

    def _stamps(self, source):
        if len(self._sources) < MOST_SOURCES:
            self._sources[source] = True

    def _ping(self):
        """With the last pong's arrival the server knows that exchange too, and how far these sources' clocks are off."""
        ping = {"type": "clock.ping", "sources": list(self._sources)}
        if self._pong_us is not None:
            ping["pong_us"] = self._pong_us
        self.send({**ping, "t1_us": self.now_us()})

    def _read(self):
        try:
            next_ping = time.monotonic()
            while True:
                if (left := next_ping - time.monotonic()) <= 0:
                    self._ping()
                    left = PONG_WITHIN_S
                    next_ping = time.monotonic() + left
                try:
                    event = json.loads(self._socket.recv(timeout=left))
                except TimeoutError:
                    continue
                if event["type"] == "clock.pong":
                    next_ping = time.monotonic() + self._take_pong(event, self.now_us())
                else:
                    self._take(event)
        except (Closed, websockets.exceptions.ConnectionClosed, ValueError, KeyError) as error:
            with self._changed:
                self._ended = str(error) or "closed"
                self._changed.notify_all()

    def _take_pong(self, pong, now_us):
        with self._changed:
            self._pong_us = now_us
            self._clock.exchange(pong["t1_us"], pong["t2_us"], pong["t3_us"], now_us)
            self._changed.notify_all()
            return self._clock.ping_after_s

    def _take(self, event):
        with self._changed:
            if len(self._events) == MOST_EVENTS:
                self._events.popleft()
                self.dropped += 1
            self._events.append(event)
            self._changed.notify_all()
