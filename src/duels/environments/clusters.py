"""Arms in clusters: many that are much alike, few that are different."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.environments.drawn import Drawn
from duels.errors import InvalidValue, whole_number


class Clusters(Drawn):
    """Arms lie around normal centres, at a normal distance.

    Args:
        n_clusters: centres; each arm belongs to one of them at random.
        spread: standard deviation of an arm's features around its centre, above 0.

    The other settings are those of `Drawn`.
    """

    name = "clusters"
    summary = "arms in clusters; taste linear, ideal or quadratic"

    def __init__(
        self,
        *,
        n_arms: int = 20,
        n_features: int = 4,
        n_clusters: int = 5,
        spread: float = 0.3,
        taste: str = "linear",
        explained: float = 1.0,
        drift: float = 0.0,
        choice: str = "logit",
        scale: float | None = None,
        p: float | None = None,
        lapse: float = 0.0,
        regret: str = "utility",
    ) -> None:
        super().__init__(
            n_arms=n_arms, n_features=n_features, taste=taste, explained=explained, drift=drift,
            choice=choice, scale=scale, p=p, lapse=lapse, regret=regret,
        )  # fmt: skip
        self.n_clusters = whole_number("n_clusters", n_clusters, at_least=1)
        self.spread = _positive(spread)

    def arms(self, rng: np.random.Generator) -> NDArray[np.float64]:
        centres = rng.standard_normal((self.n_clusters, self.n_features))
        around = self.spread * rng.standard_normal((self.n_arms, self.n_features))
        return np.asarray(centres[rng.integers(0, self.n_clusters, self.n_arms)] + around)

    def settings(self) -> dict[str, Any]:
        first = {"n_arms": self.n_arms, "n_features": self.n_features}
        return {
            **first, "n_clusters": self.n_clusters, "spread": self.spread, **super().settings()
        }  # fmt: skip


def _positive(spread: object) -> float:
    if isinstance(spread, bool) or not isinstance(spread, Real) or not 0.0 < float(spread) < np.inf:
        raise InvalidValue(
            f"spread must be a positive, finite number, got {spread!r}. "
            "Centres have a standard deviation of 1."
        )
    return float(spread)
