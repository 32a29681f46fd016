"""Layers of duels, ever more precise: what VACDB and Sta'D have in common.

Both go up through layers s = 1, 2, … from all arms. If the widest pair of the arms that are left is
wider than 2⁻ˢ, it is asked and its answer is kept in layer s; otherwise the arms that are surely
worse than another by layer s are left out, and the next layer is looked at. Once all pairs are
narrow enough to stop, a good pair is asked, whose answer no layer keeps. Each layer has an
estimate of its own, from its own duels only, which keeps their answers independent.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.logistic import LogisticModel
from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.kernels.pair_searches import widest
from duels.kernels.stream import Seed
from duels.policies.checks import checked_flag, checked_horizon
from duels.policies.logistic import LogisticPolicy


class Found(NamedTuple):
    """Where the way up through the layers ended.

    layer: its number. arms: those left. first, second: the widest pair of them; it is to be asked
    if ``explore``, otherwise all pairs are narrow enough to stop.
    """

    layer: int
    arms: NDArray[np.int64]
    first: int
    second: int
    explore: bool


class LayeredPolicy(LogisticPolicy):
    """The way up through the layers; subclasses say how wide, when to stop and what to ask then.

    A duel that was not asked is kept in the first layer in which its pair is wider than 2⁻ˢ: the
    layer in which it would have been asked.
    """

    needs_horizon = True
    from_truth = ("horizon", "self_duels")

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed,
        horizon: int | None,
        self_duels: bool,
        ridge: float = 1.0,
    ) -> None:
        super().__init__(catalogue, seed=seed, ridge=ridge)
        self.horizon = checked_horizon(self.name, horizon)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.layers: tuple[LogisticModel, ...] = ()
        self.exploits = False  # whether no layer keeps the answer to the pair that is asked

    @abstractmethod
    def _new_layer(self, s: int) -> LogisticModel:
        """Layer s before its first duel."""

    @abstractmethod
    def _width(self, length: float) -> float:
        """What is compared with 2⁻ˢ: from ‖z‖ in V⁻¹ of a layer."""

    @abstractmethod
    def _narrow(self, width: float) -> bool:
        """Whether pairs of this width need no more exploring."""

    @abstractmethod
    def _margin(self, s: int) -> float:
        """How far below the best utility of layer s an arm may lie to be kept."""

    @abstractmethod
    def _weight(self, s: int, length: float) -> float:
        """What a duel counts for in layer s."""

    @abstractmethod
    def _good_pair(self, found: Found, points: NDArray[np.float64]) -> Pair:
        """The pair to ask when there is nothing to explore."""

    def _layer(self, s: int) -> LogisticModel:
        while len(self.layers) < s:
            self.layers = (*self.layers, self._new_layer(len(self.layers) + 1))
        return self.layers[s - 1]

    def _climb(self) -> tuple[Found, NDArray[np.float64]]:
        """Go up through the layers; also returns the whitened points of the last one."""
        features = self.catalogue.features
        arms, s = np.arange(len(features)), 0
        while True:
            s += 1
            layer = self._layer(s)
            points = layer.whitened(features)
            length, first, second = widest(points, arms)
            width = self._width(max(length, 0.0))
            if self._narrow(width):
                return Found(s, arms, first, second, False), points
            if width > 2.0**-s:
                return Found(s, arms, first, second, True), points
            utilities = (features @ layer.theta)[arms]
            arms = arms[utilities >= utilities.max() - self._margin(s)]

    def _next(self) -> Pair:
        found, points = self._climb()
        self.exploits = not found.explore
        if found.explore:
            return Pair(int(found.first), int(found.second))
        return self._good_pair(found, points)

    def _learn(self, winner: int, loser: int, weight: float) -> None:
        super()._learn(winner, loser, weight)
        asked = self._asked is not None and set(self._asked) == {winner, loser}
        difference = self._difference(winner, loser)
        if (asked and self.exploits) or not difference.any():
            return
        s = 0
        while True:
            s += 1
            layer = self._layer(s)
            length = math.sqrt(max(float(difference @ layer.inverse @ difference), 0.0))
            width = self._width(length)
            if self._narrow(width):
                return
            if width > 2.0**-s:
                layer.add(winner, loser, difference, weight * self._weight(s, length))
                return
