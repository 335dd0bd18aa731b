"""Trains nano-w's projector: whisper-base's encoder before the shipped eyes and language model, which all stay as they are.

train_w.py ASSETS BANK BASE.gguf SHIPPED WHEEL1 WHEEL2 OUT [setting=value ...] [--steps N] [--rank R] [--workers N]
SHIPPED is the folder of mmproj-nano.gguf and lora-nano.gguf. Writes OUT/projector.npz. First the rows learn to be those that
the shipped ears give, then answers about them to be right. With --rank a small adapter of the language model learns too.
"""
import argparse
import json
import math
from pathlib import Path
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

from nano import sounds, train
from nano.base import read_weights
from nano.config import configured
from nano.encoders import ROW
from nano.language import LINEAR
from nano.layers import Packed
from nano.loader import Loader, read_bank, to_device
from nano.model import Nano, Studio
from nano.muon import Muon
from nano.sequences import Builder
from nano.shipped import read_shipped
from nano.whisper import Projector, Whisper
from nano.whisper_file import MIDDLE, SAMPLES_A_ROW, read_encoder, rows_of

# Sounds to write down or to answer, alone and in timelines of up to eight pictures; no sequences of the other kinds.
SETTINGS = ("train.school=0", "train.short_signs=0", "train.drop_share=0", "train.sign_share=0.05", "batch.audio=24000",
            "batch.timeline=8000", "batch.vision=0", "batch.long=0", "batch.text=0")
RATE, ADAPTER_RATE = 1e-3, 4e-4
WARMUP, FLOOR = 60, 0.02
SHOW_EVERY, SAVE_EVERY, MEASURE_EVERY = 25, 250, 5


class Wide(nn.Module):
    """The shipped model, frozen, and beside its ears whisper's with the projector that trains."""

    def __init__(self, base, shipped, wheels, rank=0, middle=MIDDLE):
        super().__init__()
        config, values = read_shipped(shipped)
        self.nano = Nano(config, read_weights(base))
        self.nano.load_state_dict({name: torch.from_numpy(value) for name, value in values.items()}, strict=False)
        self.whisper = Whisper().load(read_encoder(wheels))
        for parameter in self.parameters():
            parameter.requires_grad_(False)
        for layer in self.nano.language.layers:
            self._merge(layer, rank)
        self.projector, self.adapted = Projector(middle), rank > 0

    @staticmethod
    def _merge(layer, rank):
        """The shipped adapter goes into the weights, as at set-up; with a rank, a new one that trains takes its place."""
        for name in LINEAR:
            weight, a, b = (getattr(layer, f"{part}_{name}") for part in "wab")
            weight.add_(b @ a)
            if rank:
                setattr(layer, f"a_{name}", nn.Parameter(torch.randn(rank, weight.shape[1]) / math.sqrt(weight.shape[1])))
                setattr(layer, f"b_{name}", nn.Parameter(torch.zeros(weight.shape[0], rank)))

    def trained(self):
        return {name: parameter for name, parameter in self.named_parameters() if parameter.requires_grad}

    def hear(self, mel, frames, rows):
        """rows [n, longest + 2, ROW]"""
        with torch.no_grad():
            places = self.whisper(mel, frames)
        return self.projector(places, rows)


class WideBuilder(Builder):
    """`glma` writes no marks around sound: its first and last rows stand for them."""
    MARKS = ("", "")

    @staticmethod
    def sound_rows(samples):
        return rows_of(samples) + 2


class WideStudio(Studio):
    @torch.no_grad()
    def heard(self, numbers):
        """For whisper the log-mel of whole rows, its frames and rows; for our ears the undisturbed one and its frames."""
        with torch.autocast(numbers.device.type, enabled=False):
            sound, total = self.mix(numbers)
            rows = rows_of(total)
            mel, frames = self.log_mel(sound, rows * SAMPLES_A_ROW)
            return sounds.colored(mel, numbers), frames, rows, *self.log_mel(sound, total)


def alike_loss(model, heard, rows, mel, frames):
    """How far the rows are from those of the shipped ears, as a share of these."""
    with torch.no_grad():
        taught, valid, _ = model.nano.ears(mel, frames)
    length = min(taught.shape[1], heard.shape[1] - 2)
    inside = (torch.arange(length, device=heard.device)[None] < torch.minimum(valid, rows)[:, None])[..., None]
    taught = taught[:, :length].float() * inside
    return (heard[:, 1:1 + length].float() * inside - taught).square().sum() / taught.square().sum()


def answer_loss(model, studio, batch, heard):
    """(loss, whether each answer's tokens are all the most likely ones)"""
    language = model.nano.language
    rows = language.embed(batch["ids"])
    if rows.is_cuda:
        rows = rows.to(torch.bfloat16)
    if "scenes" in batch:
        with torch.no_grad():
            seen = model.nano.eyes(studio.pictures(batch["scenes"]))[0]
        rows = rows.index_copy(0, batch["row_to"], seen.reshape(-1, ROW)[batch["row_from"]].to(rows.dtype))
    place = torch.arange(heard.shape[1], device=heard.device)[None]
    inside = place < batch["slots"][:, 1:]
    rows = rows.index_copy(0, (batch["slots"][:, :1] + place)[inside], heard[inside].to(rows.dtype))
    hidden = language.hidden(rows, batch["position"], Packed(batch["offsets"]), adapted=model.adapted)
    before = (batch["owner"][1:] > 0).nonzero()[:, 0]
    logits, label = language.logits(hidden[before]), batch["ids"][before + 1]
    with torch.no_grad():
        wrong = torch.zeros(len(batch["kinds"]), device=rows.device)
        wrong.index_add_(0, batch["owner"][before + 1] - 1, (logits.argmax(-1) != label).float())
    return F.cross_entropy(logits, label), wrong == 0


def make_optimizers(model):
    """Muon for the projector's two matrices, AdamW for all else."""
    matrices = {"projector.middle.weight", "projector.out.weight"}
    pick = lambda wanted: [p for name, p in model.trained().items() if wanted(name)]
    groups = [dict(params=pick(lambda name: name.startswith("projector.") and name not in matrices), rate=RATE)]
    if model.adapted:
        groups.append(dict(params=pick(lambda name: not name.startswith("projector.")), rate=ADAPTER_RATE, weight_decay=0.0))
    return [torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), weight_decay=0.01),
            Muon(pick(matrices.__contains__), RATE, weight_decay=0.01)]


def learning_rate(step, steps):
    return min(1.0, (step + 1) / WARMUP) * (FLOOR + (1 - FLOOR) * 0.5 * (1 + math.cos(math.pi * step / steps)))


def save(model, out):
    Path(out).mkdir(parents=True, exist_ok=True)
    np.savez(f"{out}/projector.npz", **{name: p.detach().cpu().numpy() for name, p in model.trained().items()})


class Trainer:
    def __init__(self, model, studio, alike, device):
        self.model, self.studio, self.alike, self.device = model, studio, alike, device
        self.optimizers, self.meter = make_optimizers(model), train.Meter()
        self.groups = [group for optimizer in self.optimizers for group in optimizer.param_groups]

    def losses(self, step, batch):
        mel, frames, rows, *plain = self.studio.heard(batch["sounds"])
        heard = self.model.hear(mel, frames, rows)
        if step < self.alike:
            return "alike", alike_loss(self.model, heard, rows, *plain)
        loss, right = answer_loss(self.model, self.studio, batch, heard)
        if step % MEASURE_EVERY == 0:
            self.meter.add_answers(batch["kinds"], right.cpu())
        return "answer", loss

    def step(self, step, steps, batch):
        for group in self.groups:
            group["lr"] = group["rate"] * learning_rate(step, steps)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            name, loss = self.losses(step, to_device(batch, self.device))
        loss.backward()
        self.meter.add(name, loss.detach())
        for group in self.groups:
            torch.nn.utils.clip_grad_norm_([p for p in group["params"] if p.grad is not None], 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)


def run(arguments):
    began, device = time.time(), "cuda" if torch.cuda.is_available() else "cpu"
    config = configured("full", (*SETTINGS, *arguments.settings))
    torch.manual_seed(config.train.seed)
    bank, arrays = read_bank(arguments.assets, arguments.bank)
    vocabulary = json.loads(Path(arguments.assets, "text.json").read_text())
    model = Wide(arguments.base, arguments.shipped, (arguments.wheel1, arguments.wheel2), arguments.rank).to(device)
    if device == "cuda":
        train.speed_up(model.nano)
    trainer = Trainer(model, WideStudio(config, device=device, **arrays), arguments.alike, device)
    loader = Loader(vocabulary, bank, config, 0, arguments.steps, arguments.workers, WideBuilder)
    for step in range(arguments.steps):
        trainer.step(step, arguments.steps, loader.step())
        if (step + 1) % SHOW_EVERY == 0:
            means = trainer.meter.take()
            print(f"step {step + 1} seconds {time.time() - began:.0f} " + " ".join(f"{k} {v:.3g}" for k, v in means.items()), flush=True)
        if (step + 1) % SAVE_EVERY == 0 or step + 1 == arguments.steps:
            save(model, arguments.out)
    loader.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("assets", "bank", "base", "shipped", "wheel1", "wheel2", "out"):
        parser.add_argument(name)
    parser.add_argument("settings", nargs="*")
    parser.add_argument("--steps", type=int, default=3450)
    parser.add_argument("--alike", type=int, default=200, help="first steps, in which the rows learn to be our ears'")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--workers", type=int, default=14)
    run(parser.parse_intermixed_args())
