"""python3 -m models OUT: tiny models of random weights, NAME.gguf and NAME-mmproj.gguf of each family.

They say nothing sensible; they take llama.cpp's code paths of the real ones. Same bytes every time.
"""
from pathlib import Path
import sys

from models import encoders, language

PAIRS = {  # name: (language model, parts of its mmproj)
    "text": (language.plain("llama"), ()),
    "text-q8_0": (language.plain("qwen3", kind="q8_0", head_norms=True), ()),
    "sliding": (language.gemma("gemma2", head_norms=False), ()),
    "llava": (language.plain("llama"), (encoders.llava,)),
    "smolvlm": (language.plain("llama"), (encoders.idefics3,)),
    "internvl": (language.plain("qwen2", bias=True), (encoders.internvl,)),
    "gemma3": (language.gemma("gemma3", head_norms=True), (encoders.gemma3,)),
    "qwen2.5vl": (language.qwen2vl, (encoders.qwen25vl,)),
    "qwen3vl": (language.qwen3vl, (encoders.qwen3vl,)),
    "lfm2vl": (language.lfm2, (encoders.lfm2,)),
    "ultravox": (language.plain("llama"), (encoders.ultravox,)),
    "qwen2audio": (language.plain("qwen2", bias=True), (encoders.qwen2a,)),
    "voxtral": (language.plain("llama"), (encoders.voxtral,)),
    "qwen2.5omni": (language.qwen2vl, (encoders.qwen25o,)),
}


def main(out):
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    for seed, (name, (model, parts)) in enumerate(PAIRS.items(), 1):
        model(f"tiny {name}", 2 * seed).write(out / f"{name}.gguf")
        if parts:
            encoders.encoder(*parts)(f"tiny {name}", language.DIM, 2 * seed + 1).write(out / f"{name}-mmproj.gguf")


if __name__ == "__main__":
    main(sys.argv[1])
