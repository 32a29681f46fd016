"""The exact posterior of theta's direction for two features and any number of arms.

Only the direction of theta matters to an answer, and a duel agrees with the half circle of
directions that prefer its winner. So duels between D different pairs cut the circle into 2D arcs
("arcs" here), and all thetas of an arc agree with the same duels: the likelihood is constant on
it. Pairs that were never compared make no cuts, so no N² boundaries are enumerated.

Angles are counted from the origin of the arms' `Fan`. The first cut is always made there, so that
neither an arc nor the range of directions that prefer one arm ever reaches across the angle 0.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.direction_prior import (
    DirectionPrior,
    cumulative_mass,
    cumulative_moment,
    uniform_directions,
)
from duels.kernels.half_beta import half_beta_ratios, log_half_beta
from duels.kernels.hull import TURN, Fan, arc_of, arm_at

SAME = 1e-12  # cuts closer together than this are taken to be the same
LEAST_TABLE = 1024  # length of the table of likelihoods, at least: enough for a long session


class Arcs(NamedTuple):
    """n arcs, in arrays with room for more; arc a reaches from cut[a] to cut[a + 1].

    cut (room + 1,): angles, cut[0] = 0 and cut[n] = 2π. agree (room,): the weight of the duels that
    the arc agrees with, half of every tie included. owner (room,): the place in the fan of the arm
    that is best at cut[a]. mass, x, y (room + 1,): the cumulative prior mass and the cumulative
    prior moment E[θ] at cut[a] (`direction_prior`). likelihood (room,): of each arc, divided by the
    largest. east, north (room + 1,): the two coordinates of E[likelihood·θ] over the angles from 0
    to cut[a]. n (1,): the number of arcs. total_weight (1,): of all duels and ties. stale (1,):
    whether likelihood, east and north have to be computed anew. ratio: a table of likelihoods by
    the number of duels agreed with, used where weights are whole numbers. prior: of the direction.
    """

    cut: NDArray[np.float64]
    agree: NDArray[np.float64]
    owner: NDArray[np.int64]
    mass: NDArray[np.float64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    likelihood: NDArray[np.float64]
    east: NDArray[np.float64]
    north: NDArray[np.float64]
    n: NDArray[np.int64]
    total_weight: NDArray[np.float64]
    stale: NDArray[np.bool_]
    ratio: NDArray[np.float64]
    prior: DirectionPrior


def make_arcs(fan: Fan, room: int, prior: DirectionPrior | None = None) -> Arcs:
    """The arcs before any duel: one, the whole circle."""
    prior = prior or uniform_directions(fan.origin)
    cut, mass, x, y = np.zeros((4, room + 1))
    cut[1] = TURN
    for k in range(2):
        mass[k] = cumulative_mass(prior, cut[k])
        x[k], y[k] = cumulative_moment(prior, cut[k], mass[k])
    return Arcs(
        cut=cut,
        agree=np.zeros(room),
        owner=np.zeros(room, np.int64),
        mass=mass,
        x=x,
        y=y,
        likelihood=np.ones(room),
        east=np.zeros(room + 1),
        north=np.zeros(room + 1),
        n=np.array([1]),
        total_weight=np.array([0.0]),
        stale=np.array([True]),
        ratio=np.empty(max(room, LEAST_TABLE)),
        prior=prior,
    )


def with_room(arcs: Arcs, fan: Fan, n_arms: int, n_duels: int) -> Arcs:
    """The same arcs if they have room for that many more duels, else a larger copy."""
    n_cuts = min(int(arcs.n[0]) + 2 * n_duels, n_arms * (n_arms - 1) + 1)
    if n_cuts <= len(arcs.agree):
        return arcs
    larger = make_arcs(fan, 2 * n_cuts, arcs.prior)
    for new, old in zip(larger[:-1], arcs[:-1], strict=True):
        new[: len(old)] = old
    return larger


@kernel
def _insert(arcs: Arcs, fan: Fan, angle: float) -> int:
    """Cut the circle at an angle, unless there is a cut already; returns the arc that begins there.

    Two neighbours on the hull tie exactly where one stops being the best arm and the other begins.
    Such a cut is moved to that angle of the fan, so that rounding leaves no sliver between them.
    """
    n = arcs.n[0]
    h = arm_at(fan, angle)
    if angle - fan.begin[h] <= SAME:
        angle = fan.begin[h]
    elif fan.begin[h + 1] - angle <= SAME:
        h += 1
        angle = fan.begin[h]
    if angle == TURN:
        return 0
    a = arc_of(arcs.cut[: n + 1], angle)
    if angle - arcs.cut[a] <= SAME:
        return a
    if arcs.cut[a + 1] - angle <= SAME:
        return int((a + 1) % n)
    for k in range(n, a, -1):
        arcs.cut[k + 1] = arcs.cut[k]
        arcs.mass[k + 1], arcs.x[k + 1], arcs.y[k + 1] = arcs.mass[k], arcs.x[k], arcs.y[k]
    for k in range(n - 1, a, -1):
        arcs.agree[k + 1], arcs.owner[k + 1] = arcs.agree[k], arcs.owner[k]
    arcs.cut[a + 1] = angle
    arcs.mass[a + 1] = cumulative_mass(arcs.prior, angle)
    arcs.x[a + 1], arcs.y[a + 1] = cumulative_moment(arcs.prior, angle, arcs.mass[a + 1])
    arcs.agree[a + 1] = arcs.agree[a]
    arcs.owner[a + 1] = h
    arcs.n[0] = n + 1
    return a + 1


@kernel
def tell_arcs(
    arcs: Arcs, fan: Fan, features: NDArray[np.float64], winner: int, loser: int, weight: float
) -> None:
    """Add a duel between two arms of the catalogue; ``features`` has the shape (n_arms, 2)."""
    x = features[winner, 0] - features[loser, 0]
    y = features[winner, 1] - features[loser, 1]
    # the boundary of a pair is computed the same way whoever wins
    turned = x < 0.0 or (x == 0.0 and y < 0.0)
    start = (math.atan2(-x, y) if not turned else math.atan2(x, -y)) - fan.origin
    start %= TURN
    half = (start + math.pi) % TURN
    if turned:
        start, half = half, start
    _insert(arcs, fan, start)
    end = _insert(arcs, fan, half)
    begin = _insert(arcs, fan, start)  # where it is now that the other cut is made
    n = arcs.n[0]
    a = begin
    while a != end:
        arcs.agree[a] += weight
        a = (a + 1) % n
    arcs.total_weight[0] += weight
    arcs.stale[0] = True


@kernel
def tie_arcs(arcs: Arcs, weight: float) -> None:
    """Add a tie: half a win each way, so every theta agrees with half of it."""
    for a in range(arcs.n[0]):
        arcs.agree[a] += 0.5 * weight
    arcs.total_weight[0] += weight
    arcs.stale[0] = True


@kernel
def discount_arcs(arcs: Arcs, keep: float) -> None:
    """Multiply the weight of all duels and ties so far by ``keep``."""
    if keep < 1.0:
        for a in range(arcs.n[0]):
            arcs.agree[a] *= keep
        arcs.total_weight[0] *= keep
        arcs.stale[0] = True


@kernel
def _log_likelihood(agree: float, total: float, log_odds: float) -> float:
    """The log likelihood of an arc; with a known q, up to a constant that all arcs share."""
    return log_odds * agree if log_odds > 0.0 else log_half_beta(agree, total - agree)


@kernel
def _likelihood_powers(ratio: NDArray[np.float64], most: int, log_odds: float) -> None:
    """For a known q, fill ratio[m] with the likelihood of m agreements over that of ``most``."""
    ratio[most], less = 1.0, math.exp(-log_odds)
    for m in range(most, 0, -1):
        ratio[m - 1] = ratio[m] * less


@kernel
def update_likelihoods(arcs: Arcs, log_odds: float) -> None:
    """Compute likelihood, east and north anew if duels have come since.

    ``log_odds`` is log(q / (1 − q)), or 0 for a q that is unknown and uniform on (½, 1).
    """
    if not arcs.stale[0]:
        return
    n, total = arcs.n[0], arcs.total_weight[0]
    top, whole = 0.0, total == math.floor(total)
    for a in range(n):
        top = max(top, arcs.agree[a])
        whole = whole and arcs.agree[a] == math.floor(arcs.agree[a])
    whole = whole and top < len(arcs.ratio)
    if whole and log_odds > 0.0:
        _likelihood_powers(arcs.ratio, int(top), log_odds)
    elif whole:
        half_beta_ratios(arcs.ratio, int(top), int(total))
    log_most = 0.0 if whole else _log_likelihood(top, total, log_odds)
    east, north = 0.0, 0.0
    for a in range(n):
        if whole:
            value = arcs.ratio[int(arcs.agree[a])]
        else:
            value = math.exp(_log_likelihood(arcs.agree[a], total, log_odds) - log_most)
        arcs.likelihood[a] = value
        arcs.east[a], arcs.north[a] = east, north
        east += value * (arcs.x[a + 1] - arcs.x[a])
        north += value * (arcs.y[a + 1] - arcs.y[a])
    arcs.east[n], arcs.north[n] = east, north
    arcs.stale[0] = False


@kernel
def cumulative_weighted_moment(arcs: Arcs, a: int, x: float, y: float) -> tuple[float, float]:
    """E[likelihood·θ] over the angles from 0 to one in arc a, where the prior moment is (x, y)."""
    return (
        arcs.east[a] + arcs.likelihood[a] * (x - arcs.x[a]),
        arcs.north[a] + arcs.likelihood[a] * (y - arcs.y[a]),
    )


@kernel
def total_mass(arcs: Arcs) -> float:
    """The posterior mass of the whole circle, before it is normalised."""
    total = 0.0
    for a in range(arcs.n[0]):
        total += arcs.likelihood[a] * (arcs.mass[a + 1] - arcs.mass[a])
    return total
