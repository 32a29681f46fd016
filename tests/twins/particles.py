"""The posterior of theta once more, slowly: on a dense grid, straight from the formulae.

ζ is standard normal. Theta is ζ over its length; with a prior it is mean + L·ζ, L·Lᵀ being the
covariance. What was told is a list of (winner, loser, weight, tie). Imports nothing from the
package.
"""

from itertools import product
from math import erfc, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

Told = tuple[int, int, float, bool]

MIDDLING = sqrt(0.75 * 0.25)
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)
Q, Q_WEIGHT = 0.75 + 0.25 * NODES, 0.5 * WEIGHTS  # uniform on (½, 1)


def log_normal_below(x: float) -> float:
    """log Φ(x); far below 0 by Laplace's continued fraction of φ(x) / Φ(−x)."""
    if x > -5.0:
        return log(0.5 * erfc(-x / sqrt(2.0)))
    fraction = -x
    for k in range(100, 0, -1):
        fraction = -x + k / fraction
    return -0.5 * x * x - 0.5 * log(2.0 * pi) - log(fraction)


FINE = np.append(np.arange(-50.0, 8.0, 0.004), np.inf)
LOG_NORMAL = np.array([log_normal_below(x) for x in FINE])


def log_win(choice: str, x: np.ndarray) -> np.ndarray:
    """log p(x) of the logit or the probit model; beyond the table, by what leads log Φ there."""
    if choice == "logit":
        return np.minimum(x, 0.0) - np.log1p(np.exp(-np.abs(x)))
    near = np.interp(np.maximum(x, FINE[0]), FINE, LOG_NORMAL)
    far = np.minimum(x, FINE[0])
    return near - 0.5 * (far**2 - FINE[0] ** 2) - np.log(far / FINE[0])


def dense_grid(n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, d) and their standard normal masses (n,): directions times radii."""
    if n_features == 1:
        directions, n_radii = np.tile([[1.0], [-1.0]], (400, 1)), 10
    elif n_features == 2:
        angles = (np.arange(5000) + 0.618) * 2.0 * pi / 5000
        directions, n_radii = np.column_stack([np.cos(angles), np.sin(angles)]), 8
    else:  # points along a spiral, each with the same share of the sphere
        n, n_radii = 20_000, 5
        height = 1.0 - (2.0 * np.arange(n) + 1.0) / n
        angles, flat = np.arange(n) * pi * (3.0 - sqrt(5.0)), np.sqrt(1.0 - height**2)
        directions = np.column_stack([flat * np.cos(angles), flat * np.sin(angles), height])
    begin = (np.arange(len(directions))[:, None] + 0.5) * sqrt(2.0) % 1.0  # no two alike
    radii = (np.arange(n_radii) + begin) * 6.0 / n_radii
    masses = radii ** (n_features - 1) * np.exp(-0.5 * radii**2)
    points = directions[:, None, :] * radii[:, :, None]
    return points.reshape(-1, n_features), masses.reshape(-1) / masses.sum()


class Numbers(NamedTuple):
    """What is believed a priori, as the package has it.

    scales: of logit, for utilities whose spread over the arms is 1; absolute: where a prior gives
    theta a length; probit: what probit's scales are smaller by. taus: in the spread of what the
    features explain, tau_shares: theirs a priori. nus: once there are ties. shares: of the choice
    models. lapses: the share of answers at random in logit and probit.
    """

    scales: np.ndarray
    absolute: np.ndarray
    probit: float
    taus: np.ndarray
    tau_shares: np.ndarray
    nus: np.ndarray
    shares: dict[str, float]
    lapses: float


class Kind(NamedTuple):
    """A choice model with its scale and ν, and their shares a priori; see `Numbers`."""

    choice: str
    scale: float
    nu: float
    share: float = 1.0


class Posterior(NamedTuple):
    """n points with the mass (kinds, n) that each choice model has there.

    utilities (n, n_arms). worth (n, n_arms): utilities as choice models see them. right (n,): E[q].
    """

    kinds: list[Kind]
    mass: np.ndarray
    utilities: np.ndarray
    worth: np.ndarray
    right: np.ndarray

    @property
    def points(self) -> np.ndarray:
        return np.asarray(self.mass.sum(axis=0))

    def probabilities(self) -> np.ndarray:
        best = self.utilities.argmax(axis=1)
        return np.bincount(best, self.points, self.utilities.shape[1])

    def moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of u_i less the mean over the arms."""
        centred = self.utilities - self.utilities.mean(axis=1, keepdims=True)
        mean = self.points @ centred
        return mean, np.sqrt(self.points @ (centred - mean) ** 2)

    def best_moments(self) -> tuple[float, float]:
        """Mean and standard deviation of max u_i less the mean over the arms."""
        over = self.utilities.max(axis=1) - self.utilities.mean(axis=1)
        mean = self.points @ over
        return float(mean), sqrt(self.points @ (over - mean) ** 2)

    def agreement(self, winner: int, loser: int) -> float:
        return float(self.points @ (self.utilities[:, winner] > self.utilities[:, loser]))

    def models(self) -> dict[str, float]:
        totals = dict.fromkeys(("logit", "probit", "constant"), 0.0)
        for kind, mass in zip(self.kinds, self.mass, strict=True):
            totals[kind.choice] += float(mass.sum())
        return totals

    def predicted(self, first: int, second: int) -> float:
        """The probability that one arm will beat another, if none is called equal."""
        gap, total = self.worth[:, first] - self.worth[:, second], 0.0
        for kind, mass in zip(self.kinds, self.mass, strict=True):
            if kind.choice == "constant":
                chance = np.where(gap > 0.0, self.right, 1.0 - self.right)
            else:
                chance = np.exp(log_win(kind.choice, kind.scale * gap))
            total += float(mass @ chance)
        return total


def log_agreed(
    worth: np.ndarray, told: list[Told], q: float | None
) -> tuple[np.ndarray, np.ndarray]:
    """Log likelihood in the constant model, and E[q], of every point; ties count half."""
    agree, duels = np.zeros(len(worth)), sum(weight for _, _, weight, _ in told)
    for winner, loser, weight, tie in told:
        sign = 0.0 if tie else np.sign(worth[:, winner] - worth[:, loser])
        agree += weight * (0.5 + 0.5 * sign)
    if q is not None:
        return agree * log(q) + (duels - agree) * log(1.0 - q), np.full(len(worth), q)
    m, place = np.unique(agree.round(9), return_inverse=True)
    powers = m[:, None] * np.log(Q) + (duels - m[:, None]) * np.log(1.0 - Q)
    density = np.exp(powers) * Q_WEIGHT
    total = density.sum(axis=1)
    return np.log(total)[place], (density @ Q / total)[place]


def log_likelihoods(
    worth: np.ndarray, told: list[Told], kinds: list[Kind], constant: np.ndarray, lapses: float
) -> np.ndarray:
    """Of every kind at every point: p, 1 − p and Davidson's ν√(p(1 − p)) over their sum."""
    result = np.zeros((len(kinds), len(worth)))
    duels, ties = sum(w for _, _, w, _ in told), sum(w for _, _, w, tie in told if tie)
    for choice, scale in {(kind.choice, kind.scale) for kind in kinds}:
        same = [(k, kind.nu) for k, kind in enumerate(kinds) if kind[:2] == (choice, scale)]
        if choice == "constant":
            for k, nu in same:
                result[k] = constant
                if ties:  # as at a middling q
                    result[k] += ties * log(nu) - duels * log(1.0 + nu * MIDDLING)
            continue
        for winner, loser, weight, tie in told:
            x = scale * (worth[:, winner] - worth[:, loser])
            win, loss = log_win(choice, x), log_win(choice, -x)
            if lapses:
                win, loss = (np.log(lapses / 2 + (1 - lapses) * np.exp(p)) for p in (win, loss))
            middle = 0.5 * (win + loss) if ties else win
            root = np.exp(middle)
            for k, nu in same:
                result[k] += weight * (log(nu) + middle if tie else win)
                if ties:
                    result[k] -= weight * np.log1p(nu * root)
    return result


def make_kinds(
    numbers: Numbers, choice: str, scales: np.ndarray, given: bool, told: list[Told]
) -> list[Kind]:
    """Every choice model with every scale and ν."""
    nus = numbers.nus if any(tie for *_, tie in told) else [0.0]
    kinds = []
    for name in numbers.shares:
        if choice in (name, "auto"):
            some = [1.0] if name == "constant" else scales
            smaller = numbers.probit if name == "probit" and not given else 1.0
            share = numbers.shares[name] / (len(some) * len(nus)) if choice == "auto" else 1.0
            if share > 0.0:
                kinds += [Kind(name, x / smaller, nu, share) for x, nu in product(some, nus)]
    return kinds


def posterior(
    features: np.ndarray,
    told: list[Told],
    numbers: Numbers,
    *,
    choice: str = "auto",
    q: float | None = None,
    scale: float | None = None,
    prior: Any = None,  # with a mean and a covariance
    utility: str = "linear",
    keep: float = 1.0,
) -> Posterior:
    """Of arms without effects of their own."""
    points, masses = dense_grid(features.shape[1])
    theta = points
    if prior is not None:
        theta = prior.mean + points @ np.linalg.cholesky(prior.covariance).T
    elif utility == "ideal":
        theta = features.mean(axis=0) + points * features.std(axis=0)
    if utility == "ideal":
        worth = -((theta[:, None, :] - features[None, :, :]) ** 2).sum(axis=2)
    else:
        worth = theta @ features.T
    utilities, scales = worth, numbers.scales
    if prior is None and utility == "linear":
        utilities = worth / np.linalg.norm(theta, axis=1, keepdims=True)
    if scale is not None:
        worth, scales = utilities, np.array([scale])
    elif prior is not None and utility == "linear":
        scales = numbers.absolute
    else:
        worth = worth / sqrt(masses @ worth.var(axis=1))  # its spread, over arms and thetas
    faded = [(a, b, w * keep**age, t) for age, (a, b, w, t) in enumerate(reversed(told))]
    kinds = make_kinds(numbers, choice, scales, scale is not None, told)
    return weigh(kinds, masses, utilities, worth, faded, q, numbers.lapses)


def weigh(
    kinds: list[Kind],
    masses: np.ndarray,
    utilities: np.ndarray,
    worth: np.ndarray,
    told: list[Told],
    q: float | None,
    lapses: float,
) -> Posterior:
    """Bayes' rule at points with these masses a priori."""
    constant, right = log_agreed(worth, told, q)
    logs = log_likelihoods(worth, told, kinds, constant, lapses)
    logs += np.log([kind.share for kind in kinds])[:, None]
    mass = np.exp(logs - logs.max()) * masses
    return Posterior(kinds, mass / mass.sum(), utilities, worth, right)


def with_effects(
    features: np.ndarray,
    told: list[Told],
    numbers: Numbers,
    *,
    arm_effects: float | None,
    choice: str = "auto",
    q: float | None = None,
    scale: float | None = None,
    prior: Any = None,
    draws: int = 100_000,
) -> tuple[Posterior, dict[float, float]]:
    """Of arms with effects of their own, from thetas drawn a priori; and of τ, in the spread."""
    rng = np.random.default_rng(0)
    n_arms, n_features = features.shape
    zeta, delta = rng.normal(size=(draws, n_features)), rng.normal(size=(draws, n_arms))
    mean, factor = np.zeros(n_features), np.eye(n_features)
    if prior is not None:
        mean, factor = prior.mean, np.linalg.cholesky(prior.covariance)
    centred = features - features.mean(axis=0)
    explained = (mean + zeta @ factor.T) @ centred.T
    spread = sqrt((((centred @ factor) ** 2).sum(axis=1) + (centred @ mean) ** 2).mean())
    taus = numbers.taus * spread if arm_effects is None else np.array([arm_effects])
    shares = numbers.tau_shares if arm_effects is None else [1.0]
    which = rng.choice(len(taus), draws, p=shares)
    tau = taus[which]
    worth = explained + tau[:, None] * delta
    utilities, scales = worth, numbers.absolute
    if prior is None:  # τ counts in theta's length as if every feature had an effect
        squares = (zeta**2).sum(axis=1) + n_features * (tau / spread) ** 2
        utilities, scales = worth / np.sqrt(squares)[:, None], numbers.scales
        worth = worth / np.sqrt(spread**2 + tau**2)[:, None]  # whose spread is 1, effects and all
    if scale is not None:
        worth, scales = utilities, np.array([scale])
    kinds = make_kinds(numbers, choice, scales, scale is not None, told)
    found = weigh(kinds, np.full(draws, 1.0 / draws), utilities, worth, told, q, numbers.lapses)
    shares = np.bincount(which, found.points, len(taus))
    return found, dict(zip(taus / spread, shares, strict=True))
