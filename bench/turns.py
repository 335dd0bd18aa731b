#!/usr/bin/env python3
"""The table of `make bench BENCH=turns`: ends of turns and speech over answers, from what braid_turns prints.

    turns.py FOLDER < LINES
"""

import json
import math
import pathlib
import sys

LATE_S = 1.5  # a turn that has not ended by then is missed


def quantile(values, q):
    """The nearest rank; none: not a number."""
    values = sorted(values)
    return values[max(0, math.ceil(len(values) * q) - 1)] if values else math.nan


def score(turns, stops):
    """Delays of ends in ms, how many ends came in the midst of a turn, how many turns had none in time.

    `turns`: [start, end] in s; `stops`: (s of sound at which it was told, ms of CPU that took)."""
    delays, cut, missed = [], 0, 0
    for begin, end in turns:
        cut += sum(begin < at < end for at, _ in stops)
        after = [(at - end) * 1000 + cpu for at, cpu in stops if end <= at < end + LATE_S]
        if after:
            delays.append(min(after))
        else:
            missed += 1
    return delays, cut, missed


def first(events, kind):
    return next((at for name, at in events if name == kind), None)


def ends_table(dialogues, found):
    rows = ["| | end of turn p50 | p95 | false cut-ins | missed | turns |", "| --- | --- | --- | --- | --- | --- |"]
    groups = {"all": lambda d: True, **{f"noise: {level}": lambda d, level=level: d["noise"] == level for level in ("none", "low", "high")},
              "voice of a person": lambda d: d["voice"].startswith("piper"), "other voices": lambda d: not d["voice"].startswith("piper")}
    for group, belongs in groups.items():
        for mode, name in (("server_vad", "silence of 500 ms"), ("semantic_vad", "semantic_vad")):
            delays, cut, missed, turns = [], 0, 0, 0
            for dialogue in filter(belongs, dialogues):
                stops = [(at, cpu) for kind, at, cpu in found[dialogue["file"], mode] if kind == "stop"]
                more = score(dialogue["turns"], stops)
                delays, cut, missed = delays + more[0], cut + more[1], missed + more[2]
                turns += len(dialogue["turns"])
            if turns:
                rows.append(f"| {group}, {name} | {quantile(delays, .5):.0f} ms | {quantile(delays, .95):.0f} ms | {cut} | {missed} | {turns} |")
    return rows


def clips_table(clips, events):
    of = {kind: [events[c["file"]] for c in clips if c["kind"] == kind] for kind in ("interruption", "backchannel")}
    rows = ["| over an answer | p50 | p95 | clips |", "| --- | --- | --- | --- |"]
    for name, kinds, kind in (("delivery paused", of["interruption"] + of["backchannel"], "braid.delivery.paused"),
                              ("cancelled", of["interruption"], "input_audio_buffer.speech_started")):
        times = [at if (at := first(one, kind)) is not None else float("inf") for one in kinds]
        rows.append(f"| {name} | {quantile(times, .5):.0f} ms | {quantile(times, .95):.0f} ms | {len(times)} |")
    resumed = [first(one, "input_audio_buffer.speech_started") is None and
               [k for k, _ in one].count("braid.delivery.paused") == [k for k, _ in one].count("braid.delivery.resumed")
               for one in of["backchannel"]]
    rows.append(f"| backchannels resumed | {sum(resumed)} | {100 * sum(resumed) / max(1, len(resumed)):.0f} % | {len(resumed)} |")
    return rows


def main():
    folder = pathlib.Path(sys.argv[1])
    found, events, frames = {}, {}, []
    for line in sys.stdin:
        one = json.loads(line)
        if "events" in one:
            events[one["file"]] = one["events"]
        else:
            found[one["file"], one["mode"]] = one["changes"]
            if one["mode"] == "server_vad":
                frames.append(one["frame_cpu_ms"])
    dialogues = json.loads((folder / "dialogues.json").read_text())
    print("\n".join(ends_table(dialogues, found)), end="\n\n")
    print("\n".join(clips_table(json.loads((folder / "clips.json").read_text()), events)))
    print(f"\nvoice activity: {quantile(frames, .5):.2f} ms of CPU a frame of 32 ms, p50 of dialogues; {max(frames):.2f} at most")


if __name__ == "__main__":
    main()
