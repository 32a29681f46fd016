"""Simulated worlds, behind one base; here they are found by name."""

from __future__ import annotations

import inspect
from typing import Any

from duels.environments.base import Environment, World
from duels.environments.paper import PaperBinary, PaperBradleyTerry
from duels.environments.sphere import Sphere
from duels.errors import UnknownName, look_up, nearest

CLASSES: dict[str, type[Environment]] = {
    environment.name: environment for environment in (PaperBinary, PaperBradleyTerry, Sphere)
}


def environments() -> dict[str, str]:
    """The name of every environment, with one line each.

    >>> list(environments())
    ['paper-binary', 'paper-bradley-terry', 'sphere']
    """
    return {name: environment.summary for name, environment in CLASSES.items()}


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


__all__ = ["CLASSES", "Environment", "World", "environments", "make_environment"]
