"""Whether training learns at all: the tiny model's losses on one batch must fall when it is shown that batch again; and
whether an answer's sign is spelled and reads the same.

fits.py ASSETS BANK BASE.gguf OUT [--config NAME] [setting=value ...]: writes the weights that it ends with. Exits 1 if
a loss did not fall.
"""
import argparse
import sys

from nano import checkpoint, train
from nano.base import Tokenizer
from nano.loader import step_batch
from nano.sequences import Builder, answer_ids

ROUNDS = 5
FALL = dict(school=("cell", "letter", "ctc", "reader"), joint=("answer",))  # what must fall in which batch


def spells(tokenizer):
    """Whether each character of an answer's sign is a token, and the tokens are the answer's text."""
    text, sign = 'I see a cat. The sign says "EXIT now 42".', "EXIT now 42"
    ids = answer_ids(tokenizer, text)
    alone = [tokenizer.decode([one]) for one in ids]
    return tokenizer.decode(ids) == text and any(alone[i:i + len(sign)] == list(sign) for i in range(len(alone)))


def main(arguments):
    trainer, bank, vocabulary = train.load(arguments, "cpu")
    config = trainer.config
    tokenizer = Tokenizer(vocabulary)
    builder = Builder(tokenizer, bank, config.vision.rows)
    ok = spells(tokenizer)
    print(f"signs are {'' if ok else 'not '}spelled")
    for stage, step in (("school", 0), ("joint", config.train.school)):
        batch, seen = step_batch(builder, config, step), []
        for _ in range(ROUNDS):
            trainer.step(step + config.train.warmup, batch)
            seen.append(trainer.meter.take())
        for name in FALL[stage]:
            first, last = seen[0][name], seen[-1][name]
            print(f"{stage}: {name} {first:.3f} -> {last:.3f}")
            ok &= last < first
    checkpoint.save_weights(arguments.out, step, trainer.model)
    return 0 if ok else 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("assets", "bank", "base", "out"):
        parser.add_argument(name)
    parser.add_argument("settings", nargs="*")
    parser.add_argument("--config", default="tiny")
    sys.exit(main(parser.parse_intermixed_args()))
