"""How plain chat fares with the adapter merged in: the base model's own answers and exact instructions, on both.

chat.py NANO_ASK BASE.gguf MERGED.gguf MMPROJ.gguf [--tokens N] [--answers OUT.json] [--gpu]: a markdown table. No prompt is media or
was in training. Perplexity: of what the base model answers, weighed by both. Checks: right when a rule on the text holds.
"""
import argparse
from collections import defaultdict
import json
import math
import re
import subprocess

from nano import plain
from nano.evaluate import interval

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


def ask(command, prompts, tokens, given=None):
    items = [dict(id=i, parts=[dict(text=prompt)], questions=[""], max=tokens, **(dict(given=[given[i]]) if given else {}))
             for i, prompt in enumerate(prompts)]
    done = subprocess.run(command, input="".join(json.dumps(one) + "\n" for one in items),
                          stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line)["answers"][0] for line in done.stdout.splitlines()]


def perplexity(weighed):
    return math.exp(sum(one["nats"] for one in weighed) / sum(one["of"] for one in weighed))


def report(weighed, made, answers):
    both = [[rule(text) for (_, _, rule), text in zip(made, texts)] for texts in answers]
    print("| | base | merged | n |\n| --- | --- | --- | --- |")
    print(f"| perplexity of the base's answers | {' | '.join(f'{perplexity(one):.3f}' for one in weighed)} | {len(weighed[0])} |")

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
    for name in ("program", "base", "merged", "mmproj"):
        parser.add_argument(name)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--answers", help="where what both said is written")
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="one prompt in so many, for a trial")
    a = parser.parse_args()
    made = checks()[::a.every]
    prompts = [prompt for _, prompt, _ in made] + plain.held_prompts()[::a.every]
    assert not set(prompts) & set(plain.train_prompts())
    commands = [[a.program, model, a.mmproj, "-", "gpu" if a.gpu else "1"] for model in (a.base, a.merged)]
    base, merged = ([one["text"] for one in ask(command, prompts, a.tokens)] for command in commands)
    if a.answers:
        with open(a.answers, "w") as file:
            json.dump([list(row) for row in zip(prompts, base, merged)], file, indent=0)
    weighed = [ask(command, prompts, 0, base) for command in commands]
    report(weighed, made, (base, merged))


if __name__ == "__main__":
    main()
