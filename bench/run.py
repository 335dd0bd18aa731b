#!/usr/bin/env python3
"""`make bench`: measures Braid, llama.cpp's own programs and the machine in one run; prints a table, writes JSON."""

import argparse
import json
import os
import sys
import time

import limits
import machine
import measure
import ours
import peers
import pictures
import serving
from report import build_table, summaries

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
    parser.add_argument("--quick", action="store_true", help="two minutes: fewer rounds, noisier figures")
    return parser.parse_args()


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


def main():
    options = arguments()
    os.makedirs(options.work, exist_ok=True)
    threads = len(os.sched_getaffinity(0))
    described = machine.describe(ROOT, options.llama)
    rounds = 1 if options.quick else 5
    samples = measure.Samples()
    info = in_rounds(options, threads, rounds, samples)
    serving.measure(os.path.join(options.build, "bin/braid"), peers.find(options.peers)[1], options.model, options.mmproj, threads,
                    rounds, samples, lambda name: os.path.join(options.work, name + ".log"), say)
    say("frames of 1080p through our own code")
    frame = per_frame(options)
    described["load_after"] = round(os.getloadavg()[0], 2)
    result = {"machine": described, "threads": threads, "rounds": rounds, "model": info, "figures": summaries(samples),
              "limits": limits.work_of(options.model), "frame": frame}
    table = build_table(result)
    serving.add_rows(table, samples)
    result["table"] = table.rows
    with open(options.out, "w", encoding="utf-8") as file:
        json.dump(result, file, indent=1)
    page = "\n".join([*(f"- {name}: {value}" for name, value in described.items()), f"- model: {info}",
                      f"- threads: {threads}, rounds: {rounds}", "", table.markdown(), ""])
    with open(os.path.splitext(options.out)[0] + ".md", "w", encoding="utf-8") as file:
        file.write(page)
    print(page, f"full figures: {os.path.relpath(options.out)}", sep="\n")


main()
