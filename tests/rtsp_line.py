"""A line between an RTSP client and a server, with the faults of real ones: cuts, stalls, a server that is away, and for RTP
over UDP seeded loss, reordering and duplicates. It notes when each picture went through."""

import random
import re
import socket
import struct
import threading
import time

from listener import Listener


class Plan:
    """What befalls one connection. None: never."""

    def __init__(self, cut_after=None, stall_after=None, loss=0.0, swapped=0.0, doubled=0.0):
        self.cut_after = cut_after      # s from its first packet of media
        self.stall_after = stall_after  # s likewise; then nothing more goes through, and the line stays
        self.loss, self.swapped, self.doubled = loss, swapped, doubled  # shares of RTP packets over UDP


class Connection:
    """The pictures that one connection carried: RTP time, and the earliest time at which a packet of it went through."""

    def __init__(self):
        self.first = None  # time.monotonic() of the first packet of media
        self.passed = {}   # by RTP time
        self.cut = False   # set to end it

    def note(self, rtp):
        if len(rtp) < 12 or rtp[0] >> 6 != 2:
            return
        now = time.monotonic()
        self.first = self.first or now
        self.passed.setdefault(struct.unpack_from(">I", rtp, 4)[0], now)

    def captured(self):
        """When each picture was captured, s on time.monotonic(), as far as the quickest of them tells; in order."""
        stamps = sorted(self.passed)
        if not stamps:
            return []
        zero = min(self.passed[stamp] - (stamp - stamps[0]) / 90000 for stamp in stamps)
        return [zero + (stamp - stamps[0]) / 90000 for stamp in stamps]


class Line(Listener):
    """Connections one after the other meet what `plans` says; those behind the last plan meet nothing. `target` is the
    server's port, or None while it is away."""

    def __init__(self, target, plans=(), seed=1):
        self.target, self.plans, self.random = target, list(plans), random.Random(seed)
        self.connections, self.refused = [], 0
        super().__init__()

    def take(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target)) if self.target else None
        except OSError:
            server = None
        if server is None:
            self.refused += 1
            client.close()
            return
        plan = self.plans.pop(0) if self.plans else Plan()
        carried = Carried(self, client, server, plan)
        self.connections.append(carried.log)
        thread = threading.Thread(target=carried.run, daemon=True)
        self.threads.append(thread)
        thread.start()


class Carried:
    """One connection: control and interleaved media over TCP, or ports of its own for media over UDP."""

    def __init__(self, line, client, server, plan):
        self.line, self.client, self.server, self.plan = line, client, server, plan
        self.log, self.ports, self.held = Connection(), {}, None
        self.request = self.answer = b""

    def run(self):
        for end in (self.client, self.server):
            end.settimeout(0.01)
        try:
            while not self.line.closing.is_set():
                age = time.monotonic() - self.log.first if self.log.first else 0
                if self.plan.cut_after is not None and age > self.plan.cut_after or self.log.cut:
                    break
                stalled = self.plan.stall_after is not None and age > self.plan.stall_after
                if not self.take(self.client, self.from_client) or not self.take(self.server, self.from_server, stalled):
                    break
                for port in list(self.ports.values()):
                    port.pump(self, stalled)
        finally:
            for end in (self.client, self.server, *(port.socket for port in self.ports.values())):
                end.close()

    def take(self, end, handle, stalled=False):
        """False: that end is gone."""
        try:
            data = end.recv(65536)
        except TimeoutError:
            return True
        except OSError:
            return False
        try:
            if data and not stalled:
                handle(data)
        except OSError:
            return False
        return bool(data)

    def from_client(self, data):
        if data[:1] == b"$":
            return self.server.sendall(data)
        asked = re.search(rb"client_port=(\d+)-(\d+)", data)
        if asked:
            pair = [Port(int(asked[1])), Port(int(asked[2]))]
            self.ports.update({port.socket.getsockname()[1]: port for port in pair})
            self.asked = pair
            own = b"client_port=%d-%d" % tuple(port.socket.getsockname()[1] for port in pair)
            data = data.replace(asked[0], own)
        return self.server.sendall(data)

    def from_server(self, data):
        self.answer += data
        while self.answer:
            if self.answer[:1] != b"$":
                end = self.answer.find(b"\r\n\r\n")
                if end < 0:
                    return
                length = re.search(rb"Content-Length: (\d+)", self.answer[:end])
                size = end + 4 + (int(length[1]) if length else 0)
                if len(self.answer) < size:
                    return
                self.client.sendall(self.as_if_direct(self.answer[:size]))
            else:
                if len(self.answer) < 4:
                    return
                size = 4 + struct.unpack_from(">H", self.answer, 2)[0]
                if len(self.answer) < size:
                    return
                if self.answer[1] % 2 == 0:
                    self.log.note(self.answer[4:size])
                self.client.sendall(self.answer[:size])
            self.answer = self.answer[size:]

    def as_if_direct(self, answer):
        """The client's own ports, and ours in place of the server's."""
        told = re.search(rb"client_port=\d+-\d+", answer)
        servers = re.search(rb"server_port=(\d+)-(\d+)", answer)
        if not told or not servers:
            return answer
        for port, server in zip(self.asked, (servers[1], servers[2])):
            port.server = int(server)
        answer = answer.replace(told[0], b"client_port=%d-%d" % tuple(port.client for port in self.asked))
        return answer.replace(servers[0], b"server_port=%d-%d" % tuple(port.socket.getsockname()[1] for port in self.asked))


class Port:
    """One UDP port in both directions; what is even carries RTP."""

    def __init__(self, client):
        self.client, self.server = client, None
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.setblocking(False)

    def pump(self, carried, stalled):
        while True:
            try:
                data, (_, sender) = self.socket.recvfrom(65536)
            except OSError:
                return
            if stalled:
                continue
            if sender == self.client:
                self.send(data, self.server)
            elif self.client % 2:
                self.send(data, self.client)
            else:
                self.pass_on(carried, data)

    def pass_on(self, carried, data):
        plan, dice = carried.plan, carried.line.random
        carried.log.note(data)
        if dice.random() < plan.loss:
            return
        if carried.held is None and dice.random() < plan.swapped:
            carried.held = data
            return
        for _ in range(2 if dice.random() < plan.doubled else 1):
            self.send(data, self.client)
        if carried.held is not None:
            self.send(carried.held, self.client)
            carried.held = None

    def send(self, data, to):
        try:
            self.socket.sendto(data, ("127.0.0.1", to))
        except OSError:
            pass
