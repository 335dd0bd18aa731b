"""One origin a file, times as the container has them: rates, edit lists, starts, wraps, resets, outliers, duplicates, holes."""

from .. import boxes, transport
from ..case import CORNERS, Case, case, grid
from ..ffmpeg import X264, bytes_of, corners, edited, made, tone

TEN = [*corners("64x48", 10, 1)]
CLOSED = [*X264, "-g", "10", "-bf", "0"]
MP2 = ["-c:a", "mp2", "-b:a", "64k"]
BOTH = [*corners("64x48", 10, 2), *tone(2, 32000)]
LONG = [*corners("64x48", 10, 12), *tone(12, 32000)]
TS = [*CLOSED, *MP2, "-muxdelay", "0", "-muxpreload", "0"]
WRAP = 2**33 / 90000
# How far sound begins before pictures, for its coder to warm up.
LEADS = {"ts": 481 / 32000, "mp4": 1024 / 32000}


def varied(name, expression, count, times, *encoder, **expect):
    return case(name, made(*corners("64x48", 10, count / 10), "-vf", f"settb=1/1000,setpts='{expression}'", "-fps_mode", "passthrough", "-enc_time_base",
                           "1/1000", *(encoder or X264)), **({"frames": times} | expect))


RATES = [
    Case("24h.mkv", made(*corners("64x48", "1/86400", 259200), *X264), {"frames": [0, 86400, 172800]}),
    Case("one_a_minute.mp4", made(*corners("64x48", "1/60", 240), *X264), {"frames": [0, 60, 120, 180]}, fast=True),
    Case("one_in_ten_seconds.ts", made(*corners("64x48", "1/10", 50), *CLOSED), {"frames": grid(0.1, 5)}),
    Case("one_in_twenty_seconds.ts", made(*corners("64x48", "1/20", 100), *CLOSED), {"frames": grid(0.05, 5)}),
    Case("240_a_second.mp4", made(*corners("64x48", 240, 0.5), *X264), {"frames": grid(240, 120)}),
    Case("1000_a_second.mkv", made(*corners("64x48", 1000, 0.2), *X264), {"frames": grid(1000, 200)}),
    Case("ntsc.mp4", made(*corners("64x48", "30000/1001", 1), *X264), {"frames": grid(30000 / 1001, 30)}),
    varied("varied.mkv", "N*N*37", 10, [i * i * 0.037 for i in range(10)]),
    varied("varied.mp4", "N*N*37", 10, [i * i * 0.037 for i in range(10)], *X264, "-video_track_timescale", "1000"),
    varied("varied.webm", "N*N*37", 10, [i * i * 0.037 for i in range(10)], "-c:v", "libvpx", "-deadline", "realtime", "-pix_fmt", "yuv420p"),
    varied("varied_b_frames.mkv", "N*N*11", 12, [i * i * 0.011 for i in range(12)], "-c:v", "libx264", "-bf", "3", "-pix_fmt", "yuv420p"),
    varied("varied.gif", "N*N*100", 5, [i * i * 0.1 for i in range(5)], "-c:v", "gif"),
]


def listed(name, entries, times, *more, **expect):
    return case(name, edited("mp4", [*TEN, *CLOSED, *more], boxes.edits(*entries)), **({"frames": times} | expect))


EDITS = [
    listed("edit_late.mp4", [(1500, -1), (1000, 0)], grid(10, 10), fast=True),
    listed("edit_inside.mp4", [(500, 5120)], grid(10, 5)),
    Case("edit_b_frames.mp4", made(*TEN, "-c:v", "libx264", "-bf", "3", "-pix_fmt", "yuv420p"), {"frames": grid(10, 10)}),
    Case("edit_sound_late.mp4", edited("mp4", [*TEN, *tone(1, 32000), *CLOSED, "-c:a", "aac"], boxes.edits((700, -1), (1000, 1024), track=1)),
         {"frames": grid(10, 10), "sound": [[0.7, 1.7]], "sound_slack": 0.08}, fast=True),
    Case("edit_pictures_late.mp4", edited("mp4", [*TEN, *tone(2, 32000), *CLOSED, "-c:a", "aac"], boxes.edits((700, -1), (1000, 0))),
         {"frames": grid(10, 10, 0.7), "sound": [[0, 2]], "sound_slack": 0.08}),
    listed("edit_twice.mp4", [(300, 0), (300, 0)], grid(10, 6)),
    Case("edit_cut.mp4", made("-ss", "0.45", *TEN, *CLOSED), {"frames": grid(10, 5)}),
    Case("edit_absurd.mp4", edited("mp4", [*TEN, *CLOSED], boxes.edits((1000, 2000000000))), {"error": "bad_input"}),
]


def started(name, ending, offset, **expect):
    encoder = [*CLOSED, "-c:a", "pcm_s16le", "-ar", "44100"] if ending in ("mkv", "flv") else [*CLOSED, "-c:a", "aac"] if ending == "mp4" else TS
    return case(name, made(*BOTH, *encoder, "-output_ts_offset", offset, "-avoid_negative_ts", "disabled"),
                **({"frames": grid(10, 20, LEADS.get(ending, 0)), "sound": [[0, 2]], "sound_slack": 0.1 if ending in ("ts", "mp4", "flv") else 0.03} | expect))


STARTS = [
    started("starts_at_1000.mkv", "mkv", 1000), started("starts_at_90000.ts", "ts", 90000), started("starts_at_1e9.mkv", "mkv", 10**9),
    started("starts_before_0.flv", "flv", -2.5), started("starts_at_100.mp4", "mp4", 100),
    Case("sound_late.mkv", made(*BOTH[:4], "-itsoffset", "1.25", *tone(2, 32000), *CLOSED, "-c:a", "pcm_s16le"), {"frames": grid(10, 20), "sound": [[1.25, 3.25]]}, fast=True),
    Case("pictures_late.mkv", made("-itsoffset", "1.3", *BOTH[:4], *tone(2, 32000), *CLOSED, "-c:a", "pcm_s16le"),
         {"frames": grid(10, 20, 1.3), "sound": [[0, 2]]}),
    Case("sound_very_late.mkv", made(*corners("64x48", 10, 1), "-itsoffset", "20", *tone(1, 32000), *CLOSED, "-c:a", "pcm_s16le"),
         {"frames": grid(10, 10), "sound": [[20, 21]]}),
    Case("sound_very_late.ts", made(*corners("64x48", 10, 25), "-itsoffset", "20", *tone(1, 32000), *TS),
         {"frames": grid(10, 250), "sound": [[20, 21]], "sound_slack": 0.1, "damage": "any"}),
]


def tampered(name, *edits, base=(*BOTH, *TS), **expect):
    lead = 0 if "sound" in expect else LEADS["ts"]
    return case(name, edited("ts", base, *edits), **({"frames": grid(10, 20, lead), "sound": [[0, 2]], "sound_slack": 0.1} | expect))


B_FRAMES = (*BOTH, "-c:v", "libx264", "-bf", "3", "-g", "10", "-pix_fmt", "yuv420p", *MP2, "-muxdelay", "0", "-muxpreload", "0")
ONLY = (*corners("64x48", 10, 2), *TS[:len(CLOSED)], "-muxdelay", "0", "-muxpreload", "0")
BREAKS = [
    tampered("wraps.ts", transport.begins_at(WRAP - 0.95), differs="FFmpeg's own unwrapping", fast=True),
    tampered("wraps_b_frames.ts", transport.begins_at(WRAP - 0.95), base=B_FRAMES, differs="FFmpeg's own unwrapping"),
    tampered("wraps_between.ts", transport.begins_at(WRAP - 0.05), base=B_FRAMES),
    tampered("wraps_at_once.ts", transport.begins_at(WRAP - 0.001)),
    tampered("outlier.ts", transport.moved(lambda stamp, number, pid: stamp + (90000 * 1000 if number == 7 and pid == transport.VIDEO else 0)), base=ONLY, sound=[],
             differs="a single time that nothing confirms is corrected", fast=True),
    tampered("outlier_back.ts", transport.moved(lambda stamp, number, pid: stamp - (90000 * 1000 if number == 7 and pid == transport.VIDEO else 0)), base=ONLY, sound=[],
             differs="a single time that nothing confirms is corrected"),
    tampered("outlier_sound.ts", transport.moved(lambda stamp, number, pid: stamp + (90000 * 1000 if number == 2 and pid == transport.AUDIO else 0))),
    tampered("hole.ts", transport.moved(lambda stamp, number, pid: stamp + (90000 * 5 if number >= 10 else 0)), base=ONLY, sound=[],
             frames=[*grid(10, 10), *grid(10, 10, 6)]),
    tampered("long_hole.ts", transport.moved(lambda stamp, number, pid: stamp + (90000 * 100 if number >= 10 else 0)), base=ONLY, sound=[],
             frames=[*grid(10, 10), *grid(10, 10, 101)]),
    tampered("reset.ts", transport.moved(lambda stamp, number, pid: stamp + 90000 * (5000 if number < 10 else 0)), base=ONLY, sound=[],
             differs="after a reset time goes on where it stopped"),
    tampered("repeated.ts", transport.moved(lambda stamp, number, pid: stamp - (9000 if number == 7 else 0)), base=ONLY, sound=[],
             frames=[i / 10 for i in range(20) if i != 7], damage={"from": 0.5, "to": 0.9}, differs="of two pictures at one time the first is taken"),
    tampered("back_a_little.ts", transport.moved(lambda stamp, number, pid: stamp - (18000 if number == 7 else 0)), base=ONLY, sound=[],
             frames=[i / 10 for i in range(20) if i != 7], damage={"from": 0.5, "to": 0.9}, differs="a picture whose time goes back is left out"),
    Case("joined.ts", lambda path: path.write_bytes(bytes_of("ts", *BOTH, *TS) * 2), {"frames": {"count": [39, 40], "to": 4.1}, "sound": "some", "damage": {"from": 1.8, "to": 2.2}}),
    Case("joined.mp3", lambda path: path.write_bytes(bytes_of("mp3", *tone(1, 32000)) * 3), {"sound": "some", "damage": "any"}),
    Case("joined.ogg", lambda path: path.write_bytes(bytes_of("ogg", *tone(1, 32000), "-c:a", "libvorbis") * 2), {"sound": [[0, 2]], "sound_slack": 0.1}),
    Case("wraps.mpg", edited("mpg", [*corners("64x48", 25, 2), "-c:v", "mpeg2video", "-g", "5", "-bf", "0", "-output_ts_offset", str(int(WRAP) - 1)]),
         {"frames": {"count": [50, 50], "to": 2.01}, "colours": CORNERS}),
    Case("sound_hole.mkv", made(*BOTH[:4], "-f", "lavfi", "-i", "aevalsrc=0.5*sin(2765*t):d=4:s=32000,aselect='not(between(t,1,1.999))'", *CLOSED, "-c:a", "pcm_s16le"),
         {"frames": grid(10, 20), "sound": [[0, 1], [2, 4]], "sound_slack": 0.07}, fast=True),
    Case("picture_hole.mp4", made(*corners("64x48", 10, 4), "-vf", "select='not(between(t,0.95,2.95))'", "-fps_mode", "passthrough", *CLOSED),
         {"frames": [*grid(10, 10), *grid(10, 10, 3)]}),
    Case("fragments.mp4", made(*BOTH, *CLOSED, "-c:a", "aac", "-movflags", "frag_keyframe+delay_moov"), {"frames": grid(10, 20), "sound": [[0, 2]], "sound_slack": 0.08}),
    Case("late_fragments.mp4", made(*BOTH, *CLOSED, "-c:a", "aac", "-output_ts_offset", "500", "-movflags", "frag_keyframe+delay_moov+default_base_moof"),
         {"frames": grid(10, 20, LEADS["mp4"]), "sound": [[0, 2]], "sound_slack": 0.1}),
    Case("raw.h264", made(*corners("64x48", 25, 1), *CLOSED), {"frames": grid(25, 25), "colours": CORNERS}, differs="ffprobe gives no times"),
    Case("raw.hevc", made(*corners("64x48", 25, 1), "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:bframes=0", "-pix_fmt", "yuv420p"),
         {"frames": grid(25, 25), "colours": CORNERS}, differs="ffprobe gives no times"),
    Case("raw.m2v", made(*corners("64x48", 25, 1), "-c:v", "mpeg2video", "-bf", "0"), {"frames": grid(25, 25, 0.04), "colours": CORNERS}, differs="ffprobe gives the last picture no time"),
    Case("raw.mjpeg", made(*corners("64x48", 25, 1), "-c:v", "mjpeg", "-q:v", "2"), {"frames": grid(25, 25), "colours": CORNERS}),
    Case("sound_far_apart.ts", edited("ts", [*BOTH, *TS], transport.delayed(transport.AUDIO, 4000)), {"frames": grid(10, 20, LEADS["ts"]), "sound": [[0, 2]], "sound_slack": 0.1}),
    Case("pictures_far_apart.ts", edited("ts", [*LONG, *TS], transport.delayed(transport.VIDEO, 4000)),
         {"frames": grid(10, 120, LEADS["ts"]), "sound": [[0, 12]], "sound_slack": 0.1}, fast=True),
    Case("sound_some_apart.ts", edited("ts", [*LONG, *TS], transport.delayed(transport.AUDIO, 400)),
         {"frames": grid(10, 120, LEADS["ts"]), "sound": [[0, 12]], "sound_slack": 0.1}),
    Case("sound_apart.ts", edited("ts", [*BOTH, *TS], transport.delayed(transport.AUDIO, 40)), {"frames": grid(10, 20, LEADS["ts"]), "sound": [[0, 2]], "sound_slack": 0.1}),
]
CASES = RATES + EDITS + STARTS + BREAKS
