"""Training sequences: the prompt of models/nano/PROMPT.md with slots for the rows of pictures and sounds.

Built on CPU workers, as numbers; the trainer draws the pictures, mixes the sounds and fills the slots.
"""
from dataclasses import dataclass
import random
import re

import numpy as np

from nano import questions, render_torch, scene as scenes, speech_questions, timeline
from nano.scene import World

SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"  # what the base's chat template inserts
OTHER_SYSTEMS = ("You are a helpful assistant.", "You see frames and hear audio. Answer briefly.",
                 "You are a real-time assistant that watches a camera and listens.")
SOUND_BEGIN, SOUND_END = "<|audio_comp_start|>", "<|audio_comp_end|>"  # libmtmd writes these around sound, as plain text
USER, ASSISTANT = "<|im_start|>user\n", "<|im_end|>\n<|im_start|>assistant\n"
NEXT = "\n" + USER
PAD = 2


SIGN = re.compile(r'(?<=The sign says ")[^"]*')  # in an answer
WEAK = ("changed", "at", "howlong", "after", "before")  # questions about streams that are asked more often than others


def answer_ids(tokenizer, text):
    """An answer's tokens. A sign is spelled, a token a character: which letters make one token is a word's matter, and a
    sign's rows hold letters."""
    sign = SIGN.search(text)
    if not sign:
        return tokenizer(text)
    spelled = sum((tokenizer(character) for character in sign[0]), [])
    return tokenizer(text[:sign.start()]) + spelled + tokenizer(text[sign.end():])


def system_turn(text):
    return f"<|im_start|>system\n{text}<|im_end|>\n" if text else ""


@dataclass
class Bank:
    """What sequences are made of. `sounds`: [text, is a question, voice] each; `lengths`: samples each."""
    signs: list
    short_signs: int
    sounds: list
    lengths: np.ndarray
    tintable: list
    plain: list  # [question, the base model's answer]


class Builder:
    MARKS = (SOUND_BEGIN, SOUND_END)
    PAIRS = 0.35     # timelines that are two pictures
    SIGNED = 0.2     # streams whose last picture has a sign
    DESCRIBED = 0.2  # pictures of which nothing else is asked: other questions name things

    def __init__(self, tokenizer, bank, rows, drop_share=0.3, sign_share=0.4, school_signs=0.65):
        self.tokenizer, self.bank, self.rows = tokenizer, bank, rows
        self.drop_share, self.sign_share, self.school_signs = drop_share, sign_share, school_signs
        self.spoken, self.sentences, self.music = {}, [], []
        for i, (text, is_question, voice) in enumerate(bank.sounds):
            if voice == "music":
                self.music.append(i)
            elif is_question:
                self.spoken.setdefault(text, []).append(i)
            else:
                self.sentences.append(i)
        self.speech = self.sentences + sum(self.spoken.values(), [])
        self.use_signs(short=False)

    def use_signs(self, short):
        self.world = World(self.bank.signs[:self.bank.short_signs] if short else self.bank.signs, self.bank.tintable)

    # ---- sounds

    def sound(self, rng, index):
        """(numbers for the mixer, text, seconds). index -1: silence or noise alone."""
        if index < 0:
            length, speed = rng.randint(8000, 64000), 1.0
        else:
            length, speed = int(self.bank.lengths[index]), rng.uniform(0.88, 1.14) if rng.random() < 0.5 else 1.0
        before, after = (rng.randint(0, 6000), rng.randint(0, 8000)) if rng.random() < 0.7 else (0, 0)
        total = int(length / speed) + before + after
        kind = rng.random()
        noise = 60.0 if kind < 0.35 else (rng.uniform(20, 45) if kind < 0.7 else rng.uniform(5, 20))  # dB below the speech
        other = rng.choice(self.sentences) if self.sentences and index >= 0 and rng.random() < 0.06 else -1
        numbers = (index, before, total, 10 ** (rng.uniform(-28, 0) / 20), noise, speed, rng.random(), other,
                   rng.uniform(12, 25), rng.gauss(0, 0.12), rng.gauss(0, 0.12), rng.random())
        return numbers, self.bank.sounds[index][0] if index >= 0 else "", total / 16000

    def no_speech(self, rng):
        return self.sound(rng, rng.choice(self.music) if self.music and rng.random() < 0.5 else -1)

    @staticmethod
    def sound_rows(samples):
        return (samples // 160 + 7) // 8

    # ---- parts of a prompt: ('t', text), ('p', scene), ('s', sound), ('a', (answer, kind of question))

    def assemble(self, rng, parts):
        """(ids, answer of each token or 0, pictures [(slot, scene, rows kept)], sounds [(slot, rows, numbers, text)],
        kind of each answer). Answers count from 1."""
        ids, owner, pictures, sounds, kinds, text = [], [], [], [], [], ""

        def add(tokens, answer=0):
            ids.extend(tokens)
            owner.extend([answer] * len(tokens))

        for kind, what in parts:
            if kind == "t":
                text += what
                continue
            add(self.tokenizer(text) if text else [])
            text = ""
            if kind == "p":
                kept = np.arange(self.rows)
                if not what.sign and rng.random() < self.drop_share:
                    kept = np.sort(rng.sample(range(self.rows), rng.randint((self.rows + 1) // 2, self.rows - 1)))
                pictures.append((len(ids), what, kept))
                add([PAD] * len(kept))
            elif kind == "s":
                add(self.tokenizer(self.MARKS[0]))
                numbers, said, _ = what
                count = self.sound_rows(int(numbers[2]))
                sounds.append((len(ids), count, numbers, said))
                add([PAD] * count)
                add(self.tokenizer(self.MARKS[1]))
            else:
                kinds.append(what[1])
                add(answer_ids(self.tokenizer, what[0]) + self.tokenizer("<|im_end|>"), len(kinds))
        return ids, owner, pictures, sounds, kinds

    def head(self, rng):
        kind = rng.random()
        text = SYSTEM if kind < 0.6 else ("" if kind < 0.8 else rng.choice(OTHER_SYSTEMS))
        return [("t", system_turn(text) + USER)]

    def asked(self, rng, media, text):
        """The question after the media, rarely before them."""
        kind = rng.random()
        if kind < 0.8:
            return media + [("t", "\n" + text)]
        return media + [("t", text)] if kind < 0.92 else [("t", text + "\n")] + media

    def some(self, rng, asked, count):
        """Questions in random order, none of which answers a later one: the sign is read once, all is named last."""
        rng.shuffle(asked)
        reading = [question for question in asked if question.kind in ("sign", "describe")]
        if any(question.kind == "sign" for question in reading):
            asked = [question for question in asked if question is reading[0] or question not in reading]
        return sorted(asked[:count], key=lambda question: question.kind == "describe")

    def turns(self, asked):
        """Answers to questions, the first of which stands in the open turn already."""
        parts = [("t", ASSISTANT), ("a", (asked[0].answer, asked[0].kind))]
        for question in asked[1:]:
            parts += [("t", NEXT + question.text + ASSISTANT), ("a", (question.answer, question.kind))]
        return parts

    def stamp(self, rng, start=None, end=None):
        start = round(rng.choice((0, rng.uniform(0, 20), rng.uniform(0, 600))), 1) if start is None else start
        return ("t", f"[{start:.1f}s]" if end is None else f"[{start:.1f}-{end:.1f}s]")

    # ---- kinds of sequences

    def vision(self, rng):
        if rng.random() < 0.05:
            scene = scenes.blank_scene(rng)
        else:
            scene = scenes.random_scene(rng, self.world, sign=rng.random() < self.sign_share)
        asked = questions.about(rng, self.world, scene)
        if rng.random() < self.DESCRIBED:
            asked = [question for question in asked if question.kind in ("describe", "blank")]
        asked = self.some(rng, asked, rng.randint(1, 6))
        media = ([self.stamp(rng)] if rng.random() < 0.5 else []) + [("p", scene)]
        return self.head(rng) + self.asked(rng, media, asked[0].text) + self.turns(asked)

    def audio(self, rng):
        kind = rng.random()
        if kind < 0.6 or not self.spoken:
            sound = self.no_speech(rng) if rng.random() < 0.08 else self.sound(rng, rng.choice(self.speech))
            start = rng.uniform(0, 60)
            media = ([self.stamp(rng, start, start + sound[2])] if rng.random() < 0.5 else []) + [("s", sound)]
            answer = ("a", (speech_questions.transcript(sound[1]), "heard" if sound[1] else "nospeech"))
            return self.head(rng) + self.asked(rng, media, rng.choice(speech_questions.ASK)) + [("t", ASSISTANT), answer]
        return self._spoken_question(rng)

    def _spoken_question(self, rng):
        scene = scenes.random_scene(rng, self.world, sign=rng.random() < 0.2)
        asked = questions.spoken(rng, self.world, scene, self.spoken)
        if not asked:
            return self._spoken_question(rng)
        question = rng.choice(asked)
        sound = self.sound(rng, rng.choice(self.spoken[question.text]))
        stamped, at = rng.random() < 0.7, round(rng.uniform(0, 60), 1)
        start = at + rng.uniform(0, 2)
        picture = ([self.stamp(rng, at)] if stamped else []) + [("p", scene)]
        heard = ([self.stamp(rng, start, start + sound[2])] if stamped else []) + [("s", sound)]
        between = [("t", "\n")] if stamped or rng.random() < 0.5 else []
        media = picture + between + heard if rng.random() < 0.7 else heard + between + picture
        hint = rng.choice(("", "", "\nAnswer the question.", "\nAnswer the speaker."))
        return self.head(rng) + media + [("t", hint + ASSISTANT), ("a", (question.answer, "spoken"))]

    def timeline(self, rng):
        if rng.random() < self.PAIRS:
            return self._pair(rng)
        return self._stream(rng, rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8)), rng.choice((0, 1, 1, 2)))

    def _pair(self, rng):
        """Two pictures, and what changed between them."""
        frames = timeline.random_frames(rng, self.world, 2, change=0.75)
        events, _ = self._events(rng, frames, 0, [])
        asked = timeline.changes(frames)
        return self.head(rng) + events[0][1] + [("t", "\n")] + events[1][1] + [("t", "\n" + asked[0].text)] + self.turns(asked)

    def long(self, rng):
        return self._stream(rng, rng.randint(9, 52), rng.randint(0, 5), change=rng.choice((0.1, 0.2, 0.4)))

    def _events(self, rng, frames, sounds, lines):
        """[(end, parts)] in order of their ends, and [(start, end, text)] of what was said."""
        events = [(frame.at, [self.stamp(rng, frame.at), ("p", frame.scene)]) for frame in frames]
        said = []
        for _ in range(sounds):
            sound = self.no_speech(rng) if rng.random() < 0.12 else self.sound(rng, rng.choice(self.sentences))
            start = round(rng.uniform(frames[0].at, frames[-1].at + 1), 1)
            end = round(start + sound[2], 1)
            said.append((start, end, sound[1]))
            events.append((end, [self.stamp(rng, start, end), ("s", sound)]))
        events += [(reading.at, [("t", reading.line)]) for reading in lines]
        return sorted(events, key=lambda event: event[0]), sorted(said)

    def _stream(self, rng, count, sounds, change=0.6):
        frames = timeline.random_frames(rng, self.world, count, change)
        last = frames[-1].scene
        if len(last.things) <= 2 and rng.random() < self.SIGNED:
            frames[-1].scene = scenes.random_scene(rng, self.world, sign=True, things=last.things)
        readings = []
        if rng.random() < 0.2:
            readings = timeline.random_readings(rng, frames[0].at, frames[-1].at + 1, rng.randint(1, 5))
        events, said = self._events(rng, frames, sounds, readings)
        parts = self.head(rng)
        for i, (_, event) in enumerate(events):
            parts += ([("t", "\n")] if i else []) + event
        if self.spoken and rng.random() < 0.25:
            asked = questions.spoken(rng, self.world, frames[-1].scene, self.spoken)
            if asked:
                return parts + self._spoken_last(rng, rng.choice(asked), events[-1][0])
        asked = self._stream_questions(rng, frames, said, readings)
        return parts + [("t", "\n" + asked[0].text)] + self.turns(asked)

    def _spoken_last(self, rng, question, end):
        sound = self.sound(rng, rng.choice(self.spoken[question.text]))
        start = round(end + rng.uniform(0, 0.5), 1)
        hint = rng.choice(("", "", "", "\nAnswer the question."))
        return [("t", "\n"), self.stamp(rng, start, start + sound[2]), ("s", sound), ("t", hint + ASSISTANT),
                ("a", (question.answer, "spoken"))]

    def _stream_questions(self, rng, frames, said, readings):
        every = timeline.about(rng, self.world, frames)
        first = [questions.read_sign(rng, frames[-1].scene)] if frames[-1].scene.sign else []
        if first:
            every = [question for question in every if question.kind != "now"]
        weak = [question for question in every if question.kind in WEAK and rng.random() < 0.3]
        asked = (first + weak[:1] + [question for question in every if question not in weak])[:rng.choice((3, 4, 5))]
        about_speech = speech_questions.about(rng, said)
        rng.shuffle(about_speech)
        asked += about_speech[:1 if said or rng.random() < 0.15 else 0]
        if readings:
            asked.append(rng.choice(timeline.about_readings(readings)))
        elif rng.random() < 0.04:
            asked.append(timeline.no_reading(rng))
        rng.shuffle(asked)
        return asked[:5]

    def text(self, rng):
        question, answer = rng.choice(self.bank.plain)
        return [("t", system_turn(SYSTEM) + USER + question + ASSISTANT), ("a", (answer, "text"))]

    # ---- batches

    def drawn(self, rng, pictures):
        """Packed pictures alone, for the eyes' own losses."""
        return [render_torch.pack(scenes.random_scene(rng, self.world, sign=rng.random() < self.school_signs))
                for _ in range(pictures)]

    def school(self, rng, pictures, sounds):
        """Pictures and sounds alone, for the encoders' own losses."""
        made = dict(scenes=np.stack(self.drawn(rng, pictures)))
        if sounds:
            heard = [self.sound(rng, rng.choice(self.speech)) for _ in range(sounds)]
            made.update(sounds=np.array([numbers for numbers, _, _ in heard], np.float64), texts=[text for _, text, _ in heard])
        return made

    def batch(self, rng, budget, tokens, longest, more=0):
        """Sequences end to end: of each kind as many as fit into its tokens in `budget`; the rest of `tokens` is padding.
        `more` pictures are in no sequence: they are for the eyes' own losses.

        ids, owner, position [tokens]: the answer that a token belongs to (0: none) and its place in its sequence; offsets
        [sequences + 1]; kinds: of the answers 1, 2, ...; scenes [n, LENGTH]; row_from, row_to: which row of all pictures
        goes to which token; sounds [m, 12] for the mixer, slots [m, 2]: first token and number of rows; texts: of the
        sounds; plain: tokens of the plain chat, which comes last.
        """
        batch = _Batch(self.rows)
        plain = 0
        for kind, share in budget.items():
            start, misses = batch.at, 0
            while misses < 3:
                made = self.assemble(rng, getattr(self, kind)(rng))
                if len(made[0]) > min(longest, share - (batch.at - start)):
                    misses += 1
                    continue
                batch.add(*made)
            plain = batch.at - start if kind == "text" else plain
        batch.scenes += self.drawn(rng, more)
        return dict(batch.arrays(tokens), plain=plain)


class _Batch:
    """Collects assembled sequences."""

    def __init__(self, rows):
        self.rows, self.at = rows, 0
        self.ids, self.owner, self.position, self.offsets, self.kinds = [], [], [], [0], []
        self.scenes, self.row_from, self.row_to, self.sounds, self.slots, self.texts = [], [], [], [], [], []

    def add(self, ids, owner, pictures, sounds, kinds):
        self.ids += ids
        self.owner += [a + len(self.kinds) if a else 0 for a in owner]
        self.position += range(len(ids))
        self.kinds += kinds
        for slot, scene, kept in pictures:
            self.row_from.append(len(self.scenes) * self.rows + kept)
            self.row_to.append(self.at + slot + np.arange(len(kept)))
            self.scenes.append(render_torch.pack(scene))
        for slot, rows, numbers, said in sounds:
            self.sounds.append(numbers)
            self.slots.append((self.at + slot, rows))
            self.texts.append(said)
        self.at += len(ids)
        self.offsets.append(self.at)

    def arrays(self, tokens):
        left = tokens - self.at
        made = dict(ids=np.array(self.ids + [PAD] * left), owner=np.array(self.owner + [0] * left),
                    position=np.array(self.position + list(range(left))), kinds=self.kinds,
                    offsets=np.array(self.offsets + ([tokens] if left else [])), sequences=len(self.offsets) - 1)
        if self.scenes:
            made.update(scenes=np.stack(self.scenes), row_from=np.concatenate(self.row_from),
                        row_to=np.concatenate(self.row_to))
        if self.sounds:
            made.update(sounds=np.array(self.sounds, np.float64), slots=np.array(self.slots), texts=self.texts)
        return made


def step_rng(seed, step):
    """The random numbers of a batch depend on its step alone, not on which worker makes it."""
    return random.Random(f"{seed}-{step}")
