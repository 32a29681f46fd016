"""Simulated worlds; `make_environment` finds them by name."""

from __future__ import annotations

import inspect
from typing import Any

from duels.environments.base import Environment, World
from duels.errors import UnknownName, look_up, nearest
from duels.registry import Registry, make_callable

CLASSES: Registry[type[Environment]] = Registry(
    "duels.environments",
    {
        "paper-binary": "paper:PaperBinary",
        "paper-bradley-terry": "paper:PaperBradleyTerry",
        "sphere": "sphere:Sphere",
        "matrix": "matrix:Matrix",
    },
)


def list_environments() -> dict[str, str]:
    """The name of every environment, with one line each.

    >>> list(list_environments())
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
    return kind(**settings)


__all__ = [
    "CLASSES",
    "Environment",
    "World",
    "environments",
    "list_environments",
    "make_environment",
]
