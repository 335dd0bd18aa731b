"""From samples to the table, goals beside the figures."""

import measure
from table import Table, summary, text_of

CASE_NAMES = {"cold": "nothing seen before", "same_prefix": "same frames, new question", "new_frame": "one new frame, question",
              "sliding": "one frame in, one out, question"}
GOALS_AT_32 = {"sliding": 15, "new_frame": 2, "same_prefix": 1}


def summaries(samples):
    return {name: summary(values) for name, values in samples.items()}


def per_second(entry, count):
    return {"median": count / entry["median"] * 1e3, "min": count / entry["max"] * 1e3, "max": count / entry["min"] * 1e3}


def add_rates(table, figures):
    table.add("encode a frame, ms", text_of(figures["encode_frame_ms"]))
    table.add("encode 2 s of sound, ms", text_of(figures["encode_utterance_ms"]))
    for name, count in (("prefill", measure.PREFILL_ROWS), ("decode", measure.DECODE_TOKENS)):
        ours, peer = per_second(figures[f"{name}_ms"], count), per_second(figures[f"peer_{name}_ms"], count)
        value = ours["median"] / peer["median"]
        table.add(f"{name}, tokens/s", text_of(ours), text_of(peer), f"{value:.3f}x", ">= 0.97x", value >= 0.97)


def add_first_tokens(table, figures):
    for history in measure.HISTORIES:
        for case in measure.CASES:
            goal = GOALS_AT_32.get(case) if history == 32 else None
            table.against(f"first token, {history} frames: {CASE_NAMES[case]}, ms", figures[f"{case}_{history}"],
                          figures[f"peer_{case}_{history}"], goal)


def allocation_text(allocations):
    return ", ".join(f"{name} {count:g}" for name, count in allocations["by_owner"].items() if name != "bench") or "none"


def add_frame(table, frame):
    time = frame["time"]
    table.at_most("own code a 1080p frame, p99 ms", time["p99_ms"],
                  f"{time['p99_ms']:.2f} (median {time['p50_ms']:.2f}, CPU {time['cpu_ms']:.2f})", 1)
    for name, what in (("source", "read from a file"), ("nothing_new", "that shows nothing new"), ("kept", "that is kept")):
        allocations = frame["allocations"][name]
        own = round(allocations["by_owner"].get("ours", 0), 1)  # a block in 20 frames is warm-up that came late
        table.at_most(f"allocations, frame {what}", own, allocation_text(allocations), 0)
    table.add("peak RSS of `braid watch` on the clip, MB", f"{frame['watch_peak_rss_mb']:.0f}")


def add_limits(table, result):
    figures, work = result["figures"], result["limits"]
    ratio = figures["token_beside_busy_ms"]["median"] / figures["token_alone_ms"]["median"]
    table.at_most("token time beside a busy loop on every core", ratio,
                  f"{ratio:.2f}x ({figures['token_beside_busy_ms']['median']:.1f} ms)", 3, "x")
    token_s = figures["decode_ms"]["median"] / measure.DECODE_TOKENS / 1e3
    read = work["decode_bytes_per_token"] / token_s / 1e9
    rate = figures["memory_read_gb_s"]["median"]
    table.add("decode: weights read, GB/s", f"{read:.1f}", f"machine {rate:.1f}", f"{read / rate:.0%}")
    prefill_s = figures["prefill_ms"]["median"] / measure.PREFILL_ROWS / 1e3
    flop = work["prefill_flop_per_row"] / prefill_s / 1e9
    peak = figures["matrix_gflop_s"]["median"]
    table.add("prefill: operations, GFLOP/s", f"{flop:.0f}", f"Q8_0 product {peak:.0f}", f"{flop / peak:.0%}")


def build_table(result):
    table = Table()
    add_rates(table, result["figures"])
    add_first_tokens(table, result["figures"])
    add_frame(table, result["frame"])
    add_limits(table, result)
    return table
