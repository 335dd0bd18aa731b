#!/usr/bin/env python3
"""Writes what src/sync/turn_model_test.cpp compares with: features of Whisper's own extractor in `transformers`, and Smart
Turn's probability by ONNX Runtime, of the sample utterances.

    pip install numpy transformers onnxruntime
    python3 tools/turns/reference.py ~/.cache/braid/models/smart-turn-v3.2-cpu.onnx src/sync/turn_reference.txt

A line each: file, samples taken from its start, probability, and the features of every 97th of the [80][800].
"""

import pathlib
import sys
import wave

import numpy
import onnxruntime
import transformers

SAMPLES = pathlib.Path(__file__).parents[2] / "models/nano/samples"
CASES = [("utterance1.wav", 32000), ("utterance2.wav", 16000), ("utterance3.wav", 24000), ("utterance4.wav", 45000)]


def main():
    model, out = sys.argv[1:]
    extract = transformers.WhisperFeatureExtractor(chunk_length=8)
    session = onnxruntime.InferenceSession(model)
    lines = []
    for name, count in CASES:
        with wave.open(str(SAMPLES / name)) as file:
            sound = numpy.frombuffer(file.readframes(count), dtype="<i2").astype(numpy.float32) / 32768
        padded = numpy.pad(sound, (8 * 16000 - len(sound), 0))
        features = extract(padded, sampling_rate=16000, padding="max_length", max_length=8 * 16000, do_normalize=True,
                           return_tensors="np").input_features
        probability = session.run(None, {"input_features": features.astype(numpy.float32)})[0].item()
        lines.append(f"{name} {len(sound)} {probability:.5f} " + " ".join(f"{value:.5f}" for value in features.reshape(-1)[::97]))
    pathlib.Path(out).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
