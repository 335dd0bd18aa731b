"""Reads a file with braid_ingest_report and compares what came with what must come."""

import json
import os
import subprocess

from .make import folder

MS = 0.0011
COLOUR = 48  # codecs are lossy, and small pictures more so
MOST_BYTES = 900 << 20  # of memory, without sanitizers
SANITIZED = "TORTURE_SANITIZED" in os.environ
PATIENCE = 60  # seconds


class Wrong(AssertionError):
    pass


def expect(holds, what):
    if not holds:
        raise Wrong(what)


def close(ours, theirs, slack):
    return len(ours) == len(theirs) and all(abs(a - b) <= slack for a, b in zip(ours, theirs))


def read(program, case, path, isolated=False):
    """What the program reports, and the most memory it held, bytes. Isolated: decoded in a process of its own."""
    command = [program] + ["--isolate", "1"] * isolated
    for limit, value in case.limits.items():
        command += ["--" + limit.replace("_", "-"), str(value)]
    command.append("-" if case.piped and case.spec == "{file}" else case.spec.format(file=path))
    with open(path if case.piped else os.devnull, "rb") as stdin:
        feed = subprocess.Popen(["cat"], stdin=stdin, stdout=subprocess.PIPE)
        run = subprocess.Popen(command, stdin=feed.stdout, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        feed.stdout.close()
        try:
            out, complaints = run.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            run.kill()
            raise Wrong(f"hangs: not done after {PATIENCE} s")
        finally:
            feed.kill()
            feed.wait()
    expect(run.returncode == 0, f"ended with {run.returncode}: {complaints.decode(errors='replace')[-3000:]}")
    return json.loads(out)


def check_frames(report, wanted):
    times = [frame["at"] for frame in report["frames"]]
    if isinstance(wanted, list):
        expect(close(times, wanted, MS), f"{len(times)} frames at {times[:12]}…, not {len(wanted)} at {wanted[:12]}…")
        return
    least, most = wanted["count"]
    expect(least <= len(times) <= most, f"{len(times)} frames, not {least} to {most}: {times[:12]}…")
    if times:
        expect(times[0] >= wanted.get("from", 0) - MS and times[-1] <= wanted.get("to", 1e9) + MS, f"frames from {times[0]} to {times[-1]}")


def check_colours(quadrants, wanted, slack):
    far = max(abs(a - b) for got, want in zip(quadrants, wanted) for a, b in zip(got, want))
    expect(far <= slack, f"colours {quadrants}, not {wanted}")


def check_damage(report, wanted):
    damage = report["damage"]
    if wanted == "none":
        expect(not damage, f"damage where there is none: {damage[:3]}")
        return
    if wanted == "any":
        return
    expect(damage, "no damage told")
    if wanted == "some":
        return
    inside = [d for d in damage if wanted.get("from", 0) - MS <= d["at"] <= wanted.get("to", 1e9) + MS]
    expect(inside, f"no damage between {wanted}: {damage[:3]}")
    expect(any(wanted.get("says", "") in d["message"] for d in inside), f"no damage says so: {wanted}: {inside[:3]}")


def compare(case, report):
    wanted = case.expect
    error = report.get("error")
    expect(not report["broken_bounds"], f"promises of time broken: {report['broken_bounds'][:4]}")
    if "error" in wanted:
        expect(error, f"taken: {report.get('description')}, {len(report['frames'])} frames")
        expect(error["code"] == wanted["error"], f"refused as {error}, not {wanted['error']}")
        expect(wanted.get("says", "") in error["message"], f"refused without '{wanted.get('says')}': {error['message']}")
        return
    expect(not error, f"refused: {error}")
    frames = report["frames"]
    check_frames(report, wanted.get("frames", []))
    shown = [frame["size"] for i, frame in enumerate(frames) if i == 0 or frame["size"] != frames[i - 1]["size"]]
    sizes = wanted.get("sizes", [wanted["size"]] if "size" in wanted else None)
    expect(sizes is None or shown == [list(size) for size in sizes], f"sizes {shown}, not {sizes}")
    if "colours" in wanted:
        check_colours(frames[0]["quadrants"], wanted["colours"], wanted.get("colour_slack", COLOUR))
    if "last_colours" in wanted:
        check_colours(frames[-1]["quadrants"], wanted["last_colours"], COLOUR)
    stretches = [(s["start"], s["end"]) for s in report["sound"]]
    slack = wanted.get("sound_slack", 0.03)
    if "from_to" in wanted:
        holes = [b[0] - a[1] for a, b in zip(stretches, stretches[1:])]
        expect(stretches and close((stretches[0][0], stretches[-1][1]), wanted["from_to"], slack) and max(holes, default=0) <= 0.03,
               f"sound {stretches[:6]}, not {wanted['from_to']}")
        stretches = wanted.get("sound", [])
    same = len(stretches) == len(wanted.get("sound", [])) and all(close(a, b, slack) for a, b in zip(stretches, wanted.get("sound", [])))
    expect(same or wanted.get("sound") == "some" and stretches, f"sound {stretches[:6]}, not {wanted.get('sound', [])}")
    if "level" in wanted:
        level = report["sound"][0]["rms"]
        expect(wanted["level"][0] <= level <= wanted["level"][1], f"level {level}, not {wanted['level']}")
    check_rows(report, wanted)
    check_damage(report, wanted.get("damage", "none"))
    expect(any(wanted.get("notice", "") in notice for notice in report["notices"]) or "notice" not in wanted, f"notices {report['notices']}")
    expect(wanted.get("describes", "") in report["description"], f"described as {report['description']}")
    expect(abs(report["duration"] - wanted.get("duration", report["duration"])) <= 0.1, f"duration {report['duration']}")


def check_rows(report, wanted):
    lines = [[line["start"], line["end"], line["text"]] for line in report["lines"]]
    same = len(lines) == len(wanted.get("lines", [])) and all(
        close(a[:2], b[:2], MS) and a[2] == b[2] for a, b in zip(lines, wanted.get("lines", [])))
    expect(same, f"lines {lines[:6]}, not {wanted.get('lines', [])}")
    readings = [[row["at"], row["values"]] for row in report["readings"]]
    same = len(readings) == len(wanted.get("readings", [])) and all(
        abs(a[0] - b[0]) <= 1e-6 and a[1] == b[1] for a, b in zip(readings, wanted.get("readings", [])))
    expect(same, f"readings {readings[:6]}, not {wanted.get('readings', [])}")


def same(here, there):
    """A file gives the same in a process of its own."""
    for key in sorted(here.keys() | there.keys()):
        expect(key in ("peak_bytes", "begun") or here.get(key) == there.get(key),
               f"{key} in a process of its own is {str(there.get(key))[:300]}, not {str(here.get(key))[:300]}")


def check(program, case):
    """Raises Wrong."""
    path = folder(case.group) / case.name
    report = read(program, case, path)
    expect(report["peak_bytes"] <= MOST_BYTES * (3 if SANITIZED else 1), f"held {report['peak_bytes']} bytes")
    compare(case, report)
    same(report, read(program, case, path, isolated=True))
