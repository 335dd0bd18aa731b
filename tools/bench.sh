#!/usr/bin/env bash
# Builds the benchmark programs and llama.cpp's own (once), then measures: bench/README.md. QUICK=1: two minutes.
# BENCH=clock: capture times over simulated networks, a minute, and nothing else; BENCH=turns: ends of turns and speech over
# answers, likewise; BENCH=memory: searches of 10^4 to 10^6 records (QUICK=1: to 10^5).
# BENCH=paths: when two cameras behind networks took their pictures, five minutes (needs GStreamer's RTSP server).
# BENCH=offsets: answers and windows where one source's clock is off, four minutes.
# BENCH=media: what a 1080p frame costs in a worker, in process and by ffmpeg. BENCH=serving, or some of core, chat, chat_many, live, live_peer, idle, figures: only these. UPDATE_DOCS=1: a full
# run's table goes into docs/performance.md.
set -euo pipefail
cd "$(dirname "$0")/.."
[[ ${BENCH:-} != turns ]] || exec tools/turns/turns.sh
build=${BRAID_BENCH_BUILD:-build/release}
# shellcheck source=setup/lib.sh
source tools/setup/lib.sh

if [[ ${BENCH:-} == memory ]]; then
  step_total=1
  step "building the benchmark of memories" cmake --build "$build" --target braid_memory_bench
  sizes=(10000 100000)
  [[ -n ${QUICK:-} ]] || sizes+=(1000000)
  for records in "${sizes[@]}"; do
    "$build/bin/braid_memory_bench" "$records" 500 build/memory-bench
  done | tee build/memory.md
  exit
fi
if [[ ${BENCH:-} == media ]]; then
  step_total=1
  step "building the benchmark of media" cmake --build "$build" --target braid_media_cost
  exec python3 bench/media.py "$build/bin/braid_media_cost" build/media-bench
fi
if [[ ${BENCH:-} == offsets ]]; then
  /usr/bin/python3 bench/offsets.py --braid "$build/bin/braid" --out build/offsets.json \
    ${QUICK:+--scenes 12 --step 250} | tee build/offsets.md
  exit
fi
if [[ ${BENCH:-} == paths ]]; then
  /usr/bin/python3 bench/paths.py --braid "$build/bin/braid" ${QUICK:+--seconds 30} | tee build/paths.md
  exit
fi
if [[ ${BENCH:-} == clock ]]; then
  step_total=1
  step "building the benchmark of clocks" cmake --build "$build" --target braid_clock_bench
  exec "$build/bin/braid_clock_bench" ${QUICK:+20}
fi
step_total=2
step "building llama-server and llama-bench (once; about 10 minutes on 2 cores)" tools/setup/llama.sh --peers
step "building the benchmark programs" cmake --build "$build" --target braid braid_bench braid_frame_cost
model=$models/nano-q8_0.gguf
[[ -f $model ]] || die "the default model is missing: run 'make model', then this again."
quick=() takes="25 minutes"
[[ -z ${BENCH:-} ]] || takes="4 minutes a part"
[[ -z ${QUICK:-} ]] || { quick=(--quick) takes="5 minutes"; }
echo "measuring: about $takes on an idle machine of 2 cores" >&2
busy=$(awk '{ print $1 }' /proc/loadavg)
if awk -v busy="$busy" -v cores="$(nproc)" 'BEGIN { exit !(busy > 0.3 * cores) }'; then
  echo "warning: other programs keep $busy of $(nproc) cores busy: the figures will be worse and noisier than on an idle machine" >&2
fi
python3 bench/run.py --build "$build" --peers "$(tools/setup/llama.sh --peers)" --llama "$(tools/setup/llama.sh)" \
  --model "$model" --mmproj models/nano/mmproj-nano.gguf --work build/bench-work --out build/bench.json --parts "${BENCH:-}" "${quick[@]}"
if [[ -n ${UPDATE_DOCS:-} && -z ${QUICK:-} && -z ${BENCH:-} ]]; then
  python3 bench/update_docs.py build/bench.md docs/performance.md
fi
