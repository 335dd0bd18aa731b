"""What a running server tells of itself: /metrics scraped by a real Prometheus, spans, answers posted to a webhook."""

import contextlib
import hashlib
import hmac
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import tempfile
import threading
import time
import unittest
import urllib.parse
import urllib.request

from braid_runs import BRAID, CLIP, ROOT, TIMEOUT_S
from raw_socket import RawWebSocket
from served import Served, Server

DEPLOY = ROOT / "deploy"
METRIC = re.compile(r"\b(?:braid:[a-z0-9_]+|process_[a-z_]+)")
RECORDED = {"braid:ttft_seconds:p99_5m", "braid:token_gap_seconds:p99_5m", "braid:deadline_misses:ratio_5m"}


def wait_for(ready, what):
    """Polls what another process does; nothing tells when it has."""
    deadline = time.monotonic() + TIMEOUT_S
    while not (found := ready()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.1)
    return found


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Receiver:
    """Takes posts and answers what it is told to, 200 at the end."""

    def __init__(self, statuses=()):
        self.posts = []
        statuses = list(statuses)

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(handler):
                body = handler.rfile.read(int(handler.headers["content-length"]))
                self.posts.append((handler.path, dict(handler.headers), body))
                handler.send_response(statuses.pop(0) if statuses else 200)
                handler.send_header("content-length", "0")
                handler.end_headers()

            def log_message(handler, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def samples_of(text):
    """{name{labels}: value} of a page of metrics."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def value_of(samples, name, **labels):
    wanted = [f'{key}="{value}"' for key, value in labels.items()]
    found = [value for key, value in samples.items()
             if key.split("{")[0] == name and all(pair in key for pair in wanted)]
    assert len(found) == 1, (name, labels, found)
    return found[0]


def expressions():
    """What the dashboard and the rules ask of Prometheus."""
    dashboard = json.loads((DEPLOY / "grafana/braid.json").read_text())
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"].replace("$__rate_interval", "1m").replace("$instance", ".*")
    rules = (DEPLOY / "prometheus/braid.rules.yml").read_text()
    for one_line, block in re.findall(r"expr: (?:\|\n((?: {10,}.*\n)+)|(.*))", rules):
        yield one_line or block


class Metrics(Served):
    flags = ("--vllm-metric-names",)

    def scrape(self):
        status, text, response = self.server.request("GET", "/metrics")
        self.assertEqual(status, 200)
        self.assertTrue(response.getheader("content-type").startswith("text/plain; version=0.0.4"))
        return text

    def test_an_answer_is_counted(self):
        before = samples_of(self.scrape())
        status, answer = self.server.chat("Count to ten.", max_tokens=6, deadline_ms=60000)
        self.assertEqual(status, 200, answer)
        after = samples_of(self.scrape())

        def more(name, **labels):
            return value_of(after, name, **labels) - value_of(before, name, **labels)

        usage = answer["usage"]
        self.assertEqual(more("braid:generation_tokens_total"), usage["completion_tokens"])
        self.assertEqual(more("vllm:generation_tokens_total"), usage["completion_tokens"])
        self.assertEqual(more("braid:prompt_tokens_total"), usage["prompt_tokens"])
        self.assertEqual(more("braid:verdicts_total", verdict="met"), 1)
        self.assertEqual(more("braid:time_to_first_token_seconds_count"), 1)
        self.assertAlmostEqual(more("braid:e2e_request_latency_seconds_sum"), answer["braid"]["wall_ms"] / 1000, delta=0.001)
        self.assertAlmostEqual(more("braid:stage_seconds_sum", stage="decode"),
                               answer["braid"]["stages_ms"]["decode"] / 1000, delta=0.001)
        self.assertGreaterEqual(more("braid:http_responses_total", code="2xx"), 1)

    def test_a_refused_request_is_counted_by_its_status(self):
        before = value_of(samples_of(self.scrape()), "braid:http_responses_total", code="4xx")
        self.server.json("POST", "/v1/chat/completions", "{nonsense")
        self.assertEqual(value_of(samples_of(self.scrape()), "braid:http_responses_total", code="4xx"), before + 1)

    def test_what_a_session_perceives_is_counted(self):
        made = self.server.json("POST", "/v1/sessions", {"sources": [str(CLIP)]})[1]
        try:
            wait_for(lambda: value_of(samples_of(self.scrape()), "braid:packets_kept_total", modality="vision") >= 2,
                     "frames")
            samples = samples_of(self.scrape())
            self.assertEqual(value_of(samples, "braid:sessions"), 1)
            self.assertGreater(value_of(samples, "braid:kv_cells_promised"), 0)
            before = value_of(samples, "braid:generation_tokens_total")
            answer = self.server.chat("What do you see now?", braid={"session": made["id"]})[1]
            # Counted once, though both the session and the request know of it.
            self.assertEqual(value_of(samples_of(self.scrape()), "braid:generation_tokens_total"),
                             before + answer["usage"]["completion_tokens"])
        finally:
            self.server.request("DELETE", f"/v1/sessions/{made['id']}")

    @unittest.skipUnless(shutil.which("promtool"), "promtool is in Debian's package prometheus")
    def test_promtool_reads_it(self):
        run = subprocess.run(["promtool", "check", "metrics"], input=self.scrape(), capture_output=True, text=True)
        # The colon of our names is what it dislikes, and nothing else.
        other = [line for line in run.stderr.splitlines() if "should not contain ':'" not in line]
        self.assertIn(run.returncode, (0, 3), run.stderr)
        self.assertEqual(other, [])

    @unittest.skipUnless(shutil.which("promtool"), "promtool is in Debian's package prometheus")
    def test_the_rules_hold(self):
        for command in (["check", "config", "prometheus.yml"], ["test", "rules", "braid.rules.test.yml"]):
            run = subprocess.run(["promtool", *command], cwd=DEPLOY / "prometheus", capture_output=True, text=True)
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_what_dashboard_and_rules_ask_for_is_there(self):
        there = {name.split("{")[0] for name in samples_of(self.scrape())}
        for expression in expressions():
            for name in METRIC.findall(expression):
                # A family without samples yet has no line.
                if not any(recorded.startswith(name) for recorded in RECORDED) and "pruned" not in name:
                    self.assertIn(name, there, expression)

    @unittest.skipUnless(shutil.which("prometheus"), "Debian's package prometheus")
    def test_a_prometheus_scrapes_it(self):
        self.server.chat("Hello?", max_tokens=4)
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(DEPLOY / "prometheus/braid.rules.yml", folder)
            config = (DEPLOY / "prometheus/prometheus.yml").read_text()
            config = config.replace("localhost:8080", f"127.0.0.1:{self.server.port}").replace("15s", "1s")
            path = os.path.join(folder, "prometheus.yml")
            with open(path, "w") as file:
                file.write(config)
            port = free_port()
            prometheus = subprocess.Popen(
                ["prometheus", "--config.file", path, "--storage.tsdb.path", os.path.join(folder, "data"),
                 "--web.listen-address", f"127.0.0.1:{port}"], stderr=subprocess.DEVNULL)
            try:
                self.query_all(f"http://127.0.0.1:{port}/api/v1/")
            finally:
                prometheus.terminate()
                prometheus.wait(timeout=TIMEOUT_S)

    def query_all(self, api):
        def ask(path, **parameters):
            url = api + path + "?" + urllib.parse.urlencode(parameters)
            try:
                with urllib.request.urlopen(url, timeout=TIMEOUT_S) as answer:
                    return json.load(answer)["data"]
            except urllib.error.HTTPError as error:
                if error.code == http.HTTPStatus.SERVICE_UNAVAILABLE:
                    return None  # listens already, but still opens its store
                raise AssertionError(f"{parameters}: {error.read().decode()}") from error
            except urllib.error.URLError:
                return None  # not up yet

        def is_up():
            found = ask("query", query='up{job="braid"}')
            return found and found["result"] and found["result"][0]["value"][1] == "1"

        wait_for(is_up, "a scrape")
        made = ask("query", query="braid:generation_tokens_total")["result"][0]["value"][1]
        self.assertGreater(float(made), 0)
        for expression in expressions():
            self.assertIn("result", ask("query", query=expression), expression)
        wait_for(lambda: all(rule["health"] == "ok" for group in ask("rules")["groups"] for rule in group["rules"]),
                 "the rules to be evaluated")
        firing = [alert["labels"]["alertname"] for alert in ask("alerts")["alerts"] if alert["state"] == "firing"]
        self.assertEqual(firing, [])


class Spans(unittest.TestCase):
    TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
    HEADERS = {"traceparent": f"00-{TRACE}-{PARENT}-01"}

    def spans_of(self, ask):
        """What `ask(server)` gives, and the spans that a collector was sent meanwhile: the request's and its stages'."""
        collector = Receiver()
        server = Server("--otlp-url", collector.url)
        try:
            answer = ask(server)
            wait_for(lambda: collector.posts, "spans")
        finally:
            code = server.stop()
            collector.close()
        self.assertEqual(code, 0)
        path, _, posted = collector.posts[0]
        self.assertEqual(path, "/v1/traces")
        request, *stages = json.loads(posted)["resourceSpans"][0]["scopeSpans"][0]["spans"]
        self.assertEqual((request["traceId"], request["parentSpanId"]), (self.TRACE, self.PARENT))
        self.assertAlmostEqual(sum(map(self.length_ms, stages)), self.length_ms(request), delta=1)
        for stage in stages:
            self.assertEqual((stage["traceId"], stage["parentSpanId"]), (self.TRACE, request["spanId"]))
        self.assertIn("decode_first", [stage["name"] for stage in stages])
        return answer, request, {pair["key"]: list(pair["value"].values())[0] for pair in request["attributes"]}

    @staticmethod
    def length_ms(span):
        return (int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])) / 1e6

    def test_a_request_becomes_a_span_of_its_senders_trace(self):
        body = {"model": "m", "messages": [{"role": "user", "content": "Hello?"}], "max_tokens": 4}
        (status, answer), request, attributes = self.spans_of(
            lambda server: server.json("POST", "/v1/chat/completions", body, self.HEADERS))
        self.assertEqual(status, 200, answer)
        self.assertEqual(attributes["gen_ai.response.id"], answer["id"])
        self.assertEqual(int(attributes["gen_ai.usage.output_tokens"]), answer["usage"]["completion_tokens"])
        self.assertAlmostEqual(self.length_ms(request), answer["braid"]["wall_ms"], delta=1)

    def test_a_transcription_becomes_a_span(self):
        form = (b'--b\r\nContent-Disposition: form-data; name="model"\r\n\r\nm\r\n'
                b'--b\r\nContent-Disposition: form-data; name="file"; filename="clip.mp4"\r\n\r\n'
                + CLIP.read_bytes() + b"\r\n--b--\r\n")
        headers = {**self.HEADERS, "content-type": "multipart/form-data; boundary=b"}
        (status, answer), request, attributes = self.spans_of(
            lambda server: server.json("POST", "/v1/audio/transcriptions", form, headers))
        self.assertEqual(status, 200, answer)
        self.assertEqual(request["name"], "transcription m")
        self.assertEqual(attributes["gen_ai.operation.name"], "transcription")
        self.assertGreater(int(attributes["gen_ai.usage.output_tokens"]), 0)
        self.assertIn("gen_ai.server.time_to_first_token", attributes)

    def test_a_realtime_response_becomes_a_span(self):
        def ask(server):
            with contextlib.closing(RawWebSocket(server.port, timeout=TIMEOUT_S, headers=self.HEADERS)) as socket:
                session = socket.until("session.created")["session"]["id"]
                socket.send({"type": "conversation.item.create", "item": {
                    "type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello?"}]}})
                socket.send({"type": "response.create"})
                response = socket.until("response.done")["response"]
                return session, response, socket.until("braid.stages")["braid"]

        (session, response, account), request, attributes = self.spans_of(ask)
        self.assertEqual(attributes["gen_ai.response.id"], response["id"])
        self.assertEqual(attributes["gen_ai.conversation.id"], session)
        self.assertEqual(int(attributes["gen_ai.usage.output_tokens"]), response["usage"]["output_tokens"])
        self.assertAlmostEqual(self.length_ms(request), account["wall_ms"], delta=1)


def inside_name():
    """A name that leads to this machine, which only its resolution tells."""
    name = socket.gethostname()
    try:
        socket.getaddrinfo(name, None)
    except OSError as error:
        raise unittest.SkipTest(f"{name} leads nowhere") from error
    return name


class StandingQuestions(unittest.TestCase):
    def test_a_configured_question_is_answered_to_its_webhook(self):
        hook = Receiver(statuses=[503])
        with tempfile.TemporaryDirectory() as folder:
            secret, config = os.path.join(folder, "secret"), os.path.join(folder, "braid.toml")
            with open(secret, "w") as file:
                file.write("hush\n")
            with open(config, "w") as file:
                file.write(f'[webhooks]\nsecret_file = "{secret}"\nbackoff_ms = 100\n'
                           f'[[source]]\nsource = "{CLIP}"\n'
                           f'[[question]]\nask = "What do you see now?"\nevery_s = 1\nwebhook = "{hook.url}/answers"\n')
            server = Server("--config", config)
            try:
                wait_for(lambda: len(hook.posts) >= 3, "answers")
                samples = samples_of(server.request("GET", "/metrics")[1])
            finally:
                code = server.stop()
                hook.close()
        self.assertEqual(code, 0)
        self.assertGreaterEqual(value_of(samples, "braid:webhooks_retried_total"), 1)
        deliveries = []
        for path, headers, body in hook.posts:
            self.assertEqual(path, "/answers")
            signature = "sha256=" + hmac.new(b"hush", body, hashlib.sha256).hexdigest()
            self.assertEqual(headers["X-Braid-Signature"], signature)
            deliveries.append(headers["X-Braid-Delivery"])
            self.assertEqual(json.loads(body)["question"], "What do you see now?")
        self.assertLess(len(set(deliveries)), len(deliveries), "the refused one came again")

    def test_a_client_can_not_make_the_server_post_inside(self):
        hook = Receiver()
        server = Server()
        try:
            def ask(url):
                question = {"ask": "What?", "every_s": 0.5, "webhook": url}
                return server.json("POST", "/v1/sessions", {"sources": [str(CLIP)], "questions": [question]})

            status, refused = ask(hook.url)
            self.assertEqual(status, 400, refused)
            self.assertIn("allow_private of [webhooks]", refused["error"]["message"])
            status, made = ask(hook.url.replace("127.0.0.1", inside_name()))
            self.assertEqual(status, 201, made)
            wait_for(lambda: value_of(samples_of(server.request("GET", "/metrics")[1]), "braid:webhooks_dead_total"),
                     "a refusal")
        finally:
            code = server.stop()
            hook.close()
        self.assertEqual(code, 0)
        self.assertEqual(hook.posts, [])

    def test_an_event_that_there_is_not_is_refused(self):
        server = Server()
        try:
            question = {"ask": "What?", "on_event": "noise"}
            status, answer = server.json("POST", "/v1/sessions", {"sources": [str(CLIP)], "questions": [question]})
        finally:
            self.assertEqual(server.stop(), 0)
        self.assertEqual(status, 400)
        self.assertIn("scene_change", answer["error"]["message"])


class Configuration(unittest.TestCase):
    def config(self, *flags, code=0):
        run = subprocess.run([BRAID, "serve", *flags], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(run.returncode, code, run.stderr)
        return run.stdout if code == 0 else run.stderr

    def test_flags_override_the_file_and_what_is_printed_is_read_back(self):
        with tempfile.TemporaryDirectory() as folder:
            first, second = os.path.join(folder, "first.toml"), os.path.join(folder, "second.toml")
            with open(first, "w") as file:
                file.write("[server]\nport = 9001\nmax_sessions = 3\n")
            printed = self.config("--port", "9002", "--config", first, "--print-config")
            self.assertRegex(printed, r"(?m)^port = 9002\b")
            self.assertRegex(printed, r"(?m)^max_sessions = 3\b")
            with open(second, "w") as file:
                file.write(printed)
            self.assertEqual(self.config("--config", second, "--print-config"), printed)

    def test_the_shipped_file_is_valid(self):
        self.config("--config", str(DEPLOY / "braid.toml"), "--print-config")

    def test_an_unknown_key_is_named_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "braid.toml")
            with open(path, "w") as file:
                file.write("[server]\nprt = 1\n")
            self.assertIn("braid.toml:2: there is no key 'prt' in [server]; did you mean 'port'?",
                          self.config("--config", path, code=2))


if __name__ == "__main__":
    unittest.main(verbosity=2)
