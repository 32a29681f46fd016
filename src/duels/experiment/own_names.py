"""Policies and worlds of the user's own by name, ``module:name``."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import re
import sys
from pathlib import Path
from typing import Any

from duels.errors import UnknownName, UserCodeFailed, nearest

OWN = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def is_own(spec: object, known: object) -> bool:
    """Whether a text is ``module:name`` rather than a known name with settings behind it.

    >>> is_own("mine:Clever", {"rucb"}), is_own("rucb:alpha", {"rucb"}), is_own("sphere", {})
    (True, False, False)
    """
    return (
        isinstance(spec, str)
        and OWN.fullmatch(spec.strip()) is not None
        and spec.strip().partition(":")[0] not in known  # type: ignore[operator]
    )


def load_own(spec: str) -> Any:
    """What ``module:name`` stands for."""
    module_name, _, name = spec.strip().partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)  # worker processes get the same list
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as problem:
        if problem.name is None or not f"{module_name}.".startswith(f"{problem.name}."):
            raise _failed(spec, module_name, problem) from problem
        raise UnknownName(
            f"{spec!r} means {name} in the module {module_name}, and there is no module "
            f"{problem.name} in this folder or among the installed ones. Check the name, and start "
            "in the folder that holds it."
        ) from None
    except Exception as problem:
        raise _failed(spec, module_name, problem) from problem
    if not hasattr(module, name):
        public = [each for each in vars(module) if not each.startswith("_")]
        raise UnknownName(f"There is no {name!r} in {module_name}. {nearest(name, public)}")
    return getattr(module, name)


def _failed(spec: str, module: str, problem: Exception) -> UserCodeFailed:
    return UserCodeFailed(
        f"{spec!r} needs the module {module}, which raised {type(problem).__name__} when it was "
        f"imported: {problem}."
    )


def code_digest(made_by: object) -> str | None:
    """A short digest of the file that defines a class, function or object; None for built-ins."""
    kind = made_by if inspect.isclass(made_by) or inspect.isfunction(made_by) else type(made_by)
    try:
        file = inspect.getsourcefile(kind)
        content = Path(file).read_bytes() if file else None
    except (TypeError, OSError):
        return None
    return None if content is None else hashlib.sha256(content).hexdigest()[:16]
