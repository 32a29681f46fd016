"""Features and names given as arrays and lists, checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.errors import InvalidValue, shorten

LARGEST = 1e150  # squares of larger numbers overflow


def checked_features(features: Any, *, at_least: int = 2) -> NDArray[np.float64]:
    """Features of shape (n_arms, n_features), finite and read-only."""
    if _are_plain(features):  # a quick test that nearly always holds where worlds are drawn
        plain: NDArray[np.float64] = features.copy()
        plain.setflags(write=False)
        return plain
    if np.ma.is_masked(features):
        arm, feature = map(int, np.argwhere(np.ma.getmaskarray(features))[0])
        raise InvalidValue(
            "Every arm needs a value of every feature, but the array is masked, for the first time "
            f"at arm {arm}, feature {feature}. Fill it in: array.filled(...), or leave the arm out."
        )
    try:
        if isinstance(features, np.ndarray) and np.iscomplexobj(features):
            raise TypeError("complex numbers have no order")
        array = np.array(features, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as problem:
        raise InvalidValue(
            "Features must be a table of numbers, one row an arm and rows of equal length, "
            f"got {shorten(features)}. Turn text into numbers first, or use Catalogue.from_csv or "
            "Catalogue.from_frame, which do it for you."
        ) from problem
    if array.ndim != 2 and array.shape != (0,):  # [] has no arms
        raise InvalidValue(
            "Features must have two dimensions, (n_arms, n_features), got the shape "
            f"{array.shape}. For a single feature use features.reshape(-1, 1)."
        )
    if at_least == 2 or not len(array):
        require_two_arms(len(array))
    if not np.isfinite(array).all():
        arm, feature = map(int, np.argwhere(~np.isfinite(array))[0])
        raise InvalidValue(
            f"Features must be finite numbers, got {array[arm, feature]} for arm {arm}, feature "
            f"{feature}. Fill in the value or leave the arm out."
        )
    if np.abs(array).max(initial=0.0) > LARGEST:
        arm, feature = map(int, np.argwhere(np.abs(array) > LARGEST)[0])
        raise InvalidValue(
            f"Features must be at most {LARGEST:g} in size, got {array[arm, feature]:g} for arm "
            f"{arm}, feature {feature}. Rescale: divide the feature by its largest value."
        )
    array.setflags(write=False)
    return array


def _are_plain(features: Any) -> bool:
    """Whether this is an array that needs no further check: of numbers, and none of them odd."""
    return (
        type(features) is np.ndarray
        and features.dtype == np.float64
        and features.ndim == 2
        and len(features) >= 2
        and features.flags.c_contiguous
        and float(np.maximum.reduce(np.abs(features), axis=None, initial=0.0)) <= LARGEST
    )


def further_features(arms: Any, names: Any, n_features: int) -> NDArray[np.float64]:
    """Features of arms that join others: as many as those have, none if only names are given."""
    if arms is None:
        features = np.empty((len(checked_names(names, None, "arm")), 0))
    else:
        features = checked_features(arms, at_least=1)
    if features.shape[1] != n_features:
        raise InvalidValue(
            f"Further arms must have as many features as the catalogue, {n_features}, got "
            f"{features.shape[1]}. Give one number for each feature."
        )
    return features


def require_two_arms(n_arms: int) -> None:
    if n_arms < 2:
        raise InvalidValue(
            f"A catalogue needs at least two arms, got {n_arms}: "
            "there is nothing to choose between. Add arms."
        )


def checked_names(names: Any, n: int | None, what: str) -> tuple[str, ...]:
    """One name for each of n arms or features: text, not empty, all different."""
    if isinstance(names, str | bytes | set | frozenset) or not isinstance(names, Iterable):
        raise InvalidValue(
            f"Names must be a list with one name for each {what}, in their order, got "
            f"{shorten(names)}. Use a list, or leave the names out to number the {what}s."
        )
    given = tuple(names)
    for place, name in enumerate(given):
        if not isinstance(name, str) or not name.strip():
            raise InvalidValue(
                f"A name must be text that is not empty, got {shorten(name)} for {what} {place}. "
                f"Write it as text, or leave the names out to number the {what}s."
            )
    if n is not None and len(given) != n:
        raise InvalidValue(
            f"There must be one name for each {what}, got {len(given)} names for {n} {what}s. "
            f"Give as many names as {what}s, or leave the names out to number the {what}s."
        )
    repeated = [name for name, count in Counter(given).items() if count > 1]
    if repeated:
        raise InvalidValue(
            f"Names must be different, but these {what}s' names occur more than once: "
            f"{', '.join(map(repr, repeated[:5]))}. Rename one of each."
        )
    return tuple(str(name) for name in given)


def chosen_arms(arms: Any, n_arms: int, index: Callable[[Any], int]) -> list[int]:
    """The numbers of arms given by numbers, names or one truth value for each arm."""
    if isinstance(arms, str | bytes | set | frozenset) or not isinstance(arms, Iterable):
        raise InvalidValue(
            f"Arms must be a list of numbers or names, or one truth value for each arm, got "
            f"{shorten(arms)}. Use a list."
        )
    given = list(arms)
    if given and all(isinstance(arm, bool | np.bool_) for arm in given):
        if len(given) != n_arms:
            raise InvalidValue(
                f"There must be one truth value for each arm, got {len(given)} for {n_arms} arms. "
                "Give one for each, or list the arms."
            )
        chosen = [arm for arm, wanted in enumerate(given) if wanted]
    else:
        chosen = [index(arm) for arm in given]
    repeated = [arm for arm, count in Counter(chosen).items() if count > 1]
    if repeated:
        raise InvalidValue(f"An arm can be chosen once, got {repeated[0]} twice. Name it once.")
    require_two_arms(len(chosen))
    return chosen


def equal_rows(features: NDArray[np.float64]) -> list[tuple[int, ...]]:
    """Groups of rows that are equal; all of them, if there are no columns."""
    if features.shape[1] == 0:
        return [tuple(range(len(features)))]
    order = np.lexsort(features.T)
    rows = features[order]
    same = np.all(rows[1:] == rows[:-1], axis=1)
    if not same.any():
        return []
    begin = np.flatnonzero(np.concatenate([[True], ~same]))  # where groups begin in the order
    end = np.append(begin[1:], len(order))
    repeated = end - begin > 1
    groups = zip(begin[repeated], end[repeated], strict=True)
    return sorted(tuple(sorted(order[b:e].tolist())) for b, e in groups)
