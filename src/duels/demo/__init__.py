"""A catalogue to try things with: 24 invented holiday cabins, with pictures of our own."""

from __future__ import annotations

from pathlib import Path

from duels.catalogue import Catalogue

DEMO = Path(__file__).parent  # the folder with cabins.csv and its pictures


def demo_catalogue() -> Catalogue:
    """The cabins, with their places, beds, prices and more.

    >>> demo_catalogue()
    Catalogue(24 arms, 9 features)
    """
    return Catalogue.from_csv(DEMO / "cabins.csv")
