"""`import duels` imports next to nothing, and everything public is there all the same."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import duels
from duels import environments, policies

HEAVY = ("numpy", "numba", "polars", "matplotlib", "scipy", "click", "rich")


def imported_by(program):
    """Which of the heavy packages a new process has imported in the end."""
    program += f"\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_the_package_imports_nothing_heavy():
    assert imported_by("import duels; duels.DuelsError; duels.__version__; dir(duels)") == set()


def test_a_policy_needs_neither_tables_nor_figures():
    program = "import duels; duels.make_policy('ws-w', duels.Catalogue([[1.0], [2.0]]))"
    assert imported_by(program) <= {"numpy", "numba"}


@pytest.mark.parametrize("name", duels.__all__)
def test_every_public_name_is_there(name):
    assert getattr(duels, name) is not None
    assert name in dir(duels)


def test_the_names_for_readers_of_types_are_those_for_the_interpreter():
    tree = ast.parse(Path(duels.__file__).read_text(encoding="utf-8"))
    (typed,) = (node for node in tree.body if isinstance(node, ast.If))
    homes = {
        alias.name: node.module.removeprefix("duels.")
        for node in typed.body
        if isinstance(node, ast.ImportFrom) and node.module != "duels"
        for alias in node.names
    }
    assert homes == duels._HOMES
    assert set(duels.__all__) == {*homes, "policies", "environments", "__version__"}


def test_modules_of_the_package_are_attributes_too():
    assert duels.errors.DuelsError is duels.DuelsError
    assert duels.policies.Policy is policies.Policy
    assert duels.environments.Environment is environments.Environment


@pytest.mark.parametrize("name", ["polices", "_private", "Errors", "__wrapped__"])
def test_unknown_names_are_refused(name):
    with pytest.raises(AttributeError, match=f"module 'duels' has no attribute '{name}'"):
        getattr(duels, name)


def test_a_module_that_fails_to_import_says_why(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("No module named 'numba'", name="numba")

    monkeypatch.setattr(duels, "import_module", broken)
    with pytest.raises(ModuleNotFoundError, match="numba"):
        duels._module("experiment")


def test_the_packages_can_be_called_as_the_functions_they_were():
    assert duels.policies() == duels.list_policies() == policies.policies()
    assert duels.environments() == duels.list_environments() == environments.environments()
