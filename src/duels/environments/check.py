"""Check what an environment draws before it reaches a kernel: kernels check nothing."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.choice import NAMES as CHOICES
from duels.choice import ChoiceModel, make_choice
from duels.environments import CLASSES, Environment, World
from duels.environments.answers import fraction
from duels.environments.drift import Drift, Stretch
from duels.errors import InvalidValue, shorten
from duels.kernels.stream import Stream
from duels.regret import NAMES as REGRETS


def draw_checked(environment: Environment, stream: Stream) -> tuple[Catalogue, World]:
    """Draw a catalogue and a world, check that they fit each other, and convert the world's types.

    For the package's own environments tests take the place of this check.
    """
    drawn: Any = environment.draw(stream)
    if CLASSES.get(environment.name) is type(environment):
        arms, world = drawn
        return arms if isinstance(arms, Catalogue) else Catalogue(arms), world
    if not (isinstance(drawn, tuple) and len(drawn) == 2 and isinstance(drawn[1], World)):
        raise InvalidValue(
            f"draw of {environment!r} must give features and a World, got {shorten(drawn)}. "
            "Return features, World(utilities, best, choice, regret)."
        )
    arms, world = drawn
    catalogue = arms if isinstance(arms, Catalogue) else Catalogue(arms)
    return catalogue, check_world(world, len(catalogue), whose=environment)


def check_world(world: World, n_arms: int, *, whose: object) -> World:
    """The world, checked, with its numbers in the types that kernels are compiled for."""
    utilities = as_numbers(world.utilities, (n_arms,), "utilities", whose)
    best = _whole(world.best)
    if best is None or not 0 <= best < n_arms:
        raise InvalidValue(
            f"The best arm of a world must be one of its {n_arms} arms, 0 to {n_arms - 1}, got "
            f"{world.best!r} from {whose}. Use int(np.argmax(utilities))."
        )
    top = np.maximum.reduce(utilities)
    if utilities[best] < top:
        raise InvalidValue(
            f"The best arm must have the largest utility, but arm {best} has {utilities[best]:g} "
            f"and another {top:g} in {whose}. Use int(np.argmax(utilities))."
        )
    regret = _whole(world.regret)
    if regret not in REGRETS:
        raise InvalidValue(
            f"The regret of a world is a code from duels.regret.regret_code, got {world.regret!r} "
            f'from {whose}. Use regret_code("utility").'
        )
    return World(utilities, best, _checked_choice(world.choice, n_arms, whose), regret)


def _checked_choice(choice: Any, n_arms: int, whose: object) -> Any:
    if isinstance(choice, ChoiceModel):
        return choice if _is_plain(choice) else _made_again(choice, whose)
    if isinstance(choice, Drift):
        lapse = fraction("lapse, the share of careless answers,", choice.lapse)
        return choice._replace(choice=_checked_choice(choice.choice, n_arms, whose), lapse=lapse)
    return choice if callable(choice) else check_table(choice, n_arms, whose)


def checked_stretches(drift: Drift, n_arms: int, horizon: int) -> Iterator[Stretch]:
    """All duels with somebody who drifts, in stretches that fit in memory."""
    left = horizon
    for utilities in drift.walk(drift.seed, horizon):
        shape = (*np.shape(utilities)[:1], n_arms)
        moments = as_numbers(utilities, shape, "utilities", drift.walk)[:left]
        if len(moments):
            yield Stretch(moments, drift.choice, drift.lapse, np.zeros(1, np.int64))
        left -= len(moments)
        if left == 0:
            return
    raise InvalidValue(
        f"A walk must give the utilities in every duel, got those of {horizon - left} of {horizon} "
        f"from {drift.walk}. Go on as long as the horizon says."
    )


def _is_plain(choice: ChoiceModel) -> bool:
    """Whether a choice model is as `make_choice` makes it: a quick test, nearly always true."""
    code, parameter = choice
    if type(code) is not int or type(parameter) is not float or code not in CHOICES:
        return False
    return 0.5 < parameter < 1.0 if CHOICES[code] == "constant" else 0.0 < parameter < np.inf


def _made_again(choice: ChoiceModel, whose: object) -> ChoiceModel:
    code = _whole(choice.code)
    if code not in CHOICES:
        raise InvalidValue(
            f"A choice model comes from duels.choice.make_choice, got {choice!r} from {whose}. "
            'Use make_choice("logit").'
        )
    name = CHOICES[code]
    return make_choice(name, **{"p" if name == "constant" else "scale": choice.parameter})


def check_table(table: Any, n_arms: int, whose: object) -> NDArray[np.float64]:
    """Win probabilities p_ij of shape (n_arms, n_arms), with p_ij + p_ji = 1."""
    p = as_numbers(table, (n_arms, n_arms), "win probabilities", whose).copy()
    np.fill_diagonal(p, 0.5)
    wrong = (p < 0.0) | (p > 1.0) | (np.abs(p + p.T - 1.0) > 1e-9)
    if wrong.any():
        i, j = map(int, np.argwhere(wrong)[0])
        raise InvalidValue(
            "Win probabilities must lie between 0 and 1, those of a pair must sum to 1, got "
            f"{p[i, j]:g} and {p[j, i]:g} for arms {i} and {j} of {whose}. "
            "Set one to 1 minus the other."
        )
    return p


def as_numbers(
    values: Any, shape: tuple[int, ...], what: str, whose: object
) -> NDArray[np.float64]:
    """Finite numbers of this shape, in an array that kernels take."""
    if _fits(values, shape):  # a quick test that nearly always holds
        return np.asarray(values)
    try:
        array = np.require(values, np.float64, ["C", "A", "W"])
    except (TypeError, ValueError) as problem:
        raise InvalidValue(
            f"The {what} of a world must be numbers, got {shorten(values)} from {whose}. "
            "Use an array of floats."
        ) from problem
    if array.shape != shape:
        raise InvalidValue(
            f"The {what} of a world must have the shape {shape}, one an arm, got {array.shape} "
            f"from {whose}. Give as many {what} as there are arms."
        )
    if not np.isfinite(array).all():
        raise InvalidValue(
            f"The {what} of a world must be finite, got NaN or infinity from {whose}. Replace them."
        )
    return array


def _fits(values: Any, shape: tuple[int, ...]) -> bool:
    """Whether this is an array that kernels can take as it is.

    A finite sum means that all numbers are finite; if it overflows, the slower check decides. One
    sum is used because every numpy call holds the interpreter's lock and makes other threads wait.
    """
    return (
        type(values) is np.ndarray
        and values.shape == shape
        and values.dtype == np.float64
        and values.flags.carray
        and math.isfinite(np.add.reduce(values, axis=None))
    )


def _whole(value: Any) -> int | None:
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None
