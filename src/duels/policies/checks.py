"""Checks that policies which count the duels of every pair have in common."""

from __future__ import annotations

import math

import numpy as np

from duels.errors import InvalidValue, whole_number

MAX_BYTES = 4 * 2**30


def check_pair_counts(name: str, n_arms: int, bytes_a_pair: int = 8) -> None:
    """Refuse more arms than whose pairs can be counted in memory."""
    needed = bytes_a_pair * n_arms**2
    if needed > MAX_BYTES:
        raise InvalidValue(
            f"{name} counts the duels of every pair and takes at most {MAX_BYTES >> 30} GiB, but "
            f"{n_arms:,} arms need {needed / 2**30:,.0f} GiB. Use ws-w or ctb-2."
        )


def checked_horizon(name: str, horizon: int | None) -> int:
    """The number of duels that a policy must be told."""
    if horizon is None:
        raise InvalidValue(
            f"{name} must know how many duels there will be, got no horizon. "
            f"Use {name}:horizon=500, for example; simulations fill it in."
        )
    return whole_number("horizon", horizon, at_least=1)


def checked_flag(name: str, value: bool) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise InvalidValue(f"{name} must be true or false, got {value!r}.")
    return value


def checked_above(name: str, value: float, least: float, hint: str) -> float:
    """A finite number above ``least``."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not least < value < math.inf:
        raise InvalidValue(f"{name} must be a finite number above {least:g}, got {value!r}. {hint}")
    return float(value)


def checked_share(name: str, value: float, hint: str) -> float:
    """A number between 0 and 1."""
    if checked_above(name, value, 0.0, hint) >= 1.0:
        raise InvalidValue(f"{name} must be below 1, got {value!r}. {hint}")
    return float(value)
