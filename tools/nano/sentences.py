"""sentences.py ASSETS: WordNet's examples as sentences.txt, which the bank then speaks too: 44,000 of everyday English.

The default model was made without them; nano-w's projector has to hear more than our own grammar says.
"""
from pathlib import Path
import random
import re
import sys

WORDNET = "/usr/share/wordnet"
UNWANTED = re.compile(r"\b(sex\w*|rap\w+|kill\w*|nude|drug\w*|nigg\w*|fuck\w*|shit\w*|whore\w*|prostitut\w*|jew\w*|negro\w*|"
                      r"slave\w*)\b")


def spoken(example):
    """As it is said: lower case, no punctuation."""
    text = re.sub(r"[,;:]", "", example.lower().strip(" .!?,;")).replace("-", " ")
    return re.sub(r"\s+", " ", text).strip()


def is_sentence(text):
    return re.fullmatch(r"[a-z' ]+", text) and 2 <= len(text.split()) <= 12 and len(text) < 80 and not UNWANTED.search(text)


def make(assets):
    found = set()
    for path in sorted(Path(WORDNET).glob("data.*")):
        for line in path.read_text(encoding="latin1").splitlines():
            found.update(map(spoken, re.findall(r'"([^"]+)"', line.partition(" | ")[2])))
    kept = sorted(filter(is_sentence, found))
    random.Random(1).shuffle(kept)
    Path(assets, "sentences.txt").write_text("\n".join(kept) + "\n")
    print(f"{len(kept)} sentences")


if __name__ == "__main__":
    make(sys.argv[1])
