"""Questions about one picture, with their answers. A right answer holds every one of `keys`."""
from dataclasses import dataclass, field

from nano import scene as scenes, words

ASK = {
    "describe": ["What do you see?", "Describe the picture.", "What is in the picture?", "Describe the image.",
                 "What is in this image?", "What is visible?", "What do you see now?"],
    "count": ["How many objects are there?", "How many things do you see?", "Count the objects."],
    "sign": ["What does the sign say?", "Read the sign.", "What is written on the sign?", "Read the text."],
    "left": ["What is on the left?", "Which object is on the left?"],
    "right": ["What is on the right?", "Which object is on the right?"],
    "top": ["What is at the top?"], "bottom": ["What is at the bottom?"]}
NOTHING = "Nothing is visible."
NO_SIGN = "There is no sign."


@dataclass
class Asked:
    kind: str
    text: str
    answer: str
    keys: list = field(default_factory=list)


def counted(things):
    """Phrases from left to right, equal names folded into a number: 'a cat', 'two red circles'."""
    names = [thing.name for thing in sorted(things, key=lambda thing: thing.x)]
    unique = list(dict.fromkeys(names))
    return [words.article(n) if names.count(n) == 1 else f"{words.NUMBERS[names.count(n)]} {words.plural(n)}"
            for n in unique]


def name_keys(things):
    names = [thing.name for thing in things]
    return sorted({n if names.count(n) == 1 else words.plural(n) for n in names})


def describe(scene):
    said = [f"I see {words.joined(counted(scene.things))}."] if scene.things else []
    if scene.sign:
        said.append(f'The sign says "{scene.sign.text}".')
    return " ".join(said) or NOTHING


def region(scene, thing):
    """'on the left', 'at the top right', 'in the middle'; None where two would be right."""
    dx, dy = thing.x / scene.width - 0.5, thing.y / scene.height - 0.5
    if any(0.13 < abs(d) < 0.2 for d in (dx, dy)):
        return None
    across = "" if abs(dx) < 0.165 else ("left" if dx < 0 else "right")
    down = "" if abs(dy) < 0.165 else ("top" if dy < 0 else "bottom")
    if not across and not down:
        return "in the middle"
    if across and down:
        return f"at the {down} {across}"
    return f"on the {across}" if across else f"at the {down}"


def _unique(things):
    names = [thing.name for thing in things]
    return [thing for thing in things if names.count(thing.name) == 1]


def _sides(rng, scene):
    asked = []
    for axis, low, high, length, where in (("x", "left", "right", scene.width, "on"),
                                           ("y", "top", "bottom", scene.height, "at")):
        order = sorted(scene.things, key=lambda thing: getattr(thing, axis))
        for side, first, second in ((low, order[0], order[1]), (high, order[-1], order[-2])):
            apart = abs(getattr(first, axis) - getattr(second, axis)) > 0.14
            off_middle = abs(getattr(first, axis) / length - 0.5) > 0.08
            if apart and off_middle and first in _unique(scene.things):
                answer = f"{words.capital(words.article(first.name))} is {where} the {side}."
                asked.append(Asked(side, rng.choice(ASK[side]), answer, [first.name]))
    return asked


def _counts(rng, scene):
    n = len(scene.things)
    answer = {0: "There are no objects.", 1: "There is one object."}.get(n, f"There are {words.NUMBERS[n]} objects.")
    asked = [Asked("count", rng.choice(ASK["count"]), answer, [words.NUMBERS[n] if n else "no"])]
    for kind in {thing.kind for thing in scene.things}:
        many = sum(thing.kind == kind for thing in scene.things)
        if (many > 1 or rng.random() < 0.15) and kind not in words.UNCOUNTED and kind not in words.PLURAL:
            phrase = f"is one {kind}" if many == 1 else f"are {words.NUMBERS[many]} {words.plural(kind)}"
            asked.append(Asked("count", f"How many {words.plural(kind)} are there?", f"There {phrase}.",
                               [words.NUMBERS[many]]))
    return asked


def _which(rng, scene):
    """Where each thing is, and its colour."""
    asked = []
    for thing in _unique(scene.things):
        if sum(other.cls == thing.cls for other in scene.things) > 1:
            continue
        place = region(scene, thing)
        if place:
            asked.append(Asked("where", f"Where is the {thing.kind}?", f"The {thing.kind} is {place}.", [place]))
        if thing.color:
            asked.append(Asked("color", f"What {rng.choice(('color', 'color', 'colour'))} is the {thing.kind}?",
                               f"The {thing.kind} is {thing.color}.", [thing.color]))
    return asked


def absent(rng, world, things):
    """Something that is not there, often a thing that is there in another colour."""
    names = [thing.name for thing in things]
    while True:
        other = scenes.pick_thing(rng, world)
        colored = [thing for thing in things if thing.color]
        if colored and rng.random() < 0.3:
            other = scenes.Thing(rng.choice(colored).cls, rng.choice(words.COLOR_NAMES))
        if other.name not in names and not (other.color is None and any(t.kind == other.name for t in things)):
            return other.name


def _is_there(rng, world, scene):
    ask = lambda name: f"{rng.choice(('Is there', 'Do you see'))} {words.article(name)}?"
    asked = []
    if scene.things:
        there = rng.choice(scene.things).name
        asked.append(Asked("yes", ask(there), f"Yes, there is {words.article(there)}.", ["Yes"]))
    missing = absent(rng, world, scene.things)
    asked.append(Asked("no", ask(missing), f"No, there is no {missing}.", ["No"]))
    return asked


def read_sign(rng, scene):
    return Asked("sign", rng.choice(ASK["sign"]), f'The sign says "{scene.sign.text}".', [scene.sign.text])


def about(rng, world, scene):
    """Every question that this scene answers."""
    sign = [scene.sign.text] if scene.sign else []
    asked = [Asked("describe" if scene.things or sign else "blank", rng.choice(ASK["describe"]), describe(scene),
                   name_keys(scene.things) + sign or ["othing"])]
    if scene.sign:
        asked += [read_sign(rng, scene) for _ in range(2)]
    else:
        asked += _counts(rng, scene)
        if rng.random() < 0.3:
            asked.append(Asked("nosign", rng.choice(ASK["sign"][:3]), NO_SIGN, ["no sign"]))
        if len(scene.things) >= 2:
            asked += _sides(rng, scene)
    if scene.ground.color:
        asked.append(Asked("ground", "What color is the background?", f"The background is {scene.ground.color}.",
                           [scene.ground.color]))
    return asked + _which(rng, scene) + _is_there(rng, world, scene)


def _spoken_form(rng, asked):
    fixed = {"describe": ["what do you see", "describe the picture", "what is in the picture", "what is visible now"],
             "count": ["how many objects are there"], "sign": ["what does the sign say", "read the sign"],
             "left": ["what is on the left"], "right": ["what is on the right"], "top": ["what is at the top"],
             "bottom": ["what is at the bottom"]}
    plain = asked.text.lower().rstrip("?.")
    if asked.kind == "count" and asked.text not in ASK["count"]:
        return None
    if asked.kind in fixed:
        return rng.choice(fixed[asked.kind])
    return plain.replace("colour", "color").replace("do you see", "is there")


def spoken(rng, world, scene, known):
    """Questions of this scene that exist as sound: `known` holds the texts. Their `text` is what is spoken."""
    asked = []
    for question in about(rng, world, scene):
        text = _spoken_form(rng, question)
        if text in known:
            asked.append(Asked(question.kind, text, question.answer, question.keys))
    return asked
