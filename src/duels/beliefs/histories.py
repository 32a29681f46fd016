"""Check the histories of other people that users give to `fit_prior`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.errors import DuelsError, InvalidValue, shorten

History = Sequence[tuple[int | str, int | str]] | NDArray[np.integer[Any]]


def read_histories(catalogue: Catalogue, histories: Sequence[History]) -> list[NDArray[np.int64]]:
    """The duels of each person who has any, as arrays (n, 2) of arms, winners first."""
    if not _is_list(histories):
        way_out = "list(histories.values())" if isinstance(histories, Mapping) else "a list"
        raise InvalidValue(
            "histories must be a list with one list of duels a person, got a "
            f"{type(histories).__name__}. Use {way_out}."
        )
    people = []
    for p, history in enumerate(histories):
        if not _is_list(history):
            raise InvalidValue(
                f"histories[{p}] must be a list of duels, all those of one person, got "
                f"{_shown(history)}. Use [[(winner, loser), ...], ...]."
            )
        if len(history) == 2 and all(isinstance(arm, str | int | np.integer) for arm in history):
            raise InvalidValue(
                "histories must be a list with one list of duels a person, got one flat list: "
                f"histories[{p}] is the duel {_shown(history)}. Use [duels] if one person answered "
                "them all, else a list for each person."
            )
        duels = [_read_duel(catalogue, duel, p, k) for k, duel in enumerate(history)]
        if duels:
            people.append(np.array(duels, dtype=np.int64))
    if not people:
        got = f"{len(histories)} empty ones" if len(histories) else "no histories"
        raise InvalidValue(
            f"At least one history must have a duel in it, got {got}. Ask someone first, or use "
            "a prior of your own, duels.Gaussian(mean, covariance)."
        )
    return people


def _read_duel(catalogue: Catalogue, duel: Any, p: int, k: int) -> tuple[int, int]:
    if not _is_list(duel) or len(duel) != 2:
        raise InvalidValue(
            f"histories[{p}][{k}] must be a pair of arms, (winner, loser), got {_shown(duel)}. "
            "Use a duels.Duel or a tuple."
        )
    try:
        winner, loser = catalogue.index(duel[0]), catalogue.index(duel[1])
    except DuelsError as problem:
        place = f"histories[{p}][{k}], {_shown(duel)}, is no duel of this catalogue."
        raise type(problem)(f"{place} {problem}") from problem
    if winner == loser:
        raise InvalidValue(
            f"An arm cannot beat itself: histories[{p}][{k}] is {_shown(duel)}. "
            "Leave that duel out."
        )
    return winner, loser


def _is_list(value: object) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, list | tuple) or (
        isinstance(value, Sequence) and not isinstance(value, str | bytes)
    )


def _shown(value: object) -> str:
    return shorten(value.tolist() if isinstance(value, np.ndarray) else value)
