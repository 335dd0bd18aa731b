"""`braid memory`: records in, records found, and what is refused."""
import contextlib
import json
import os
import random
import resource
import sqlite3
import subprocess
import time
import zlib

from braid_runs import BRAID, CLIP, TIMEOUT_S, BraidTest, cached_model, main


def pdf_of(pages, packed=None):
    """A PDF with a line on each page; `packed`: what the pages show instead, deflated."""
    font = len(pages) * 2 + 3
    parts = [b"<</Type/Catalog/Pages 2 0 R>>",
             b"<</Type/Pages/Count %d/Kids[%s]>>" % (len(pages), b" ".join(b"%d 0 R" % (3 + 2 * i) for i in range(len(pages))))]
    for i, line in enumerate(pages):
        show = packed or (b"BT /F1 12 Tf 72 700 Td (%s) Tj ET" % line.encode() if line else b"")
        packing = b"/Filter/FlateDecode" if packed else b""
        parts += [b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>" % (4 + 2 * i, font),
                  b"<</Length %d%s>>stream\n%s\nendstream" % (len(show), packing, show)]
    parts.append(b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>")
    body = b"".join(b"%d 0 obj%s endobj\n" % (i + 1, part) for i, part in enumerate(parts))
    return b"%PDF-1.4\n" + body + b"trailer<</Root 1 0 R>>\n%%EOF\n"


class Memory(BraidTest):
    def setUp(self):
        self.memory = self.folder / f"{self.id().rsplit('.', 1)[1]}.memory"

    def braid(self, verb, *arguments, code=0, stdin=None):
        done = subprocess.run([BRAID, "memory", verb, self.memory, *arguments], capture_output=True, text=True,
                              timeout=TIMEOUT_S, input=stdin)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def search(self, *arguments):
        lines = [json.loads(line) for line in self.braid("search", *arguments, "--json").stdout.splitlines()]
        self.assertEqual(lines[-1]["type"], "search")
        self.assertEqual(lines[-1]["hits"], len(lines) - 1)
        return [line["text"] for line in lines[:-1]]

    def test_files_and_texts_are_found_by_words_and_times(self):
        report = self.write("report.md", "# Press\nIt stopped at noon.\n\n# Belt\nIt moves.\n")
        self.braid("add", report, "--at", "2026-11-29")
        self.braid("add", "--text", "weld alarm", "--at", "2026-11-29T10:02:03Z", "--source", "plc")
        self.braid("add", "-", "--at", "2026-12-01", stdin="the weld was inspected")
        self.assertEqual(self.search("when did the press stop?"), ["Press\nIt stopped at noon."])
        self.assertEqual(self.search("weld", "--during", "2026-11-29"), ["weld alarm"])
        self.assertEqual(self.search("weld", "--during", "2026-11-29T10:02:04Z/PT1H"), [])
        self.assertEqual(self.search("--from", "2026-11-30"), ["the weld was inspected"])
        self.assertEqual(self.search("--source", "plc"), ["weld alarm"])
        self.assertEqual(self.search("--during", "2026-11-29T11:02:03", "--zone", "+01:00", "--kind", "text"),
                         ["weld alarm"])

    def hits(self, *arguments):
        return [json.loads(line) for line in self.braid("search", *arguments, "--json").stdout.splitlines()][:-1]

    def test_documents_say_where_and_when(self):
        self.braid("add", self.write("page.html", "<title>Manual</title><h1>Press</h1><p>Oil it <b>weekly</b>.</p>"), "--at", "2026-11-01")
        talk = "1\n00:10:00,000 --> 00:10:02,000\nthe hoist jammed\n"
        self.braid("add", self.write("talk.srt", talk), "--at", "2026-11-29T10:00:00+01:00")
        rows = "time;part;remark\n2026-11-29 11:00:00;gearbox;grinds\n1764410400;gearbox;howls\n5,5;gearbox;hums\n"
        self.braid("add", self.write("rows.csv", rows), "--at", "2026-11-29T00:00:00Z", "--zone", "+01:00")
        self.braid("add", self.write("report.pdf", pdf_of(["First page.", "The chain is torn."])), "--at", "2026-11-02")
        (oil,) = self.hits("oil")
        self.assertEqual(oil["text"], "Press\nOil it weekly.")
        (hoist,) = self.hits("hoist")
        self.assertEqual((hoist["time"], hoist["offset"]), ("2026-11-29T09:10:00Z/2026-11-29T09:10:02Z", 2))
        self.assertEqual({hit["text"]: hit["time"] for hit in self.hits("gearbox")},
                         {"part=gearbox, remark=grinds": "2026-11-29T10:00:00Z", "part=gearbox, remark=howls": "2025-11-29T10:00:00Z",
                          "time=5,5, part=gearbox, remark=hums": "2026-11-29T00:00:00Z"})
        chain = self.hits("torn chain")[0]
        self.assertEqual((chain["source"], chain["page"], chain["offset"]), ("report.pdf", 2, 0))
        self.assertIn("report.pdf, page 2", self.braid("search", "torn chain").stdout)
        done = subprocess.run([BRAID, "memory", "add", self.memory, "-", "--embedder", "off"], capture_output=True, timeout=TIMEOUT_S,
                              input=pdf_of(["A piped page."]))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([hit["page"] for hit in self.hits("piped")], [1])

    def test_hostile_documents_are_refused_in_a_sentence(self):
        self.braid("add", "--text", "x", "--embedder", "off")
        # A gigabyte of drawing in a megabyte.
        packer = zlib.compressobj(9)
        bomb = b"".join(packer.compress(b"BT /F1 9 Tf (a) Tj ET\n" * 50_000) for _ in range(1000)) + packer.flush()
        for name, content, said in [
                ("bomb.pdf", pdf_of(["x"], bomb), "1024 MiB"),
                ("deep.html", "<div>" * 100_000, "nested deeper"),
                ("empty.pdf", pdf_of([""]), "no text on its 1 page"),
                ("text.pdf", "no pdf", "it is no PDF"),
                ("picture.txt", b"\x89PNG\r\n\x1a\n" + bytes(100), "it is no text"),
                ("paper.md", pdf_of(["x"]), "must end with .pdf"),
                ("office.docx", b"PK\x03\x04", "format that isn't read"),
                ("words.vtt", "hello", "no subtitle")]:
            with self.subTest(name):
                refused = self.braid("add", self.write(name, content), "--embedder", "off", code=3).stderr
                self.assertIn(said, refused)
                self.assertIn(name, refused)

    def test_a_question_may_say_when(self):
        self.braid("add", "--text", "weld alarm one", "--at", "2020-11-28T10:02:03Z")
        self.braid("add", "--text", "weld alarm two", "--at", "2020-11-29T10:02:03Z")
        self.braid("add", "--text", "weld alarm three")
        self.assertEqual(self.search("weld alarms in the past 72 h"), ["weld alarm three"])
        self.assertEqual(self.search("weld alarms before 2020-11-29"), ["weld alarm one"])
        self.assertEqual(self.search("which welds between 2020-11-29T10:02Z and 2020-11-29T10:03Z?"),
                         ["weld alarm two"])

    def test_a_question_may_name_another_event_and_records_have_neighbours(self):
        self.braid("add", "--text", "somebody opens the gate", "--at", "2026-11-29T10:01:40Z", "--source", "door")
        self.braid("add", "--text", "weld alarm", "--at", "2026-11-29T10:02:03Z", "--source", "plc", "--link", "caused_by=1")
        self.braid("add", "--text", "the line stops", "--at", "2026-11-29T10:02:09Z", "--source", "plc")
        lines = [json.loads(line) for line in self.braid("search", "what was seen just before the weld alarm?", "--json").stdout.splitlines()]
        self.assertEqual([line["text"] for line in lines[:-1]], ["somebody opens the gate"])
        self.assertEqual(lines[-1]["relative_to"], {"phrase": "just before the weld alarm", "relation": "before", "record": 2,
                                                    "time": "2026-11-29T10:02:03Z", "text": "weld alarm"})
        self.assertEqual(lines[-1]["from_us"], 1795946463000000)
        self.assertIn("nothing like", self.braid("search", "what preceded the flood?").stderr)
        shown = [json.loads(line) for line in self.braid("show", "2", "--around", "--json").stdout.splitlines()]
        self.assertEqual(shown[0]["links"], [{"link": "caused_by", "record": 1}])
        self.assertEqual([(one["edge"], one["id"], one["same_source"]) for one in shown[1:]],
                         [("caused_by", 1, False), ("after", 3, True)])
        self.assertIn("--link", self.braid("add", "--text", "x", "--link", "likes=2", code=2).stderr)

    def test_an_export_is_whole_or_refused_and_brings_its_vectors(self):
        self.braid("add", "--text", "the truck left the yard", "--at", "2026-11-29T10:00:00Z")
        self.braid("add", "--text", "it came back", "--at", "2026-11-29T11:00:00Z", "--link", "caused_by=1")
        self.braid("prune", "--before", "2026-11-29T09:00:00Z")
        file = self.folder / "all.jsonl"
        self.braid("export", file, "--vectors")
        other = self.folder / "other.memory"
        done = subprocess.run([BRAID, "memory", "import", other, file, "--embedder", "off"], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.memory = other
        self.assertEqual(self.search("which lorry drove away")[0], "the truck left the yard")
        self.assertEqual(json.loads(self.braid("show", "2", "--json").stdout)["links"], [{"link": "caused_by", "record": 1}])
        lines = file.read_text().splitlines(keepends=True)
        for name, content, said in [("cut", "".join(lines[:2]), "is cut"), ("changed", "".join(lines).replace("truck", "train"), "was changed"),
                                    ("other", "{}\n", "is no export"), ("later", lines[0].replace("1}", "2}"), "another version")]:
            with self.subTest(name):
                self.assertIn(said, self.braid("import", self.write(name, content), code=3).stderr)
        self.assertEqual(json.loads(self.braid("stats", "--json").stdout)["records"], 2)
        self.braid("export", "/nowhere/file", code=4)

    def test_a_file_is_of_when_it_was_changed(self):
        self.braid("add", self.write("note.txt", "just now"))
        self.assertEqual(self.search("--during", "PT1H"), ["just now"])

    def test_what_is_shown_counted_and_forgotten(self):
        for day in ("2026-11-28", "2026-11-29"):
            self.braid("add", "--text", f"of {day}", "--at", f"{day}T12:00:00Z")
        shown = json.loads(self.braid("show", "2", "--json").stdout)
        self.assertEqual((shown["time"], shown["text"]), ("2026-11-29T12:00:00Z", "of 2026-11-29"))
        pruned = json.loads(self.braid("prune", "--before", "2026-11-29", "--json").stdout)
        self.assertEqual(pruned["records"], 1)
        stats = json.loads(self.braid("stats", "--json").stdout)
        self.assertEqual((stats["records"], stats["first_us"]), (1, stats["last_us"]))
        self.assertIn("no record 1", self.braid("show", "1", code=3).stderr)

    def test_a_watched_log_is_remembered_and_given_to_a_later_question(self):
        log = self.write("press.csv", "time_s,temperature\n1,81\n2,97\n")
        lines = self.write("notes.srt", "1\n00:00:01,000 --> 00:00:02,000\nThe weld alarm rang\n")
        run = self.watch(log, lines, "--memory", self.memory, "--began", "2026-11-29T10:00:00Z",
                         "--json")
        self.assertEqual(run.code, 0, run.err)
        self.assertEqual(self.search("alarm", "--during", "2026-11-29T10:00:01Z"), ["The weld alarm rang"])
        self.assertEqual(self.search("--during", "2026-11-29T10:00:02Z"), ["press temperature=97"])
        later = self.watch(lines, "--memory", self.memory, "--ask", "How hot was the temperature?", "--json")
        (answer,) = later.of("answer")
        self.assertEqual([(one["time"], one["source"]) for one in answer["evidence"]],
                         [("2026-11-29T10:00:01Z", "press"), ("2026-11-29T10:00:02Z", "press")])
        self.assertIn("--memory", self.watch(lines, "--began", "2026-11-29", code=2).err)

    def test_the_moment_that_a_camera_saw_something_is_found_by_a_later_process(self):
        run = self.watch(CLIP, "--memory", self.memory, "--began", "2026-11-29T10:00:00Z", "--json")
        self.assertEqual(run.code, 0, run.err)
        (summary,) = run.of("summary")
        self.assertEqual(summary["notes"]["made"], summary["frames"]["kept"] + summary["utterances"])
        lines = self.braid("search", "umbrella", "--during", "2026-11-29T10:00/PT1M", "--json").stdout.splitlines()
        hits = [json.loads(line) for line in lines][:-1]
        self.assertEqual(min(hit["time"] for hit in hits).split("/")[0], "2026-11-29T10:00:04Z")
        self.assertEqual({(hit["kind"], hit["source"]) for hit in hits}, {("vision", "clip")})
        said = self.search("what do you see", "--kind", "audio")
        self.assertTrue(any("what do you see" in text for text in said), said)

    def test_meaning_finds_what_words_do_not(self):
        for text in ("the truck left the yard", "a kitten sleeps on the sofa", "the pump is leaking oil"):
            self.braid("add", "--text", text)
        self.assertEqual(self.search("which lorry drove away")[0], "the truck left the yard")
        self.assertEqual(self.search("which lorry drove away", "--embedder", "off"), [])
        self.assertIn("no embedder", self.braid("search", "x", "--embedder", cached_model("nano-q8_0.gguf"), code=3).stderr)

    def test_what_cannot_be_written_is_told_as_it_happens(self):
        log = self.write("long.csv", "time_s,temperature\n" + "".join(f"{i},{i % 50}\n" for i in range(60)))
        self.braid("add", "--text", "x", "--embedder", "off")
        # As on a full disk: no file may grow past that.
        run = subprocess.run([BRAID, "watch", log, "--memory", self.memory, "--embedder", "off", "--json"],
                             capture_output=True, text=True, timeout=TIMEOUT_S, stdin=subprocess.DEVNULL,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)))
        self.assertEqual(run.returncode, 4, run.stderr)
        events = [json.loads(line) for line in run.stdout.splitlines()]
        (trouble,) = [event for event in events if event["type"] == "error"]
        self.assertEqual(trouble["source"], "memory")
        self.assertIn(str(self.memory), trouble["message"])
        self.assertLess(events.index(trouble), len(events) - 1)
        self.assertIn("records are lost", run.stderr)
        self.assertIn("make room", run.stderr)

    def test_an_output_that_cannot_be_written_is_no_success(self):
        self.braid("add", "--text", "x")
        with open("/dev/full", "w") as full:
            done = subprocess.run([BRAID, "memory", "search", self.memory, "--json"], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 4)
        self.assertIn("No space left", done.stderr)

    def test_what_cannot_be_meant_is_refused(self):
        self.assertIn("there is no memory", self.braid("search", "x", code=3).stderr)
        self.assertIn("there is no memory", self.braid("prune", "--before", "P30D", code=3).stderr)
        self.braid("add", "missing.txt", code=3)
        self.assertFalse(self.memory.exists(), "a mistake made a memory")
        self.memory.mkdir()
        self.assertIn("there is no memory", self.braid("stats", code=3).stderr)
        added = self.braid("add", "--text", "x", "--json").stdout
        self.assertEqual(json.loads(added), {"type": "added", "file": "--text", "records": 1})
        self.assertIn("nothing to add", self.braid("add", code=2).stderr)
        self.assertIn("--during", self.braid("search", "--during", "soon", code=2).stderr)
        self.assertIn("--kind smell", self.braid("search", "--kind", "smell", code=2).stderr)
        self.assertIn("format", self.braid("add", self.write("a.png", b"\x89PNG"), code=3).stderr)
        self.assertIn("there is no file missing.txt", self.braid("add", "missing.txt", code=3).stderr)
        self.assertIn("write it as PT72H", self.braid("search", "--during", "72h", code=2).stderr)
        self.assertIn("is not after", self.braid("search", "--from", "2027", "--to", "2026", code=2).stderr)
        self.assertIn("nothing from 2020-01-01T00:00:00Z to 2021", self.braid("search", "--during", "2020").stderr)
        (self.memory / "rows.sqlite").write_bytes(b"x" * 9000)
        self.assertIn("not a database", self.braid("stats", code=3).stderr)


class Kills(BraidTest):
    """SIGKILL while records are written. BRAID_MEMORY_KILLS: how often."""

    def braid(self, *arguments, code=0):
        done = subprocess.run([BRAID, "memory", *arguments], capture_output=True, text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def test_an_import_that_is_killed_goes_on_without_duplicates(self):
        first, second = self.folder / "first.memory", self.folder / "second.memory"
        book = self.write("steps.md", "".join(f"# step {i}\nstep {i}\n" for i in range(15000)))
        self.braid("add", first, book, "--at", "2026-11-29", "--embedder", "off")
        self.braid("add", first, "--text", "the last", "--at", "2026-11-29T10:00:00Z", "--link", "belongs_to=7", "--embedder", "off")
        file = self.folder / "all.jsonl"
        exported = json.loads(self.braid("export", first, file, "--json"))
        self.assertEqual(exported["records"], 15001)
        command = [BRAID, "memory", "import", second, file, "--embedder", "off", "--json"]
        chance = random.Random(7)
        begun = time.monotonic()
        whole = subprocess.run([*command[:3], self.folder / "whole.memory", *command[4:]], capture_output=True, timeout=TIMEOUT_S)
        took = time.monotonic() - begun
        for _ in range(int(os.environ.get("BRAID_MEMORY_KILLS", "4"))):
            writer = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0, took))  # the moment is what is tried, not what is waited for
            writer.kill()
            writer.wait()
        self.assertEqual(whole.returncode, 0, whole.stderr)
        imported = json.loads(subprocess.run(command, capture_output=True, timeout=TIMEOUT_S).stdout)
        self.assertEqual((imported["records"], imported["crc32c"]), (15001, exported["crc32c"]))
        print(f"records that killed imports left: {imported['there']}")
        again = json.loads(self.braid("import", second, file, "--embedder", "off", "--json"))
        self.assertEqual(again["there"], 15001)
        back = json.loads(self.braid("export", second, self.folder / "back.jsonl", "--json"))
        self.assertEqual({**back, "there": 0}, exported)
        self.assertEqual(file.read_bytes(), (self.folder / "back.jsonl").read_bytes())

    def test_a_killed_writer_leaves_a_whole_prefix_of_what_it_was_given(self):
        passages = [f"step {i}" for i in range(20000)]
        book = self.write("book.md", "".join(f"# step {i}\nstep {i}\n" for i in range(len(passages))))
        chance = random.Random(6)
        left = 0
        for kill in range(int(os.environ.get("BRAID_MEMORY_KILLS", "6"))):
            memory = self.folder / f"killed-{kill}.memory"
            writer = subprocess.Popen([BRAID, "memory", "add", memory, book, "--embedder", "off"], stdout=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.02, 1.0))  # the moment is what is tried, not what is waited for
            writer.kill()
            writer.wait()
            if not (memory / "rows.sqlite").exists():
                continue
            # The next one goes on, whatever the last left.
            done = subprocess.run([BRAID, "memory", "add", memory, "--text", "after", "--embedder", "off"], capture_output=True, text=True,
                                  timeout=TIMEOUT_S)
            self.assertEqual(done.returncode, 0, done.stderr)
            with contextlib.closing(sqlite3.connect(memory / "rows.sqlite")) as rows:
                kept = [text for (text,) in rows.execute("SELECT text FROM records ORDER BY id")]
                self.assertEqual(kept[:-1], [f"{step}\n{step}" for step in passages[:len(kept) - 1]])
                self.assertEqual(kept[-1], "after")
                self.assertEqual(rows.execute("PRAGMA integrity_check").fetchone(), ("ok",))
                for (segment,) in rows.execute("SELECT id FROM segments").fetchall():
                    rows.execute(f"INSERT INTO words_{segment}(words_{segment}) VALUES('integrity-check')")
            left += len(kept)
        print(f"records that killed writers left: {left}")


if __name__ == "__main__":
    main()
