"""`braid serve --memory`: what sessions perceive is kept, looked up for their questions, and found over HTTP."""

import hashlib
import json
import os
import resource
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import official_client  # noqa: F401  before what it brings along
import websockets.sync.client
from braid_runs import BRAID, SAMPLES, TIMEOUT_S, main
from served import Served, Server

QUESTION = "How hot was the temperature?"
A_SNAPSHOT = 2.5  # s: what is older isn't lost


class Remembering(unittest.TestCase):
    """A folder, and servers that remember in it."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)
        self.memory = self.folder / "plant.memory"
        self.server = None
        self.addCleanup(self.stop)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def start(self, *flags, **popen):
        self.server = Server("--window-tokens", "1024", "--memory", str(self.memory), *flags, **popen)

    def stop(self):
        if self.server is not None:
            self.assertEqual(self.server.stop(), 0)
            self.server = None

    def kill(self):
        self.server.process.kill()
        self.server.process.wait(timeout=TIMEOUT_S)
        self.server.reader.join()
        self.server.process.stderr.close()
        self.server = None

    def metric(self, name, key=None):
        for line in self.server.request("GET", "/metrics", headers=bearer(key))[1].splitlines():
            if line.startswith(f"braid:{name}{{"):
                return float(line.rsplit(" ", 1)[1])
        return self.fail(f"there is no metric {name}")

    def wait_until(self, holds, what):
        deadline = time.monotonic() + TIMEOUT_S
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.05)

    def make_session(self, *sources, key=None):
        status, session = self.server.json("POST", "/v1/sessions", {"sources": list(sources)}, bearer(key))
        self.assertEqual(status, 201, session)
        return session["id"]

    def press(self):
        """A log whose last line comes after a second."""
        return self.write("press.csv", "time_s,temperature\n0.5,81\n1,97\n")

    def belt(self):
        return self.write("belt.csv", "time_s,speed\n0,3\n")

    def evidence(self, session, question=QUESTION, key=None):
        body = {"model": "braid", "messages": [{"role": "user", "content": question}], "braid": {"session": session}}
        status, answer = self.server.json("POST", "/v1/chat/completions", body, bearer(key))
        self.assertEqual(status, 200, answer)
        return answer["braid"]["evidence"]

    def written(self, records, key=None):
        self.wait_until(lambda: self.metric("memory_records_total", key) >= records, "nothing is written")


def bearer(key):
    return {"authorization": f"Bearer {key}"} if key else {}


class Sessions(Remembering):
    def test_what_one_session_saw_and_heard_another_is_told_also_after_a_kill(self):
        self.start()
        first = self.make_session(self.press(), str(SAMPLES / "utterance2.wav"))
        self.written(3)  # two readings, and what was said
        self.wait_until(lambda: self.metric("notes_waiting") == 0, "what was said isn't put into words")
        self.assertEqual(self.metric("notes_behind_seconds"), 0)
        self.assertEqual(self.evidence(first), [], "it is still in sight")
        self.assertEqual(self.server.json("DELETE", f"/v1/sessions/{first}")[0], 200)
        other = self.make_session(self.belt())
        evidence = self.evidence(other)
        self.assertEqual([one["source"] for one in evidence], ["press", "press"])
        self.assertLess(evidence[0]["time"], evidence[1]["time"])
        self.assertEqual([one["source"] for one in self.evidence(other, "What was the code?")], ["utterance2"])
        # Beside the server, by who may read its folder.
        found = subprocess.run([BRAID, "memory", "search", self.memory, "temperature", "--kind", "reading", "--json"],
                               capture_output=True, text=True, timeout=TIMEOUT_S, check=True).stdout.splitlines()
        hit = json.loads(found[0])
        self.assertEqual((hit["text"], hit["session"], hit["session_end_us"]), ("press temperature=97", first, 1_000_000))
        self.kill()
        self.start()
        again = self.make_session(self.belt())
        self.assertEqual(self.evidence(again), evidence)
        self.assertEqual(self.realtime_evidence(), evidence)

    def realtime_evidence(self):
        socket = websockets.sync.client.connect(f"ws://127.0.0.1:{self.server.port}/v1/realtime?model=nano")
        self.addCleanup(socket.close)
        item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": QUESTION}]}
        socket.send(json.dumps({"type": "conversation.item.create", "item": item}))
        socket.send(json.dumps({"type": "response.create", "response": {"output_modalities": ["text"]}}))
        while True:
            event = json.loads(socket.recv(timeout=TIMEOUT_S))
            self.assertNotEqual(event["type"], "error", event)
            if event["type"] == "braid.stages":
                return event["braid"]["evidence"]

    def test_what_a_session_saw_is_found_over_http(self):
        self.start()
        session = self.make_session(self.press())
        self.written(2)
        status, found = self.server.json("POST", "/v1/memory/search", {"query": "temperature", "during": "PT1H"})
        self.assertEqual((status, found["object"], found["degraded"]), (200, "list", []), found)
        newest = found["data"][0]
        self.assertEqual((newest["text"], newest["source"], newest["kind"]), ("press temperature=97", "press", "reading"))
        self.assertEqual((newest["session"], newest["session_end_us"]), (session, 1_000_000))
        self.assertAlmostEqual(newest["score"], sum(newest["shares"].values()))
        self.assertLess(abs(time.time() * 1e6 - newest["end_us"]), 60e6)
        for query, texts in (({"source": "belt"}, []), ({"kind": ["audio", "answer"]}, []), ({"during": "2020"}, []),
                             ({"limit": 1}, ["press temperature=97"]), ({"query": "before 2020-01-01"}, []),
                             ({"from": newest["time"]}, ["press temperature=97"]),
                             ({"to": newest["time"]}, ["press temperature=81"])):
            status, found = self.server.json("POST", "/v1/memory/search", query)
            self.assertEqual((status, [hit["text"] for hit in found["data"]]), (200, texts), (query, found))
        for query, param, words in (({"during": "soon"}, "during", "during: "), ({"kind": "smell"}, "kind", "vision, audio"),
                                    ({"form": "2026"}, "form", "'from'"), ({"zone": "Mars"}, "zone", "Mars"),
                                    ({"during": "72h"}, "during", "PT72H"), ({"from": "2027", "to": "2026"}, "to", "is not after"),
                                    ({"query": 7}, "query", "a string")):
            status, refused = self.server.json("POST", "/v1/memory/search", query)
            self.assertEqual((status, refused["error"]["param"]), (400, param), refused)
            self.assertIn(words, refused["error"]["message"])

    def test_a_session_that_comes_back_is_told_what_it_does_not_see_any_more(self):
        state = ("--state-dir", str(self.folder / "state"))
        self.start(*state)
        status, session = self.server.json("POST", "/v1/sessions", {"sources": [self.press()]})
        self.assertEqual(status, 201)
        self.written(2)
        time.sleep(A_SNAPSHOT)
        self.kill()
        self.start(*state)
        resume = {"resume": {"id": session["id"], "token": session["resume_token"]}}
        self.assertEqual(self.server.json("POST", "/v1/sessions", resume)[0], 200)
        self.assertEqual(self.evidence(session["id"]), [], "what it saw came back with it")
        self.assertEqual(len(self.evidence(self.make_session(self.belt()))), 2)

    def test_a_memory_that_cannot_be_written_is_told_and_ends_nothing(self):
        # As on a full disk: no file may grow past that.
        self.start("--embedder", "off", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
        log = self.write("long.csv", "time_s,temperature\n" + "".join(f"{i / 500},{i}\n" for i in range(800)))
        session = self.make_session(log)
        self.wait_until(lambda: self.metric("memories_failing") == 1, "it isn't noticed")
        self.assertGreater(self.metric("memory_failed_commits_total"), 0)
        self.evidence(session)
        self.wait_until(lambda: [line for line in self.server.log if "can't be written" in line], "it isn't told")
        self.stop_losing()

    def stop_losing(self):
        log = self.server.log
        self.stop()
        self.assertTrue(any("records are lost" in line for line in log), log)
        self.assertEqual(len([line for line in log if "what is to be remembered waits" in line]), 1, log)

    def test_a_folder_that_is_no_memory_is_refused_before_anything_begins(self):
        self.memory.write_text("a file")
        refused = subprocess.run([BRAID, "serve", "--port", "0", "--memory", self.memory], capture_output=True, text=True,
                                 timeout=TIMEOUT_S)
        self.assertEqual(refused.returncode, 3, refused.stderr)
        self.assertIn("a memory is a folder", refused.stderr)


class Keys(Remembering):
    ANNA, BEN, NOBODY = "sk-anna", "sk-ben", "sk-nobody"

    def setUp(self):
        super().setUp()
        names = {self.ANNA: " anna", self.BEN: " ben & sons", self.NOBODY: ""}
        keys = "".join(hashlib.sha256(key.encode()).hexdigest() + name + "\n" for key, name in names.items())
        self.start("--keys", self.write("keys", keys))

    def search(self, key):
        return self.server.json("POST", "/v1/memory/search", {"source": "press"}, bearer(key))

    def ask_by_command(self, key, *words):
        command = [BRAID, "memory", "search", "--server", f"http://127.0.0.1:{self.server.port}", "--json", *words]
        return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, env={**os.environ, "BRAID_KEY": key})

    def test_a_key_finds_nothing_of_another(self):
        self.make_session(self.press(), key=self.ANNA)
        self.written(2, self.ANNA)
        self.assertEqual(len(self.evidence(self.make_session(self.belt(), key=self.ANNA), key=self.ANNA)), 2)
        for key in (self.BEN, self.NOBODY):
            self.assertEqual(self.evidence(self.make_session(self.belt(), key=key), key=key), [])
        self.assertEqual(len(self.search(self.ANNA)[1]["data"]), 2)
        for key in (self.BEN, self.NOBODY):
            found = self.search(key)[1]["data"]
            self.assertEqual([hit for hit in found if hit["source"] == "press"], [])
        self.assertEqual(self.search("sk-unknown")[0], 401)
        for key, code, hits in ((self.ANNA, 0, 2), (self.BEN, 0, 0), ("sk-unknown", 3, 0)):
            asked = self.ask_by_command(key, "temperature", "--source", "press")
            self.assertEqual((asked.returncode, asked.stdout.count('"type":"hit"')), (code, hits), asked.stderr)
        self.assertEqual(self.ask_by_command(self.ANNA, "x", "--during", "soon").returncode, 2)
        kept = sorted(p.name for p in (self.memory / "keys").iterdir())
        self.assertEqual(kept[:2], ["anna", "ben%20%26%20sons"])
        self.assertEqual(len(kept), 3)


class Embeddings(Served):
    """The official client's embeddings are the memory's own vectors."""

    def test_texts_become_vectors(self):
        client = official_client.connect_to(self.server)
        texts = ["the truck left the yard", "which lorry drove away", "a kitten sleeps on the sofa"]
        made = client.embeddings.create(model="braid", input=texts)  # base64, by the client's own choice
        self.assertEqual([one.index for one in made.data], [0, 1, 2])
        truck, lorry, kitten = (one.embedding for one in made.data)
        self.assertEqual(len(truck), 384)
        self.assertAlmostEqual(dot(truck, truck), 1, places=5)
        self.assertGreater(dot(truck, lorry), dot(truck, kitten) + 0.2)
        self.assertEqual((made.model, made.usage.prompt_tokens), ("braid", made.usage.total_tokens))
        one = client.embeddings.create(model="braid", input=texts[0], encoding_format="float", dimensions=384)
        self.assertGreater(dot(one.data[0].embedding, truck), 0.9999)
        self.assertEqual(one.usage.prompt_tokens, len(texts[0].split()) + 2)
        many = client.embeddings.create(model="braid", input=[f"press {i}" for i in range(20)])
        self.assertEqual(len(many.data), 20)

    def test_what_cannot_be_embedded_is_refused(self):
        client = official_client.connect_to(self.server)
        for wrong, words in (({"input": [1, 2, 3]}, "token ids"), ({"input": ""}, "empty string"), ({"input": []}, "empty array"),
                             ({"input": "word " * 600}, "602 tokens; the model reads 512"),
                             ({"input": ["word " * 400] * 50}, "send it in parts"),
                             ({"input": "x", "dimensions": 64}, "have 384")):
            with self.assertRaises(official_client.openai.BadRequestError) as refused:
                client.embeddings.create(model="braid", **wrong)
            self.assertIn(words, str(refused.exception))

    def test_a_server_without_a_memory_says_so(self):
        status, refused = self.server.json("POST", "/v1/memory/search", {})
        self.assertEqual((status, refused["error"]["code"]), (404, "no_memory"))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


if __name__ == "__main__":
    main()
