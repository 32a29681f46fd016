"""Everything this package raises on purpose.

    DuelsError
    ├── InvalidValue      (ValueError)           a value breaks a rule
    ├── UnknownName       (LookupError)          a name or an arm that is not there
    ├── FileProblem       (OSError)              a file or folder cannot be read or written
    ├── StoreProblem      (OSError)              the database of dialogues cannot be used now
    ├── ServerProblem     (OSError)              a server cannot be reached, or fails
    ├── Conflict          (ValueError)           an answer contradicts what is recorded
    │   └── Closed                               the round, or the catalogue, takes no answers now
    ├── TooManyCells      (InvalidValue)         the cells of a problem would not fit in memory
    ├── MissingPackage    (ImportError)          what an extra of the package needs is not installed
    ├── NoPosterior       (NotImplementedError)  a policy was asked for a belief it does not hold
    └── UserCodeFailed    (RuntimeError)         a policy or world of the user's own went wrong

A message says the rule that must hold, the value received, and what to do next.
"""

from __future__ import annotations

import difflib
import operator
import re
from collections.abc import Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


class DuelsError(Exception):
    """The root of the tree: catch this to catch every error of the package."""


class InvalidValue(DuelsError, ValueError):
    """A value breaks a rule."""


class UnknownName(DuelsError, LookupError):
    """A name, or an arm, that is not there."""


class FileProblem(DuelsError, OSError):
    """A file or folder cannot be read or written."""


class Conflict(DuelsError, ValueError):
    """An answer contradicts what is recorded already."""


class Closed(Conflict):
    """A round or a catalogue that takes no sessions or answers any more."""


class StoreProblem(DuelsError, OSError):
    """The database of dialogues cannot be reached, read or written at the moment."""


class TooManyCells(InvalidValue):
    """The cells of a problem would not fit in memory."""


class ServerProblem(DuelsError, OSError):
    """A server that `duels.Client` talks to cannot be reached, or does not answer as it should."""


class MissingPackage(DuelsError, ImportError):
    """Something that an extra of the package needs is not installed."""


class NoPosterior(DuelsError, NotImplementedError):
    """A policy was asked for a belief it does not hold."""


class UserCodeFailed(DuelsError, RuntimeError):
    """A policy or a world of the user's own raised an error, or gave what it must not."""


def nearest(word: object, known: Iterable[str]) -> str:
    """A sentence that suggests the nearest known word and lists what is known, at most 20.

    >>> nearest("ctb1", ["ctb-1", "ws-w"])
    "Did you mean 'ctb-1'? Known: ctb-1, ws-w."
    """
    names = list(known)
    close = difflib.get_close_matches(str(word), names[:1000], n=1, cutoff=0.5)
    hint = f"Did you mean {close[0]!r}? " if close else ""
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return f"{hint}Known: {', '.join(names[:20])}{more}."


def look_up(word: object, known: Mapping[str, T], *, what: str) -> T:
    """What a name stands for, or an error that suggests the nearest.

    >>> look_up("b", {"a": 1, "b": 2}, what="letter")
    2
    """
    if not isinstance(word, str) or word not in known:
        raise UnknownName(f"There is no {what} {word!r}. {nearest(word, known)}")
    return known[word]


def whole_number(what: str, value: object, *, at_least: int) -> int:
    """The value, if it is a whole number that is large enough.

    >>> whole_number("horizon", 500, at_least=1)
    500
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < at_least:
        raise InvalidValue(
            f"{what} must be a whole number of at least {at_least}, got {value!r}. "
            f"Use {at_least} or more."
        )
    return number


def shorten(value: object) -> str:
    """A value as it is shown in a message: at most 80 characters of its ``repr``.

    >>> len(shorten(10**400))
    80
    """
    try:
        text = repr(value)
    except Exception:  # a whole number with thousands of digits, or a faulty __repr__
        return f"a value of type {type(value).__name__} that cannot be shown"
    text = re.sub(r"\s*\n\s*", " ", text)  # an array has line ends
    return text if len(text) <= 80 else text[:77] + "..."
