"""A small client of the API of ``duels serve``, for programs of your own."""

from __future__ import annotations

from duels.client.client import Client, RemoteSession
from duels.client.replies import (
    Answer,
    Arm,
    Care,
    CatalogueEntry,
    Feature,
    Left,
    Question,
    Ranked,
    Result,
    Shown,
    ValueWeight,
)

__all__ = [
    "Answer",
    "Arm",
    "Care",
    "CatalogueEntry",
    "Client",
    "Feature",
    "Left",
    "Question",
    "Ranked",
    "RemoteSession",
    "Result",
    "Shown",
    "ValueWeight",
]
