"""Names of things, colours, grammar, and sentences to speak. Every name here is a word the model can say."""

EMOJI = """🐶 dog,🐱 cat,🐭 mouse,🐰 rabbit,🦊 fox,🐻 bear,🐼 panda,🐨 koala,🐯 tiger,🦁 lion,🐮 cow,🐷 pig,🐸 frog,
🐵 monkey,🐔 chicken,🐧 penguin,🦆 duck,🦅 eagle,🦉 owl,🐺 wolf,🐴 horse,🦄 unicorn,🐝 bee,🐛 caterpillar,🦋 butterfly,
🐌 snail,🐞 ladybug,🐜 ant,🐢 turtle,🐍 snake,🦎 lizard,🦖 dinosaur,🐙 octopus,🦑 squid,🦐 shrimp,🦀 crab,🐡 blowfish,
🐬 dolphin,🐳 whale,🦈 shark,🐊 crocodile,🦓 zebra,🦍 gorilla,🐘 elephant,🦏 rhino,🐪 camel,🦒 giraffe,🦘 kangaroo,
🐑 sheep,🐐 goat,🦌 deer,🦃 turkey,🦚 peacock,🦜 parrot,🦢 swan,🦩 flamingo,🦔 hedgehog,🐿 squirrel,🌵 cactus,
🎄 christmas tree,🌲 pine tree,🌴 palm tree,🍀 clover,🍁 maple leaf,🍄 mushroom,🌹 rose,🌻 sunflower,🌷 tulip,🌎 earth,
🌙 moon,☀ sun,⭐ star,⚡ lightning,🔥 fire,🌈 rainbow,☁ cloud,⛄ snowman,💧 drop,☂ umbrella,🌊 wave,🍏 green apple,
🍎 red apple,🍐 pear,🍊 orange,🍋 lemon,🍌 banana,🍉 watermelon,🍇 grapes,🍓 strawberry,🍒 cherries,🍑 peach,
🍍 pineapple,🥥 coconut,🥝 kiwi,🍅 tomato,🍆 eggplant,🥑 avocado,🥦 broccoli,🥒 cucumber,🌶 chili pepper,🌽 corn,
🥕 carrot,🥔 potato,🥐 croissant,🍞 bread,🥨 pretzel,🧀 cheese,🥚 egg,🥞 pancakes,🥓 bacon,🍔 hamburger,🍟 fries,🍕 pizza,
🌭 hot dog,🌮 taco,🍣 sushi,🍦 ice cream,🍩 donut,🍪 cookie,🎂 cake,🍫 chocolate,🍭 lollipop,🍿 popcorn,🍯 honey,
🍼 baby bottle,☕ coffee,🍺 beer,🍷 wine,🍴 fork and knife,🥄 spoon,⚽ soccer ball,🏀 basketball,🏈 football,⚾ baseball,
🎾 tennis ball,🎱 pool ball,🏓 ping pong paddle,🥊 boxing glove,⛸ ice skate,🎯 target,🎳 bowling,🎮 game controller,🎲 die,
🎨 palette,🎸 guitar,🎹 piano,🎺 trumpet,🎻 violin,🥁 drum,🎤 microphone,🎧 headphones,🚗 car,🚕 taxi,🚌 bus,🚑 ambulance,
🚒 fire truck,🚜 tractor,🚲 bicycle,🛵 scooter,🚂 train,✈ airplane,🚀 rocket,🚁 helicopter,⛵ sailboat,🚢 ship,⚓ anchor,
🚦 traffic light,🏠 house,🏰 castle,⛺ tent,🗽 statue of liberty,🎡 ferris wheel,⌚ watch,📱 phone,💻 laptop,🖨 printer,
📷 camera,📺 television,☎ telephone,⏰ alarm clock,🔋 battery,💡 light bulb,🔦 flashlight,🕯 candle,💎 gem,🔨 hammer,
🔧 wrench,🔩 bolt,⚙ gear,🔫 water gun,💣 bomb,🔪 knife,🏺 vase,🔮 crystal ball,🔭 telescope,🔬 microscope,💊 pill,
💉 syringe,🧲 magnet,🧸 teddy bear,🎁 gift,🎈 balloon,📦 box,✉ envelope,📚 books,📎 paper clip,📌 pin,✂ scissors,🔒 lock,
🔑 key,✏ pencil,🔔 bell,👑 crown,🎩 top hat,👓 glasses,👔 shirt,👖 jeans,👗 dress,🧦 socks,👠 high heel,👟 sneaker,👜 handbag,
🎒 backpack,💍 ring,💄 lipstick,🤖 robot,👽 alien,👻 ghost,💀 skull,🎃 pumpkin,❤ heart,🏆 trophy,🚪 door,🛏 bed,🚽 toilet,
🚿 shower,🧹 broom,🧼 soap"""
EMOJI = [tuple(entry.strip().split(" ", 1)) for entry in EMOJI.replace("\n", "").split(",")]
SHAPES = ["circle", "square", "triangle", "diamond", "pentagon", "hexagon", "cross", "arrow", "crescent", "oval",
          "rectangle"]
COLORS = {"red": (220, 30, 35), "green": (35, 160, 50), "blue": (35, 70, 215), "yellow": (245, 215, 30),
          "orange": (245, 135, 25), "purple": (125, 45, 165), "pink": (248, 140, 190), "black": (22, 22, 24),
          "white": (245, 245, 245), "brown": (125, 75, 35), "gray": (130, 130, 132), "cyan": (55, 205, 225)}
COLOR_NAMES = list(COLORS)
N_EMOJI = len(EMOJI)
NAMES = [name for _, name in EMOJI] + SHAPES
N_CLASSES = len(NAMES)

# Pairs of shape and colour that are never shown in training: one of each shape.
HELD_SHAPES = {(SHAPES[i], COLOR_NAMES[i * 5 % len(COLOR_NAMES)]) for i in range(len(SHAPES))}

PLURAL = {"pancakes", "grapes", "cherries", "fries", "headphones", "books", "scissors", "glasses", "jeans", "socks"}
UNCOUNTED = {"bacon", "sushi", "bread", "cheese", "corn", "broccoli", "popcorn", "honey", "coffee", "beer", "wine",
             "lightning", "fire", "chocolate", "bowling", "soap", "earth"}
IRREGULAR = {"mouse": "mice", "wolf": "wolves", "maple leaf": "maple leaves", "knife": "knives", "sheep": "sheep",
             "deer": "deer", "squid": "squid", "shrimp": "shrimp", "die": "dice", "snowman": "snowmen",
             "statue of liberty": "statues of liberty", "fork and knife": "forks and knives", "box": "boxes",
             "octopus": "octopuses"}
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def is_held(cls, color):
    """Whether this pair of class and colour is kept out of training: the shapes above, and a twelfth of tinted emoji."""
    if cls >= N_EMOJI:
        return (NAMES[cls], color) in HELD_SHAPES
    return color is not None and (cls * 7 + COLOR_NAMES.index(color) * 5) % 12 == 0


def article(name):
    """The name as one says it of one: 'a cat', 'an owl', 'grapes'."""
    bare = name.split(" ")[-1]
    if name in PLURAL or name in UNCOUNTED or bare in PLURAL or bare in UNCOUNTED:
        return name
    return ("an " if name[0] in "aeio" or name.startswith("um") else "a ") + name


def plural(name):
    head, _, last = name.rpartition(" ")
    if name in IRREGULAR:
        return IRREGULAR[name]
    if last in PLURAL or last in UNCOUNTED:
        return name
    if last in IRREGULAR:
        return f"{head} {IRREGULAR[last]}".strip()
    if name.endswith("y") and name[-2] not in "aeiou":
        return name[:-1] + "ies"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")


def capital(text):
    return text[0].upper() + text[1:]


def joined(items):
    """'a, b and c'"""
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1]


PEOPLE = ("anna ben carla david emma frank grace henry julia kevin laura martin nina oscar paula robert sara thomas maria "
          "peter").split()
PLACES = ("kitchen garden office station school market library beach park hotel street garage museum airport church "
          "bridge theater hospital bakery forest").split()
TIMES = ["today", "tomorrow", "yesterday", "this morning", "this evening", "tonight", "next week", "on monday",
         "on tuesday", "on friday", "on sunday", "in the afternoon", "at noon", "at nine", "at seven", "in an hour",
         "right now", "in the winter", "last summer"]
VERBS = "bring buy clean close find fix hold move open paint push send show take wash watch carry count draw keep".split()
ADJECTIVES = ("red green blue yellow big small old new fast slow happy sad cold warm heavy light quiet loud clean "
              "dark").split()
SEEN = ["cars", "birds", "people", "dogs", "houses", "trees", "books", "boats"]


def sentence(rng, words):
    """A sentence to speak: lower case, no punctuation. Half are templates, half words in any order."""
    pick = rng.choice
    thing, person, place, when = pick(NAMES), pick(PEOPLE), pick(PLACES), pick(TIMES)
    verb, adjective = pick(VERBS), pick(ADJECTIVES)
    kind = rng.randrange(18)
    if kind < 10:
        return (
            lambda: f"please {verb} the {thing}",
            lambda: f"{person} will {verb} the {thing} {when}",
            lambda: f"the {adjective} {thing} is in the {place}",
            lambda: f"can you {verb} the {adjective} {thing} {when}",
            lambda: f"we meet at the {place} {when}",
            lambda: f"{person} and {pick(PEOPLE)} went to the {place} {when}",
            lambda: f"i saw {pick(NUMBERS[2:])} {pick(SEEN)} near the {place}",
            lambda: f"the code is {' '.join(pick(NUMBERS[:10]) for _ in range(rng.randint(3, 5)))}",
            lambda: f"my name is {person} and i like {pick(words)} and {pick(words)}",
            lambda: f"turn {pick(['left', 'right'])} at the {place} and stop",
        )[kind]()
    return " ".join(pick(words) for _ in range(rng.randint(1, 7)))


SPOKEN = ["what do you see", "describe the picture", "what is in the picture", "what is on the left",
          "what is on the right", "what is at the top", "what is at the bottom", "how many objects are there",
          "what does the sign say", "read the sign", "what is visible now", "what is that"]


def spoken_questions():
    """Every question that is ever spoken; each exists in the bank of utterances."""
    there = [f"is there {article(name)}" for name in NAMES]
    where = [f"where is the {name}" for name in NAMES]
    return SPOKEN + there + where + [f"what color is the {shape}" for shape in SHAPES]
