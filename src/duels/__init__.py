"""Find the best of many things by asking: this one or that one?

>>> import duels
>>> catalogue = duels.Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], ["tea", "milk", "cola"])
>>> session = duels.Session(catalogue, seed=1)
>>> while not session.ended:
...     question = session.ask()
...     session.answer(question.number, winner=min(question.pair))
>>> session.result().name
'tea'

What is public is imported when it is first used, so ``import duels`` itself takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from duels import environments, policies
    from duels.beliefs.cells import Cells, enumerate_cells
    from duels.beliefs.fit_prior import fit_prior
    from duels.beliefs.prior import Gaussian
    from duels.bounds import count_cells
    from duels.catalogue import Catalogue
    from duels.client import Client
    from duels.duel import Duel, Pair
    from duels.environments import list_environments, make_environment
    from duels.errors import DuelsError
    from duels.experiment import Curves, simulate
    from duels.experiment.compare import compare
    from duels.experiment.compared import Compared
    from duels.notebook import choose
    from duels.policies import list_policies, make_policy
    from duels.session import Question, Result, Session, StoppingRule

    __version__: str

# the same names for the interpreter: where each is to be found
_HOMES = {
    "Catalogue": "catalogue",
    "Cells": "beliefs.cells",
    "Client": "client",
    "Compared": "experiment.compared",
    "Curves": "experiment",
    "Duel": "duel",
    "DuelsError": "errors",
    "Gaussian": "beliefs.prior",
    "Pair": "duel",
    "Question": "session",
    "Result": "session",
    "Session": "session",
    "StoppingRule": "session",
    "choose": "notebook",
    "compare": "experiment.compare",
    "count_cells": "bounds",
    "enumerate_cells": "beliefs.cells",
    "fit_prior": "beliefs.fit_prior",
    "list_environments": "environments",
    "list_policies": "policies",
    "make_environment": "environments",
    "make_policy": "policies",
    "simulate": "experiment",
}

__all__ = [
    "Catalogue",
    "Cells",
    "Client",
    "Compared",
    "Curves",
    "Duel",
    "DuelsError",
    "Gaussian",
    "Pair",
    "Question",
    "Result",
    "Session",
    "StoppingRule",
    "__version__",
    "choose",
    "compare",
    "count_cells",
    "enumerate_cells",
    "environments",
    "fit_prior",
    "list_environments",
    "list_policies",
    "make_environment",
    "make_policy",
    "policies",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Import a public name, or a module of the package, when it is first used."""
    if name in _HOMES:
        value = getattr(import_module(f"duels.{_HOMES[name]}"), name)
    elif name == "__version__":
        from importlib.metadata import version

        value = version("duels")
    else:
        value = _module(name)
    globals()[name] = value
    return value


def _module(name: str) -> Any:
    try:
        if not name.startswith("_"):
            return import_module(f"duels.{name}")
    except ModuleNotFoundError as problem:
        if problem.name != f"duels.{name}":  # something else is missing
            raise
    raise AttributeError(f"module 'duels' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
