"""Trains the encoders and the LoRA together.

train.py ASSETS BANK BASE.gguf STATE OUT [setting=value ...] [--config NAME] [--until STEP] [--workers N] [--log FILE]

Runs from the step that STATE holds (0 where there is none) to --until or the configured last one, writes STATE, and
float16 weights to OUT. Learning rate and data depend on the step alone, so a run can be cut anywhere.
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
from nano.loader import Loader, read_bank, to_device
from nano.model import Nano, Studio, answer_loss, prompt_rows, text_loss

WEIGHT = dict(vision=1.0, audio=1.0, timeline=0.7, long=0.4, text=0.5)
SHOW_EVERY = 50


def learning_rate(train, step):
    """Share of the full rate: rising, then a half cosine down to the floor."""
    rise = min(1.0, (step + 1) / (2 * train.warmup))
    return rise * (train.floor + (1 - train.floor) * 0.5 * (1 + math.cos(math.pi * min(1.0, step / train.steps))))


def make_optimizer(model, train, device):
    groups = [dict(params=list(model.eyes.parameters()), rate=train.encoder_rate, weight_decay=train.weight_decay),
              dict(params=list(model.ears.parameters()), rate=train.encoder_rate, weight_decay=train.weight_decay),
              dict(params=list(model.language.parameters()), rate=train.lora_rate, weight_decay=0.0)]
    fused = dict(fused=True) if device == "cuda" else {}
    return torch.optim.AdamW(groups, lr=train.encoder_rate, betas=(0.9, 0.98), eps=1e-8, **fused)


def speed_up(model):
    """Compiled blocks and half-precision products, where the device has them."""
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.backends.cudnn.allow_tf32 = True
    torch._dynamo.config.cache_size_limit = 64
    for layer in model.language.layers:
        layer.compile(dynamic=False)
    for block in [*model.eyes.blocks, *model.ears.blocks]:
        block.compile(dynamic=True)


class Meter:
    """Means of losses and, by kind of question, the share of answers that are right to the last token (taught)."""

    def __init__(self):
        self.sums = {}

    def add(self, name, value, count=1):
        entry = self.sums.setdefault(name, [0.0, 0])
        entry[0] = entry[0] + value
        entry[1] += count

    def add_answers(self, kinds, right):
        for kind in set(kinds):
            mine = torch.tensor([k == kind for k in kinds], device=right.device)
            self.add(f"={kind}", (right & mine).sum(), sum(k == kind for k in kinds))

    def take(self):
        means = {name: float(total) / count for name, (total, count) in sorted(self.sums.items())}
        self.sums = {}
        return means


class Trainer:
    def __init__(self, config, model, studio, device):
        self.config, self.model, self.studio, self.device = config, model, studio, device
        self.optimizer = make_optimizer(model, config.train, device)
        self.meter = Meter()

    def _loss(self, batch):
        if batch["kind"] == "text":
            loss, right = text_loss(self.model, batch)
            self.meter.add("text", loss.detach())
            return loss
        rows, losses = prompt_rows(self.model, self.studio, batch, self.config.train)
        losses[batch["kind"]], right = answer_loss(self.model, batch, rows)
        for name, loss in losses.items():
            self.meter.add(name, loss.detach())
        self.meter.add_answers(batch["kinds"], right)
        return sum(losses.values())

    def step(self, step, batches):
        for group in self.optimizer.param_groups:
            group["lr"] = group["rate"] * learning_rate(self.config.train, step)
        for batch in batches:
            moved = to_device(batch, self.device)
            with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
                loss = self._loss(moved) * WEIGHT[batch["kind"]]
            loss.backward()
        for group in self.optimizer.param_groups:
            torch.nn.utils.clip_grad_norm_([p for p in group["params"] if p.grad is not None], 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)


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
    first = checkpoint.load_state(arguments.state, trainer.model, [trainer.optimizer], device)
    end = min(arguments.until or config.train.steps, config.train.steps)
    torch.manual_seed(config.train.seed + first)
    loader = Loader(vocabulary, bank, config, first, end, arguments.workers)
    log = open(arguments.log, "a") if arguments.log else None
    print(f"from step {first} to {end} on {device}, ready after {time.time() - began:.0f} s", flush=True)
    waited = 0.0
    for step in range(first, end):
        before = time.time()
        batches = loader.step()
        waited += time.time() - before
        trainer.step(step, batches)
        if (step + 1) % SHOW_EVERY == 0 or step + 1 == end or step < 3:
            means = trainer.meter.take()
            row = dict(step=step + 1, seconds=round(time.time() - began, 1), waited=round(waited, 1), **means)
            print(" ".join(f"{k} {v:.3g}" for k, v in row.items()), flush=True)
            if log:
                log.write(json.dumps(row) + "\n")
                log.flush()
    loader.close()
    checkpoint.save_state(arguments.state, end, trainer.model, [trainer.optimizer])
    checkpoint.save_weights(arguments.out, end, trainer.model)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("assets", "bank", "base", "state", "out"):
        parser.add_argument(name)
    parser.add_argument("settings", nargs="*")
    parser.add_argument("--config", default="full")
    parser.add_argument("--until", type=int)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--log")
    run(parser.parse_intermixed_args())
