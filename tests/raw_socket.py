"""HTTP and WebSocket byte by byte, so that tests can send what no library would."""

import base64
import json
import os
import socket
import struct

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


def connect(port, timeout=5.0, receive_buffer=None):
    made = socket.socket()
    if receive_buffer:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    made.settimeout(timeout)
    try:
        made.connect(("127.0.0.1", port))
    except OSError:
        made.close()
        raise
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def reset(made):
    """Ends a connection as a crashed client's system would: with RST."""
    made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    made.close()


def http_request(method, path, body=b"", headers=()):
    head = [f"{method} {path} HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}",
            *(f"{name}: {value}" for name, value in headers)]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


def status_of(reply):
    """The status of a reply's first line; None: there is none."""
    if not reply.startswith(b"HTTP/1."):
        return None
    return int(reply[9:12])


def read_reply(made, limit=1 << 20):
    """One reply, as far as it comes: by its length, its chunks or the connection's end."""
    reply = b""
    try:
        while len(reply) < limit:
            piece = made.recv(65536)
            if not piece:
                break
            reply += piece
            if is_whole(reply):
                break
    except OSError:
        pass
    return reply


def is_whole(reply):
    head, gap, body = reply.partition(b"\r\n\r\n")
    if not gap:
        return False
    fields = head.lower()
    if b"\r\ntransfer-encoding: chunked" in fields:
        return body.endswith(b"0\r\n\r\n")
    at = fields.find(b"\r\ncontent-length:")
    if at < 0:
        return False
    return len(body) >= int(fields[at + 17:].split(b"\r\n", 1)[0])


class RawWebSocket:
    """A client that may break every rule of RFC 6455 but the handshake's."""

    def __init__(self, port, path="/v1/realtime?model=braid", timeout=5.0, receive_buffer=None, headers=None):
        self.socket = connect(port, timeout, receive_buffer)
        self.read, self.closed, self.status = b"", True, None
        try:
            self.shake_hands(path, headers or {})
        except OSError:
            self.socket.close()
            raise

    def shake_hands(self, path, headers):
        key = base64.b64encode(os.urandom(16)).decode()
        more = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{more}\r\n").encode())
        while b"\r\n\r\n" not in self.read:
            piece = self.socket.recv(65536)
            if not piece:
                break
            self.read += piece
        head, _, self.read = self.read.partition(b"\r\n\r\n")
        self.status = status_of(head)
        self.closed = self.status != 101

    def frame(self, payload, opcode=TEXT, fin=True, masked=True, reserved=0, length=None):
        """`length`: what the frame says that it is long, in place of the truth."""
        said = len(payload) if length is None else length
        head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
        bit = 0x80 if masked else 0
        if said < 126:
            head += bytes([bit | said])
        elif said < 65536:
            head += bytes([bit | 126]) + struct.pack(">H", said)
        else:
            head += bytes([bit | 127]) + struct.pack(">Q", said)
        if not masked:
            return head + payload
        mask = os.urandom(4)
        whole = (mask * (len(payload) // 4 + 1))[:len(payload)]
        mixed = int.from_bytes(payload, "big") ^ int.from_bytes(whole, "big")
        return head + mask + mixed.to_bytes(len(payload), "big")

    def send(self, event):
        text = event if isinstance(event, (bytes, str)) else json.dumps(event)
        self.socket.sendall(self.frame(text.encode() if isinstance(text, str) else text))

    def receive(self):
        """The next event; None: the connection is at its end. A silent server is a timeout."""
        while not self.closed:
            opcode, payload = self.next_frame()
            if opcode == TEXT:
                return json.loads(payload)
            if opcode in (None, CLOSE):
                self.closed = True
            if opcode == PING:
                self.socket.sendall(self.frame(payload, PONG))
        return None

    def next_frame(self):
        head = self.take(2)
        if head is None:
            return None, b""
        length = head[1] & 127
        if length > 125:
            length = int.from_bytes(self.take(2 if length == 126 else 8) or b"", "big")
        payload = self.take(length)
        return (None, b"") if payload is None else (head[0] & 15, payload)

    def take(self, size):
        while len(self.read) < size:
            try:
                piece = self.socket.recv(65536)
            except ConnectionError:
                return None
            if not piece:
                return None
            self.read += piece
        taken, self.read = self.read[:size], self.read[size:]
        return taken

    def until(self, *kinds):
        """The first event of these kinds; None: the connection ended before."""
        while (event := self.receive()) is not None:
            if event["type"] in kinds:
                return event
        return None

    def close(self):
        try:
            self.socket.sendall(self.frame(struct.pack(">H", 1000), CLOSE))
        except OSError:
            pass
        self.socket.close()
