"""All arms: their names and their feature vectors, read-only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.errors import InvalidValue, UnknownName, nearest
from duels.tables import given
from duels.tables.column import Column, Description, Reading, ReadSettings, in_units_of
from duels.tables.frames import as_polars, column_names, is_frame

if TYPE_CHECKING:  # importing polars takes a while, so it is done where a table is read
    import polars as pl

    from duels.tables.read import Arms


class Catalogue:
    """The arms to choose from.

    Args:
        features: numbers of shape (n_arms, n_features), one row an arm; or a data frame of numbers,
            whose columns then name the features. Without features the arms are told apart by their
            names only.
        names: one name an arm, all different; by default the arms' numbers.
        feature_names: one name a feature; by default their numbers.

    Attributes:
        features: the numbers, read-only; of shape (n_arms, 0) if there are none.
        table: the table that the arms were read from, as a polars data frame; None for arrays.

    >>> drinks = Catalogue([[1.0, 0.0], [0.0, 1.0]], names=["tea", "coffee"])
    >>> len(drinks), drinks.n_features, drinks.index("coffee")
    (2, 2, 1)
    >>> Catalogue(names=["tea", "coffee", "water"])
    Catalogue(3 arms, 0 features)
    """

    def __init__(
        self,
        features: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        *,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        if features is None:
            if names is None:
                raise InvalidValue(
                    "A catalogue needs features, names or both, got neither. Give one of them."
                )
            names = given.checked_names(names, None, "arm")
            given.require_two_arms(len(names))
            features = np.empty((len(names), 0))
        elif is_frame(features) and feature_names is None:
            feature_names = column_names(features)
        self.features: NDArray[np.float64] = given.checked_features(features)
        n_arms, n_features = self.features.shape
        self._given_names = None if names is None else given.checked_names(names, n_arms, "arm")
        self._given_feature_names = (
            None
            if feature_names is None
            else given.checked_names(feature_names, n_features, "feature")
        )
        self.table: pl.DataFrame | None = None
        self._columns: tuple[Column, ...] | None = None
        self._description: Description | None = None

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        *,
        name: str | None = None,
        features: Sequence[str] | None = None,
        columns: Mapping[str, str] | None = None,
        standardise: bool = True,
    ) -> Catalogue:
        """A catalogue from a CSV file with a header line and one arm a row.

        `describe` tells what each column became.

        Args:
            path: the file; its values are separated by commas, semicolons or tabs.
            name: the column that names the arms. By default the column called ``name``, else the
                first text column in which no two rows agree (unless half of it is numbers, which
                is taken for a column of numbers with slips), else a column of identifiers, else
                the rows' numbers.
            features: the columns to use. By default numbers, truth values, dates, lists of numbers
                and text that repeats; not identifiers, constants, images and links.
            columns: instead, what some columns become, such as ``{"floor": "one-hot"}``, in the
                words of `describe`; the others are read as they are by default.
            standardise: give columns mean 0 and standard deviation 1. Text with more than two
                values becomes one 0/1 feature a value, which is left as it is.
        """
        how = ReadSettings(name=name, features=features, columns=columns, standardise=standardise)
        return cls._read(path, "csv", **how)

    @classmethod
    def from_parquet(cls, path: str | Path, **settings: Unpack[ReadSettings]) -> Catalogue:
        """A catalogue from a Parquet file; the settings are those of `from_csv`."""
        return cls._read(path, "parquet", **settings)

    @classmethod
    def from_json(cls, path: str | Path, **settings: Unpack[ReadSettings]) -> Catalogue:
        """A catalogue from a JSON file, a list of objects; the settings are those of `from_csv`."""
        return cls._read(path, "json", **settings)

    @classmethod
    def from_file(cls, path: str | Path, **settings: Unpack[ReadSettings]) -> Catalogue:
        """A catalogue from a file of any of these kinds: .csv, .tsv, .parquet, .pq or .json."""
        return cls._read(path, None, **settings)

    @classmethod
    def from_frame(cls, frame: Any, **settings: Unpack[ReadSettings]) -> Catalogue:
        """A catalogue from a polars or pandas data frame; the settings are those of `from_csv`."""
        from duels.tables.read import read_arms

        table = as_polars(frame)
        given.require_two_arms(table.height)
        return cls._from_arms(read_arms(table, where="the data frame", **settings))

    @classmethod
    def _read(cls, path: Any, kind: str | None, **settings: Unpack[ReadSettings]) -> Catalogue:
        from duels.tables.files import read_file
        from duels.tables.read import read_arms

        return cls._from_arms(read_arms(read_file(path, kind), where=str(path), **settings))

    @classmethod
    def _from_arms(cls, arms: Arms) -> Catalogue:
        made = cls(arms.features, arms.names, feature_names=arms.feature_names)
        made.table, made._columns, made._description = arms.table, arms.columns, arms.description
        return made

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
    def columns(self) -> tuple[Column, ...]:
        """The columns that make features; of arrays, each feature is a column of its own."""
        if self._columns is not None:
            return self._columns
        names = enumerate(self.feature_names)
        return tuple(Column(name, "number", (feature,), (0.0,), (1.0,)) for feature, name in names)

    def describe(self) -> Description:
        """What each column of the table became, and why; print it to see a table.

        >>> print(Catalogue([[1.0, 0.0], [0.0, 1.0]], feature_names=["sweet", "strong"]).describe())
        column  became  features  why
        sweet   number  sweet     given as numbers
        strong  number  strong    given as numbers
        """
        if self._description is not None:
            return self._description
        return Description(
            Reading(name, "number", "given as numbers", (name,)) for name in self.feature_names
        )

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
        """Groups of arms that no feature tells apart: all arms, if there are no features.

        >>> Catalogue([[1.0], [2.0], [1.0]]).equal_arms()
        [(0, 2)]
        """
        return given.equal_rows(self.features)

    def select(self, arms: Iterable[int | str] | Iterable[bool]) -> Catalogue:
        """A catalogue of some arms, given by numbers, names or one truth value for each arm.

        The arms keep their names and their features, which are not standardised anew.

        >>> Catalogue(names=["tea", "coffee", "milk"]).select([2, "tea"]).names
        ('milk', 'tea')
        """
        chosen = given.chosen_arms(arms, len(self), self.index)
        names = [self.names[arm] for arm in chosen]
        table = None if self.table is None else self.table[chosen]
        return self._like(self.features[chosen], names, table)

    def with_arms(self, arms: Any = None, names: Sequence[str] | None = None) -> Catalogue:
        """A catalogue with further arms behind these, whose features stay as they are.

        Args:
            arms: another catalogue with the same columns; or a data frame with the same columns, if
                this catalogue was read from a table; or features of shape (n, n_features), as they
                are in this catalogue; or nothing, if it has no features.
            names: one name for each further arm. By default those of the other catalogue or of the
                data frame; else their numbers, if the arms of this catalogue are called so too.

        >>> Catalogue(names=["tea", "coffee"]).with_arms(names=["milk"]).names
        ('tea', 'coffee', 'milk')
        """
        features, further, theirs = self._further(arms, names)
        names = theirs if names is None else names
        if names is None and self._given_names is not None:
            raise InvalidValue(
                "The arms of this catalogue have names, so further arms need them too, got none. "
                "Use with_arms(..., names=[...])."
            )
        both = (
            None
            if names is None
            else [*self.names, *given.checked_names(names, len(features), "arm")]
        )
        table = None
        if self.table is not None:
            from duels.tables.read import stacked

            table = stacked(self.table, further, len(features))
        return self._like(np.vstack([self.features, features]), both, table)

    def _further(
        self, arms: Any, names: Sequence[str] | None
    ) -> tuple[NDArray[np.float64], pl.DataFrame | None, Sequence[str] | None]:
        """The features of further arms, their table and their names, where known."""
        if isinstance(arms, Catalogue):
            features = in_units_of(self.columns, arms.features, arms.columns)
            return features, arms.table, arms._given_names
        if is_frame(arms) and self.table is not None:
            from duels.tables.read import read_more_arms

            return read_more_arms(as_polars(arms), self.table, self.columns, self.describe())
        return given.further_features(arms, names, self.n_features), None, None

    def _like(
        self, features: ArrayLike, names: Sequence[str] | None, table: pl.DataFrame | None
    ) -> Catalogue:
        """Other arms with the same columns."""
        made = Catalogue(features, names, feature_names=self._given_feature_names)
        made.table, made._columns, made._description = table, self._columns, self._description
        return made


def require_features(catalogue: Catalogue, *, purpose: str) -> None:
    """Refuse arms without features, where only features tell arms apart."""
    if catalogue.n_features == 0:
        raise InvalidValue(
            f"{purpose} tells arms apart by their features, and this catalogue has none. Add "
            "features, or use a policy that needs none: least-regret at its defaults, ctb-2, ws-w "
            "or rucb."
        )


def require_distinct(catalogue: Catalogue, *, purpose: str) -> None:
    """Refuse arms with equal features, or without any, where only features tell arms apart."""
    require_features(catalogue, purpose=purpose)
    groups = catalogue.equal_arms()
    if groups:
        shown = "; ".join(
            " = ".join(
                [repr(catalogue.names[arm]) for arm in group[:5]] + ["..."] * (len(group) > 5)
            )
            for group in groups[:3]
        )
        more = f" (and {len(groups) - 3} more groups)" if len(groups) > 3 else ""
        raise InvalidValue(
            f"{purpose} tells arms apart by their features, so no two may be equal, but these "
            f"are: {shown}{more}. Keep one of each, add a feature that differs, or use a policy "
            "that tells them apart: least-regret with arm effects, as it is by default, or one "
            "that needs no features (ctb-2, ws-w, rucb)."
        )
