"""Questions about what was said, and what to say when nothing was."""
from nano.questions import Asked

ASK = ["Transcribe the speech.", "What did the speaker say?", "What was said?", "Write down what you hear.",
       "What do you hear?"]
NO_SPEECH = "No speech was heard."
NOTHING_SAID = "Nothing was said."


def transcript(text):
    return f"The speaker said: {text}" if text else NO_SPEECH


def about(rng, said):
    """`said`: (start, end, text) of each utterance in order; text is empty where the sound was no speech."""
    spoken = [(start, end, text) for start, end, text in said if text]
    if not said:
        return [Asked("notsaid", rng.choice(ASK[1:3]), NOTHING_SAID, ["othing was said"])]
    if not spoken:
        return [Asked("notsaid", rng.choice(ASK), NO_SPEECH, ["o speech"])]
    asked = []
    if len(spoken) == 1:
        start, end, text = spoken[0]
        asked.append(Asked("said", rng.choice(ASK[1:3]), transcript(text), [text]))
        asked.append(Asked("saidwhen", "When did someone speak?", f"Someone spoke from {start:.1f}s to {end:.1f}s.",
                           [f"{start:.1f}s", f"{end:.1f}s"]))
    else:
        for start, _, text in spoken:
            asked.append(Asked("said", f"What was said at {start:.1f}s?", transcript(text), [text]))
    asked.append(_mentioned(rng, spoken))
    return asked


def _mentioned(rng, spoken):
    """A word of an utterance, or one that was not said."""
    start, _, text = rng.choice(spoken)
    long = [word for word in text.split() if len(word) > 3] or text.split()
    if rng.random() < 0.5:
        word = rng.choice(long)
        first = next(start for start, _, text in spoken if word in text.split())
        return Asked("mention", f'Did the speaker say "{word}"?', f'Yes, the speaker said "{word}" at {first:.1f}s.', ["Yes"])
    everything = " ".join(text for _, _, text in spoken).split()
    word = rng.choice([w for w in ("window", "banana", "doctor", "yellow", "morning", "engine", "paper", "seven", "river",
                                   "garden", "umbrella", "station", "coffee", "ticket") if w not in everything])
    return Asked("mention", f'Did the speaker say "{word}"?', f'No, the speaker did not say "{word}".', ["No"])
