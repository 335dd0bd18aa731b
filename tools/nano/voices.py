"""Speech synthesis: libespeak-ng and libflite in this process, festival as a program. All give int16 at 16 kHz.

NANO_ROOT names a folder that the packages were unpacked into, where they are not installed.
"""
import ctypes
import os
from pathlib import Path
import subprocess
import tempfile
import wave

import numpy as np

ROOT = os.environ.get("NANO_ROOT", "")
RATE = 16000
ACCENTS = ("en-us", "en-us", "en-us", "en", "en-gb-scotland", "en-gb-x-gbclan", "en-gb-x-gbcwmd", "en-029")
VARIANTS = ("", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "f1", "f2", "f3", "f4", "Annie", "Gene", "Lee", "Michael",
            "anikaRobot", "norbert", "belinda", "linda", "steph", "grandma", "klatt", "klatt2", "pablo", "max", "Denis",
            "edward", "iven")
FLITE = ("slt", "rms", "awb")
FESTIVAL = ("ked_diphone", "cmu_us_slt_arctic_hts")
# Never in training: an accent and variant of a known synthesiser, and another speaker of an old diphone one.
HELD_ESPEAK = "en-gb-x-rp+f5"
HELD_FLITE = "kal16"


def resampled(samples, rate):
    """Linear interpolation after a short low-pass."""
    if rate == RATE:
        return samples
    x = samples.astype(np.float32)
    if rate > RATE:
        kernel = np.sinc(np.arange(-8, 9) * RATE / rate * 0.95) * np.hamming(17)
        x = np.convolve(x, kernel / kernel.sum(), "same")
    n = int(len(x) * RATE / rate)
    return np.interp(np.arange(n) * (rate / RATE), np.arange(len(x)), x).clip(-32768, 32767).astype(np.int16)


class Espeak:
    SYNCHRONOUS = 2
    PARAMETERS = dict(rate=1, pitch=3, range=4)

    def __init__(self):
        self.library = ctypes.CDLL("libespeak-ng.so.1")
        data = f"{ROOT}/usr/lib/x86_64-linux-gnu" if ROOT else None
        self.rate = self.library.espeak_Initialize(self.SYNCHRONOUS, 0, data.encode() if data else None, 0)
        if self.rate <= 0:
            raise OSError("espeak-ng finds no data: install espeak-ng-data")
        self.pieces = []
        callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        self.callback = callback(self._take)
        self.library.espeak_SetSynthCallback(self.callback)
        self.voice = None

    def _take(self, samples, count, _):
        if samples and count > 0:
            self.pieces.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def speak(self, text, voice, rate=165, pitch=50, spread=50):
        if voice != self.voice:
            if self.library.espeak_SetVoiceByName(voice.encode()) != 0:
                raise ValueError(f"espeak-ng has no voice {voice}")
            self.voice = voice
        for number, value in zip(self.PARAMETERS.values(), (rate, pitch, spread)):
            self.library.espeak_SetParameter(number, int(value), 0)
        self.pieces.clear()
        data = text.encode()
        self.library.espeak_Synth(data, len(data) + 1, 0, 0, 0, 1, None, None)
        return resampled(np.concatenate(self.pieces) if self.pieces else np.zeros(1600, np.int16), self.rate)


class _Wave(ctypes.Structure):
    _fields_ = [("type", ctypes.c_char_p), ("sample_rate", ctypes.c_int), ("num_samples", ctypes.c_int),
                ("num_channels", ctypes.c_int), ("samples", ctypes.POINTER(ctypes.c_short))]


class Flite:
    def __init__(self):
        self.library = ctypes.CDLL("libflite.so.1", mode=ctypes.RTLD_GLOBAL)
        self.library.flite_init()
        self.library.flite_text_to_wave.restype = ctypes.POINTER(_Wave)
        self.library.flite_text_to_wave.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        self.voices = {}

    def _voice(self, name):
        if name not in self.voices:
            register = getattr(ctypes.CDLL(f"libflite_cmu_us_{name}.so.1"), f"register_cmu_us_{name}")
            register.restype, register.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
            self.voices[name] = register(None)
        return self.voices[name]

    def speak(self, text, voice):
        spoken = self.library.flite_text_to_wave(text.encode(), self._voice(voice))
        samples = np.ctypeslib.as_array(spoken.contents.samples, (spoken.contents.num_samples,)).copy()
        rate = spoken.contents.sample_rate
        self.library.delete_wave(spoken)
        return resampled(samples, rate)


def read_wav(path):
    with wave.open(str(path)) as sound:
        return resampled(np.frombuffer(sound.readframes(sound.getnframes()), np.int16), sound.getframerate())


def write_wav(path, samples):
    with wave.open(str(path), "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(samples.astype(np.int16).tobytes())


def festival(texts, voice):
    """All texts in one run of the program: its start costs more than a sentence."""
    with tempfile.TemporaryDirectory() as folder:
        script = [f"(voice_{voice})"]
        for i, text in enumerate(texts):
            script.append(f'(utt.save.wave (utt.synth (Utterance Text "{text}")) "{folder}/{i}.wav" \'riff)')
        Path(folder, "say.scm").write_text("\n".join(script))
        program = f"{ROOT}/usr/bin/festival" if ROOT else "festival"
        subprocess.run([program, "-b", f"{folder}/say.scm"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return [read_wav(f"{folder}/{i}.wav") for i in range(len(texts))]


def trimmed(samples, quiet=60, keep=800):
    loud = np.flatnonzero(np.abs(samples) > quiet)
    return samples[max(0, loud[0] - keep):loud[-1] + keep] if len(loud) else samples


class Speaker:
    """Says a text in a random voice of training, or in a held-out one."""

    def __init__(self):
        self.espeak, self.flite = Espeak(), Flite()

    def say(self, rng, text, held=None):
        """held: None, 'espeak' or 'flite'. Returns (samples, name of the voice)."""
        if held == "espeak":
            voice = HELD_ESPEAK
            samples = self.espeak.speak(text, voice, rng.randint(140, 185), rng.randint(35, 65))
        elif held == "flite":
            voice = f"flite-{HELD_FLITE}"
            samples = self.flite.speak(text, HELD_FLITE)
        elif rng.random() < 0.14:
            name = rng.choice(FLITE)
            voice, samples = f"flite-{name}", self.flite.speak(text, name)
        else:
            variant = rng.choice(VARIANTS)
            voice = rng.choice(ACCENTS) + (f"+{variant}" if variant else "")
            samples = self.espeak.speak(text, voice, rng.randint(130, 210), rng.randint(20, 85), rng.randint(30, 80))
        return trimmed(samples), voice


def music(rng, seconds):
    """Chords of harmonic tones with decaying notes and a beat: sound that is no speech."""
    g = np.random.default_rng(rng.randrange(1 << 30))
    note = np.arange(int(min(seconds, 1.2) * RATE)) / RATE
    x = np.zeros(int(seconds * RATE) + len(note))
    beat, drum = rng.uniform(0.2, 0.7), rng.random() < 0.5
    for start in np.arange(0, seconds, beat):
        at = slice(int(start * RATE), int(start * RATE) + len(note))
        for _ in range(rng.randint(1, 3)):
            frequency = 110 * 2 ** (rng.randint(0, 36) / 12)
            shape = np.exp(-note * rng.uniform(1, 8)) * np.minimum(1, note * 200)
            fade = rng.uniform(0.8, 2)
            x[at] += shape * sum(np.sin(2 * np.pi * frequency * k * note) / k ** fade for k in range(1, rng.randint(2, 6)))
        if drum:
            x[at] += np.exp(-note * 60) * g.normal(0, 1, len(note))
    x = x[:int(seconds * RATE)]
    return (x / (np.abs(x).max() + 1e-9) * rng.uniform(3000, 20000)).astype(np.int16)
