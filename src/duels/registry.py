"""Look up policies and environments by name, importing each when it is first used."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Generic, TypeVar

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

    def __getitem__(self, name: str) -> T:
        module, _, attribute = self._homes[name].partition(":")
        path = f"{self._package}.{module}" if module else self._package
        found: T = getattr(import_module(path), attribute)
        return found

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
