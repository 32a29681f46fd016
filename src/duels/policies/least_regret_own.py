"""Least regret with a utility function of the user's own: the same rule, in numpy on draws."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.assumptions import Assumptions
from duels.beliefs.own_draws import log_normals_below
from duels.beliefs.own_utility import OwnUtilityBelief
from duels.choice import CONSTANT
from duels.duel import Pair
from duels.policies.least_regret import LeastRegret
from duels.policies.least_regret_drawn import ALWAYS, LIKELY, PROMISING, boldly
from duels.regret import BINARY

TINY, FAR = 1e-300, 40.0


class LeastRegretOwn(LeastRegret):
    """Least regret on draws of theta, with any utility function. Regret is in its units.

    >>> from duels.beliefs.prior import Gaussian
    >>> from duels.catalogue import Catalogue
    >>> def nearest(thetas, features):
    ...     return -np.linalg.norm(thetas[:, None, :] - features, axis=2)
    >>> catalogue = Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> policy = LeastRegretOwn(
    ...     catalogue, utility=nearest, prior=Gaussian([0.0, 0.0], np.eye(2)), seed=1
    ... )
    >>> policy.tell(winner=0, loser=1)
    >>> policy.tell(winner=0, loser=2)
    >>> policy.favourite()
    0
    """

    belief: OwnUtilityBelief

    def _start(self, assumed: Assumptions, draws: int | None, utility: Any) -> None:
        self.belief = OwnUtilityBelief(
            self.catalogue, assumed, utility=utility, draws=draws, seed=self.stream
        )
        self.state = None  # no kernel sees it

    def _next(self) -> Pair:
        if self.regret == BINARY:
            mass = self.belief.probabilities()
            first, second = map(int, _largest(mass, 2))
            if mass[second] == 0.0:  # all draws agree: ask their arm against the next in utility
                useful = map(int, _largest(self.belief.mean_utilities(), 2))
                second = next(arm for arm in useful if arm != first)
            return Pair(first, second)
        return self._best_pair()

    def favourite(self) -> int:
        belief = self.belief
        binary = self.regret == BINARY
        return int(np.argmax(belief.probabilities() if binary else belief.mean_utilities()))

    def _best_pair(self) -> Pair:
        """The pair of candidates with the largest E[max(u_i, u_j)], as on draws of theta."""
        belief, mean = self.belief, self.belief.mean_utilities()
        arms = self._candidates(mean)
        mean, utility, sure = mean[arms], belief.utilities(arms).T, self._sure()
        best, pair = -math.inf, Pair(0, 1)
        for k in range(1, len(arms)):
            gaps = boldly(utility[k] - utility[:k], (mean[k] - mean[:k])[:, None], sure)
            values = mean[k] + mean[:k] + np.abs(gaps) @ belief.weight
            other = int(np.argmax(values))
            if values[other] > best:
                best, pair = values[other], Pair(int(arms[other]), int(arms[k]))
        return pair

    def _sure(self) -> NDArray[np.float64]:
        """What turns the utilities of each draw into x: shape (draws,)."""
        model, draws = self.belief.model, self.belief.draws
        sure = np.full(len(draws.choice), ALWAYS)
        some = draws.choice != CONSTANT
        sure[some] = model.strengths[draws.choice[some], draws.scale[some], draws.tau[some]]
        return sure

    def _candidates(self, mean: NDArray[np.float64]) -> NDArray[np.int64]:
        """The favourite, the arms with the largest gains over it, and those likeliest best."""
        belief, favourite = self.belief, int(np.argmax(mean))
        utility = belief.utilities()
        gap = utility - utility[:, [favourite]]
        spread = belief.weight @ (gap - belief.weight @ gap) ** 2
        gains = _gaussian_gains(mean - mean[favourite], np.sqrt(np.maximum(spread, TINY)))
        gains[favourite] = np.inf
        mass = belief.probabilities()
        likely = [arm for arm in _largest(mass, LIKELY) if mass[arm] > 0.0]
        promising = _largest(gains, PROMISING)
        return np.array(list(dict.fromkeys([*promising, *likely])), np.int64)


def _largest(values: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Where the n largest values are, the largest first."""
    return np.argsort(-values, kind="stable")[:n]


def _gaussian_gains(mean: NDArray[np.float64], sigma: NDArray[np.float64]) -> NDArray[np.float64]:
    """E[max(x, 0)] of normal numbers with these means and standard deviations."""
    z = np.clip(mean / sigma, -FAR, FAR)
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return np.asarray(sigma * (density + z * np.exp(log_normals_below(z))))
