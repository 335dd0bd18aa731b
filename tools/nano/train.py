"""Trains the encoders and the LoRA together.

train.py ASSETS BANK BASE.gguf STATE OUT [setting=value ...] [--config NAME] [--start GGUFS] [--until STEP] [--workers N]
         [--log FILE]

Runs from the step that STATE holds (0 where there is none) to --until or the configured last one, writes STATE (also every
500 steps), and float16 weights to OUT. Learning rate and data depend on the step alone, so a run can be cut anywhere.
"""
import argparse
import json
import math
from pathlib import Path
import time

import torch

from nano import checkpoint
from nano.base import read_weights
from nano.config import configured
from nano.encoders import TRAINING_HEADS
from nano.loader import Loader, read_bank, to_device
from nano.muon import Muon
from nano.model import Nano, Studio, losses_of
from nano.shipped import read_shipped

SHOW_EVERY = 50
MEASURE_EVERY = 5  # steps whose answers are counted
SAVE_EVERY = 500


def learning_rate(train, step, first):
    """Share of the full rate of what trains from step `first`: rising, then full, and a half cosine after the school."""
    rise = min(1.0, max(0, step + 1 - first) / train.warmup)
    part = max(0, step - train.school) / max(1, train.steps - train.school)
    return rise * (train.floor + (1 - train.floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, part))))


def make_optimizers(model, train, device):
    """Muon for the matrices inside the encoders, AdamW for all else."""
    model.ears.requires_grad_(bool(train.ears))
    encoders = [pair for pair in [*model.eyes.named_parameters(), *model.ears.named_parameters()] if pair[1].requires_grad]
    is_head = lambda name: name.split(".")[0] in TRAINING_HEADS
    inner = [p for name, p in encoders if train.muon and p.dim() == 2 and name.endswith("weight")
             and (name.startswith("blocks.") or name.startswith(("middle.", "conv_out.")))]
    matrices = {id(p) for p in inner}
    others = [(name, p) for name, p in encoders if id(p) not in matrices]
    rates = dict(rate=train.encoder_rate, weight_decay=train.weight_decay)
    groups = [dict(params=[p for name, p in others if not is_head(name)], first=train.heads, **rates),
              dict(params=[p for name, p in others if is_head(name)], first=0, **rates),
              dict(params=list(model.language.parameters()), rate=train.lora_rate, first=train.school, weight_decay=0.0)]
    fused = dict(fused=True) if device == "cuda" else {}
    adam = torch.optim.AdamW(groups, lr=train.encoder_rate, betas=(0.9, 0.98), eps=1e-8, **fused)
    return [adam] + ([Muon(inner, train.muon_rate, train.heads, weight_decay=train.weight_decay)] if inner else [])


def speed_up(model):
    """Compiled blocks and half-precision products, where the device has them."""
    torch.backends.cuda.enable_cudnn_sdp(False)  # it plans anew for each size of a batch
    torch._dynamo.config.cache_size_limit = 64
    for block in [*model.eyes.blocks, *model.ears.blocks]:
        block.compile(dynamic=True)
    for layer in model.language.layers:
        layer.before, layer.after = torch.compile(layer.before), torch.compile(layer.after)


class Meter:
    """Means of losses and, by kind of question, the share of answers that are right to the last token (taught)."""

    def __init__(self):
        self.sums = {}

    def add(self, name, value, count=1):
        entry = self.sums.setdefault(name, [0.0, 0])
        entry[0] = entry[0] + value
        entry[1] += count

    def add_answers(self, kinds, right):
        for kind, is_right in zip(kinds, right.tolist()):
            self.add(f"={kind}", is_right)

    def take(self):
        means = {name: float(total) / count for name, (total, count) in sorted(self.sums.items())}
        self.sums = {}
        return means


class Trainer:
    def __init__(self, config, model, studio, device):
        self.config, self.model, self.studio, self.device = config, model, studio, device
        self.optimizers = make_optimizers(model, config.train, device)
        self.meter = Meter()

    def step(self, step, batch):
        train = self.config.train
        groups = [group for optimizer in self.optimizers for group in optimizer.param_groups]
        for group in groups:
            group["lr"] = group["rate"] * learning_rate(train, step, group["first"])
        batch = to_device(batch, self.device)
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            losses, right = losses_of(self.model, self.studio, batch, train)
        sum(loss for name, loss in losses.items() if name[0] != "=").backward()
        for group in groups:
            torch.nn.utils.clip_grad_norm_([p for p in group["params"] if p.grad is not None], 1.0)
        for optimizer in self.optimizers:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        for name, loss in losses.items():
            self.meter.add(name, loss.detach())
        if right is not None and (step + 1) % MEASURE_EVERY == 0:
            self.meter.add_answers(batch["kinds"], right.cpu())


def load(arguments, device):
    """(trainer, bank, vocabulary) as the command line says."""
    config = configured(arguments.config, arguments.settings)
    torch.manual_seed(config.train.seed)
    bank, arrays = read_bank(arguments.assets, arguments.bank)
    vocabulary = json.loads(Path(arguments.assets, "text.json").read_text())
    model = Nano(config, read_weights(arguments.base)).to(device)
    if device == "cuda":
        speed_up(model)
    return Trainer(config, model, Studio(config, device=device, **arrays), device), bank, vocabulary


def run(arguments):
    began = time.time()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trainer, bank, vocabulary = load(arguments, device)
    config = trainer.config
    if arguments.start:
        values = read_shipped(arguments.start)[1]
        checkpoint.load_weights(trainer.model, {name: torch.from_numpy(value) for name, value in values.items()})
    first = checkpoint.load_state(arguments.state, trainer.model, trainer.optimizers, device)
    end = min(arguments.until or config.train.steps, config.train.steps)
    torch.manual_seed(config.train.seed + first)
    loader = Loader(vocabulary, bank, config, first, end, arguments.workers)
    log = open(arguments.log, "a") if arguments.log else None
    print(f"from step {first} to {end} on {device}, ready after {time.time() - began:.0f} s", flush=True)
    waited = 0.0
    for step in range(first, end):
        if arguments.seconds and time.time() - began > arguments.seconds:
            end = step
            break
        before = time.time()
        batch = loader.step()
        waited += time.time() - before
        trainer.step(step, batch)
        if (step + 1) % SHOW_EVERY == 0 or step + 1 == end or step < 3:
            means = trainer.meter.take()
            row = dict(step=step + 1, seconds=round(time.time() - began, 1), waited=round(waited, 1), **means)
            print(" ".join(f"{k} {v:.3g}" for k, v in row.items()), flush=True)
            if log:
                log.write(json.dumps(row) + "\n")
                log.flush()
        if (step + 1) % SAVE_EVERY == 0:
            checkpoint.save_state(arguments.state, step + 1, trainer.model, trainer.optimizers)
    loader.close()
    checkpoint.save_state(arguments.state, end, trainer.model, trainer.optimizers)
    checkpoint.save_weights(arguments.out, end, trainer.model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("assets", "bank", "base", "state", "out"):
        parser.add_argument(name)
    parser.add_argument("settings", nargs="*")
    parser.add_argument("--config", default="full")
    parser.add_argument("--until", type=int)
    parser.add_argument("--start", help="folder of mmproj-nano.gguf and lora-nano.gguf, whose weights a new run begins with")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, help="stop early, to go on later")
    parser.add_argument("--log")
    run(parser.parse_intermixed_args())
