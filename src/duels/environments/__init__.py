"""Simulated worlds; `make_environment` finds them by name."""

from __future__ import annotations

import inspect
from typing import Any

from duels.environments.base import Environment, World
from duels.environments.drift import Drift
from duels.errors import InvalidValue, UnknownName, look_up, nearest
from duels.registry import Registry, make_callable

CLASSES: Registry[type[Environment]] = Registry(
    "duels.environments",
    {
        "paper-binary": "paper:PaperBinary",
        "paper-bradley-terry": "paper:PaperBradleyTerry",
        "sphere": "sphere:Sphere",
        "matrix": "matrix:Matrix",
        "cloud": "cloud:Cloud",
        "clusters": "clusters:Clusters",
        "skewed": "skewed:Skewed",
        "people": "people:People",
        "replay": "replay:Replay",
    },
)


def list_environments() -> dict[str, str]:
    """The name of every environment, with one line each.

    >>> list(list_environments())[:4]
    ['paper-binary', 'paper-bradley-terry', 'sphere', 'matrix']
    """
    return {name: environment.summary for name, environment in CLASSES.items()}


environments = list_environments  # its former name


make_callable(__name__, list_environments)


def make_environment(name: str, **settings: Any) -> Environment:
    """An environment by name.

    >>> make_environment("sphere", n_arms=50, n_features=3, choice="probit", scale=2.0)
    <sphere: n_arms=50, n_features=3, choice='probit', scale=2.0, regret='utility'>
    """
    kind = look_up(name, CLASSES, what="environment")
    known = [key for key in inspect.signature(kind.__init__).parameters if key != "self"]
    for setting in settings:
        if setting not in known:
            raise UnknownName(f"{name} has no setting {setting!r}. {nearest(setting, known)}")
    for setting in required_settings(name):
        if setting not in settings:
            raise InvalidValue(
                f"{name} needs the setting {setting!r}, the path of a file, got none. "
                f'Use {name}:{setting}=PATH, or make_environment("{name}", {setting}=PATH).'
            )
    return kind(**settings)


def required_settings(name: str) -> list[str]:
    """The settings without which there is no such environment: files.

    >>> required_settings("replay")
    ['log']
    """
    parameters = inspect.signature(CLASSES[name].__init__).parameters.values()
    return [
        each.name
        for each in parameters
        if each.kind is each.KEYWORD_ONLY and each.default is each.empty
    ]


__all__ = [
    "CLASSES",
    "Drift",
    "Environment",
    "World",
    "environments",
    "list_environments",
    "make_environment",
]
