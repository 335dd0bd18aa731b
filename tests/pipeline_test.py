"""Pipelines: the weld line of examples/weld, webhooks, the server's session, and what is refused."""
import hashlib
import hmac
import json
import os
import subprocess
import time

from braid_runs import BRAID, CLIP, ROOT, TIMEOUT_S, BraidTest, Run, main
from metrics_test import Receiver
from served import Server

ALARM = '[[stage]]\nname = "alarm"\ntrigger_on = { source = "plc", channel = "alarm", above = 0.5 }\n' \
        'start_offset = "-1s"\nduration = "2s"\n'
LOG = "time_ms,alarm\n" + "".join(f"{at},{int(at >= 4200)}\n" for at in range(0, 12000, 100))


class WeldLine(BraidTest):
    def test_the_cause_is_found(self):
        made = subprocess.run([ROOT / "examples/weld/run.sh", self.folder / "weld", "--json"], capture_output=True, text=True,
                              timeout=TIMEOUT_S, env={**os.environ, "BRAID_BINARY": BRAID})
        self.assertEqual(made.returncode, 0, made.stderr)
        run = Run(made.returncode, made.stdout, made.stderr)
        self.check_events(run)
        known = json.loads((self.folder / "weld/answers.json").read_text())
        stages = {event["stage"]: event for event in run.of("pipeline")}
        self.assertEqual(set(stages), {"alarm", "seen", "reports", "cause", "kept", "clip"})
        for stage in stages.values():
            self.assertIsNone(stage["error"])
            self.assertAlmostEqual(stage["at_us"] / 1e6, known["alarm_s"], delta=0.0015)
        alarm = stages["alarm"]
        self.assertEqual((alarm["from_us"], alarm["to_us"]), (6_600_000, 7_800_000), "the window of the grid around it")
        counts = {stream["source"]: stream["count"] for stream in alarm["streams"] if stream["kind"] != "audio"}
        self.assertEqual(counts["camera"], 36)
        self.assertEqual(counts["thermal"], 12)
        self.assertAlmostEqual(counts["plc"], 1200, delta=1)
        self.assertIn("gas_flow 9.", alarm["evidence"][0]["text"], "what was read around it, in a line")
        self.assertEqual(alarm["evidence"][0]["time"][:18], "2025-11-29T10:00:0")
        self.assertIn(known["tool"], stages["seen"]["answer"])
        found = [one for one in stages["reports"]["evidence"] if one["record"] > 0]
        self.assertEqual(found[0]["source"], f"{known['report']}, page {known['page']}")
        self.assertIn(known["remedy"], found[0]["text"])
        self.assertIn(known["tool"], " ".join(one["text"] for one in run.of("answer")[-1]["evidence"] if "text" in one)
                      or stages["cause"]["evidence"][1]["text"])
        self.assertGreater(stages["cause"]["since_trigger_ms"], stages["reports"]["since_trigger_ms"])
        print(f"from the alarm to the report {stages['reports']['since_trigger_ms']:.0f} ms, "
              f"to the model's answer {stages['cause']['since_trigger_ms']:.0f} ms")
        self.check_clips(stages["clip"])
        kept = subprocess.run([BRAID, "memory", "search", self.folder / "weld/line.memory", "weld alarm", "--source", "kept",
                               "--embedder", "off", "--json"], capture_output=True, text=True, timeout=TIMEOUT_S)
        record = json.loads(kept.stdout.splitlines()[0])
        self.assertIn(known["tool"], record["text"])
        self.assertEqual(record["time"][:20], "2025-11-29T10:00:06.")

    def check_clips(self, clip):
        counts = {}
        for file in clip["files"]:
            probed = subprocess.run(["ffprobe", "-v", "error", "-show_entries", "frame=pts_time,width", "-of", "json",
                                     self.folder / "weld" / file], capture_output=True, text=True, check=True)
            frames = json.loads(probed.stdout)["frames"]
            counts[file.rsplit("-", 1)[1]] = len(frames)
            first = float(frames[0]["pts_time"]) + clip["from_us"] / 1e6
            self.assertLess(first - clip["from_us"] / 1e6, 0.1)
        self.assertEqual(counts, {"camera.mkv": 36, "thermal.mkv": 12})


class Pipelines(BraidTest):
    def watch_with(self, plan, *arguments, **more):
        return self.watch(CLIP, "--source", f"name=plc,kind=sensor,file={self.write('plc.csv', LOG)}", "--pipeline",
                          self.write("plan.toml", plan), *arguments, **more)

    def test_what_was_gathered_is_posted_signed(self):
        hook = Receiver([503])
        self.addCleanup(hook.close)
        os.environ["BRAID_TEST_SECRET"] = "hush"
        run = self.watch_with(ALARM + f'[[stage]]\nname = "tell"\ntrigger_on = "alarm"\naction = "webhook"\n'
                              f'url = "{hook.url}/alarm"\nsecret_env = "BRAID_TEST_SECRET"\n', "--json")
        self.assertEqual([event["stage"] for event in run.of("pipeline")], ["alarm", "tell"])
        self.assertEqual(len(hook.posts), 2, "again after a 503")
        path, headers, body = hook.posts[-1]
        self.assertEqual(path, "/alarm")
        self.assertEqual(headers["X-Braid-Signature"], "sha256=" + hmac.new(b"hush", body, hashlib.sha256).hexdigest())
        posted = json.loads(body)
        self.assertEqual((posted["type"], posted["event"]["stage"], posted["event"]["at_us"]), ("pipeline", "tell", 4_200_000))
        self.assertEqual(posted["event"]["evidence"][0]["source"], "plc")

    def test_people_read_it(self):
        run = self.watch_with(ALARM)
        self.assertRegex(run.out, r"\[4\.200s\] alarm: alarm 1; \d+ gathered, \d+ ms after it came")

    def test_mistakes_are_told_before_anything_is_loaded(self):
        for plan, told in ((ALARM.replace('"plc"', '"plcs"'), "stage 'alarm': there is no source 'plcs'; did you mean 'plc'?"),
                           (ALARM.replace("above", "abov"), "did you mean 'above'?"),
                           ("", "there is no [[stage]]"),
                           (ALARM + '[[stage]]\nname = "r"\ntrigger_on = "alarm"\naction = "retrieve"\nquery = "x"\n',
                            "needs a memory: add --memory DIR"),
                           (ALARM + '[[stage]]\nname = "w"\ntrigger_on = "alarm"\naction = "webhook"\nurl = "http://h/"\n'
                            'secret_env = "NOT_SET_ANYWHERE"\n', "NOT_SET_ANYWHERE")):
            began = time.monotonic()
            run = self.watch_with(plan, code=2)
            self.assert_one_sentence(run.err)
            self.assertIn(told, run.err)
            self.assertLess(time.monotonic() - began, 60)
        self.watch(CLIP, "--pipeline", self.folder / "none.toml", code=3)
        self.watch(CLIP, "--pipeline", self.write("a.toml", ALARM), "--record", self.folder / "r", code=2)

    def test_check_says_what_it_does(self):
        done = subprocess.run([BRAID, "pipeline", "check", ROOT / "examples/weld/pipeline.toml"], capture_output=True,
                              text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines()[:2], ["alarm: gather (plc weld_alarm above 0.5)",
                                                        "  seen: describe (after alarm)"])
        done = subprocess.run([BRAID, "pipeline", "check", self.write("bad.toml", "[[stage]]\n")], capture_output=True,
                              text=True, timeout=TIMEOUT_S)
        self.assertEqual(done.returncode, 2)
        self.assertIn("bad.toml:1: ", done.stderr)

    def test_a_folder_that_cannot_be_written_to_is_told_at_once(self):
        plan = ALARM + '[[stage]]\nname = "cut"\ntrigger_on = "alarm"\naction = "clip"\nduration = "1s"\nfolder = "FOLDER"\n'
        for folder in ("/proc/none", self.write("a-file", ""), self.folder / "none/deeper"):
            run = self.watch_with(plan.replace("FOLDER", str(folder)), code=4)
            self.assertIn("stage 'cut': nothing can be written to the folder", run.err)
            self.assert_one_sentence(run.err)

    def test_what_is_not_taken_fails_the_run(self):
        run = self.watch_with(ALARM + '[[stage]]\nname = "tell"\ntrigger_on = "alarm"\naction = "webhook"\n'
                              'url = "http://127.0.0.1:9/x"\n', code=1)
        self.assertIn("1 of the pipeline's posts weren't taken", run.err)

    def test_a_folder_is_no_file_of_stages(self):
        self.assertIn("is a folder", self.watch(CLIP, "--pipeline", self.folder, code=3).err)


class Served(BraidTest):
    def test_the_configured_session_has_it(self):
        plan = self.write("plan.toml", ALARM + '[[stage]]\nname = "see"\ntrigger_on = "alarm"\naction = "ask"\n'
                          'question = "What do you see?"\n')
        log = self.write("plc.csv", LOG)
        server = Server(str(CLIP), f"name=plc,kind=sensor,file={log}", "--pipeline", str(plan))
        self.addCleanup(server.stop)
        sessions = server.json("GET", "/v1/sessions")[1]["data"]
        events = []
        for line in self.lines_of(server, f"/v1/sessions/{sessions[0]['id']}/events"):
            event = json.loads(line)
            if event["type"] == "pipeline":
                events.append(event)
            if len(events) == 2:
                break
        self.assertEqual([event["stage"] for event in events], ["alarm", "see"])
        self.assertEqual(events[1]["at_us"], 4_200_000)
        self.assertIn("I see", events[1]["answer"])

    def lines_of(self, server, path):
        import http.client
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_S)
        self.addCleanup(connection.close)
        connection.request("GET", path)
        response = connection.getresponse()
        while line := response.readline():
            if line.startswith(b"data: "):
                yield line[6:].decode()

    def test_mistakes_are_told_before_the_model_is_loaded(self):
        plan = self.write("bad.toml", ALARM)
        for flags, told in (([str(CLIP)], "there is no source 'plc'"), ([], "there are none: add a [[source]]")):
            done = subprocess.run([BRAID, "serve", "--port", "0", *flags, "--pipeline", str(plan)], capture_output=True,
                                  text=True, timeout=TIMEOUT_S)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(told, done.stderr)
            self.assertNotIn("loading", done.stderr)


if __name__ == "__main__":
    main()
