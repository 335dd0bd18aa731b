"""How plain chat fares with the adapter merged in: the base model's own answers and exact instructions, on both.

chat.py BASE.gguf MERGED.gguf [--tokens N] [--answers OUT.json]: a markdown table. Both are computed in float32 from the
files' own weights. No prompt was in training. Perplexity: of what the base model answers, weighed by both. Checks: right
when a rule on the text holds.
"""
import argparse
from collections import defaultdict
import json
import math
import re

import torch

from nano import plain
from nano.base import Tokenizer, read_vocabulary, read_weights
from nano.evaluate import interval
from nano.language import END, Language
from nano.layers import Cached
from nano.sequences import ASSISTANT, SYSTEM, USER, system_turn

YES = ("Is water wet?", "Is a dog an animal?", "Is the sun hot?", "Is ten more than five?", "Can birds fly?",
       "Is Paris in France?", "Do fish live in water?", "Is ice cold?")
NO = ("Is the moon made of cheese?", "Can a stone swim?", "Is two more than nine?", "Is a cat a plant?", "Is fire cold?",
      "Do cows lay eggs?", "Is London in Japan?", "Is snow black?")
WORDS = ("garden", "window", "orange", "silver", "planet", "candle", "button", "monkey", "bottle", "hammer")
OPPOSITES = dict(cold="hot", big="small", up="down", black="white", day="night", fast="slow", open="closed", happy="sad",
                 left="right", old="young")
CAPITALS = dict(Finland="Helsinki", Denmark="Copenhagen", Hungary="Budapest", Scotland="Edinburgh", Romania="Bucharest",
                Bulgaria="Sofia", Argentina="Buenos Aires", Australia="Canberra", Ukraine="Kyiv", Philippines="Manila")
KINDS = ("vegetables", "rivers", "musical instruments", "sports", "tools", "birds", "desserts", "furniture items", "months",
         "metals")
THINGS = ("a kitchen", "a beach", "a library", "a farm", "a garden", "a city park", "a birthday", "a storm", "a castle", "a lamp")
SENTENCES = ("The blue boat is late.", "We meet at noon.", "My cat likes milk.", "Seven birds sat on a wire.",
             "Please close the door.", "The train leaves at six.", "Rain fell all night.", "She reads every day.",
             "He sold the old car.", "The soup is too hot.")


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


def words_of(text):
    return re.findall(r"[\w']+", text)


def is_object(text, key, value):
    found = re.search(r"\{.*?\}", text, re.S)
    try:
        return found is not None and json.loads(found[0]) == {key: value}
    except ValueError:
        return False


def checks():
    """[(kind, prompt, rule)]"""
    made = []
    for answer, asked in (("yes", YES), ("no", NO)):
        made += [("yes or no", f"{q} Answer only yes or no.", lambda t, a=answer: [w.lower() for w in words_of(t)] == [a])
                 for q in asked]
    for w in WORDS:
        made += [("upper case", f'Write the word "{w}" in uppercase letters.', lambda t, w=w: w.upper() in t),
                 ("first word", f"Tell me something about a {w}. Begin with the word Indeed.", lambda t: t.startswith("Indeed")),
                 ("JSON", f'Write a JSON object with the key "name" and the value "{w}".', lambda t, w=w: is_object(t, "name", w)),
                 ("say it three times", f'Say "{w}" three times.', lambda t, w=w: len(re.findall(w, t.lower())) == 3)]
    made += [("opposite, one word", f"What is the opposite of {w}? Answer with one word.",
              lambda t, o=o: [x.lower() for x in words_of(t)] == [o]) for w, o in OPPOSITES.items()]
    made += [("capital", f"Which city is the capital of {c}?", lambda t, city=city: city in t) for c, city in CAPITALS.items()]
    made += [("three lines", f"List exactly three {k}, one per line, and nothing else.", lambda t: len(lines_of(t)) == 3)
             for k in KINDS]
    made += [("under ten words", f"Describe {thing} in fewer than ten words.", lambda t: 0 < len(words_of(t)) < 10)
             for thing in THINGS]
    made += [("repeat", f"Repeat this sentence exactly: {s}", lambda t, s=s: s in t) for s in SENTENCES]
    made += [("count", f"Write the numbers from 1 to {n}, separated by commas.",
              lambda t, n=n: [int(x) for x in re.findall(r"\d+", t)] == list(range(1, n + 1))) for n in range(3, 13)]
    made += [("sum", f"Add {a} and {b}. Answer with the number only.", lambda t, a=a, b=b: re.findall(r"\d+", t) == [str(a + b)])
             for a, b in ((2, 5), (4, 4), (7, 2), (10, 6), (12, 7), (20, 30), (15, 15), (8, 9), (3, 11), (25, 6))]
    return made


def answers(model, asked, tokens):
    """The greedy answers to prompts given as ids; prompts of one length run together."""
    by_length = defaultdict(list)
    for i, ids in enumerate(asked):
        by_length[len(ids)].append(i)
    found = [None] * len(asked)
    for group in by_length.values():
        rows = torch.tensor([asked[i] for i in group], device=model.embedding.device)
        made, _ = model.generate(model.embed(rows), tokens, adapted=False)
        for i, ids in zip(group, made.tolist()):
            found[i] = ids[:ids.index(END)] if END in ids else ids
    return found


@torch.no_grad()
def perplexity(model, asked, answered):
    nats = count = 0
    for prompt, answer in zip(asked, answered):
        ids = torch.tensor([prompt + answer], device=model.embedding.device)
        places = torch.arange(ids.shape[1], device=ids.device)[None]
        hidden = model.hidden(model.embed(ids), places, [Cached() for _ in model.layers], adapted=False)
        told = model.logits(hidden[0, len(prompt) - 1:-1]).log_softmax(-1)
        nats -= float(told.gather(1, ids[0, len(prompt):, None]).sum())
        count += len(answer)
    return math.exp(nats / count)


def report(perplexities, prompts, made, texts):
    both = [[rule(text) for (_, _, rule), text in zip(made, answered)] for answered in texts]
    print("| | base | merged | n |\n| --- | --- | --- | --- |")
    print(f"| perplexity of the base's answers | {' | '.join(f'{one:.3f}' for one in perplexities)} | {prompts} |")

    def row(name, rights):
        cells = []
        for right in rights:
            low, high = interval(sum(right), len(right))
            cells.append(f"{100 * sum(right) / len(right):.0f} ({max(0, low):.0f}-{high:.0f})")
        print(f"| {name} | {' | '.join(cells)} | {len(rights[0])} |")

    row("checks, all", both)
    kinds = defaultdict(list)
    for i, (kind, _, _) in enumerate(made):
        kinds[kind].append(i)
    for kind, places in kinds.items():
        row(f"- {kind}", [[right[i] for i in places] for right in both])
    only = [sum(a and not b for a, b in zip(*pair)) for pair in (both, both[::-1])]
    print(f"\nRight with the base alone: {only[0]}; right merged alone: {only[1]}.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("base", "merged"):
        parser.add_argument(name)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--answers", help="where what both said is written")
    parser.add_argument("--every", type=int, default=1, help="one prompt in so many, for a trial")
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = Tokenizer(read_vocabulary(arguments.base))
    made = checks()[::arguments.every]
    prompts = [prompt for _, prompt, _ in made] + plain.held_prompts()[::arguments.every]
    assert not set(prompts) & set(plain.train_prompts())
    asked = [tokenizer(system_turn(SYSTEM) + USER + prompt + ASSISTANT) for prompt in prompts]
    perplexities, texts, held = [], [], None
    for path in (arguments.base, arguments.merged):
        model = Language(read_weights(path), 1).to(device)
        found = answers(model, asked, arguments.tokens)
        held = held or found
        perplexities.append(perplexity(model, asked, held))
        texts.append([tokenizer.decode(ids).strip() for ids in found])
    if arguments.answers:
        with open(arguments.answers, "w") as file:
            json.dump([list(row) for row in zip(prompts, *texts)], file, indent=0)
    report(perplexities, len(prompts), made, texts)


if __name__ == "__main__":
    main()
