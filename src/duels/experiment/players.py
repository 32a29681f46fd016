"""Make the policy and the world of a replication, from whatever `simulate` was given."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.environments import CLASSES as ENVIRONMENTS
from duels.environments import Environment, World, make_environment
from duels.environments.check import draw_checked
from duels.environments.own import OwnWorlds, label
from duels.errors import DuelsError, InvalidValue, UserCodeFailed, shorten
from duels.kernels.stream import Stream, next_word
from duels.policies import CLASSES as POLICIES
from duels.policies import Policy, find_policy, parse_spec
from duels.registry import is_own, load_object


class Player(Protocol):
    """The methods that a policy of the user's own must have."""

    def ask(self) -> tuple[int, int]:
        """The pair to be judged: two different arms, by number."""

    def tell(self, winner: int, loser: int, /) -> None:
        """Learn who won."""

    def favourite(self) -> int:
        """The arm to recommend now."""


AnyPolicy = str | type[Policy] | Player | Callable[[Catalogue, int], Player]
AnyEnvironment = str | Environment | type[Environment] | Callable[[np.random.Generator], Any]
Make = Callable[[Catalogue, Environment, World, Stream], Any]

METHODS = ("ask", "tell", "favourite")


def find_environment(environment: AnyEnvironment) -> Environment:
    """An environment by name, as it is, or around a user's function or class.

    Settings may stand behind a name, as in ``"sphere:n_arms=50,choice=probit"``;
    ``"module:name"`` is something of the user's own.

    >>> find_environment("sphere:n_arms=50,choice=probit")
    <sphere: n_arms=50, n_features=2, choice='probit', scale=1.0, regret='utility'>
    """
    if isinstance(environment, str) and is_own(environment, ENVIRONMENTS):
        environment = load_object(environment)
    if isinstance(environment, str):
        name, settings = parse_spec(environment)
        return make_environment(name, **settings)
    if isinstance(environment, Environment):
        return environment
    if isinstance(environment, type) and issubclass(environment, Environment):
        return environment()
    if callable(environment):
        return OwnWorlds(environment)
    raise InvalidValue(
        "An environment comes from duels.make_environment, is its name, or a function or class "
        f"that makes a world from a random generator, got {shorten(environment)}. For "
        'a matrix of win probabilities use duels.make_environment("matrix", p=matrix).'
    )


def policy_name(policy: AnyPolicy) -> str:
    """What a policy is called in results and messages."""
    if isinstance(policy, type) and issubclass(policy, Policy):
        return getattr(policy, "name", policy.__name__)
    return policy if isinstance(policy, str) else label(policy)


def find_maker(policy: AnyPolicy, horizon: int | None = None) -> Make:
    """A function that makes the policy at the beginning of a replication.

    A policy that needs the horizon is told it, and that people can judge an arm against itself if
    that matters to it, unless these stand among its settings.
    """
    if isinstance(policy, str) and is_own(policy, POLICIES):
        policy = load_object(policy)
    if isinstance(policy, str):
        name, settings = parse_spec(policy)
        kind = find_policy(name, settings)
        return partial(_from_class, kind, {**_told(kind, horizon), **settings})
    if isinstance(policy, type) and issubclass(policy, Policy):
        return partial(_from_class, policy, _told(policy, horizon))
    if isinstance(policy, Policy):
        return partial(_from_policy, policy)
    if not isinstance(policy, type) and can_play(policy):
        return partial(_from_object, cast(Player, policy))
    if callable(policy):
        return partial(_from_factory, policy)
    raise InvalidValue(
        "A policy is a name, a Policy class, an object with ask, tell and favourite, or a function "
        f"that makes one from a catalogue and a seed, got {policy!r}."
    )


def _told(kind: type[Policy], horizon: int | None) -> dict[str, Any]:
    """The settings that follow from being simulated."""
    itself = "self_duels" in kind.from_truth and not kind.for_people
    told: dict[str, Any] = {"self_duels": True} if itself else {}
    return {**told, "horizon": horizon} if kind.needs_horizon and horizon is not None else told


def can_play(player: object) -> bool:
    """Whether an object has the methods of a `Player`."""
    return all(callable(getattr(player, method, None)) for method in METHODS)


def _from_class(
    kind: type[Policy],
    settings: dict[str, Any],
    catalogue: Catalogue,
    environment: Environment,
    world: World,
    stream: Stream,
) -> Policy:
    for setting in kind.from_truth:
        if setting not in settings:
            fact = environment.truth(setting, world)
            settings = settings if fact is None else {**settings, setting: fact}
    return kind(catalogue, seed=stream, **settings)


def _from_policy(
    policy: Policy, catalogue: Catalogue, environment: Environment, world: World, stream: Stream
) -> Policy:
    """A copy with the random numbers of this replication; it keeps its own catalogue."""
    if not np.array_equal(policy.catalogue.features, catalogue.features):
        raise InvalidValue(
            f"A policy object keeps its catalogue, but {environment!r} drew another than that of "
            f"{policy!r}. Give the policy's name or class, or a function that makes it from a "
            "catalogue and a seed."
        )
    player = policy.fork()
    player.stream[:] = stream
    return player


def _from_object(
    policy: Player, catalogue: Catalogue, environment: Environment, world: World, stream: Stream
) -> Player:
    return copy.deepcopy(policy)


def _from_factory(
    make: Callable[[Catalogue, int], Any],
    catalogue: Catalogue,
    environment: Environment,
    world: World,
    stream: Stream,
) -> Any:
    try:
        player = make(catalogue, int(next_word(stream)) >> 1)
    except DuelsError:
        raise
    except Exception as problem:
        raise UserCodeFailed(
            f"A policy is made by calling {label(make)}(catalogue, seed), which raised "
            f"{type(problem).__name__}: {problem}."
        ) from problem
    if not can_play(player):
        raise InvalidValue(
            f"{label(make)}(catalogue, seed) must give a policy with the methods "
            f"{', '.join(METHODS)}, got {shorten(player)}. Write those that are missing."
        )
    return player


def begin(
    make: Make, environment: Environment, randomness: NDArray[np.uint64]
) -> tuple[Any, World, Stream]:
    """Draw a world and make a policy for it; also returns the environment's stream."""
    answers, choices = randomness
    catalogue, world = draw_checked(environment, answers)
    return make(catalogue, environment, world, choices), world, answers


def start(
    policy: AnyPolicy,
    environment: AnyEnvironment,
    randomness: NDArray[np.uint64],
    horizon: int | None = None,
) -> tuple[Any, World, Stream]:
    """The policy, the world and the environment's stream at the beginning of a replication.

    ``randomness``: the two streams of the replication, from `streams`. ``horizon``: the number of
    duels, for policies that need it.
    """
    return begin(find_maker(policy, horizon), find_environment(environment), randomness)
