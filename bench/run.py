#!/usr/bin/env python3
"""`make bench`: measures Braid, llama.cpp's own programs and the machine in one run; prints a table, writes JSON."""

import argparse
import json
import os
import sys
import time

import idle_serving
import limits
import live_serving
import machine
import measure
import ours
import peers
import pictures
import serving
from report import build_table, summaries
from table import Table

SERVING = ("chat", "chat_many", "live", "live_peer", "idle", "figures")
PARTS = ("core", *SERVING)  # each under four minutes on two cores, but core (ten)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder whose bin/ holds our programs")
    parser.add_argument("--peers", required=True, help="prefix of llama-bench and llama-server")
    parser.add_argument("--llama", required=True, help="prefix of the llama.cpp that Braid is linked with")
    parser.add_argument("--model", required=True)
    parser.add_argument("--mmproj", required=True)
    parser.add_argument("--work", required=True, help="folder for pictures and logs")
    parser.add_argument("--out", required=True, help="JSON file to write")
    parser.add_argument("--parts", default="", help="of " + ", ".join([*PARTS, "serving"]) + "; empty: all")
    parser.add_argument("--quick", action="store_true", help="two minutes: fewer rounds, noisier figures")
    options = parser.parse_args()
    wanted = options.parts.replace("serving", ",".join(SERVING)).replace(" ", ",").split(",")
    options.parts = [part for part in PARTS if part in wanted] or list(PARTS)
    if unknown := set(filter(None, wanted)) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join([*PARTS, 'serving'])}")
    return options


def say(text):
    print(f"bench: {text}", file=sys.stderr, flush=True)


def in_rounds(options, threads, rounds, samples):
    """What both sides do, by turns; and what the machine could do at best, before and after."""
    llama_bench, llama_server = peers.find(options.peers)
    uris = pictures.prepare(os.path.join(options.work, "pictures"), 120)
    log = lambda name: os.path.join(options.work, name + ".log")
    braid = ours.Braid(os.path.join(options.build, "bin/braid_bench"), options.model, options.mmproj,
                       os.path.join(options.work, "pictures"), threads, log("braid_bench"))
    server = peers.LlamaServer(llama_server, options.model, options.mmproj, threads, log("llama-server"))
    bench = lambda prompt, generate: peers.llama_bench(llama_bench, options.model, threads, prompt, generate)
    questions = measure.Questions()
    try:
        info = braid.do("info")
        for number in range(rounds):
            begin = time.monotonic()
            for name, value in braid.do("machine").items():
                samples.add(name, value)
            measure.rates(braid, bench, samples)
            measure.first_tokens(braid, server, uris, number, questions, samples, 4 if options.quick else measure.SLIDES)
            measure.contention(braid, samples, 16 if options.quick else 48)
            say(f"round {number + 1} of {rounds} took {time.monotonic() - begin:.0f} s")
    finally:
        braid.close()
        server.close()
    return info


def per_frame(options):
    """Our own code's part of a 1080p frame, and what it allocates."""
    program = os.path.join(options.build, "bin/braid_frame_cost")
    session = ours.frame_cost(program, "session", options.model, 400 if options.quick else 2000)
    film = os.path.join(options.work, "film.y4m")
    pictures.prepare_film(film, 30 if options.quick else 60)
    try:
        ingest = ours.frame_cost(program, "ingest", film)
    finally:
        os.remove(film)
    clip = os.path.join(ROOT, "models/nano/samples/clip.mp4")
    watch = [os.path.join(options.build, "bin/braid"), "watch", clip, "--ask", "What do you see?", "--json"]
    return {"time": session["time"], "ingest_ms_with_decode_and_scaling": ingest["ms"],
            "allocations": {"kept": ours.per_frame(session["kept"]), "nothing_new": ours.per_frame(session["nothing_new"]),
                            "source": ours.per_frame(ingest)},
            "watch_peak_rss_mb": ours.peak_rss_mb(watch)}


def serve(options, threads, rounds, samples):
    """The chosen parts of the serving benchmark."""
    sides = serving.Sides(os.path.join(options.build, "bin/braid"), peers.find(options.peers)[1], options.model, options.mmproj,
                          threads, options.work)
    quick = options.quick
    parts = {"chat": lambda: serving.measure(sides, serving.LEVELS[:2], rounds, samples, say),
             "chat_many": lambda: serving.measure(sides, serving.LEVELS[2:], rounds, samples, say),
             "live": lambda: live_serving.ours(sides, quick, samples, say),
             "live_peer": lambda: live_serving.peer(sides, quick, samples, say),
             "idle": lambda: idle_serving.idle(sides, quick, samples, say),
             "figures": lambda: idle_serving.figures(sides, quick, samples, say)}
    for part in SERVING:
        if part in options.parts:
            begin = time.monotonic()
            parts[part]()
            say(f"{part} took {time.monotonic() - begin:.0f} s")


def main():
    options = arguments()
    os.makedirs(options.work, exist_ok=True)
    threads = len(os.sched_getaffinity(0))
    described = machine.describe(ROOT, options.llama)
    rounds = 1 if options.quick else 5
    samples = measure.Samples()
    result = {"machine": described, "threads": threads, "rounds": rounds, "parts": options.parts}
    if "core" in options.parts:
        result["model"] = in_rounds(options, threads, rounds, samples)
    serve(options, threads, rounds, samples)
    if "core" in options.parts:
        say("frames of 1080p through our own code")
        result["frame"] = per_frame(options)
        result["limits"] = limits.work_of(options.model)
    described["load_after"] = round(os.getloadavg()[0], 2)
    result["figures"] = summaries(samples)
    table = build_table(result) if "core" in options.parts else Table()
    for serving_part in (serving, live_serving, idle_serving):
        serving_part.add_rows(table, samples)
    result["table"] = table.rows
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    page = "\n".join([*(f"- {name}: {value}" for name, value in described.items()), f"- model: {result.get('model', options.model)}",
                      f"- threads: {threads}, rounds: {rounds}", "", table.markdown(), ""])
    with open(os.path.splitext(options.out)[0] + ".md", "w", encoding="utf-8") as file:
        file.write(page)
    print(page, f"full figures: {os.path.relpath(options.out)}", sep="\n")


if __name__ == "__main__":
    main()
