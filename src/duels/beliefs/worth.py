"""Utilities of any arms, for every draw, before they are divided by lengths.

The effect of an arm that did not meet another is noise: the same number whenever it is looked at,
and the draw's effect once the arm meets another.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from duels.beliefs.evidence import Evidence
from duels.beliefs.sample import Array, Model, Places, Sample, take
from duels.beliefs.utilities import OwnUtility

MOST_NOISE = 2**20  # normal numbers that are kept
AT_ONCE = 2**21  # utilities that are computed together


def make_noise(n: int, n_arms: int, rng: np.random.Generator) -> Array:
    """Standard normal numbers, one an arm and draw: shape (n, n_arms).

    For many arms, rows overlap: draws share numbers, but for different arms.
    """
    step = min(n_arms, max(1, (MOST_NOISE - n_arms) // n))
    numbers = rng.standard_normal(n_arms + step * (n - 1))
    return np.lib.stride_tricks.as_strided(
        numbers, (n, n_arms), (step * numbers.itemsize, numbers.itemsize), writeable=False
    )


def worth_of(
    model: Model, evidence: Evidence, sample: Sample, noise: Array | None, arms: Any
) -> Array:
    """Of some arms, (S, k); ``noise`` (S, n_arms) is None where no arm has an effect."""
    values = model.utility.of(sample.z, arms)
    if noise is None:
        return values
    effect = np.array(noise[:, arms])
    if isinstance(arms, slice):
        effect[:, evidence.met] = sample.effect
    else:
        places = evidence.places(arms)
        met = places >= 0
        effect[:, met] = sample.effect[:, places[met]]
    return np.asarray(values + model.spread[:, arms][sample.tau] * effect)


def best_of(
    model: Model, evidence: Evidence, sample: Sample, noise: Array | None
) -> tuple[Places, Array]:
    """The best arm of every draw, and its utility: shape (S,) each."""
    n, n_arms = len(sample.z), model.spread.shape[1]
    best, top = np.empty(n, np.int64), np.empty(n)
    at_once = n if isinstance(model.utility, OwnUtility) else max(1, AT_ONCE // n_arms)
    for begin in range(0, n, at_once):
        part = slice(begin, begin + at_once)
        few = sample if at_once >= n else take(sample, part)
        values = worth_of(model, evidence, few, None if noise is None else noise[part], slice(None))
        best[part] = values.argmax(axis=1)
        top[part] = values[np.arange(len(values)), best[part]]
    return best, top
