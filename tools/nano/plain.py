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
# Exact instructions: of the kinds that chat.py checks, and none that it asks.
THINGS = """apple river doctor basket yellow mirror carpet rocket winter pillow engine market dragon purple ticket forest
island camera guitar lemon pencil rabbit saddle turtle valley walnut zebra anchor bridge castle desert feather glove
helmet insect jacket kettle ladder magnet needle oyster parrot quilt ribbon spider temple uncle violin wallet yogurt""".split()
FACTS = """Is grass green|Is a whale a fish|Is milk white|Can dogs talk|Is gold a metal|Do trees walk|Is Rome in Italy|
Is five an even number|Do bees make honey|Is the sea salty|Can you eat a stone|Is winter cold|Is a tomato blue|
Do spiders have eight legs|Is a triangle round|Can penguins fly|Is Tokyo in China|Is glass hard|Do cats bark|Is July a month|
Is twelve less than three|Is wood heavier than air|Is a rose a flower|Does a car have wings""".replace("\n", "").split("|")
WORDS = "tall near early soft rich clean empty dry full strong quiet thick wide deep sweet light sharp true safe cheap".split()
MANY = """fruits;animals;colors;countries;vegetables from a garden;trees;flowers;cities;languages;drinks;fish;insects;clothes;
games;books;shapes;planets;foods;jobs;cars;oceans;tools in a kitchen;toys;school subjects""".replace("\n", "").split(";")
SIGHTS = """a forest;a train station;a school;a rainy day;a mountain;a market;a ship;the night sky;a busy street;a bakery;
a wedding;a desert;a hospital;a football match;an old house;a river;a bedroom;a museum;a zoo;a snowy field""".replace("\n", "").split(";")
SAYINGS = """The red car is fast.|I have two brothers.|Dinner is ready now.|The dog ran away.|It is cold outside.|
They live near the sea.|Open the window slowly.|My shoes are wet.|The clock has stopped.|We need more bread.|
A bird sang this morning.|Her hat is yellow.|The road is long.|Please turn left here.|Nobody knew the answer.|
The tea is still hot.|He plays the piano well.|Our garden is small.|The baby is asleep.|You are always late.""".replace("\n", "").split("|")


def instructions():
    made = [f"{fact}? {how}" for fact in FACTS for how in ("Answer only yes or no.", "Answer yes or no.", "Reply with one word.")]
    for thing in THINGS:
        made += [f'Write the word "{thing}" in {how} letters.' for how in ("uppercase", "lowercase", "capital")]
        made += [f"Tell me something about a {thing}. Begin with the word {first}." for first in ("Indeed", "Well", "Today")]
        made += [f'Write a JSON object with the key "{key}" and the value "{thing}".' for key in ("name", "item")]
        made += [f'Say "{thing}" {number} times.' for number in ("two", "three", "four")] + [f"Spell the word {thing}."]
    made += [f"What is the opposite of {word}? {how}" for word in WORDS for how in ("Answer with one word.", "One word only.")]
    made += [form.format(country) for country in COUNTRIES
             for form in ("Which city is the capital of {}?", "Name the capital of {}. Answer with one word.")]
    made += [f"List{how} {number} {kind}, one per line{end}." for kind in MANY for number in ("two", "three", "four", "five")
             for how, end in ((" exactly", ", and nothing else"), ("", ""))]
    made += [f"Describe {sight} in {how} words." for sight in SIGHTS for how in ("fewer than ten", "fewer than eight", "five")]
    made += [f"{how}: {saying}" for saying in SAYINGS for how in ("Repeat this sentence exactly", "Say this again", "Copy this sentence")]
    made += [f"Write the numbers from {first} to {last}, separated by {how}." for first in (1, 2, 5, 10) for last in range(3, 26)
             if last > first and not (first == 1 and last < 13) for how in ("commas", "spaces")]
    made += [f"Count from {first} to {last}." for first in (1, 3) for last in range(5, 22)]
    made += [f"Add {a} and {b}. {how}" for a in range(1, 30, 3) for b in range(1, 28, 4)
             for how in ("Answer with the number only.", "Give just the number.")]
    return made


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
    return [prompt for i, prompt in enumerate(prompts()) if i % HELD_EVERY] + instructions()


def whole_sentences(text, ended):
    if ended:
        return text.strip()
    end = max(text.rfind(". "), text.rfind(".\n"))
    return (text[:end + 1] if end > 20 else text).strip()


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
    asked = train_prompts()
    random.Random(2).shuffle(asked)
    found = answers(model, tokenizer, asked[:arguments.count], arguments.tokens, device)
    Path(arguments.out).write_text(json.dumps(found, indent=0))
    print(f"{len(found)} answers")


if __name__ == "__main__":
    main()
