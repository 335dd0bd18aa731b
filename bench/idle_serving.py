"""What connected clients cost that say nothing, and what the server's own figures are worth."""

import http.client
import json
import re
import select
import sys
import time
from pathlib import Path

import serving

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from raw_socket import PING, PONG, RawWebSocket  # noqa: E402: the tests' own client

CONNECTED = 200
REQUESTS = 300


def metric(port, name):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    found = re.search(rf"^{name}(?:{{[^}}]*}})? (\S+)", text, re.M)
    if not found:
        raise RuntimeError(f"/metrics has no {name}")
    return float(found[1])


def connect_all(port, count, patience_s=30):
    """As many as the server takes. One that is refused tries again: cells are lent by sessions that have been idle."""
    clients, deadline = [], time.monotonic() + patience_s
    while len(clients) < count and time.monotonic() < deadline:
        client = RawWebSocket(port, timeout=10)
        if not client.closed and client.until("session.created", "error")["type"] == "session.created":
            clients.append(client)
        else:
            client.socket.close()
            time.sleep(0.1)
    return clients


def stay_connected(clients, seconds):
    """Says nothing, but answers pings: who doesn't is taken for gone."""
    by_socket = {client.socket: client for client in clients}
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        for ready in select.select(list(by_socket), [], [], left)[0]:
            opcode, payload = by_socket[ready].next_frame()
            if opcode == PING:
                ready.sendall(by_socket[ready].frame(payload, PONG))
            elif opcode is None:
                raise RuntimeError("the server ended an idle client")


def idle(sides, quick, samples, say):
    server = sides.braid("--sessions", str(CONNECTED + 8), "--config", write_config(sides))
    try:
        for client in connect_all(server.port, 8):  # what the first sessions load is not theirs
            client.close()
        time.sleep(3)
        before = metric(server.port, "process_resident_memory_bytes")
        clients = connect_all(server.port, CONNECTED)
        time.sleep(2)
        grown = metric(server.port, "process_resident_memory_bytes") - before
        cpu, begin = metric(server.port, "process_cpu_seconds_total"), time.monotonic()
        stay_connected(clients, 5 if quick else 40)
        busy = (metric(server.port, "process_cpu_seconds_total") - cpu) / (time.monotonic() - begin)
        samples.add("idle_connected", len(clients))
        samples.add("idle_kb_each", grown / 1000 / max(1, len(clients)))
        samples.add("idle_cpu_percent", 100 * busy)
        samples.add("idle_threads_each", metric(server.port, "process_threads") / max(1, len(clients)))
        say(f"idle: {len(clients)} of {CONNECTED} sessions connected, {grown / 1000 / max(1, len(clients)):.0f} kB each, "
            f"{100 * busy:.2f} % CPU")
        for client in clients:
            client.close()
    finally:
        server.close()


def write_config(sides):
    path = Path(sides.folder("idle"), "braid.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[server]\nmax_sessions_per_key = {CONNECTED + 8}\n[limits]\nconnections_per_remote = {CONNECTED + 56}\n")
    return str(path)


def one_request(connection, number):
    """(ms to the first token as the client saw it, the server's account)."""
    body = json.dumps({"model": "bench", "messages": [{"role": "user", "content": f"Say a number, not {number}."}], "max_tokens": 2,
                       "temperature": 0, "stream": True, "logit_bias": serving.NO_END})
    begin = time.perf_counter()
    connection.request("POST", "/v1/chat/completions", body, {"Content-Type": "application/json"})
    first, account = None, None
    for line in connection.getresponse():
        if not line.startswith(b"data: {"):
            continue
        event = json.loads(line[6:])
        if first is None and any(choice["delta"].get("content") for choice in event.get("choices", ())):
            first = time.perf_counter()
        account = event.get("braid") or account
    return (first - begin) * 1e3, account


def figures(sides, quick, samples, say):
    server = sides.braid()
    try:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        for number in range(REQUESTS // 5 if quick else REQUESTS):
            seen, account = one_request(connection, number)
            if number < 5:
                continue  # first requests of a process warm it up
            stages = account["stages_ms"]
            samples.add("ttft_apart_ms", abs(seen - account["ttft_ms"]))
            samples.add("receipt_to_engine_ms", stages["ingest"] + stages["prefill_queue"])
        connection.close()
    finally:
        server.close()
    say(f"figures: p99 of {len(samples['ttft_apart_ms'])}: told and seen first token "
        f"{serving.percentile(samples['ttft_apart_ms'], 0.99):.2f} ms apart, receipt to engine "
        f"{serving.percentile(samples['receipt_to_engine_ms'], 0.99):.2f} ms")


def add_rows(table, samples):
    if "idle_connected" in samples:
        count = samples["idle_connected"][0]
        table.add("idle sessions connected", f"{count}", "", "", f">= {CONNECTED}", count >= CONNECTED)
        table.at_most("an idle session outside the KV cache, kB", samples["idle_kb_each"][0], f"{samples['idle_kb_each'][0]:.0f}", 200)
        table.at_most("CPU of them all, % of a core", samples["idle_cpu_percent"][0], f"{samples['idle_cpu_percent'][0]:.2f}", 2)
    if "ttft_apart_ms" in samples:
        for name, what, goal in (("ttft_apart_ms", "first token as told and as seen: apart p99, ms", 2),
                                 ("receipt_to_engine_ms", "from receipt to the engine p99, ms", 1)):
            value = serving.percentile(samples[name], 0.99)
            table.at_most(what, value, f"{value:.2f} (median {serving.percentile(samples[name], 0.5):.2f})", goal)
