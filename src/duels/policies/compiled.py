"""The three compiled functions of a compiled policy."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import NamedTuple


class Kernels(NamedTuple):
    """The compiled functions of a policy, each on its state.

    propose(state, stream) -> (first, second); update(state, winner, loser); recommend(state) -> arm
    """

    propose: Callable[..., tuple[int, int]]
    update: Callable[..., None]
    recommend: Callable[..., int]

    def __reduce__(self) -> tuple[Callable[..., Kernels], tuple[str]]:
        """Pickled by the name of their module, since pickled functions would be compiled again."""
        return _kernels_of, (self.propose.__module__,)


def _kernels_of(module: str) -> Kernels:
    found = importlib.import_module(module)
    return Kernels(found.propose, found.update, found.recommend)
