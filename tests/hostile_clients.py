"""The fault suite's clients: a storm of those that err, leave, stall and lie, and an honest witness."""

import collections
import contextlib
import json
import os
import random
import re
import socket
import sys
import threading
import time

from braid_runs import CLIP, TIMEOUT_S
from mutations import HttpRequests, RealtimeEvents, break_frames, change_bytes
from raw_socket import RawWebSocket, connect, http_request, read_reply, reset, status_of
from served import data_uri

SEED = int(os.environ.get("FAULTS_SEED", "1"))
CLIENTS = 6
sys.setrecursionlimit(20_000)  # of values that are nested for the server to refuse


def stream_body(text="Please count.", tokens=60):
    return json.dumps({"model": "braid", "messages": [{"role": "user", "content": text}], "max_tokens": tokens, "stream": True,
                       "temperature": 0}).encode()


class Witness:
    """An honest client with a session of its own: what it is told must not depend on anyone else."""

    def __init__(self, server):
        self.server = server
        self.socket = RawWebSocket(server.port, timeout=TIMEOUT_S)
        self.session = self.socket.until("session.created")["session"]["id"]
        self.socket.send({"type": "conversation.item.create", "item": {"type": "message", "role": "user", "content": [
            {"type": "input_image", "image_url": data_uri("still2.jpg", "image/jpeg")}]}})
        for at in range(3):
            self.socket.send({"type": "input_sensor.append", "source": "press", "values": {"temperature": 80 + at}})
        self.stopped = threading.Event()
        self.told = []
        self.thread = threading.Thread(target=self.watch)

    def ask(self):
        """What the session and a chat answer."""
        self.socket.send({"type": "response.create", "response": {"instructions": "witness: what is there?"}})
        done = self.socket.until("response.done")
        assert done and done["response"]["status"] in ("completed", "incomplete"), done
        status, answer = self.server.chat("witness: what is the capital of France?", max_tokens=40, temperature=0)
        while status == 429:  # the room is full of others: no answer, but no wrong one
            time.sleep(0.05)
            status, answer = self.server.chat("witness: what is the capital of France?", max_tokens=40, temperature=0)
        assert status == 200, answer
        return done["response"]["output"][0]["content"][0]["text"], answer["choices"][0]["message"]["content"]

    def watch(self):
        try:
            while not self.stopped.is_set():
                self.told.append(self.ask())
                time.sleep(0.05)
        except Exception as error:  # told to the test, which is on another thread
            self.told.append(repr(error))

    def stop(self):
        self.stopped.set()
        self.thread.join()


class Storm:
    """Clients side by side, each with its own series; every input that a fault might need is kept."""

    def __init__(self, server, media):
        self.server, self.media = server, media
        self.recent = collections.deque(maxlen=60)
        self.statuses = collections.Counter()
        self.faults = []
        self.samples = []

    def run(self, tries, count):
        """`tries`: functions of a random source, one by one at random by `count` calls."""
        left = iter(range(count))
        lock = threading.Lock()

        def work(number):
            hand = random.Random(SEED * 1000 + number)
            while True:
                with lock:
                    at = next(left, None)
                if at is None or self.faults:
                    return
                try:
                    if at % max(1, count // 200) == 0:
                        self.samples.append(memory_kb(self.server.process.pid))
                    hand.choice(tries)(hand)
                except OSError:  # a server may end what it is sent
                    if self.server.process.poll() is not None:
                        self.faults.append("the server has ended")
                except Exception as error:
                    self.faults.append(repr(error))

        workers = [threading.Thread(target=work, args=(i,)) for i in range(CLIENTS)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def http(self, hand):
        data, whole = HttpRequests(hand, self.media, [str(CLIP), "/nowhere.mp4", "kind=sensor,file=/dev/null"]).make()
        self.recent.append(data)
        with connect(self.server.port) as client:
            if hand.random() < 0.1:
                for at in range(0, len(data), max(1, len(data) // 7)):
                    client.sendall(data[at:at + max(1, len(data) // 7)])
            else:
                client.sendall(data)
            self.finish(hand, client, whole, data)

    def finish(self, hand, client, whole, data):
        """Reads the reply, or leaves in one of the ways there are."""
        leaving = hand.random()
        if leaving < 0.05:
            return reset(client)
        if leaving < 0.1:
            client.recv(1)
            return reset(client)
        if not whole:
            client.shutdown(socket.SHUT_WR)
        client.settimeout(0.4 if b"/events" in data[:100] or not whole else 20)
        reply = read_reply(client)
        self.note(status_of(reply), data)
        if status_of(reply) == 201:
            self.end_session(reply)

    def end_session(self, reply):
        """Sessions that were made by a request are ended, or cells and threads would be theirs alone."""
        made = re.search(rb'"id":"(sess_\w+)"', reply)
        with connect(self.server.port) as client:
            client.sendall(http_request("DELETE", "/v1/sessions/" + made[1].decode()))
            self.note(status_of(read_reply(client)), reply)

    def note(self, status, data):
        self.statuses[status] += 1
        if status is not None and status >= 500 and status not in (501, 503, 505):
            self.faults.append(f"status {status} to {data[:2000]!r}")

    def realtime(self, hand):
        client = RawWebSocket(self.server.port)
        with client.socket:
            if client.closed:
                self.statuses[client.status] += 1
                return
            client.receive()
            for message in RealtimeEvents(hand, self.media).sequence():
                self.recent.append(message)
                client.socket.sendall(break_frames(hand, client, message) if hand.random() < 0.05 else client.frame(message))
            self.hear(hand, client)
            if hand.random() < 0.5:
                reset(client.socket)
            elif hand.random() < 0.5:
                client.close()

    def hear(self, hand, client):
        """A random number of events; none after one is marked by a message that any session answers."""
        client.socket.settimeout(hand.choice([0.02, 0.1, 0.3]))
        with contextlib.suppress(TimeoutError):
            for _ in range(hand.randrange(30)):
                event = client.receive()
                if event is None:
                    return
                if event["type"] == "error" and event["error"]["type"] == "server_error":
                    self.faults.append(f"{event} after {list(self.recent)[-12:]!r}")

    def upload(self, hand):
        """A file that lies, by each way that takes one."""
        kind = hand.choice(["image", "sound", "film"])
        data = hand.choice(self.media["hostile"][kind])
        if hand.random() < 0.3:
            data = change_bytes(hand, data)
        makers = HttpRequests(hand, {name: [data] for name in ("image", "sound", "film")}, [])
        method, path, headers, body = hand.choice([makers.chat_with_media, makers.transcription])()
        request = http_request(method, path, body, headers)
        self.recent.append(request[:3000])
        with connect(self.server.port, 30) as client:
            client.sendall(request)
            self.note(status_of(read_reply(client)), request)

    def slow_reader(self, hand):
        """Asks for much and reads hardly anything of it."""
        with connect(self.server.port, 5, receive_buffer=1024) as client:
            client.sendall(http_request("POST", "/v1/chat/completions", stream_body()) * hand.choice([1, 4]))
            for _ in range(hand.randrange(6)):
                client.recv(hand.choice([1, 40]))
                time.sleep(0.02)
            reset(client)

    def slow_writer(self, hand):
        """Sends a request by a few bytes at a time, and sometimes not to its end."""
        request = http_request("POST", "/v1/chat/completions", stream_body(tokens=2))
        with connect(self.server.port) as client:
            at, end = 0, len(request) if hand.random() < 0.5 else hand.randrange(len(request))
            while at < end:
                step = hand.choice([1, 3, 60])
                client.sendall(request[at:min(at + step, end)])
                at += step
                time.sleep(0.001)
            if end == len(request):
                self.note(status_of(read_reply(client)), request)


def memory_kb(pid):
    with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as rollup:
        fields = dict(re.findall(r"^(\w+):\s+(\d+) kB", rollup.read(), re.M))
    return int(fields["Rss"])
