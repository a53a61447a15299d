"""The policy: a tiny vision-language-action model that emits a chunk of discrete action tokens.

    image ── three convolutions, FiLM by words ── keypoints ──┐
    words ── summed embeddings ───────────────────────────────┼── MLP ── 256 logits a token
    commanded tip ────────────────────────────────────────────┘

Every token is a categorical over 256 bins whose logits are a discretised Gaussian (a mean and a deviation) plus a free
residual that starts at zero: the head knows from the start that neighbouring bins are neighbouring actions.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from rlinf_runtime.trainer.action_tokens import NUM_BINS, bin_centers
from rlinf_runtime.trainer.language import NUM_TOKENS, PADDING, WORDS
from rlinf_runtime.trainer.tasks import ACTION_TOKEN_LEN

_EMBEDDING = 64
_CHANNELS = (16, 32, 32)
_KEYPOINTS = 32
_IMAGE_SIZE = 64
_MAP_SIZE = _IMAGE_SIZE // 4
_HIDDEN = 256
_RESIDUAL_RANK = 32
_TIP_SCALE = 10.0
"""Brings the tip's metres to the order of 1."""
_CONTRAST = 4.0
"""Brings the pixels' distance from the mean colour, mostly the table's, to the order of 1."""
_ATTENTION_GAIN = 5.0
"""Makes fresh attention maps sharp enough to have a gradient; flat ones see nothing for hundreds of steps."""
_EMBEDDING_DEVIATION = 0.1
"""Small words at first: large ones drown what is seen."""
_INITIAL_DEVIATION = 0.3
_LOG_DEVIATION_RANGE = (-4.0, 1.0)


@dataclass(frozen=True, slots=True)
class PolicyInput:
    """A batch of what the policy sees.

    Example: `PolicyInput(images=uint8 [128, 64, 64, 3], tips=float32 [128, 3], instructions=int64 [128, 5])`.
    """

    images: Tensor  # uint8 [B, H, W, 3]
    tips: Tensor  # float32 [B, 3], metres
    instructions: Tensor  # int64 [B, tokens]

    def __len__(self) -> int:
        return len(self.tips)

    def __getitem__(self, index: Tensor | slice) -> PolicyInput:
        return PolicyInput(images=self.images[index], tips=self.tips[index], instructions=self.instructions[index])

    @staticmethod
    def blank() -> PolicyInput:
        """One observation of nothing, for a rank that must take part without data."""
        return PolicyInput(
            images=torch.zeros((1, _IMAGE_SIZE, _IMAGE_SIZE, 3), dtype=torch.uint8),
            tips=torch.zeros((1, 3)),
            instructions=torch.full((1, NUM_TOKENS), PADDING),
        )

    def to(self, device: torch.device) -> PolicyInput:
        """The same batch on another device."""
        return PolicyInput(
            images=self.images.to(device), tips=self.tips.to(device), instructions=self.instructions.to(device)
        )


class InstructedConv(nn.Module):
    """A convolution whose maps language scales and shifts (FiLM, Perez et al., arXiv:1709.07871), then a ReLU."""

    def __init__(self, channels_in: int, channels_out: int, *, kernel: int, stride: int) -> None:
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, kernel, stride=stride, padding=kernel // 2, bias=False)
        # torch's default shrinks the signal at every layer; He's keeps it, and seeing starts three times sooner.
        nn.init.kaiming_normal_(self.conv.weight, nonlinearity="relu")
        self.film = nn.Linear(_EMBEDDING, 2 * channels_out)

    def forward(self, maps: Tensor, language: Tensor) -> Tensor:
        """Maps [B, C_in, H, W] and language [B, _EMBEDDING] to [B, C_out, H / stride, W / stride]."""
        scale, shift = self.film(language)[:, :, None, None].chunk(2, dim=1)
        return torch.relu(self.conv(maps) * (1.0 + scale) + shift)


class Keypoints(nn.Module):
    """Spatial soft-argmax: the mean position of each map (Levine et al., arXiv:1504.00702, 4.2)."""

    grid: Tensor

    def __init__(self, size: int) -> None:
        super().__init__()
        axis = torch.linspace(-1.0, 1.0, size)
        rows, columns = torch.meshgrid(axis, axis, indexing="ij")
        self.register_buffer("grid", torch.stack([columns, rows], dim=-1).reshape(-1, 2), persistent=False)

    def forward(self, maps: Tensor) -> Tensor:
        """Maps [B, K, H, W] to positions in [-1, 1], [B, 2K]."""
        attention = (_ATTENTION_GAIN * maps.flatten(2)).softmax(dim=-1)  # [B, K, HW]
        return (attention @ self.grid).flatten(1)


class Policy(nn.Module):
    """See the module's docstring; about 0.24 million parameters."""

    centers: Tensor

    def __init__(self, action_chunks_len: int) -> None:
        """Makes a policy with random weights.

        Args:
            action_chunks_len: control steps that one forward pass plans.
        """
        super().__init__()
        self.num_tokens = action_chunks_len * ACTION_TOKEN_LEN
        self.words = nn.Embedding(len(WORDS), _EMBEDDING, padding_idx=PADDING)
        with torch.no_grad():
            self.words.weight.mul_(_EMBEDDING_DEVIATION)
        first, second, third = _CHANNELS
        self.conv1 = InstructedConv(3, first, kernel=5, stride=2)
        self.conv2 = InstructedConv(first, second, kernel=3, stride=2)
        self.conv3 = InstructedConv(second, third, kernel=3, stride=1)
        self.to_maps = nn.Conv2d(third, _KEYPOINTS, 1)
        self.keypoints = Keypoints(_MAP_SIZE)
        self.mlp = nn.Sequential(
            nn.Linear(2 * _KEYPOINTS + 3 + _EMBEDDING, _HIDDEN),
            nn.ReLU(),
            nn.Linear(_HIDDEN, _HIDDEN),
            nn.ReLU(),
        )
        self.gaussian = nn.Linear(_HIDDEN, 2 * self.num_tokens)
        # Low rank: a full matrix would hold four fifths of all parameters and of the optimizer's time.
        to_bins = nn.Linear(_RESIDUAL_RANK, self.num_tokens * NUM_BINS)
        nn.init.zeros_(to_bins.weight)
        nn.init.zeros_(to_bins.bias)
        self.residual = nn.Sequential(nn.Linear(_HIDDEN, _RESIDUAL_RANK), to_bins)
        self.register_buffer("centers", bin_centers(), persistent=False)

    def forward(self, batch: PolicyInput) -> Tensor:
        """Maps a batch of B observations to logits, float32 [B, num_tokens, NUM_BINS]."""
        language = self.words(batch.instructions).sum(dim=1)
        maps = self.conv1(_normalize(batch.images), language)
        maps = self.conv3(self.conv2(maps, language), language)
        seen = self.keypoints(self.to_maps(maps))
        hidden = self.mlp(torch.cat([seen, batch.tips * _TIP_SCALE, language], dim=1))
        return self._logits(hidden)

    def _logits(self, hidden: Tensor) -> Tensor:
        mean, spread = self.gaussian(hidden).chunk(2, dim=1)
        deviation = _INITIAL_DEVIATION * spread.clamp(*_LOG_DEVIATION_RANGE).exp()
        distance = (self.centers - mean[:, :, None]) / deviation[:, :, None]
        residual = self.residual(hidden).view(-1, self.num_tokens, NUM_BINS)
        return residual - 0.5 * distance.square()


def _normalize(images: Tensor) -> Tensor:
    """Maps uint8 [B, H, W, 3] to the difference from each picture's mean colour, float32 [B, 3, H, W]."""
    pixels = images.permute(0, 3, 1, 2).float() / 255.0
    return _CONTRAST * (pixels - pixels.mean(dim=(2, 3), keepdim=True))


def token_log_probs(logits: Tensor, tokens: Tensor, *, temperature: float) -> Tensor:
    """Log-probabilities of the chosen tokens, [B, T], from logits [B, T, bins] and tokens int64 [B, T]."""
    log_probs = torch.log_softmax(logits / temperature, dim=-1)
    return log_probs.gather(-1, tokens.unsqueeze(-1)).squeeze(-1)


def sample_tokens(logits: Tensor, *, temperature: float, generator: torch.Generator) -> Tensor:
    """Draws one token each from logits [B, T, bins]; int64 [B, T]."""
    probabilities = torch.softmax(logits / temperature, dim=-1)
    return torch.multinomial(probabilities.flatten(0, 1), 1, generator=generator).view(logits.shape[:2])
