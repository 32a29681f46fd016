"""The plain rule of `least_regret`, compiled, on the arcs of the belief `circle`.

Legend: A_i the features of arm i, T = E[θ] over the posterior (not normalised) and V(β) the part of
that integral over the half circle of directions that begins at the angle β. Arm i is better than
arm j on one half circle, so E[max(u_i, u_j)] = A_i·V + A_j·(T − V) with the V of that half circle.
Conversely, for any half circle, the pair of the best arm for θ = V and the best arm for θ = T − V
has an E[max] of at least A_i·V + A_j·(T − V) for all i and j. So the best pair consists of arms on
the hull, and can be found by looking at half circles.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.circle import CircleBelief
from duels.kernels.circle import (
    Arcs,
    cumulative_weighted_moment,
    discount_arcs,
    tell_arcs,
    total_mass,
    update_likelihoods,
)
from duels.kernels.circle_sums import TopTwo, two_likeliest
from duels.kernels.compile import kernel
from duels.kernels.direction_prior import (
    DirectionPrior,
    cumulative_mass,
    cumulative_masses,
    cumulative_moment,
)
from duels.kernels.frozen import frozen
from duels.kernels.hull import TURN, Fan, arc_of, support
from duels.kernels.stream import Stream
from duels.kernels.widest import make_widest
from duels.policies.base import Kernels
from duels.regret import BINARY

FEW = 200  # with up to so many arms on the hull, all pairs of them are compared
N_HALF_CIRCLES = 64  # from which the search starts if there are more
MOST_STEPS = 30


class Boundaries(NamedTuple):
    """All pairs of arms on the hull, sorted by β: first is better from the angle β to β + π.

    beta (K,): angles in the fan. x, y, far_x, far_y (K,): the cumulative prior moment E[θ] at β and
    at β + π. first, second (K,): places in the fan.
    """

    beta: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    far_x: NDArray[np.float64]
    far_y: NDArray[np.float64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]


class OnCircle(NamedTuple):
    """The state of a `CircleBelief`, and what the rule needs in addition.

    belief: the arcs. features (N, 2). boundaries: of all pairs on the hull, if it has few arms.
    width (H,): the prior mass of the directions for which each arm is best. tree (2H,): to find the
    widest of these. top: working space. log_odds: log(q/(1 − q)), or 0 if q is integrated out.
    keep: the factor by which each new duel multiplies the weight of all earlier ones. regret: the
    code of the regret to keep small.
    """

    belief: Arcs
    features: NDArray[np.float64]
    fan: Fan
    boundaries: Boundaries
    width: NDArray[np.float64]
    tree: NDArray[np.int64]
    top: TopTwo
    log_odds: float
    keep: float
    regret: int


@kernel
def _boundary_of(fan: Fan, h: int, k: int) -> float:
    """The angle in the fan at which the half circle begins on which h is better than k."""
    return (math.atan2(-(fan.x[h] - fan.x[k]), fan.y[h] - fan.y[k]) - fan.origin) % TURN


@kernel
def _boundaries(fan: Fan, prior: DirectionPrior) -> Boundaries:
    """The boundaries of all pairs of arms on the hull."""
    n = len(fan.arm)
    beta = np.empty(n * (n - 1) // 2)
    first, second = np.empty(len(beta), np.int64), np.empty(len(beta), np.int64)
    at = 0
    for h in range(n):
        for k in range(h):
            beta[at] = _boundary_of(fan, h, k)
            first[at], second[at] = h, k
            if beta[at] >= math.pi:
                beta[at] -= math.pi
                first[at], second[at] = k, h
            at += 1
    order = np.argsort(beta)
    beta = beta[order]
    moments = np.empty((4, len(beta)))
    for k in range(len(beta)):
        far = beta[k] + math.pi
        moments[0, k], moments[1, k] = cumulative_moment(
            prior, beta[k], cumulative_mass(prior, beta[k])
        )
        moments[2, k], moments[3, k] = cumulative_moment(prior, far, cumulative_mass(prior, far))
    return Boundaries(
        beta, moments[0], moments[1], moments[2], moments[3], first[order], second[order]
    )


def _all_boundaries(fan: Fan, prior: DirectionPrior) -> Boundaries:
    """The boundaries of all pairs, as read-only arrays."""
    found: Boundaries = _boundaries(fan, prior)
    for array in found:
        frozen(array)
    return found


@kernel
def _value(fan: Fan, h: int, k: int, x: float, y: float, east: float, north: float) -> float:
    """A_h·V + A_k·(T − V) for V = (x, y) and T = (east, north)."""
    return float(fan.x[h] * x + fan.y[h] * y + fan.x[k] * (east - x) + fan.y[k] * (north - y))


@kernel
def _best_of_all(state: OnCircle) -> tuple[int, int]:
    """The pair with the largest E[max(u_i, u_j)], by comparing all pairs on the hull."""
    arcs, fan, pairs = state.belief, state.fan, state.boundaries
    n = arcs.n[0]
    east, north = arcs.east[n], arcs.north[n]
    a, b = 0, arc_of(arcs.cut[: n + 1], math.pi)
    best, first, second = -np.inf, 0, 1
    for k in range(len(pairs.beta)):
        while arcs.cut[a + 1] <= pairs.beta[k] and a < n - 1:
            a += 1
        while arcs.cut[b + 1] <= pairs.beta[k] + math.pi and b < n - 1:
            b += 1
        x0, y0 = cumulative_weighted_moment(arcs, a, pairs.x[k], pairs.y[k])
        x1, y1 = cumulative_weighted_moment(arcs, b, pairs.far_x[k], pairs.far_y[k])
        x, y = x1 - x0, y1 - y0
        i, j = pairs.first[k], pairs.second[k]
        value = _value(fan, i, j, x, y, east, north)
        if value > best:
            best, first, second = value, i, j
    return first, second


@kernel
def _half_circle_moment(arcs: Arcs, fan: Fan, beta: float) -> tuple[float, float]:
    """V(β): the integral of likelihood·θ over the half circle that begins at β, in the fan."""
    n = arcs.n[0]
    low = beta % math.pi
    x, y = cumulative_moment(arcs.prior, low, cumulative_mass(arcs.prior, low))
    x0, y0 = cumulative_weighted_moment(arcs, arc_of(arcs.cut[: n + 1], low), x, y)
    x, y = cumulative_moment(arcs.prior, low + math.pi, cumulative_mass(arcs.prior, low + math.pi))
    x1, y1 = cumulative_weighted_moment(arcs, arc_of(arcs.cut[: n + 1], low + math.pi), x, y)
    if beta < math.pi:
        return x1 - x0, y1 - y0
    return arcs.east[n] - (x1 - x0), arcs.north[n] - (y1 - y0)


@kernel
def _improve(arcs: Arcs, fan: Fan, h: int, k: int) -> tuple[int, int, float]:
    """Replace a pair by the best arms for its two half circles, and repeat while E[max] grows."""
    n = arcs.n[0]
    east, north = arcs.east[n], arcs.north[n]
    value = -np.inf
    for _ in range(MOST_STEPS):
        x, y = _half_circle_moment(arcs, fan, _boundary_of(fan, h, k))
        here = _value(fan, h, k, x, y, east, north)
        if here <= value:
            break
        value = here
        better_h, better_k = support(fan, x, y), support(fan, east - x, north - y)
        if better_h == better_k or (better_h == h and better_k == k):
            break
        h, k = better_h, better_k
    return h, k, value


@kernel
def _best_by_half_circles(state: OnCircle) -> tuple[int, int]:
    """A pair with a large E[max(u_i, u_j)] among many arms: a local search from several pairs.

    It starts from the favourite with its two neighbours on the hull, and from the best pairs for
    half circles that begin at equally spaced quantiles of the posterior.
    """
    arcs, fan = state.belief, state.fan
    n, n_hull = arcs.n[0], len(fan.arm)
    east, north = arcs.east[n], arcs.north[n]
    favourite = support(fan, east, north)
    best, first, second = -np.inf, favourite, (favourite + 1) % n_hull
    for side in (-1, 1):
        h, k, value = _improve(arcs, fan, favourite, (favourite + side) % n_hull)
        if value > best:
            best, first, second = value, h, k
    step = total_mass(arcs) / N_HALF_CIRCLES
    a, passed = 0, 0.0  # mass of the arcs before a
    for quantile in range(N_HALF_CIRCLES):
        mark = (quantile + 0.5) * step
        here = arcs.likelihood[a] * (arcs.mass[a + 1] - arcs.mass[a])
        while passed + here < mark and a < n - 1:
            passed += here
            a += 1
            here = arcs.likelihood[a] * (arcs.mass[a + 1] - arcs.mass[a])
        part = min((mark - passed) / max(here, 1e-300), 1.0)
        beta = arcs.cut[a] + part * (arcs.cut[a + 1] - arcs.cut[a])
        x, y = _half_circle_moment(arcs, fan, beta)
        h, k = support(fan, x, y), support(fan, east - x, north - y)
        if h == k:
            continue
        h, k, value = _improve(arcs, fan, h, k)
        if value > best:
            best, first, second = value, h, k
    return first, second


@kernel
def propose(state: OnCircle, stream: Stream) -> tuple[int, int]:
    """The pair with the least expected regret; for binary regret the two likeliest best arms."""
    arcs, fan = state.belief, state.fan
    update_likelihoods(arcs, state.log_odds)
    if state.regret == BINARY:
        two_likeliest(arcs, fan, state.width, state.tree, state.top)
        h, k = state.top.h[0], state.top.h[1]
    elif len(fan.arm) <= FEW:
        h, k = _best_of_all(state)
    else:
        h, k = _best_by_half_circles(state)
    return fan.arm[h], fan.arm[k]


@kernel
def update(state: OnCircle, winner: int, loser: int) -> None:
    discount_arcs(state.belief, state.keep)
    tell_arcs(state.belief, state.fan, state.features, winner, loser, 1.0)


@kernel
def recommend(state: OnCircle) -> int:
    """The arm most likely to be best (binary regret), or with the largest mean utility."""
    arcs, fan = state.belief, state.fan
    update_likelihoods(arcs, state.log_odds)
    if state.regret == BINARY:
        two_likeliest(arcs, fan, state.width, state.tree, state.top)
        return int(fan.arm[state.top.h[0]])
    return int(fan.arm[support(fan, arcs.east[arcs.n[0]], arcs.north[arcs.n[0]])])


def compile_plain_rule(belief: CircleBelief, regret: int) -> tuple[Kernels, OnCircle]:
    """The compiled rule, and its state, which shares the arcs of the belief."""
    fan, prior = belief.fan, belief.state.prior
    few = len(fan.arm) <= FEW
    width = frozen(np.diff(cumulative_masses(prior, fan.begin)))
    state = OnCircle(
        belief=belief.state,
        features=belief.features,
        fan=fan,
        boundaries=_all_boundaries(fan if few else fan._replace(arm=fan.arm[:0]), prior),
        width=width,
        tree=frozen(make_widest(width)),
        top=TopTwo(np.zeros(2, np.int64), np.zeros(2)),
        log_odds=belief.log_odds,
        keep=belief.keep,
        regret=regret,
    )
    return Kernels(propose, update, recommend), state
