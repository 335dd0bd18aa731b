"""What the base model answers to plain questions, for training to hold it to.

plain.py ASSETS BASE.gguf OUT.json [--count N] [--tokens N]: greedy answers, cut at a sentence's end.
"""
import argparse
import json
from pathlib import Path
import random

import torch

from nano.base import Tokenizer, read_weights
from nano.language import END, Language
from nano.sequences import ASSISTANT, SYSTEM, USER, system_turn

COUNTRIES = ("France Germany Italy Spain Japan China India Brazil Canada Egypt Greece Russia Mexico Sweden Norway Poland "
             "Turkey Kenya Peru Portugal Chile Cuba Iran Ireland Korea Vietnam Thailand Morocco Austria Belgium").split()
TOPICS = """photosynthesis;gravity;electricity;the water cycle;evolution;democracy;inflation;a volcano;an earthquake;the moon;
the sun;a black hole;DNA;a computer;the internet;an algorithm;a vaccine;a battery;a bridge;music;poetry;a novel;football;
chess;bread;coffee;tea;rice;cheese;a bicycle;an airplane;a train;a ship;a camera;a telescope;a microscope;a clock;history;
geography;mathematics;a triangle;a prime number;algebra;physics;chemistry;biology;an atom;oxygen;iron;gold;salt;sugar;
a dog;a cat;a whale;a bee;a tree;a flower;a river;a mountain;a desert;a forest;the ocean;snow;rain;wind;a rainbow;
lightning;friendship;happiness;honesty;courage;sleep;exercise;a healthy diet;reading;learning a language;saving money;
time management;public speaking;teamwork;a database;a network;a robot;artificial intelligence;climate change;recycling;
solar power;a language;a museum;a theater;a hospital;a school;a market;a bank;a law;a constitution;an election;a king"""
TOPICS = TOPICS.replace("\n", "").split(";")
ABOUT = ("What is {}?", "Explain {} in one sentence.", "Tell me a short fact about {}.", "Why is {} important?",
         "Write one sentence about {}.", "Give me two examples of {}.", "Describe {} to a child.", "Ask me a question about {}.",
         "What do people think about {}?", "Write a short poem about {}.", "List three words about {}.")
OF_COUNTRY = ("What is the capital of {}?", "Name one famous food from {}.", "On which continent is {}?",
              "What language do people speak in {}?", "Tell me one fact about {}.", "Name a city in {}.")
OTHERS = """Hello!|Hi, how are you?|Who are you?|What can you do?|Good morning.|Thank you.|Tell me a joke.|Write a haiku about autumn.|
Give me three tips for studying.|How do I boil an egg?|How do I make tea?|What should I eat for breakfast?|
Translate "good morning" into French.|Translate "thank you" into Spanish.|What is the opposite of hot?|List three fruits.|
List three colors.|List the days of the week.|How many days are in a year?|How many minutes are in an hour?|
What color is the sky?|What do cows eat?|Where do penguins live?|Why is the sky blue?|Why do leaves fall?|
What is the largest planet?|What is the fastest animal?|Who wrote Romeo and Juliet?|When did World War II end?|
What is Python used for?|Write a Python function that adds two numbers.|What is an if statement?|
Summarize: The cat sat on the mat and slept all day.|Rewrite politely: give me the book.|
Correct the grammar: she go to school.|What is a synonym for big?|Use the word "bright" in a sentence.|Say yes.|
What is the meaning of life?|Help me write an email to my boss.|Give me a recipe for soup.|Name three animals.|
How do I make a sandwich?|What day comes after Monday?|Count from one to five.|Write a title for a story about a dragon.|
Is the earth flat?|How do I learn to draw?|What is your name?|Tell me a story about a fox.""".replace("\n", "").split("|")
HELD_EVERY = 20  # one question in so many is kept for the evaluation


def prompts():
    """All questions in a fixed random order."""
    sums = [f"What is {a} {word} {b}?" for a in range(2, 20, 3) for b in range(3, 20, 4) for word in ("+", "times", "minus")]
    made = [form.format(topic) for topic in TOPICS for form in ABOUT]
    made += [form.format(country) for country in COUNTRIES for form in OF_COUNTRY] + sums + OTHERS
    random.Random(1).shuffle(made)
    return made


def held_prompts():
    return prompts()[::HELD_EVERY]


def train_prompts():
    return [prompt for i, prompt in enumerate(prompts()) if i % HELD_EVERY]


def whole_sentences(text, ended):
    if ended:
        return text.strip()
    end = max(text.rfind(". "), text.rfind(".\n"))
    return text[:end + 1].strip() if end > 20 else ""


def answers(model, tokenizer, asked, tokens, device, batch=256):
    """[[question, answer]]; prompts of one length run together, so none is padded."""
    by_length = {}
    for question in asked:
        ids = tokenizer(system_turn(SYSTEM) + USER + question + ASSISTANT)
        by_length.setdefault(len(ids), []).append((question, ids))
    found = []
    for group in by_length.values():
        for start in range(0, len(group), batch):
            part = group[start:start + batch]
            rows = model.embed(torch.tensor([ids for _, ids in part], device=device))
            made, _ = model.generate(rows, tokens, adapted=False)
            for (question, _), ids in zip(part, made.tolist()):
                ended = END in ids
                text = whole_sentences(tokenizer.decode(ids[:ids.index(END)] if ended else ids), ended)
                if text:
                    found.append([question, text])
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("assets", "base", "out"):
        parser.add_argument(name)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--tokens", type=int, default=72)
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    tokenizer = Tokenizer(json.loads(Path(arguments.assets, "text.json").read_text()))
    model = Language(read_weights(arguments.base), 1).to(device)
    found = answers(model, tokenizer, train_prompts()[:arguments.count], arguments.tokens, device)
    Path(arguments.out).write_text(json.dumps(found, indent=0))
    print(f"{len(found)} answers")


if __name__ == "__main__":
    main()
