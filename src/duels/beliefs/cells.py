"""The cells of a catalogue: every ranking of the arms that some theta gives."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from duels.bounds import count_cells
from duels.catalogue import Catalogue, require_distinct
from duels.errors import InvalidValue, TooManyCells
from duels.kernels.angles import cells_by_angle
from duels.kernels.insertion import cells_by_insertion
from duels.kernels.rankings import positions_of

MAX_BYTES = 2**30
MOST_COUNTED_FEATURES = 12  # with more independent features, cells never fit into memory
FEW_ARMS = 50  # whose rank shows whether there are more independent features than that
ROUNDING = 16 * 2.0**-52


@dataclass(frozen=True, eq=False)
class Cells:
    """All cells of a catalogue, M of them; the arrays are read-only.

    Attributes:
        rankings: (M, n_arms), the arms from best to worst (int16; int32 past 32,767 arms).
        thetas: (M, n_features), a unit theta inside each cell.
        widths: (M,), the width of each cell's arc if there are exactly two features, else None.

    With two features the cells follow each other around the circle, by the angle of their arc's
    midpoint from 0 to 2π; otherwise they are in lexicographic order of their rankings.
    """

    rankings: NDArray[np.int16]
    thetas: NDArray[np.float64]
    widths: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        self.rankings.setflags(write=False)
        self.thetas.setflags(write=False)
        if self.widths is not None:
            self.widths.setflags(write=False)

    def __len__(self) -> int:
        return len(self.rankings)

    def __repr__(self) -> str:
        return f"Cells({len(self)} cells of {self.rankings.shape[1]} arms)"

    def __deepcopy__(self, memo: object) -> Cells:
        """Itself, as it never changes: copies of a policy share it."""
        return self

    @cached_property
    def best(self) -> NDArray[np.int16]:
        """The best arm of each cell, B(k): shape (M,)."""
        best = np.ascontiguousarray(self.rankings[:, 0])
        best.setflags(write=False)
        return best

    def positions(self) -> NDArray[np.int16]:
        """The place of each arm in each cell's ranking, 0 for the best: shape (n_arms, M).

        A cell agrees with a duel where ``positions[winner] < positions[loser]``.
        """
        return positions_of(self.rankings)

    def can_be_best(self) -> NDArray[np.int16]:
        """The arms that are best in some cell, in order: the corners of the features' hull."""
        return np.unique(self.best)


def enumerate_cells(catalogue: Catalogue, *, purpose: str = "Enumerating cells") -> Cells:
    """Every cell of a catalogue, once; ``purpose`` begins the message if arms are equal.

    >>> cells = enumerate_cells(Catalogue([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> len(cells), cells.rankings[0].tolist()
    (6, [1, 2, 0])
    """
    if not isinstance(catalogue, Catalogue):
        raise InvalidValue(
            f"Cells are those of a duels.Catalogue, got a {type(catalogue).__name__}. "
            "Use duels.Catalogue(features)."
        )
    features = catalogue.features
    n_arms, n_features = features.shape
    if n_features == 2 and _fits(n_arms, 2, 2):
        rankings, thetas, widths = cells_by_angle(features)
        if len(rankings) > 0:
            return Cells(rankings, thetas, widths)
    require_distinct(catalogue, purpose=purpose)
    if n_features == 1 or n_arms == 2:
        return _cells_on_line(features)
    span = _span(features[:FEW_ARMS])
    if span.shape[1] <= MOST_COUNTED_FEATURES:
        span = _span(features)
    rank = span.shape[1]
    if not _fits(n_arms, n_features, rank):
        raise _too_many(n_arms, n_features, rank)
    if rank == 1:
        return _cells_on_line(features)
    directions = _unit_differences(catalogue, span)  # refuses arms it cannot tell apart
    if rank == 2:
        rankings, reduced, _ = cells_by_angle((features - features.mean(axis=0)) @ span)
    else:
        rankings, reduced = cells_by_insertion(directions)
    thetas = reduced @ span.T
    thetas /= np.linalg.norm(thetas, axis=1, keepdims=True)
    order = np.lexsort(rankings.T[::-1])
    return Cells(rankings[order], thetas[order])


def cells_fit(catalogue: Catalogue) -> bool:
    """Whether the cells of a catalogue fit in memory, if its features are independent."""
    return _fits(len(catalogue), catalogue.n_features, catalogue.n_features)


def _cells_on_line(features: NDArray[np.float64]) -> Cells:
    """The two cells of arms that lie on a line."""
    from_first = features - features[0]
    from_first /= np.abs(from_first).max()
    direction = from_first[np.argmax(np.linalg.norm(from_first, axis=1))]
    direction = direction / np.linalg.norm(direction)
    upwards = np.argsort(from_first @ direction, kind="stable")
    ranking = upwards.astype(np.int16 if len(features) <= 2**15 else np.int32)
    if features.shape[1] == 2:
        ends, thetas, widths = cells_by_angle(features[ranking[[0, -1]]])
        both = np.stack([ranking, ranking[::-1]])
        return Cells(both[ends[:, 0]], thetas, widths)
    rankings, thetas = np.stack([ranking[::-1], ranking]), np.stack([direction, -direction])
    order = np.lexsort(rankings[:, :1].T)
    return Cells(rankings[order], thetas[order])


def _span(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """A map (n_features, rank) to coordinates in which the arms spread equally in all directions.

    Rankings do not change under such a map, but narrow cells become wider. Directions in which the
    arms differ by no more than the rounding of their features are left out.
    """
    centred = features - features.mean(axis=0)
    largest, spread = np.abs(features).max(axis=0), np.abs(centred).max(axis=0)
    varies = spread > ROUNDING * largest
    scale = np.where(varies, spread, np.inf)
    _, sizes, axes = np.linalg.svd(centred / scale, full_matrices=False)
    rounding = ROUNDING * np.max(largest / scale) * math.sqrt(features.size)
    rank = max(1, int(np.sum(sizes > rounding)))
    span: NDArray[np.float64] = axes[:rank].T / sizes[:rank] / scale[:, None]
    return span


def _unit_differences(catalogue: Catalogue, span: NDArray[np.float64]) -> NDArray[np.float64]:
    """Unit vectors along A_i − A_j in the coordinates of ``span``: (n_arms, n_arms, rank)."""
    features = catalogue.features
    differences = (features[:, None, :] - features[None, :, :]) @ span
    lengths = np.linalg.norm(differences, axis=2)
    np.fill_diagonal(lengths, 1.0)
    dependent = span.shape[1] < features.shape[1]  # then rounding has been projected away
    if lengths.min() <= (ROUNDING if dependent else 0.0):
        first, second = map(int, np.argwhere(lengths == lengths.min())[0])
        raise InvalidValue(
            "Enumerating cells needs arms that differ by more than rounding errors, but "
            f"{catalogue.names[first]!r} and {catalogue.names[second]!r} do not. Keep one of them."
        )
    unit: NDArray[np.float64] = differences / lengths[:, :, None]
    return unit


@cache
def _predicted_bytes(n_arms: int, n_features: int, rank: int) -> int:
    """Rankings and positions take two bytes an arm and cell each, thetas eight a feature."""
    n_cells = count_cells(n_arms, min(rank, MOST_COUNTED_FEATURES))
    return n_cells * (4 * n_arms + 8 * n_features)


def _fits(n_arms: int, n_features: int, rank: int) -> bool:
    return _predicted_bytes(n_arms, n_features, rank) <= MAX_BYTES


def _too_many(n_arms: int, n_features: int, rank: int) -> TooManyCells:
    n_cells = count_cells(n_arms, min(rank, MOST_COUNTED_FEATURES))
    gigabytes = _predicted_bytes(n_arms, n_features, rank) / 2**30
    number = f"{n_cells:,}" if n_cells < 10**15 else f"{n_cells:.3g}"
    more, independent = "", ""
    if rank > MOST_COUNTED_FEATURES:
        more = "more than "
    elif rank < n_features:
        independent = f" (of which {rank} are independent)"
    return TooManyCells(
        f"Cells must fit in {MAX_BYTES / 2**30:g} GiB, but {n_arms} arms with {n_features} features"
        f"{independent} can have {more}{number} cells, which take {more}{gigabytes:,.3g} GiB. "
        "Use least-regret with another belief, ctb-2, ws-w or rucb, which need no cells, or fewer "
        "arms or features."
    )
