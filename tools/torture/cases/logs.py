"""Sensor logs, text and subtitles as machines and people write them."""

from ..case import Case, case
from ..ffmpeg import written

SPOKEN = [[1.5, 2.25, "Hello there"], [3, 4, "General & Kenobi"]]


def log(name, text, readings, fast=True, **expect):
    data = text if isinstance(text, bytes) else text.encode()
    return case(name, written(data), readings=[[at, dict(zip("ab", values.split()))] for at, values in readings], fast=fast, **expect)


SINCE = [(0, "1 2"), (0.5, "3 4"), (1, "5 6")]
EPOCH = 1_764_417_600  # 2025-11-29T12:00:00Z


def epoch(name, scale, **expect):
    rows = "".join(f"{EPOCH * scale + i * scale // 2},{2 * i + 1},{2 * i + 2}\n" for i in range(3))
    return log(name, "t,a,b\n" + rows, SINCE, **expect)


LOGS = [
    log("microseconds.csv", "t_us,a,b\n0,1,2\n500000,3,4\n1000000,5,6\n", SINCE),
    log("milliseconds.csv", "time (ms),a,b\n0,1,2\n500,3,4\n1000,5,6\n", SINCE),
    log("nanoseconds.csv", "t_ns,a,b\n0,1,2\n500000000,3,4\n1000000000,5,6\n", SINCE),
    log("decimals.csv", "t,a,b\n0.0,1,2\n0.5,3,4\n1.0,5,6\n", SINCE),
    log("whole_seconds.csv", "t,a\n0,1\n1,3\n2,5\n", [(0, "1"), (1, "3"), (2, "5")], notice="seconds"),
    epoch("epoch_us.csv", 10**6), epoch("epoch_ms.csv", 1000, notice="milliseconds"), epoch("epoch_ns.csv", 10**9, notice="nanoseconds"),
    log("epoch_s.csv", f"t,a\n{EPOCH},1\n{EPOCH + 1},3\n", [(0, "1"), (1, "3")], notice="seconds"),
    log("epoch_decimals.csv", f"t,a\n{EPOCH}.25,1\n{EPOCH}.75,3\n", [(0, "1"), (0.5, "3")]),
    log("iso.csv", "time,a,b\n2026-11-29T12:00:00Z,1,2\n2026-11-29T12:00:00.5Z,3,4\n2026-11-29T13:00:01+01:00,5,6\n", SINCE),
    log("iso_space.csv", "time,a,b\n2026-11-29 12:00:00,1,2\n2026-11-29 12:00:00.500,3,4\n2026-11-29 12:00:01,5,6\n", SINCE),
    log("iso_comma.csv", "time;a;b\n2026-11-29 12:00:00,000;1;2\n2026-11-29 12:00:00,500;3;4\n2026-11-29 12:00:01,000;5;6\n", SINCE),
    log("comma_decimals.csv", "time_s;a;b\n0,0;1,5;2\n0,5;3,5;4\n1,0;5,5;6\n", [(0, "1,5 2"), (0.5, "3,5 4"), (1, "5,5 6")]),
    Case("comma_decimals_no_header.csv", written(b"0,0;1,5;2,5\n0,5;3,5;4,5\n"),
         {"readings": [[0, {"ch1": "1,5", "ch2": "2,5"}], [0.5, {"ch1": "3,5", "ch2": "4,5"}]]}, fast=True),
    log("tabs.tsv", "t_us\ta\tb\n0\t1\t2\n500000\t3\t4\n1000000\t5\t6\n", SINCE),
    log("byte_order_mark.csv", "\ufefft_us,a,b\r\n0,1,2\r\n500000,3,4\r\n1000000,5,6\r\n", SINCE),
    log("quoted.csv", '"t_us","a","b"\n"0","1","2"\n"500000","3","4"\n"1000000","5","6"\n', SINCE),
    log("time_last.csv", "a,b,timestamp_us\n1,2,0\n3,4,500000\n5,6,1000000\n", SINCE),
    log("out_of_order.csv", "t_us,a,b\n500000,3,4\n0,1,2\n1000000,5,6\n", SINCE),
    log("far_out_of_order.csv", "t_us,a\n" + "".join(f"{i * 1000000},{i}\n" for i in range(400)) + "5,x\n", [(i, str(i)) for i in range(400)], damage={"says": "sort"}),
    log("gaps.csv", "t_us,a,b\n0,1,2\n\n# restarted\n500000,3,4\n3600000000,5,6\n", [*SINCE[:2], (3600, "5 6")]),
    log("bad_lines.csv", "t_us,a,b\n0,1,2\nnonsense\n500000,3,4\n,9,9\n1000000,5,6\n7,8\n", SINCE, damage={"says": "line 3"}),
    log("repeated_times.csv", "t_us,a\n0,1\n0,2\n1000000,3\n", [(0, "1"), (0, "2"), (1, "3")]),
    log("empty_values.csv", "t_us,a,b\n0,1,\n500000,3,4\n", [(0, "1"), (0.5, "3 4")]),
    log("given_unit.csv", "t,a,b\n0,1,2\n500,3,4\n1000,5,6\n", SINCE, spec="unit=ms,file={file}"),
    log("given_epoch.csv", f"t,a\n{EPOCH}000000,1\n{EPOCH}500000,3\n", [(2, "1"), (2.5, "3")], spec=f"epoch={EPOCH - 2}000000,file={{file}}"),
    log("members.jsonl", '{"t_us":0,"a":1,"b":2}\n{"t_us":500000,"a":3,"b":4}\n{"t_us":1000000,"a":5,"b":6}\n', SINCE),
    Case("nested.jsonl", written(b'{"time":"2026-11-29T12:00:00Z","valve":{"open":true}}\n{"time":"2026-11-29T12:00:02Z","valve":{"open":false}}\n'),
         {"readings": [[0, {"valve.open": "true"}], [2, {"valve.open": "false"}]]}),
    Case("no_header.csv", written(b"0,1,2\n500000,3,4\n"), {"readings": [[0, {"ch1": "1", "ch2": "2"}], [0.5, {"ch1": "3", "ch2": "4"}]]}),
    Case("no_rows.csv", written(b"t_us,a,b\n"), {"error": "bad_input", "says": "no rows"}),
    Case("no_numbers.csv", written(b"hello there\nand good bye\n"), {"error": "bad_input"}),
    Case("binary.csv", written(bytes(range(256)) * 40), {"error": "bad_input"}),
]
SRT = "1\n00:00:01,500 --> 00:00:02,250\n<i>Hello</i> there\n\n2\n00:00:03,000 --> 00:00:04,000\nGeneral &\nKenobi\n"
VTT = "WEBVTT\n\n00:01.500 --> 00:02.250 align:start\n<v Ann>Hello there\n\n00:00:03.000 --> 00:00:04.000\nGeneral &amp; Kenobi\n"
ASS = ("[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: Default,Arial\n\n[Events]\n"
       "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
       "Dialogue: 0,0:00:01.50,0:00:02.25,Default,,0,0,0,,{\\i1}Hello{\\i0} there\nDialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,General &\\NKenobi\n")


def spoken(name, data, lines=None, **expect):
    return Case(name, written(data if isinstance(data, bytes) else data.encode()), {"lines": SPOKEN if lines is None else lines} | expect, fast=True)


WORDS = [
    spoken("spoken.srt", SRT), spoken("spoken.vtt", VTT), spoken("spoken.ass", ASS), spoken("mark.srt", "\ufeff" + SRT.replace("\n", "\r\n")),
    spoken("dots.srt", SRT.replace(",", ".")), spoken("no_numbers.srt", SRT.replace("1\n0", "0").replace("2\n0", "0")),
    spoken("utf16.srt", b"\xff\xfe" + SRT.encode("utf-16-le")),
    spoken("latin1.srt", SRT.replace("Hello", "H\u00e9llo").encode("latin-1"), SPOKEN[1:], damage={"says": "UTF-8"}),
    spoken("out_of_order.srt", "1\n00:00:03,000 --> 00:00:04,000\nGeneral & Kenobi\n\n2\n00:00:01,500 --> 00:00:02,250\nHello there\n"),
    spoken("upside_down.srt", SRT.replace("00:00:02,250", "00:00:00,250"), [[1.5, 3, "Hello there"], SPOKEN[1]]),
    spoken("cut.srt", SRT[:-4], [SPOKEN[0], [3, 4, "General & Ken"]]),
    Case("no_words.srt", written(b"nothing that is a subtitle\n"), {"error": "bad_input"}),
    spoken("plain.txt", "[1.5s] Hello\n[00:03.0] there\nGeneral\n", [[1.5, 1.5, "Hello"], [3, 3, "there"], [3, 3, "General"]]),
    spoken("spans.jsonl", '{"start_s":1.5,"end_s":2.25,"text":"Hello there"}\n{"start_s":3,"end_s":4,"text":"General & Kenobi"}\n'),
]
CASES = LOGS + WORDS
