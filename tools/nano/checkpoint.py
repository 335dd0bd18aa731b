"""What training made, on disk: a full state to go on from, and half-precision weights in parts of 15 MB."""
import json
import os
from pathlib import Path

import numpy as np
import torch

from nano.config import as_dict, from_dict
from nano.encoders import TRAINING_HEADS

PART = 15_000_000  # bytes


def is_exported(name):
    return not any(f".{head}." in name for head in TRAINING_HEADS)


def save_state(path, step, model, optimizers):
    state = dict(step=step, model={n: p.detach() for n, p in model.trained().items()},
                 optimizers=[o.state_dict() for o in optimizers])
    torch.save(state, f"{path}.new")
    os.replace(f"{path}.new", path)


def load_state(path, model, optimizers, device):
    """The step to go on with; 0 where there is no state."""
    if not os.path.exists(path):
        return 0
    state = torch.load(path, map_location=device)
    load_weights(model, state["model"])
    for optimizer, values in zip(optimizers, state["optimizers"]):
        optimizer.load_state_dict(values)
    return state["step"]


def load_weights(model, values):
    trained = model.trained()
    with torch.no_grad():
        for name, value in values.items():
            trained[name].copy_(value)


def save_weights(folder, step, model):
    """index.json says what lies where in weights0.bin, weights1.bin, ... (float16, end to end)."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    index, blob, at = [], [], 0
    for name, parameter in model.trained().items():
        if is_exported(name):
            values = parameter.detach().cpu().numpy().astype(np.float16)
            index.append(dict(name=name, shape=list(values.shape), at=at))
            blob.append(values.tobytes())
            at += values.size
    data = b"".join(blob)
    for i in range(0, len(data), PART):
        (folder / f"weights{i // PART}.bin").write_bytes(data[i:i + PART])
    (folder / "index.json").write_text(json.dumps(dict(step=step, config=as_dict(model.config), index=index)))


def read_weights(folder):
    """(config, step, {name: float32 array})"""
    folder = Path(folder)
    meta = json.loads((folder / "index.json").read_text())
    parts = sorted(folder.glob("weights*.bin"), key=lambda path: int(path.stem[7:]))
    blob = np.frombuffer(b"".join(path.read_bytes() for path in parts), np.float16)
    values = {}
    for entry in meta["index"]:
        size = int(np.prod(entry["shape"]))
        values[entry["name"]] = blob[entry["at"]:entry["at"] + size].astype(np.float32).reshape(entry["shape"])
    return from_dict(meta["config"]), meta["step"], values
