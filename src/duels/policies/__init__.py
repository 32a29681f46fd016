"""The policies, one algorithm in each file; `make_policy` finds them by name."""

from __future__ import annotations

import ast
import inspect
from functools import cache
from typing import Any, overload

from duels.catalogue import Catalogue
from duels.errors import InvalidValue, UnknownName, look_up, nearest
from duels.kernels.stream import Seed
from duels.policies.base import Policy
from duels.registry import Registry, make_callable

CLASSES: Registry[type[Policy]] = Registry(
    "duels.policies",
    {
        "least-regret": "least_regret:LeastRegret",
        "ctb-1": "ctb_1:Ctb1",
        "ctb-2": "ctb_2:Ctb2",
        "ctb-3": "ctb_3:Ctb3",
        "thompson": "thompson:Thompson",
        "ws-w": "ws_w:WsW",
        "rucb": "rucb:Rucb",
        "rmed1": "rmed1:Rmed1",
        "rmed2": "rmed2:Rmed2",
        "rmed2fh": "rmed2fh:Rmed2Fh",
        "btm": "btm:Btm",
        "savage": "savage:Savage",
        "interleaved-filter": "interleaved_filter:InterleavedFilter",
        "rcs": "rcs:Rcs",
        "ccb": "ccb:Ccb",
        "scb": "scb:Scb",
        "ws-s": "ws_s:WsS",
        "double-thompson": "double_thompson:DoubleThompson",
        "double-thompson-plus": "double_thompson_plus:DoubleThompsonPlus",
        "merge-rucb": "merge_rucb:MergeRucb",
        "merge-dts": "merge_dts:MergeDts",
        "sparring": "sparring:Sparring",
        "multisbm": "multisbm:MultiSbm",
        "doubler": "doubler:Doubler",
        "versatile-db": "versatile_db:VersatileDb",
        "linear-logistic-thompson": "linear_logistic_thompson:LinearLogisticThompson",
        "eubo": "eubo:Eubo",
        "information-gain": "information_gain:InformationGain",
        "max-in-p": "max_in_p:MaxInP",
        "colstim": "colstim:Colstim",
        "feel-good-thompson": "feel_good_thompson:FeelGoodThompson",
        "vacdb": "vacdb:Vacdb",
        "sta-d": "sta_d:StaD",
        "random": "random_pairs:RandomPairs",
    },
)

DEFAULT = "least-regret"


def list_policies() -> dict[str, str]:
    """The name of every policy, with one line each.

    >>> "ctb-1" in list_policies()
    True
    """
    return {name: policy.summary for name, policy in CLASSES.items()}


policies = list_policies  # its former name


make_callable(__name__, list_policies)


@overload
def make_policy(
    name: Catalogue, catalogue: None = None, *, seed: Seed = None, **settings: Any
) -> Policy: ...
@overload
def make_policy(
    name: str, catalogue: Catalogue, *, seed: Seed = None, **settings: Any
) -> Policy: ...
def make_policy(
    name: str | Catalogue,
    catalogue: Catalogue | None = None,
    *,
    seed: Seed = None,
    **settings: Any,
) -> Policy:
    """A policy by name, its settings as keywords or inline; without a name, least-regret.

    >>> drinks = Catalogue([[9, 1], [6, 4], [3, 9]], names=["espresso", "mocha", "cocoa"])
    >>> make_policy(drinks)
    <least-regret on Catalogue(3 arms, 2 features)>
    >>> catalogue = Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> make_policy("ctb-3:q=0.6", catalogue, seed=1, ties="first").ask()
    Pair(first=0, second=1)
    """
    if isinstance(name, Catalogue):
        if catalogue is not None:
            raise InvalidValue(
                "A policy's name comes first, then its catalogue, got two catalogues. "
                'Use make_policy("least-regret", catalogue), or make_policy(catalogue).'
            )
        catalogue = name
        name = DEFAULT
    if catalogue is None:
        raise InvalidValue(
            f"A policy needs a catalogue, got only the name {name!r}. "
            f"Use make_policy({name!r}, catalogue)."
        )
    name, inline = parse_spec(name)
    return find_policy(name, {**inline, **settings})(catalogue, seed=seed, **{**inline, **settings})


def find_policy(name: str, settings: dict[str, Any]) -> type[Policy]:
    """The class of a policy, checked to exist and to have these settings."""
    kind = look_up(name, CLASSES, what="policy")
    known = settings_of(name)
    for setting in settings:
        if setting not in known:
            has = nearest(setting, known) if known else "It has none."
            raise UnknownName(f"{name} has no setting {setting!r}. {has}")
    return kind


@cache
def settings_of(name: str) -> dict[str, Any]:
    """The settings of a policy with their defaults.

    >>> settings_of("ctb-1")
    {'ties': 'random'}
    """
    parameters = inspect.signature(CLASSES[name].__init__).parameters
    return {
        key: parameter.default
        for key, parameter in parameters.items()
        if key not in ("self", "catalogue", "seed")
    }


def parse_spec(spec: str) -> tuple[str, dict[str, Any]]:
    """A policy's name and the settings written behind it.

    >>> parse_spec("ctb-3:q=0.6,ties=random")
    ('ctb-3', {'q': 0.6, 'ties': 'random'})
    """
    if not isinstance(spec, str):
        raise InvalidValue(
            f"A policy is given by its name, got {spec!r}. Use one of {', '.join(CLASSES)}."
        )
    name, colon, rest = spec.strip().partition(":")
    settings: dict[str, Any] = {}
    for part in rest.split(",") if colon else ():
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not key or not equals or not value:
            raise InvalidValue(
                f"Settings are written name:key=value,key=value, got {spec!r}. "
                "For example ctb-3:q=0.6,ties=random."
            )
        if key in settings:
            raise InvalidValue(
                f"A setting is written once, got {key!r} twice in {spec!r}. Drop one."
            )
        settings[key] = _literal(value)
    return name.strip(), settings


def _literal(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


__all__ = [
    "CLASSES",
    "Policy",
    "find_policy",
    "list_policies",
    "make_policy",
    "parse_spec",
    "policies",
    "settings_of",
]
