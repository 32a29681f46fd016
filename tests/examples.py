"""Small catalogues that several folders of tests use."""

from __future__ import annotations

import numpy as np

import duels


def drinks():
    """Four drinks with two features."""
    features = np.array([[9.0, 1.0], [6.0, 4.0], [3.0, 9.0], [5.0, 7.0]])
    names = ["espresso", "mocha", "cocoa", "chai"]
    return duels.Catalogue(features, names, feature_names=["strong", "sweet"])
