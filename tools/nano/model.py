"""The whole model in torch, and its losses on a batch."""
import torch
import torch.nn as nn
import torch.nn.functional as F

from nano import render_torch, signs, sounds
from nano.encoders import CTC_FRAMES, CTC_LETTERS, ROW, Ears, Eyes, LogMel
from nano.language import Language
from nano.layers import Packed

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

    def __init__(self, config, sprites, sign_bank, letters, characters, sound_bank, offsets, device):
        self.config = config
        self.letters, self.characters = letters.to(device), characters.to(device)
        self.render = render_torch.Renderer(sprites, sign_bank.to(device), config.vision.image, device)
        self.mix = sounds.Mixer(sound_bank.to(device), offsets, device)
        self.log_mel = LogMel(config.audio.mels, device)

    @torch.no_grad()
    def pictures(self, packed):
        with torch.autocast(packed.device.type, enabled=False):
            return self.render(packed)

    @torch.no_grad()
    def mel(self, numbers):
        """(log-mel [n, mels, frames], valid frames [n])"""
        with torch.autocast(numbers.device.type, enabled=False):
            mel, frames = self.log_mel(*self.mix(numbers))
            return sounds.colored(mel, numbers), frames


def reader_loss(eyes, rows, target):
    """Cross-entropy of the sign's characters in order, read off the rows that the language model gets; and the share of
    the signs that are read wholly right."""
    logits = eyes.reader(rows).float()
    weight = torch.where(target == len(signs.CHARACTERS), 0.2, 1.0)
    loss = F.cross_entropy(logits.flatten(0, 1), target.flatten(), reduction="none")
    right = (logits.argmax(-1) == target).all(-1).float().mean()
    return (loss * weight.flatten()).sum() / weight.sum(), right.detach()


def see(model, studio, packed, train):
    """(rows [n, rows, ROW], losses by name); what is no loss but a share to be shown has a name that begins with '='."""
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
            loss, losses["=read"] = reader_loss(eyes, rows[on], studio.characters[packed[on, render_torch.SIGN_AT].long()])
            losses["reader"] = train.reader_weight * loss
    return rows, losses


def hear(model, studio, numbers, texts, train):
    """(rows [n, longest, ROW], losses by name)"""
    rows, valid, letters = model.ears(*studio.mel(numbers))
    if not train.ears:
        return rows, {}
    spelled = [[CTC_INDEX[letter] for letter in text if letter in CTC_INDEX] for text in texts]
    loss = F.ctc_loss(letters.float().log_softmax(-1).transpose(0, 1), torch.tensor(sum(spelled, []), dtype=torch.long),
                      (valid * CTC_FRAMES).cpu(), torch.tensor([len(text) for text in spelled]), zero_infinity=True)
    return rows, {"ctc": train.ctc_weight * loss}


def school_losses(model, studio, batch, train):
    """The encoders' own losses alone."""
    losses = see(model, studio, batch["scenes"], train)[1]
    if "sounds" in batch:
        losses.update(hear(model, studio, batch["sounds"], batch["texts"], train)[1])
    return losses


def prompt_rows(model, studio, batch, train):
    """All rows [tokens, ROW] with those of pictures and sounds in their slots, and the encoders' losses."""
    rows = model.language.embed(batch["ids"])
    if rows.is_cuda:
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
    return rows, losses


def losses_of(model, studio, batch, train):
    """(losses by name, whether each answer's tokens are all the most likely ones [answers])"""
    if "ids" not in batch:
        return school_losses(model, studio, batch, train), None
    rows, losses = prompt_rows(model, studio, batch, train)
    hidden = model.language.hidden(rows, batch["position"], Packed(batch["offsets"]))
    last = int(batch["offsets"][batch["sequences"]])
    before = (batch["owner"][1:] > 0).nonzero()[:, 0]  # the token before each token of an answer
    is_plain = before >= last - batch["plain"]
    asked = before[~is_plain]
    logits, label = model.language.logits(hidden[asked]), batch["ids"][asked + 1]
    losses["answer"] = F.cross_entropy(logits, label)
    with torch.no_grad():
        wrong = torch.zeros(len(batch["kinds"]), device=rows.device)
        wrong.index_add_(0, batch["owner"][asked + 1] - 1, (logits.argmax(-1) != label).float())
    if batch["plain"]:
        losses["plain"] = train.text_weight * plain_loss(model, batch, last, before[is_plain], hidden)
    return losses, wrong == 0


def plain_loss(model, batch, last, before, hidden):
    """How far the adapted model's next words are from the base model's, on the base model's answers."""
    first = last - batch["plain"]
    inside = (batch["offsets"] >= first) & (batch["offsets"] <= last)
    with torch.no_grad():
        rows = model.language.embed(batch["ids"][first:last]).to(hidden.dtype)
        base = model.language.hidden(rows, batch["position"][first:last], Packed(batch["offsets"][inside] - first), adapted=False)
        base = model.language.logits(base[before - first]).log_softmax(-1)
    adapted = model.language.logits(hidden[before]).log_softmax(-1)
    return F.kl_div(adapted, base, log_target=True, reduction="batchmean")
