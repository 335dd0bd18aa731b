"""Batches from worker processes, in an order that does not depend on how many there are."""
import json
import multiprocessing
from pathlib import Path

import numpy as np
import torch

from nano import signs
from nano.base import Tokenizer
from nano.sequences import Bank, Builder, step_rng

KINDS = ("vision", "audio", "timeline", "long", "text")
AHEAD = 3  # steps that a worker prepares


def read_bank(assets, folder):
    """(Bank, arrays of the studio by name)"""
    assets, folder = Path(assets), Path(folder)
    drawn = json.loads((folder / "signs.json").read_text())
    sprites = dict(np.load(assets / "sprites.npz"))
    offsets = np.load(folder / "offsets.npy")
    plain = json.loads((folder / "plain.json").read_text())
    bank = Bank(drawn["texts"], drawn["short"], json.loads((folder / "sound.json").read_text()), np.diff(offsets),
                [bool(t) for t in sprites["tintable"]], plain)
    tensor = lambda name: torch.from_numpy(np.load(folder / name))
    return bank, dict(sprites=sprites, sign_bank=tensor("signs.npy"), letters=tensor("letters.npy"),
                      characters=torch.from_numpy(signs.characters(drawn["texts"])),
                      sound_bank=tensor("sound.npy"), offsets=torch.from_numpy(offsets))


def step_batch(builder, config, step):
    """The batch of one step, as arrays."""
    train, batch = config.train, config.batch
    builder.use_signs(train.school <= step < train.short_signs * train.steps)
    rng = step_rng(train.seed, step)
    if step < train.school:
        return builder.school(rng, *batch.school)
    return builder.batch(rng, {kind: getattr(batch, kind) for kind in KINDS}, batch.tokens, batch.longest, batch.more)


def _work(queue, vocabulary, bank, config, steps, make):
    torch.set_num_threads(1)
    builder = make(Tokenizer(vocabulary), bank, config.vision.rows, config.train.drop_share, config.train.sign_share,
                   config.train.school_signs)
    for step in steps:
        queue.put(step_batch(builder, config, step))


class Loader:
    """Gives the batches of steps `first`, `first` + 1, ... up to `end`."""

    def __init__(self, vocabulary, bank, config, first, end, workers, make=Builder):
        self.queues = [multiprocessing.Queue(AHEAD) for _ in range(workers)]
        self.workers = [multiprocessing.Process(target=_work, daemon=True, args=(
            queue, vocabulary, bank, config, range(first + i, end, workers), make)) for i, queue in enumerate(self.queues)]
        for worker in self.workers:
            worker.start()
        self.next = 0

    def step(self):
        queue = self.queues[self.next % len(self.queues)]
        self.next += 1
        return queue.get()

    def close(self):
        for worker in self.workers:
            worker.terminate()


def to_device(batch, device):
    """Numpy arrays become tensors there; `owner` and indices as int64."""
    moved = {}
    for name, value in batch.items():
        if isinstance(value, np.ndarray):
            tensor = torch.from_numpy(value).to(device, non_blocking=True)
            value = tensor if tensor.is_floating_point() else tensor.long()
        moved[name] = value
    return moved
