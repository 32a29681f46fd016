"""What `compare` is to do: policies, a world, and how long; checked before any work."""

from __future__ import annotations

import hashlib
import inspect
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from duels.catalogue import Catalogue
from duels.choice import ChoiceModel
from duels.environments import CLASSES as ENVIRONMENTS
from duels.environments import Environment, make_environment
from duels.environments.check import checked_stretches, draw_checked
from duels.environments.drift import Drift
from duels.errors import InvalidValue, shorten, whole_number
from duels.experiment.players import AnyEnvironment, AnyPolicy, find_environment, policy_name
from duels.experiment.run import check_size, simulate
from duels.experiment.seeds import streams
from duels.policies import CLASSES as POLICIES
from duels.policies import find_policy, parse_spec
from duels.registry import is_own, load_object
from duels.regret import NAMES, find_notion

HORIZON, REPLICATIONS = 500, 200  # unless said otherwise
AT = re.compile(r"(.*)@\s*(\d+)\s*", re.DOTALL)
LOOKED_AT = 3  # worlds, and duels in those that drift, that tell one environment from another


@dataclass(frozen=True)
class Entry:
    """One policy of a plan: what it is called, what it is, and in how many worlds it plays."""

    label: str
    policy: AnyPolicy
    replications: int | None = None  # as many as the plan says

    @property
    def code(self) -> str | None:
        """A digest of the user's own code."""
        return None if isinstance(self.policy, str) else code_digest(self.policy)


@dataclass(frozen=True)
class Plan:
    """Policies, the environment they meet, and which regret is measured."""

    entries: tuple[Entry, ...]
    world: str  # as it was given, or what it is called
    environment: Environment
    horizon: int
    replications: int
    seed: int
    regrets: tuple[str, ...]
    from_python: bool

    def replications_of(self, entry: Entry) -> int:
        return self.replications if entry.replications is None else entry.replications

    def identity(self) -> dict[str, Any]:
        """What two runs must have in common to be the same run."""
        return {
            "policies": [
                {
                    "policy": entry.label,
                    "replications": self.replications_of(entry),
                    "code": entry.code,
                }
                for entry in self.entries
            ],
            "world": repr(self.environment),
            "worlds drawn": fingerprint(self.environment, self.seed),
            "horizon": self.horizon,
            "replications": self.replications,
            "seed": self.seed,
            "regret": list(self.regrets),
        }

    def command(self) -> str:
        """The command that does the same again."""
        specs = [
            entry.label if entry.replications is None else f"{entry.label}@{entry.replications}"
            for entry in self.entries
        ]
        if self.from_python:
            inside = ", ".join(map(_in_python, specs))
            return (
                f"duels.compare([{inside}], {_in_python(self.world)}, horizon={self.horizon}, "
                f"replications={self.replications}, seed={self.seed}, "
                f"regret={list(self.regrets)!r})"
            )
        words = ["duels", "compare", "--policies", ",".join(specs), "--world", self.world]
        words += ["--horizon", str(self.horizon), "--replications", str(self.replications)]
        words += ["--seed", str(self.seed), "--regret", ",".join(self.regrets), "--out", "DIR"]
        return shlex.join(words)


def _in_python(text: str) -> str:
    """A name in quotes; a class or object of the user's own as it is called."""
    name = re.split("[:@]", text)[0]
    return repr(text) if name in POLICIES or name in ENVIRONMENTS or is_own(text) else text


def make_plan(
    policies: Sequence[Any],
    world: AnyEnvironment | Mapping[str, Any],
    *,
    horizon: int = HORIZON,
    replications: int = REPLICATIONS,
    seed: int = 0,
    regret: str | Sequence[str] | None = None,
) -> Plan:
    """A plan, checked: every name is known, and every number can be used."""
    entries = read_entries(policies)
    horizon = whole_number("horizon", horizon, at_least=1)
    replications = whole_number("replications", replications, at_least=1)
    seed = whole_number("seed", seed, at_least=0)
    check_size(1, horizon)
    environment = read_world(world)
    _, drawn = draw_checked(environment, streams(seed, 0)[0])
    if regret is None:
        regret = NAMES[drawn.regret]
        regret = regret if regret.startswith("strong-") else f"weak-{regret}"
    regrets = read_regrets(regret)
    require_measured(environment, seed, regrets)
    named = isinstance(world, str) and all(isinstance(entry, str) for entry in policies)
    return Plan(
        entries,
        world_name(world, environment),
        environment,
        horizon,
        replications,
        seed,
        regrets,
        from_python=not (named or all(_spelled(each) for each in (*policies, world))),
    )


def _spelled(given: Any) -> bool:
    """Whether something can be said on the command line; a setting with commas in it cannot."""
    if isinstance(given, Mapping):
        return not any(isinstance(value, list | dict) for value in given.values())
    return isinstance(given, str)


def world_name(world: Any, environment: Environment) -> str:
    """How a world is written on the command line, or what it is called."""
    if isinstance(world, str):
        return world
    if isinstance(world, Mapping):
        if not _spelled(world):
            return repr(dict(world))
        rest = ",".join(f"{key}={value}" for key, value in world.items() if key != "name")
        return f"{world['name']}:{rest}" if rest else str(world["name"])
    return repr(environment)


def read_entries(policies: Any) -> tuple[Entry, ...]:
    """The policies, each a name, a name@replications, a mapping, or the user's own object."""
    if isinstance(policies, str) or not isinstance(policies, Sequence) or not policies:
        raise InvalidValue(
            f"policies must be a list of at least one policy, got {shorten(policies)}. "
            'Use ["ctb-1", "ws-w"].'
        )
    entries = tuple(map(read_entry, policies))
    labels = [entry.label for entry in entries]
    for label in labels:
        if labels.count(label) > 1:
            raise InvalidValue(
                f"A policy is listed once, got {label!r} twice. Drop one, or give it another name."
            )
    return entries


def read_entry(given: Any) -> Entry:
    """One policy: ``"ctb-1"``, ``"ctb-1@100"``, ``{policy=…, replications=…}``, or an object.

    >>> read_entry("ctb-3:q=0.6@100")
    Entry(label='ctb-3:q=0.6', policy='ctb-3:q=0.6', replications=100)
    """
    times: Any = None
    if isinstance(given, Mapping):
        given, times = given["policy"], given.get("replications")
    if isinstance(given, str) and (found := AT.fullmatch(given)):
        given, times = found[1], int(found[2])
    if times is not None:
        times = whole_number("replications", times, at_least=1)
    if not isinstance(given, str):
        return Entry(policy_name(given), given, times)
    given = given.strip()
    if is_own(given, POLICIES):
        return Entry(given, load_object(given), times)
    find_policy(*parse_spec(given))
    return Entry(given, given, times)


def read_world(world: Any) -> Environment:
    """An environment from its name, its name with settings, ``module:name``, or an object.

    >>> read_world("sphere:n_arms=5")
    <sphere: n_arms=5, n_features=2, choice='logit', scale=1.0, regret='utility'>
    """
    if isinstance(world, Mapping):
        settings = {key: value for key, value in world.items() if key != "name"}
        return make_environment(world["name"], **settings)
    return find_environment(world)


def read_regrets(regret: Any) -> tuple[str, ...]:
    """The names of regrets, each known and listed once."""
    names = [regret] if isinstance(regret, str) else regret
    if not isinstance(names, Sequence) or not names:
        raise InvalidValue(
            f"regret must be the name of a regret or a list of such names, got {shorten(regret)}. "
            'Use "weak-utility".'
        )
    for name in names:
        if not isinstance(name, str):
            raise InvalidValue(f"A regret is given by its name, got {shorten(name)}.")
        find_notion(name.removeprefix("simple-"))
    return tuple(dict.fromkeys(names))


class FirstPair:
    """Asks the first two arms, always: the least that can be simulated."""

    def __init__(self, catalogue: Catalogue, seed: int) -> None:
        pass

    def ask(self) -> tuple[int, int]:
        return 0, 1

    def tell(self, winner: int, loser: int) -> None:
        pass

    def favourite(self) -> int:
        return 0


def require_measured(environment: Environment, seed: int, regrets: Sequence[str]) -> None:
    """Refuse a regret that these worlds do not have, before hours of work."""
    curves = simulate(FirstPair, environment, horizon=1, replications=1, seed=seed, jobs=1)
    for name in regrets:
        curves.of(name)


def code_digest(made_by: object) -> str | None:
    """A short digest of the file that defines a class, function or object; None for built-ins."""
    kind = made_by if inspect.isclass(made_by) or inspect.isfunction(made_by) else type(made_by)
    try:
        file = inspect.getsourcefile(kind)
        content = Path(file).read_bytes() if file else None
    except (TypeError, OSError):
        return None
    return None if content is None else hashlib.sha256(content).hexdigest()[:16]


def fingerprint(environment: Environment, seed: int) -> str:
    """A digest of the first few worlds: another file or other code gives another one."""
    digest = hashlib.sha256()
    for replication in range(LOOKED_AT):
        catalogue, world = draw_checked(environment, streams(seed, replication)[0])
        for numbers in (catalogue.features, world.utilities):
            digest.update(np.ascontiguousarray(numbers, np.float64).tobytes())
        if isinstance(world.choice, Drift):
            n_arms = len(world.utilities)
            for stretch in checked_stretches(world.choice, n_arms, LOOKED_AT):
                digest.update(repr((stretch.choice, stretch.lapse)).encode())
                digest.update(stretch.utilities.tobytes())
        elif not callable(world.choice):
            is_model = isinstance(world.choice, ChoiceModel)
            answers = repr(world.choice).encode() if is_model else np.array(world.choice).tobytes()
            digest.update(answers)
    return digest.hexdigest()[:16]
