"""All arms: their names and their feature vectors, read-only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.errors import InvalidValue, UnknownName, nearest
from duels.tables import read_features


class Catalogue:
    """The arms to choose from.

    Args:
        features: numbers of shape (n_arms, n_features), one row an arm.
        names: one name an arm, all different; by default the arms' numbers.
        feature_names: one name a feature, for pictures; by default their numbers.

    >>> drinks = Catalogue([[1.0, 0.0], [0.0, 1.0]], names=["tea", "coffee"])
    >>> len(drinks), drinks.n_features, drinks.index("coffee")
    (2, 2, 1)
    """

    def __init__(
        self,
        features: ArrayLike,
        names: Sequence[str] | None = None,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        self.features = _checked_features(features)
        n_arms, n_features = self.features.shape
        self._given_names = None if names is None else _checked_names(names, n_arms, "arm")
        self._given_feature_names = (
            None if feature_names is None else _checked_names(feature_names, n_features, "feature")
        )

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        *,
        name: str | None = None,
        features: Sequence[str] | None = None,
        standardise: bool = True,
    ) -> Catalogue:
        """A catalogue from a CSV file with a header line and one arm a row.

        Args:
            path: the file.
            name: the column that names the arms. By default the column called ``name``, else the
                first text column in which no two rows agree (unless half of it is numbers, which
                is taken for a column of numbers with slips), else the rows' numbers.
            features: the columns to use. By default all that can describe an arm: numbers, truth
                values and text that repeats; not a first column that merely counts the rows, nor
                text that is different in every row.
            standardise: give number columns mean 0 and standard deviation 1. Text becomes one 0/1
                column a value, which is left as it is.
        """
        return cls._read(path, "csv", name, features, standardise)

    @classmethod
    def from_parquet(
        cls,
        path: str | Path,
        *,
        name: str | None = None,
        features: Sequence[str] | None = None,
        standardise: bool = True,
    ) -> Catalogue:
        """A catalogue from a Parquet file; the settings are those of `from_csv`."""
        return cls._read(path, "parquet", name, features, standardise)

    @classmethod
    def from_json(
        cls,
        path: str | Path,
        *,
        name: str | None = None,
        features: Sequence[str] | None = None,
        standardise: bool = True,
    ) -> Catalogue:
        """A catalogue from a JSON file, a list of objects; the settings are those of `from_csv`."""
        return cls._read(path, "json", name, features, standardise)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        name: str | None = None,
        features: Sequence[str] | None = None,
        standardise: bool = True,
    ) -> Catalogue:
        """A catalogue from a file whose ending tells its kind: .csv, .parquet or .json."""
        return cls._read(path, None, name, features, standardise)

    @classmethod
    def _read(
        cls,
        path: str | Path,
        kind: str | None,
        name: str | None,
        columns: Sequence[str] | None,
        standardise: bool,
    ) -> Catalogue:
        features, names, labels = read_features(path, kind, name, columns, standardise)
        return cls(features, names, feature_names=labels)

    def __len__(self) -> int:
        return len(self.features)

    def __repr__(self) -> str:
        return f"Catalogue({len(self)} arms, {self.n_features} features)"

    @property
    def n_features(self) -> int:
        return int(self.features.shape[1])

    @cached_property
    def names(self) -> tuple[str, ...]:
        return self._given_names or tuple(str(arm) for arm in range(len(self)))

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        return self._given_feature_names or tuple(f"feature {i}" for i in range(self.n_features))

    @cached_property
    def _arm_of_name(self) -> dict[str, int]:
        return {name: arm for arm, name in enumerate(self.names)}

    def index(self, arm: int | str) -> int:
        """The number of an arm given by its number or its name."""
        if isinstance(arm, str):
            if arm not in self._arm_of_name:
                raise UnknownName(f"No arm is called {arm!r}. {nearest(arm, self.names)}")
            return self._arm_of_name[arm]
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer):
            raise InvalidValue(
                f"An arm must be a whole number or a name, got {arm!r}. Use its number, from 0 to "
                f"{len(self) - 1}, or its name."
            )
        if not 0 <= arm < len(self):
            raise UnknownName(
                f"Arms are numbered from 0 to {len(self) - 1}, got {arm}. "
                "Use a number in that range, or the arm's name."
            )
        return int(arm)

    def equal_arms(self) -> list[tuple[int, ...]]:
        """Groups of arms that no feature tells apart.

        >>> Catalogue([[1.0], [2.0], [1.0]]).equal_arms()
        [(0, 2)]
        """
        order = np.lexsort(self.features.T)
        rows = self.features[order]
        same = np.all(rows[1:] == rows[:-1], axis=1)
        if not same.any():
            return []
        begin = np.flatnonzero(np.concatenate([[True], ~same]))  # where groups begin in the order
        end = np.append(begin[1:], len(order))
        repeated = end - begin > 1
        groups = zip(begin[repeated], end[repeated], strict=True)
        return sorted(tuple(sorted(order[b:e].tolist())) for b, e in groups)


def require_distinct(catalogue: Catalogue, *, purpose: str) -> None:
    """Refuse arms with equal features where only features tell arms apart."""
    groups = catalogue.equal_arms()
    if groups:
        shown = "; ".join(
            " = ".join(repr(catalogue.names[arm]) for arm in group) for group in groups[:3]
        )
        more = f" (and {len(groups) - 3} more groups)" if len(groups) > 3 else ""
        raise InvalidValue(
            f"{purpose} tells arms apart by their features, so no two may be equal, but these "
            f"are: {shown}{more}. Keep one of each, add a feature that differs, or use a policy "
            "that tells them apart: least-regret with arm effects, as it is by default, or one "
            "that needs no features (ctb-2, ws-w, rucb)."
        )


def _checked_features(features: ArrayLike) -> NDArray[np.float64]:
    try:
        if isinstance(features, np.ndarray) and np.iscomplexobj(features):
            raise TypeError("complex numbers have no order")
        array = np.array(features, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as problem:
        raise InvalidValue(
            "Features must be a table of numbers, one row an arm and rows of equal length, "
            f"got {_shorten(features)}. Turn text into numbers first, or use Catalogue.from_csv, "
            "which does it for you."
        ) from problem
    if array.ndim != 2 and array.shape != (0,):  # [] has no arms
        raise InvalidValue(
            "Features must have two dimensions, (n_arms, n_features), got the shape "
            f"{array.shape}. For a single feature use features.reshape(-1, 1)."
        )
    if array.shape[0] < 2:
        raise InvalidValue(
            f"A catalogue needs at least two arms, got {array.shape[0]}: "
            "there is nothing to choose between. Add arms."
        )
    if array.shape[1] < 1:
        raise InvalidValue(
            "An arm needs at least one feature, got none. If the arms have no features, number "
            "them: features = [[0], [1], [2], ...], and use ctb-2, ws-w or rucb."
        )
    if not np.isfinite(array).all():
        arm, column = map(int, np.argwhere(~np.isfinite(array))[0])
        raise InvalidValue(
            f"Features must be finite numbers, got {array[arm, column]} for arm {arm}, feature "
            f"{column}. Fill in the value or leave the arm out."
        )
    array.setflags(write=False)
    return array


def _checked_names(names: Sequence[str], n: int, what: str) -> tuple[str, ...]:
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise InvalidValue(
            f"Names must be a list with one name for each {what}, got {_shorten(names)}. "
            f"Use a list, or leave the names out to number the {what}s."
        )
    given = tuple(str(name) for name in names)
    if len(given) != n:
        raise InvalidValue(
            f"There must be one name for each {what}, got {len(given)} names for {n} {what}s. "
            f"Give as many names as {what}s, or leave the names out to number the {what}s."
        )
    repeated = [name for name, count in Counter(given).items() if count > 1]
    if repeated:
        raise InvalidValue(
            f"Names must be different, but these occur more than once: "
            f"{', '.join(map(repr, repeated[:5]))}. Rename one of each."
        )
    return given


def _shorten(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
