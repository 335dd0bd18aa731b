"""Asks the model all items of a test set through libmtmd and scores the answers.

evaluate.py ask ITEMS.jsonl OUT.jsonl NANO_ASK MODEL MMPROJ LORA|- [--processes P] [--share K/N] [--gpu]
    Answers are written as they come, and a run that was cut goes on where it was.
evaluate.py table OUT.jsonl [OTHER.jsonl]      a markdown table; with two files, both beside each other
"""
import argparse
import collections
import json
import math
import random
import subprocess
import threading

LETTERS = 4  # of a name's last word that must be there for the thing to count as named


def word_errors(said, heard):
    """(insertions + deletions + substitutions, words said)"""
    said, heard = said.split(), heard.split()
    row = list(range(len(heard) + 1))
    for i, word in enumerate(said, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(heard, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != other))
    return row[-1], len(said)


def interval(right, n):
    """Wilson's 95 % interval, in per cent."""
    z, p = 1.96, right / n
    middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return [100 * (middle + sign * half) / (1 + z * z / n) for sign in (-1, 1)]


def rate_interval(errors, draws=1000):
    """95 % of the error rates, in per cent, of as many sentences drawn anew from these [(errors, words)]."""
    rng = random.Random(1)
    rates = []
    for _ in range(draws):
        drawn = rng.choices(errors, k=len(errors))
        rates.append(100 * sum(wrong for wrong, _ in drawn) / sum(of for _, of in drawn))
    rates.sort()
    return rates[draws // 40], rates[-draws // 40 - 1]


def is_right(group, answer, keys):
    if keys in (["Yes"], ["No"]):
        return answer.startswith(keys[0])
    if group.startswith("sign/"):
        return f'"{keys[0]}"' in answer
    return all(key.lower() in answer.lower() for key in keys)


def scores(rows):
    """{group: [right, n]}, {group: [(word errors, words) of each sentence]}"""
    right, errors = collections.defaultdict(lambda: [0, 0]), collections.defaultdict(list)

    def count(group, good, of=1):
        right[group][0] += good
        right[group][1] += of

    for row in rows:
        for group, answer, keys in zip(row["groups"], row["model"], row["keys"]):
            if group == "plain chat":
                continue
            count(group, is_right(group, answer, keys))
            if group.startswith(("timeline/", "nothing/", "timeline of")):
                count(group.split("/")[0] + ", all", is_right(group, answer, keys))
            if group.endswith("/describe"):
                names = row["names"]
                count(group.replace("describe", "things named"), sum(n.split()[-1][:LETTERS] in answer for n in names), len(names))
            if "said" in row:
                heard = answer.lower().replace("the speaker said:", "").replace(".", "").strip()
                errors[group].append(word_errors(row["said"], heard))
    return right, errors


def cell(right, errors, group):
    if group in errors:
        wrong, of = map(sum, zip(*errors[group]))
        low, high = rate_interval(errors[group])
        return f"{100 * wrong / of:.1f} % word errors ({low:.1f}-{high:.1f}, {of} words, {len(errors[group])} sentences)"
    if group not in right:
        return ""
    good, n = right[group]
    low, high = interval(good, n)
    return f"{100 * good / n:.1f} % ({low:.1f}-{high:.1f}, n {n})"


def table(paths):
    results = [scores([json.loads(line) for line in open(path)]) for path in paths]
    groups = sorted(set().union(*(right for right, _ in results)))
    lines = ["| question | " + " | ".join(["this model", "first version"][:len(paths)]) + " |", "| --- |" + " --- |" * len(paths)]
    for group in groups:
        lines.append(f"| {group} | " + " | ".join(cell(*result, group) for result in results) + " |")
    print("\n".join(lines))


def serve(waiting, command, lock, out):
    """One process that takes the next item when it has answered one, and writes each answer at once."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        while True:
            with lock:
                if not waiting:
                    break
                one = waiting.popleft()
            wanted = {key: one[key] for key in ("id", "parts", "questions", "max", "drop") if key in one}
            process.stdin.write(json.dumps(wanted) + "\n")
            process.stdin.flush()
            line = process.stdout.readline()
            if not line:
                raise RuntimeError(f"{command[0]} ended at item {one['id']}")
            found = json.loads(line)
            made = dict(model=[a["text"] for a in found["answers"]], media=found["media"])
            with lock:
                out.write(json.dumps({**{k: v for k, v in one.items() if k != "parts"}, **made}) + "\n")
                out.flush()
        process.stdin.close()


def answered(path):
    """Items that a run that was cut has answered; a half-written last line is cut off."""
    try:
        with open(path, "rb+") as file:
            data = file.read()
            file.truncate(data.rfind(b"\n") + 1)
    except FileNotFoundError:
        return set()
    return {json.loads(line)["id"] for line in open(path)}


def ask(arguments):
    first, of = map(int, arguments.share.split("/"))
    known = answered(arguments.out)
    items = [json.loads(line) for line in open(arguments.items)][first - 1::of]
    waiting = collections.deque(one for one in items if one["id"] not in known)
    command, lock = [arguments.program, arguments.model, arguments.mmproj, arguments.lora, "gpu" if arguments.gpu else "1"], threading.Lock()
    with open(arguments.out, "a") as out:
        threads = [threading.Thread(target=serve, args=(waiting, command, lock, out)) for _ in range(arguments.processes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    asking = verbs.add_parser("ask")
    for name in ("items", "out", "program", "model", "mmproj", "lora"):
        asking.add_argument(name)
    asking.add_argument("--processes", type=int, default=1)
    asking.add_argument("--share", default="1/1", help="every Nth item from the Kth")
    asking.add_argument("--gpu", action="store_true", help="a nano_ask built with CUDA; many processes share one GPU")
    verbs.add_parser("table").add_argument("answers", nargs="+")
    arguments = parser.parse_args()
    ask(arguments) if arguments.verb == "ask" else table(arguments.answers)


if __name__ == "__main__":
    main()
