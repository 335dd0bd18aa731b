"""Sounds mixed on the training device: silence around, other speed, noise, another voice behind, another room's tone."""
import torch

RATE = 16000
FRAME_ROW = 1280  # samples of one row


class Mixer:
    """`bank`: all utterances end to end, int16; `offsets` [m + 1]."""

    def __init__(self, bank, offsets, device):
        self.bank = bank
        self.start, self.length = offsets[:-1].to(device), (offsets[1:] - offsets[:-1]).to(device)
        self.device = device

    def _voice(self, index, at):
        """Samples of utterances `index` [n] at fractional places `at` [n, t]; 0 outside and where index is -1."""
        index, length = index.clamp(min=0), self.length[index.clamp(min=0)][:, None]
        floor = at.floor()
        inside = (at >= 0) & (floor + 1 < length)
        first = (self.start[index][:, None] + floor.long().clamp(min=0)).clamp(max=len(self.bank) - 2)
        part = (at - floor).float()
        low, high = self.bank[first].float(), self.bank[first + 1].float()
        return (low + (high - low) * part) / 32768 * inside

    def __call__(self, numbers):
        """numbers [n, 12]: index, samples of silence before, samples in all, gain, noise (dB below the voice), speed,
        colour of the noise, index of a voice behind, its dB below, two tilts of the spectrum, a share to hide.
        Returns (sound [n, t], samples in all [n])."""
        index, total = numbers[:, 0].long(), numbers[:, 2].long()
        width = (int(total.max()) + FRAME_ROW - 1) // FRAME_ROW * FRAME_ROW
        time = torch.arange(width, device=self.device, dtype=torch.float64)[None]
        at = (time - numbers[:, 1:2]) * numbers[:, 5:6]
        on = (index >= 0).float()[:, None]
        voice = self._voice(index, at) * on
        power = voice.square().sum(1, keepdim=True) / (voice != 0).sum(1, keepdim=True).clamp(min=1)
        loud = torch.where(on > 0, power.sqrt(), torch.full_like(power, 0.05)).clamp(min=1e-4)
        behind = self._voice(numbers[:, 7].long(), time) * (numbers[:, 7:8] >= 0).float()
        mixed = voice + behind * 10 ** (-numbers[:, 8:9].float() / 20)
        mixed = mixed + self._noise(numbers, mixed.shape) * loud * 10 ** (-numbers[:, 4:5].float() / 20)
        inside = torch.arange(width, device=self.device)[None] < total[:, None]
        return (mixed * numbers[:, 3:4].float() * inside).clamp(-1, 1), total

    def _noise(self, numbers, shape):
        """White, or low-passed to pink or brown by its share of an average."""
        white = torch.randn(shape, device=self.device)
        color = numbers[:, 6:7].float()
        smooth = torch.nn.functional.avg_pool1d(white[:, None], 9, 1, 4)[:, 0] * 3
        return torch.where(color < 0.5, white, smooth)


def colored(mel, numbers):
    """Log-mel [n, mels, frames] as another microphone would give it, with a few bands hidden in a third of the sounds."""
    n, mels, frames = mel.shape
    place = torch.linspace(-1, 1, mels, device=mel.device)[None, :, None]
    tilt, bend = numbers[:, 9].float().view(n, 1, 1), numbers[:, 10].float().view(n, 1, 1)
    hide, first = numbers[:, 11].float().view(n, 1, 1), (numbers[:, 6].float().view(n, 1, 1) * mels)
    bands = torch.arange(mels, device=mel.device)[None, :, None]
    hidden = (hide < 0.33) & (bands >= first) & (bands < first + 8)
    shifted = mel + (tilt * place + bend * (place.square() - 0.5)) * (mel != 0)
    return torch.where(hidden, mel.mean((1, 2), keepdim=True), shifted)
