"""The whole model in torch, and its losses on a batch."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from nano import render_torch, signs, sounds
from nano.encoders import CTC_FRAMES, CTC_LETTERS, ROW, Ears, Eyes, LogMel
from nano.language import Language

CTC_INDEX = {letter: i + 1 for i, letter in enumerate(CTC_LETTERS)}


class Nano(nn.Module):
    def __init__(self, config, weights):
        super().__init__()
        self.config = config
        self.eyes, self.ears = Eyes(config.vision), Ears(config.audio)
        self.language = Language(weights, config.lora_rank)

    def trained(self):
        """What training changes, by name; the base model's weights are buffers and not among it."""
        return dict(self.named_parameters())


class Studio:
    """Draws a batch's pictures and mixes its sounds on the device."""

    def __init__(self, config, sprites, sign_bank, letters, sound_bank, offsets, device):
        self.config = config
        self.letters = letters.to(device)
        self.render = render_torch.Renderer(sprites, sign_bank.to(device), config.vision.image, device)
        self.mix = sounds.Mixer(sound_bank.to(device), offsets, device)
        self.log_mel = LogMel(config.audio.mels, device)

    @torch.no_grad()
    def pictures(self, packed):
        return self.render(packed)

    @torch.no_grad()
    def mel(self, numbers):
        """(log-mel [n, mels, frames], valid frames [n])"""
        mel, frames = self.log_mel(*self.mix(numbers))
        return sounds.colored(mel, numbers), frames


def reader_loss(eyes, rows, packed, letters):
    """Cross-entropy of the sign's letters in order, read off the rows that the language model gets."""
    on = packed[:, render_torch.SIGN_AT] >= 0
    if not bool(on.any()):
        return rows.sum() * 0
    target = letters[packed[on, render_torch.SIGN_AT].long()][..., 0].long()
    target = torch.where(target < 0, torch.full_like(target, len(signs.LETTERS)), target)
    logits = eyes.reader(rows[on]).float()
    weight = torch.where(target == len(signs.LETTERS), 0.2, 1.0)
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
    return (loss * weight.flatten()).sum() / weight.sum()


def see(model, studio, packed, train):
    """(rows [n, rows, ROW], losses by name)"""
    eyes, shape = model.eyes, model.config.vision
    rows, middle, patches = eyes(studio.pictures(packed))
    target = render_torch.cell_targets(packed, shape.cells)
    losses = {"cell": train.cell_weight * F.binary_cross_entropy_with_logits(
        eyes.cell(middle).float(), target, weight=1 + 20 * target)}
    on = packed[:, render_torch.SIGN_AT] >= 0
    if bool(on.any()):
        target = render_torch.letter_targets(packed[on], studio.letters, shape.grid)
        losses["letter"] = train.letter_weight * F.binary_cross_entropy_with_logits(
            eyes.letter(patches[on]).float(), target, weight=1 + 10 * target)
        if train.reader_weight:
            losses["reader"] = train.reader_weight * reader_loss(eyes, rows, packed, studio.letters)
    return rows, losses


def hear(model, studio, numbers, texts, train):
    """(rows [n, longest, ROW], losses by name)"""
    rows, valid, letters = model.ears(*studio.mel(numbers))
    spelled = [[CTC_INDEX[letter] for letter in text if letter in CTC_INDEX] for text in texts]
    loss = F.ctc_loss(letters.float().log_softmax(-1).transpose(0, 1), torch.tensor(sum(spelled, []), dtype=torch.long),
                      (valid * CTC_FRAMES).cpu(), torch.tensor([len(text) for text in spelled]), zero_infinity=True)
    return rows, {"ctc": train.ctc_weight * loss}


def prompt_rows(model, studio, batch, train):
    """All rows of a batch [count, length, ROW] with those of pictures and sounds in their slots, and the losses."""
    count, length = batch["ids"].shape
    rows = model.language.embed(batch["ids"]).reshape(count * length, ROW)
    if torch.is_autocast_enabled():
        rows = rows.to(torch.bfloat16)
    losses = {}
    if "scenes" in batch:
        seen, losses_seen = see(model, studio, batch["scenes"], train)
        losses.update(losses_seen)
        kept = seen.reshape(-1, ROW)[batch["row_from"]]
        rows = rows.index_copy(0, batch["row_to"], kept.to(rows.dtype))
    if "sounds" in batch:
        heard, losses_heard = hear(model, studio, batch["sounds"], batch["texts"], train)
        losses.update(losses_heard)
        place = torch.arange(heard.shape[1], device=heard.device)[None]
        inside = place < batch["slots"][:, 1:]
        slots = (batch["slots"][:, :1] + place)[inside]
        rows = rows.index_copy(0, slots, heard[inside].to(rows.dtype))
    return rows.view(count, length, ROW), losses


def answer_loss(model, batch, rows):
    """(cross-entropy of the answers, whether each answer's tokens are all the most likely ones [answers])"""
    hidden = model.language.hidden(rows)
    at = batch["owner"][:, 1:].reshape(-1).nonzero()[:, 0]
    logits = model.language.logits(hidden[:, :-1].reshape(-1, ROW)[at])
    label = batch["ids"][:, 1:].reshape(-1)[at]
    owner = batch["owner"][:, 1:].reshape(-1)[at] - 1
    with torch.no_grad():
        wrong = torch.zeros(len(batch["kinds"]), device=rows.device)
        wrong.index_add_(0, owner, (logits.argmax(-1) != label).float())
    return F.cross_entropy(logits, label), wrong == 0


def text_loss(model, batch):
    """How far the adapted model's next words are from the base model's on the base model's answers."""
    rows = model.language.embed(batch["ids"])
    at = batch["owner"][:, 1:].reshape(-1).nonzero()[:, 0]
    pick = lambda hidden: model.language.logits(hidden[:, :-1].reshape(-1, ROW)[at]).log_softmax(-1)
    with torch.no_grad():
        base = pick(model.language.hidden(rows, adapted=False))
    adapted = pick(model.language.hidden(rows))
    right = torch.ones(len(batch["kinds"]), dtype=torch.bool, device=rows.device)
    return F.kl_div(adapted, base, log_target=True, reduction="batchmean"), right
