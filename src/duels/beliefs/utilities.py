"""Utilities as functions of z, a vector of standard normal numbers that stands for one theta.

``LinearUtility``  u = o + F·z: linear utilities θ·A, and ideal points −‖θ − A‖² up to a constant
                   that is the same for all arms
``OwnUtility``     u = f(θ), a function of the user's own, with θ = mean + factor·z
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.prior import Gaussian, check_features
from duels.catalogue import Catalogue
from duels.errors import InvalidValue

Array = NDArray[np.float64]
Utility = Callable[[Array, Array], Any]

LARGEST = 1e100  # of a user's utilities
PROBES = 500  # thetas with which a user's function is checked at the start
ROUNDING = 1e-10  # smaller shares of the squares of features are taken for rounding errors


class LinearUtility:
    """u = o + F·z, and how z becomes theta.

    With more than ``components`` features, z has one number for each of the leading principal
    components of the features only. What the other components contribute to the utility of an arm
    is replaced by an independent normal number for each arm, with the right standard deviation
    (``residual``): nearly the same model, much cheaper.

    Attributes:
        features: F, shape (n_arms, n).
        offset: o, shape (n_arms,).
        residual: the standard deviation, for each arm, of what the components left out contribute
            to its utility: shape (n_arms,).
        feature_spread: the root mean square deviation over the arms of the utilities that features
            give, averaged over z.
        user_unit: the factor from these utilities to those in the user's units.
        unit_theta: whether theta is taken to have length 1, so that only its direction is learnt.
        unseen_variance: the variance of each coordinate of theta given z, before theta is divided
            by its length; 0 unless components were left out: shape (dimensions,).
        dimensions: of theta, as many as there are features.
    """

    def __init__(
        self, catalogue: Catalogue, prior: Gaussian | None, *, ideal: bool, components: int
    ) -> None:
        features = catalogue.features
        n_arms, self.dimensions = features.shape
        if prior is not None:
            check_features("A Gaussian prior", prior.n_features, catalogue)
        centre = features.mean(axis=0)
        self.unit_theta = prior is None and not ideal
        self.mean: Array = np.zeros(self.dimensions)
        self._factor: Array = np.ones(self.dimensions)
        if prior is not None:
            self.mean, self._factor = prior.mean, np.asarray(np.linalg.cholesky(prior.covariance))
        elif ideal:
            spread = features.std(axis=0)
            self.mean, self._factor = centre, np.where(spread > 0.0, spread, 1.0)
        differ = features.min(axis=0) < features.max(
            axis=0
        )  # else only rounding errors would differ
        centred = np.where(differ, features - centre, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            mapped, offset = _times(centred, self._factor), centred @ self.mean
            if ideal:  # −‖θ − A‖² without the part that is the same for all arms: 2·θ·A − ‖A‖²
                offset = 2.0 * centred @ (self.mean - centre) - (centred**2).sum(axis=1)
                mapped, offset = 2.0 * mapped, offset - offset.mean()
            squares = (mapped**2).sum(axis=1) + (0.0 if self.unit_theta else offset**2)
            spread = math.sqrt(float(np.mean(squares)))
        if not math.isfinite(spread) or spread > LARGEST:
            raise InvalidValue(
                "Utilities must stay below 1e100, but these features, with this prior, give "
                f"{spread:g}. Divide the features, or the prior's numbers, by a large number."
            )
        spread = spread if spread > 0.0 else 1.0
        self.user_unit = spread if self.unit_theta else 1.0
        self.feature_spread = 1.0 if self.unit_theta else spread
        mapped = mapped / self.user_unit
        self.offset = np.ascontiguousarray(offset)
        self.features: Array = np.ascontiguousarray(mapped)
        self.residual, self.unseen_variance = np.zeros(n_arms), np.zeros(self.dimensions)
        self._components = _leading(mapped, components)
        if self._components is not None:
            self.features = np.ascontiguousarray(mapped @ self._components)
            squares = (mapped**2).sum(axis=1)
            rest = squares - (self.features**2).sum(axis=1)
            self.residual = np.sqrt(np.where(rest > ROUNDING * squares, rest, 0.0))
            seen = (_times(self._components.T, self._factor.T) ** 2).sum(axis=0)
            whole = self._factor**2 if self._factor.ndim == 1 else (self._factor**2).sum(axis=1)
            self.unseen_variance = np.maximum(whole - seen, 0.0)
        for array in (self.features, self.residual, self.unseen_variance, self.offset):
            array.flags.writeable = False

    @property
    def n(self) -> int:
        """How many numbers z has."""
        return int(self.features.shape[1])

    def of(self, z: Array, arms: Any = slice(None)) -> Array:
        """Utilities of some arms, or all: shape (S, k)."""
        return np.asarray(self.offset[arms] + z @ self.features[arms].T)

    def lengths(self, z: Array, tau: Array) -> Array:
        """What the utilities of each z (S, n) are divided by: shape (S,).

        It is the length of theta and of the arm effects together, so that utilities are those of a
        vector (theta, effects) of length 1; 1 where theta's length is not fixed.
        """
        if not self.unit_theta:
            return np.ones(len(z))
        unseen = self.dimensions - self.n
        squares = (z**2).sum(axis=1) + unseen + max(self.dimensions, 1) * tau**2
        return np.asarray(np.sqrt(np.maximum(squares, 1e-300)))

    def thetas(self, z: Array, rng: np.random.Generator | None = None) -> Array:
        """Theta of each z: shape (S, dimensions).

        The part of theta that z does not determine is drawn; without ``rng`` it has its mean.
        """
        components, seen = self._components, z
        if components is not None:
            seen = z @ components.T
            if rng is not None:
                rest = rng.standard_normal(seen.shape)
                seen = seen + rest - (rest @ components) @ components.T
        theta = self.mean + _times(seen, self._factor.T)
        if self.unit_theta:
            average = rng is None
            lengths = self.lengths(z, np.zeros(len(z))) if average else np.linalg.norm(seen, axis=1)
            theta /= lengths[:, None]
        return np.asarray(theta)


def _times(rows: Array, factor: Array) -> Array:
    """Rows (k, d) times a matrix (d, d), or its diagonal (d,)."""
    return np.asarray(rows * factor if factor.ndim == 1 else rows @ factor)


def _leading(mapped: Array, components: int) -> Array | None:
    """The leading principal components of the features as columns, at most so many: shape (d, n).

    None if no component has to be left out.
    """
    n_arms, n_features = mapped.shape
    if n_features <= components and mapped.any():
        return None
    few = n_arms < n_features  # the same directions, from the smaller matrix
    values, vectors = np.linalg.eigh(mapped @ mapped.T if few else mapped.T @ mapped)
    chosen = np.argsort(-values)[:components]
    chosen = chosen[values[chosen] > ROUNDING * values.max(initial=0.0)]
    vectors = vectors[:, chosen]
    return np.asarray(mapped.T @ vectors / np.sqrt(values[chosen]) if few else vectors)


class OwnUtility:
    """A user's utility function, as a function of z; its results are checked at every call.

    Copies of a belief share it.

    Attributes: those of `LinearUtility` with the same names.
    """

    unit_theta, user_unit = False, 1.0

    def __init__(self, utility: Utility, catalogue: Catalogue, prior: Gaussian | None) -> None:
        if not callable(utility):
            raise InvalidValue(
                f"utility must be 'linear', 'ideal' or a function, got {utility!r}. "
                "A function takes thetas (n, d) and features, and returns utilities (n, n_arms)."
            )
        if prior is None:
            raise InvalidValue(
                "utility=<function> needs prior=duels.Gaussian(mean, covariance) of theta, got "
                "None. Give a mean with as many numbers as the theta of the function has."
            )
        self.utility, self._arms = utility, catalogue.features
        self.mean, self.factor = prior.mean, np.linalg.cholesky(prior.covariance)
        self.dimensions = self.n = prior.n_features
        self.residual = np.zeros(len(catalogue))
        self.unseen_variance = np.zeros(self.n)
        probe = np.random.Generator(np.random.SFC64(0)).standard_normal((PROBES, self.n))
        self._known: tuple[Array, Array] = np.empty((0, self.n)), np.empty((0, len(catalogue)))
        self._check_rows(probe)
        self.feature_spread = self._spread(probe)

    def __deepcopy__(self, memo: dict[int, Any]) -> OwnUtility:
        return self

    def thetas(self, z: Array, rng: np.random.Generator | None = None) -> Array:
        """Theta of each z, which determines it: shape (S, n)."""
        return np.asarray(self.mean + z @ self.factor.T)

    def lengths(self, z: Array, tau: Array) -> Array:
        """1 for each z: utilities of a user's function are not divided by anything."""
        return np.ones(len(z))

    def of(self, z: Array, arms: Any = slice(None)) -> Array:
        """Utilities of some arms, or all: shape (S, k). The result for the last z is kept."""
        known = self._known
        if known[0] is not z:
            self._known = known = z, self._all(z)
        return known[1][:, arms]

    def _all(self, z: Array) -> Array:
        thetas, shape = self.thetas(z), (len(z), len(self._arms))
        try:
            returned = self.utility(thetas.copy(), self._arms)
        except TypeError as problem:
            raise InvalidValue(
                "A utility function is called with thetas (n, d) and the features of all arms, "
                f"which raised: {problem}. Let it take these two arguments."
            ) from problem
        values = _numbers(returned)
        if values.shape != shape:
            turned = values.shape == shape[::-1]
            raise InvalidValue(
                "A utility function must return one row a theta and one column an arm, here the "
                f"shape {shape}, got {values.shape}. "
                + ("Return its transpose." if turned else "A linear one is thetas @ features.T.")
            )
        wrong = np.argwhere(~(np.abs(values) <= LARGEST))
        if len(wrong) > 0:
            s, arm = map(int, wrong[0])
            raise InvalidValue(
                f"A utility function must return finite numbers, at most {LARGEST:g} in size, got "
                f"{values[s, arm]} of arm {arm} with theta {thetas[s].tolist()}. Theta may be any "
                "vector: keep logarithms, quotients and powers within bounds, as with np.clip."
            )
        return values

    def _check_rows(self, z: Array) -> None:
        """Check that the function gives the first theta the same utilities when it is alone."""
        values, alone = self.of(z), self._all(z[:1])[0]
        size = np.abs(values).max()
        if not np.allclose(alone, values[0], rtol=1e-3, atol=1e-5 * size):
            arm = int(np.abs(alone - values[0]).argmax())
            raise InvalidValue(
                "A utility function must give a theta the same utilities whenever it is called, "
                f"whatever other thetas come with it, got {values[0, arm]} and then {alone[arm]} "
                f"of arm {arm}. Take out what is random, and what runs over all thetas (axis 0)."
            )

    def _spread(self, z: Array) -> float:
        """The root mean square deviation of utilities over the arms, for these z; 1 if it is 0."""
        values = self.of(z)
        centred = values - values.mean(axis=1, keepdims=True)
        top = float(np.abs(centred).max())
        return top * math.sqrt(float(np.mean((centred / top) ** 2))) if top > 0.0 else 1.0


def _numbers(returned: Any) -> Array:
    """The result as an array of floats; a copy, as a function may reuse its array."""
    try:
        array = np.asarray(returned)
    except ValueError:  # rows of different lengths
        array = np.empty(0, object)
    if array.dtype.kind not in "biuf":
        raise InvalidValue(
            "A utility function must return an array of real numbers, one row a theta, got "
            f"{returned!r}. A linear one is thetas @ features.T."
        )
    return np.array(array, np.float64)
