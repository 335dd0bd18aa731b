"""Shapes and sizes of the model and of its training, in one place.

`FULL` is the model that is shipped, `TINY` runs the same code on a CPU in seconds. Any field can be set from a command
line: `vision.merge=2 batch.vision=64`.
"""
import dataclasses
from dataclasses import dataclass, field


@dataclass
class Vision:
    """A ViT over square patches whose outputs are merged `merge` x `merge` into rows of the language model."""
    image: int = 320    # pixels a side; libmtmd pads the picture to a square and scales it to this
    patch: int = 16     # pixels a side
    merge: int = 5      # patches a side of one row
    width: int = 256
    layers: int = 8
    heads: int = 4
    hidden: int = 1024  # of the feed-forward layers
    middle: int = 1024  # of the projector

    @property
    def grid(self):
        """Patches a side."""
        return self.image // self.patch

    @property
    def cells(self):
        """Rows a side."""
        return self.grid // self.merge

    @property
    def rows(self):
        """Rows of the language model that one picture takes."""
        return self.cells ** 2


@dataclass
class Audio:
    """Three convolutions of stride 2 over log-mel frames of 10 ms, then a transformer: one row each 80 ms."""
    mels: int = 80
    channels: tuple = (32, 64, 128)
    width: int = 320
    layers: int = 8
    heads: int = 5
    hidden: int = 1280


@dataclass
class Batch:
    """One step. While the encoders train alone: how many pictures and sounds. Later: tokens by kind of sequence."""
    school: tuple = (448, 224)
    vision: int = 23000
    audio: int = 17500
    timeline: int = 13500
    long: int = 9000
    text: int = 2500
    longest: int = 1536  # tokens of one sequence
    more: int = 0        # pictures beside the sequences, for the eyes' own losses

    @property
    def tokens(self):
        return self.vision + self.audio + self.timeline + self.long + self.text


@dataclass
class Train:
    heads: int = 0                # first steps, in which only what is never exported trains: where the rest is trained
    school: int = 1000            # first steps, in which the encoders train alone
    steps: int = 2400             # in all
    warmup: int = 60              # steps of rising learning rate, of the encoders and later of the LoRA
    ears: int = 1                 # 0: they stay as they are
    encoder_rate: float = 1e-3
    lora_rate: float = 6e-4
    muon: int = 1                 # 0: AdamW for the encoders' inner matrices too
    muon_rate: float = 1e-3
    weight_decay: float = 0.03
    floor: float = 0.02           # of the learning rate at the end, as a share
    seed: int = 1
    short_signs: float = 0.5      # share of the steps in which signs are one word or number
    reader_weight: float = 1.0    # loss that reads signs off the merged rows; 0: none
    letter_weight: float = 100.0  # loss that names the letter in each patch
    cell_weight: float = 50.0     # loss that names the things in each row's cell
    ctc_weight: float = 0.5       # loss that spells speech at 50 Hz
    text_weight: float = 1.0      # loss that holds plain chat to the base model's
    sign_share: float = 0.4       # pictures with a sign
    school_signs: float = 0.65    # and while the encoders train alone
    drop_share: float = 0.3       # pictures without a sign that lose a random part of their rows, at most half


@dataclass
class Config:
    name: str = "full"
    vision: Vision = field(default_factory=Vision)
    audio: Audio = field(default_factory=Audio)
    batch: Batch = field(default_factory=Batch)
    train: Train = field(default_factory=Train)
    lora_rank: int = 32
    layers: int = 0  # of the language model that run, 0: all (the tiny configuration leaves it whole)
    signs: int = 40000  # texts drawn for signs
    utterances: int = 60000  # in the bank of speech
    music: int = 800         # sounds in it that are no speech


FULL = Config()
# A second run, from the files of the first (`train --start`): signs are spelled, and the eyes learn more letters. The ears
# stay, so that nano-w's projector, which was trained to the same language model, still fits.
SECOND = Config(
    name="second",
    batch=Batch(school=(512, 0), vision=24500, audio=9500, timeline=15500, long=10000, text=6000, more=384),
    train=Train(heads=120, school=600, steps=1700, ears=0, encoder_rate=7e-4, lora_rate=5e-4, muon_rate=7e-4, floor=0.0,
                seed=2, reader_weight=2.0, short_signs=0.42, text_weight=2.0, sign_share=0.5, school_signs=0.8),
    signs=60000, utterances=30000)
TINY = Config(
    name="tiny",
    vision=Vision(image=64, patch=16, merge=2, width=64, layers=2, heads=2, hidden=128, middle=128),
    audio=Audio(channels=(8, 8, 16), width=64, layers=2, heads=2, hidden=128),
    batch=Batch(school=(4, 2), vision=150, audio=150, timeline=250, long=0, text=80),
    train=Train(school=3, steps=10, warmup=2),
    lora_rank=4, signs=64, utterances=40, music=4)


def _parse(old, text):
    if isinstance(old, tuple):
        return tuple(int(part) for part in text.split(","))
    return type(old)(text)


def configured(name, settings=()):
    """The configuration `name` with `section.field=value` settings applied."""
    config = {"full": FULL, "second": SECOND, "tiny": TINY}[name]
    for setting in settings:
        path, value = setting.split("=")
        *section, key = path.split(".")
        if section:
            part = getattr(config, section[0])
            part = dataclasses.replace(part, **{key: _parse(getattr(part, key), value)})
            config = dataclasses.replace(config, **{section[0]: part})
        else:
            config = dataclasses.replace(config, **{key: _parse(getattr(config, key), value)})
    return config


def as_dict(config):
    return dataclasses.asdict(config)


def from_dict(values):
    parts = dict(vision=Vision, audio=Audio, batch=Batch, train=Train)
    tuples = lambda d: {k: tuple(v) if isinstance(v, list) else v for k, v in d.items()}
    return Config(**{k: parts[k](**tuples(v)) if k in parts else v for k, v in values.items()})
