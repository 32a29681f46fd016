"""The belief `particles`: draws of theta, for any number of features and any choice model."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.assumptions import Assumptions, make_hypotheses
from duels.beliefs.base import Belief, Person, enough_draws
from duels.beliefs.consistency import draw_q
from duels.beliefs.prior import check_features
from duels.beliefs.trust import beyond_chance
from duels.catalogue import Catalogue, require_distinct
from duels.choice import CODES, CONSTANT, ChoiceModel
from duels.kernels.corners import corners
from duels.kernels.hull import make_fan
from duels.kernels.moves import tell_particles
from duels.kernels.particles import Model, Particles, make_particles, with_room
from duels.kernels.stream import Seed, Stream, make_generator, make_stream

FEW = {2: 64, 3: 1000}  # arms, by features; with more it pays to leave those that cannot be best


class ParticleBelief(Belief):
    """Draws of theta, reweighed by every duel, resampled and moved when too few of them count.

    Args:
        catalogue: the arms. Some may have equal features, unless arm effects are 0.
        assumptions: about theta and the answers.
        draws: how many; probabilities are good to about ⅔ / √draws. None: `enough_draws`.
        seed: of the draws.

    >>> belief = ParticleBelief(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), seed=1)
    >>> belief.tell(0, 1)
    >>> belief.agreement(0, 1) > 0.6
    True
    """

    name = "particles"

    def __init__(
        self,
        catalogue: Catalogue,
        assumptions: Assumptions | None = None,
        *,
        draws: int | None = None,
        seed: Seed = None,
    ) -> None:
        assumptions = assumptions or Assumptions()
        if assumptions.arm_effects == 0.0:
            require_distinct(catalogue, purpose="Without arm effects a belief")
        self.catalogue = catalogue
        self.stream: Stream = make_stream(seed)
        self.mean, self.factor, self.size, self.within, model = _make_model(catalogue, assumptions)
        if draws is None:
            draws = enough_draws(catalogue.n_features, effects=bool(model.taus.any()))
        self.state: Particles = make_particles(model, draws, 64, self.stream)

    def reserve(self, n_duels: int) -> None:
        self.state = with_room(self.state, n_duels)

    def tell(self, winner: int, loser: int, weight: float = 1.0) -> None:
        self.reserve(1)
        tell_particles(self.state, winner, loser, weight, False)

    def tie(self, first: int, second: int, weight: float = 1.0) -> None:
        self.reserve(1)
        tell_particles(self.state, first, second, weight, True)

    def lengths(self) -> NDArray[np.float64]:
        """What the utilities of each draw are divided by: shape (draws,)."""
        state = self.state
        if not state.model.unit:
            return np.ones(len(state.theta))
        squares = (state.theta**2).sum(axis=1)
        tau = state.model.taus[state.tau]
        return np.asarray(np.sqrt(squares + state.theta.shape[1] * tau**2))

    def utilities(self, arm: int) -> NDArray[np.float64]:
        """Of one arm, for every draw: shape (draws,)."""
        state = self.state
        values = state.model.offset[arm] + state.theta @ state.model.features[arm]
        slot = state.evidence.slot[arm]
        if state.effect.shape[1] > 0:
            own = state.effect[:, slot] if slot >= 0 else state.pool[state.start + arm]
            values += state.model.taus[state.tau] * own
        return np.asarray(values * self.size / self.lengths())

    def probabilities(self) -> NDArray[np.float64]:
        state = self.state
        arms = state.model.arms[state.best]
        return np.bincount(arms, state.weight, len(self.catalogue)).astype(np.float64)

    def mean_utilities(self) -> NDArray[np.float64]:
        state = self.state
        share = state.weight / self.lengths()
        mean = state.model.offset * share.sum() + state.model.features @ (share @ state.theta)
        slots = state.evidence.size[1]
        if state.effect.shape[1] > 0:
            own = (share * state.model.taus[state.tau]) @ state.effect[:, :slots]
            mean[state.evidence.arms[:slots]] += own
        return np.asarray(mean * self.size)

    def expected_best(self) -> float:
        state, total = self.state, 0.0
        best = state.model.arms[state.best]
        for arm in np.unique(best):
            mine = best == arm
            total += float(state.weight[mine] @ self.utilities(arm)[mine])
        return total

    def agreement(self, winner: int, loser: int) -> float:
        gap = self.utilities(winner) - self.utilities(loser)
        agrees = np.sum(self.state.weight[gap > 0.0]) + 0.5 * np.sum(self.state.weight[gap == 0.0])
        return float(min(1.0, agrees))

    def models(self) -> dict[str, float]:
        """The posterior probability of each choice model."""
        shares = np.bincount(self.state.choice, self.state.weight, 3)
        return {name: float(shares[code]) for name, code in CODES.items()}

    def effects(self) -> dict[float, float]:
        """The posterior probability of each τ, in the spread of what the features explain."""
        taus = self.state.model.taus / self.within
        shares = np.bincount(self.state.tau, self.state.weight, len(taus))
        return {float(tau): float(share) for tau, share in zip(taus, shares, strict=True)}

    def draw(self, n: int, seed: Seed = None) -> NDArray[np.float64]:
        state = self.state
        chosen = make_generator(seed).choice(len(state.theta), n, p=state.weight)
        theta = self.mean + state.theta[chosen] @ self.factor.T
        if state.model.unit:
            theta /= np.linalg.norm(theta, axis=1, keepdims=True)
        return np.asarray(theta)

    def person(self, seed: Seed = None) -> Person:
        state, rng = self.state, make_generator(seed)
        model, evidence = state.model, state.evidence
        s = int(rng.choice(len(state.theta), p=state.weight))
        tau, length = float(model.taus[state.tau[s]]), float(self.lengths()[s])
        values = model.offset + model.features @ state.theta[s]
        if state.effect.shape[1] > 0:
            own = state.pool[state.start[s] : state.start[s] + len(values)].copy()
            slots = evidence.size[1]
            own[evidence.arms[:slots]] = state.effect[s, :slots]
            values += tau * own
        code = int(state.choice[s])
        if code == CONSTANT:
            agreed = float(state.agree[s])
            rest = max(float(evidence.total[0]) - agreed, 0.0)
            strength = draw_q(agreed, rest, model.log_odds, rng)
        else:
            strength = float(model.strengths[code, state.scale[s], state.tau[s]])
            strength *= 1.0 if model.given else length  # the scale of utilities of length 1
            strength /= self.size
        return Person(values * self.size / length, ChoiceModel(code, strength))


def _make_model(
    catalogue: Catalogue, assumed: Assumptions
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, float, Model]:
    """The prior's mean and factor, the unit of utilities, their spread, and the model."""
    features = catalogue.features
    n_arms, n_features = features.shape
    prior = assumed.prior
    if prior is not None:
        check_features("A Gaussian prior", prior.n_features, catalogue)
    centre = features.mean(axis=0)
    linear = assumed.utility == "linear"
    unit = prior is None and linear
    mean: NDArray[np.float64] = np.zeros(n_features)
    factor: NDArray[np.float64] = np.eye(n_features)
    if prior is not None:
        mean, factor = prior.mean, np.asarray(np.linalg.cholesky(prior.covariance))
    elif not unit:
        spread = features.std(axis=0)
        mean, factor = centre, np.diag(np.where(spread > 0.0, spread, 1.0))
    centred = features - centre
    mapped = centred @ factor
    offset = centred @ mean
    if not linear:  # −‖θ − A‖² less what all arms share: 2·θ·A − ‖A‖²
        mapped, offset = 2.0 * mapped, 2.0 * centred @ (mean - centre) - (centred**2).sum(axis=1)
        offset = offset - offset.mean()
    spread = math.sqrt(float(np.mean((mapped**2).sum(axis=1) + (0.0 if unit else offset**2))))
    spread = spread if spread > 0.0 else 1.0
    size = 1.0
    if unit:
        mapped, size = mapped / spread, spread
    within = 1.0 if unit else spread  # how far utilities spread, in those units
    hypotheses = make_hypotheses(
        assumed,
        spread=within,
        size=size,
        absolute=prior is not None and linear,
        trust=beyond_chance(features) if linear and assumed.arm_effects is None else 0.0,
    )
    arms = np.arange(n_arms)
    if linear and not hypotheses.taus.any() and n_arms > FEW.get(n_features, n_arms):
        arms = np.sort(make_fan(features).arm) if n_features == 2 else corners(features)
    model = Model(
        features=np.ascontiguousarray(mapped),
        offset=np.ascontiguousarray(offset),
        arms=arms,
        columns=np.ascontiguousarray(mapped[arms].T),
        base=np.ascontiguousarray(offset[arms]),
        **hypotheses._asdict(),
        shifted=bool(offset.any()),
        unit=unit,
        given=unit and assumed.scale is not None,
        keep=assumed.keep,
    )
    return mean, factor, size, within, model
