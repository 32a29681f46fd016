"""Look up policies and environments by name, importing each when it is first used.

A name of the package's own is a word; ``module:name`` is something of the user's.
"""

from __future__ import annotations

import re
import sys
import types
from collections.abc import Callable, Container, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Generic, TypeVar

from duels.errors import UnknownName, UserCodeFailed, nearest

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Maps a name to something in a module of a package, and imports that module only when asked.

    Args:
        package: the package that holds the modules.
        homes: for each name the module and what to take from it, ``"module:attribute"``.

    >>> letters = Registry[str]("string", {"lower": ":ascii_lowercase"})
    >>> list(letters), letters["lower"][:3]
    (['lower'], 'abc')
    """

    def __init__(self, package: str, homes: Mapping[str, str]) -> None:
        self._package = package
        self._homes = dict(homes)
        self._found: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._found:
            module, _, attribute = self._homes[name].partition(":")
            path = f"{self._package}.{module}" if module else self._package
            self._found[name] = getattr(import_module(path), attribute)
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._homes

    def __iter__(self) -> Iterator[str]:
        return iter(self._homes)

    def __len__(self) -> int:
        return len(self._homes)


def make_callable(package: str, function: Callable[[], object]) -> None:
    """Let a package be called like this function: once there was a function of the same name.

    ``duels.policies()`` still lists the policies, although ``duels.policies`` is a package.
    """

    class CallablePackage(types.ModuleType):
        def __call__(self) -> object:
            return function()

    sys.modules[package].__class__ = CallablePackage


def is_own(text: str, known: Container[str] = ()) -> bool:
    """Whether this is ``module:name``, not one of the known names with settings behind it.

    >>> is_own("my_policies:KingOfTheHill"), is_own("rucb:alpha=0.6"), is_own("rucb")
    (True, False, False)
    """
    found = re.fullmatch(r"\s*([^\W\d][\w.]*):[^\W\d][\w.]*\s*", text)
    return found is not None and found[1] not in known


def load_object(text: str) -> Any:
    """What ``module:name`` stands for: a class, function or object of the user's.

    The module is one that Python can import, or a file ``module.py`` in the working directory.

    >>> load_object("string:digits")
    '0123456789'
    """
    if not isinstance(text, str) or not is_own(text):
        raise UnknownName(
            f"A policy or world of your own is written module:name, got {text!r}. "
            "For example my_policies:KingOfTheHill."
        )
    path, _, attributes = text.strip().partition(":")
    here = str(Path.cwd())
    if here not in sys.path:  # an installed command does not look here by itself
        sys.path.insert(0, here)
    try:
        found: Any = import_module(path)
    except ModuleNotFoundError as problem:
        missing = problem.name or ""
        if path == missing or path.startswith(f"{missing}."):
            raise UnknownName(
                f"There is no module {path!r}, wanted for {text!r}. Start in the folder that holds "
                f"{path.replace('.', '/')}.py, or install it."
            ) from problem
        raise _failed(path, problem) from problem
    except (Exception, SystemExit) as problem:  # a script may read its own arguments
        raise _failed(path, problem) from problem
    for attribute in attributes.split("."):
        if not hasattr(found, attribute):
            known = [name for name in vars(found) if not name.startswith("_")]
            raise UnknownName(
                f"The module {path!r} has no {attributes!r}. {nearest(attribute, known)}"
            )
        found = getattr(found, attribute)
    return found


def _failed(path: str, problem: BaseException) -> UserCodeFailed:
    return UserCodeFailed(
        f"The module {path!r} could not be imported, it raised {type(problem).__name__}: {problem}."
    )
