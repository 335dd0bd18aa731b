"""The text of a sign as a mask, and where each letter is on it."""
import numpy as np
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 256, 128
MAX_LETTERS = 24
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + LETTERS + " "
MAX_CHARACTERS = 28
FONT_FOLDER = "/usr/share/fonts/truetype"
FONTS = """dejavu/DejaVuSans-Bold dejavu/DejaVuSans dejavu/DejaVuSerif-Bold dejavu/DejaVuSansMono-Bold
liberation/LiberationSans-Bold liberation/LiberationSans-Regular liberation/LiberationSerif-Bold
liberation/LiberationMono-Bold freefont/FreeSansBold freefont/FreeSerifBold freefont/FreeMonoBold
liberation/LiberationSansNarrow-Bold""".split()


def characters(texts):
    """[n, MAX_CHARACTERS]: indices of CHARACTERS, and after each text's end their number."""
    index = {character: i for i, character in enumerate(CHARACTERS)}
    spelled = np.full((len(texts), MAX_CHARACTERS), len(CHARACTERS), np.int64)
    for row, text in zip(spelled, texts):
        row[:len(text)] = [index[character] for character in text[:MAX_CHARACTERS]]
    return spelled


def _lines(text):
    parts = text.split()
    if len(parts) == 1 or len(text) <= 7:
        return [text]
    if len(parts) == 2 or len(text) < 16:
        return [" ".join(parts[:-1]), parts[-1]]
    return parts


def _fitting_font(path, lines, draw):
    size = {1: 88, 2: 52}.get(len(lines), 36)
    while True:
        font = ImageFont.truetype(str(path), size)
        boxes = [draw.textbbox((0, 0), line, font=font) for line in lines]
        if max(box[2] - box[0] for box in boxes) <= WIDTH - 20 or size < 14:
            return font, boxes
        size = int(size * 0.92)


def draw(text, font_path):
    """(mask [HEIGHT, WIDTH] uint8, letters [MAX_LETTERS, 3]: index of LETTERS or -1, and x, y in -1..1 on the board)."""
    image = Image.new("L", (WIDTH, HEIGHT), 0)
    pen = ImageDraw.Draw(image)
    lines = _lines(text)
    font, boxes = _fitting_font(font_path, lines, pen)
    line_height = (HEIGHT - 12) / len(lines)
    letters = np.full((MAX_LETTERS, 3), -1, np.float32)
    count = 0
    for i, (line, box) in enumerate(zip(lines, boxes)):
        left, middle = WIDTH / 2 - (box[0] + box[2]) / 2, 6 + line_height * (i + 0.5)
        pen.text((left, middle - (box[1] + box[3]) / 2), line, font=font, fill=255)
        for k, letter in enumerate(line.lower()):
            if letter in LETTERS and count < MAX_LETTERS:
                x = left + (font.getlength(line[:k]) + font.getlength(line[:k + 1])) / 2
                letters[count] = LETTERS.index(letter), x / WIDTH * 2 - 1, middle / HEIGHT * 2 - 1
                count += 1
    return np.asarray(image), letters
