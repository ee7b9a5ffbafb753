"""YOURS. The model: a small convolutional network for small grey images."""

from __future__ import annotations

import torch
from torch import nn


class DigitNet(nn.Module):
    """Says which digit an image shows.

    Input: float32 of shape (batch, 1, 8, 8), values from 0 to 1.
    Output: float32 of shape (batch, 10), one score (logit) for each digit.
    """

    def __init__(self, classes: int = 10, channels: int = 32) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, 2 * channels, kernel_size=3, padding=1),
            nn.BatchNorm2d(2 * channels),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Dropout2d(0.1),
        )
        self.classify = nn.Linear(2 * channels * 4 * 4, classes)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Score each class for each image."""
        scores: torch.Tensor = self.classify(self.features(images).flatten(1))
        return scores
