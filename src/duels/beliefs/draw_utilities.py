"""Utilities of arms, for every draw of a particle belief, before they are divided by lengths.

No answer tells anything about the effect of an arm that occurs in no pair, so its effect is drawn
from the prior: a number in a table (``noise``) that is fixed from the start. When the arm first
occurs in a pair, the draw keeps that number as its effect.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from duels.beliefs.evidence import Evidence
from duels.beliefs.sample import Array, PersonModel, Places, Sample, take
from duels.beliefs.utilities import OwnUtility

MOST_NOISE = 2**20  # normal numbers in the table
OWN_NOISE = 2**17  # in a table that one belief has for itself
SHARED_NOISE = 2**21  # in the table that all others take theirs from
AT_ONCE = 2**21  # utilities that are computed together, to limit memory


def make_noise(n: int, n_arms: int, rng: np.random.Generator) -> Array:
    """A standard normal number for each draw and arm: shape (n, n_arms).

    With many arms rows overlap in memory, so that different draws use the same numbers, but for
    different arms. Large tables are parts of one that all beliefs share, each from a place that
    is drawn: a server can hold many more sessions then.
    """
    step = min(n_arms, max(1, (MOST_NOISE - n_arms) // n))
    length = n_arms + step * (n - 1)
    if OWN_NOISE < length <= MOST_NOISE:
        begin = int(rng.integers(SHARED_NOISE - length))
        numbers = shared_noise()[begin : begin + length]
    else:
        numbers = rng.standard_normal(length)
    return np.lib.stride_tricks.as_strided(
        numbers, (n, n_arms), (step * numbers.itemsize, numbers.itemsize), writeable=False
    )


@cache
def shared_noise() -> Array:
    """Standard normal numbers that large tables are taken from: the same ones everywhere."""
    numbers = np.random.default_rng(0).standard_normal(SHARED_NOISE)
    numbers.flags.writeable = False
    return numbers


def utilities_of(
    model: PersonModel, evidence: Evidence, sample: Sample, noise: Array | None, arms: Any
) -> Array:
    """Utilities of these arms: shape (S, k). ``noise`` (S, n_arms) is None without arm effects."""
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
    return np.asarray(values + model.effect_sd[:, arms][sample.tau] * effect)


def best_arms_of(
    model: PersonModel, evidence: Evidence, sample: Sample, noise: Array | None
) -> tuple[Places, Array]:
    """The best arm of every draw, and its utility: shape (S,) each."""
    n, n_arms = len(sample.z), model.effect_sd.shape[1]
    best, top = np.empty(n, np.int64), np.empty(n)
    at_once = n if isinstance(model.utility, OwnUtility) else max(1, AT_ONCE // n_arms)
    for begin in range(0, n, at_once):
        part = slice(begin, begin + at_once)
        few = sample if at_once >= n else take(sample, part)
        values = utilities_of(
            model, evidence, few, None if noise is None else noise[part], slice(None)
        )
        best[part] = values.argmax(axis=1)
        top[part] = values[np.arange(len(values)), best[part]]
    return best, top
