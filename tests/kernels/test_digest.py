"""The hash changes with everything that numba copies into a compiled function."""

import os
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest

from duels.kernels.compile import bind, kernel
from duels.kernels.digest import digest
from duels.kernels.stream import uniform

BEFORE = """
    import enum
    import numpy as np
    from duels.kernels.compile import kernel

    class Side(enum.IntEnum):
        LEFT = 1

    COUNT = 3
    TABLE = np.array([1.0, 2.0])
    NESTED = (1, (2.0, TABLE))

    def made(step):
        def inner(x):
            return x + step
        return kernel(inner)

    closed = made(1)

    @kernel
    def low(x):
        return x * COUNT

    @kernel
    def middle(x, y=1):
        return low(x) + TABLE[0] + NESTED[0] + np.sqrt(x) + np.linalg.norm(TABLE) + closed(x)

    @kernel
    def top(x):
        if x in (1, 2) or x in {3, 4}:
            return middle(x) + Side.LEFT
        return 0.0
"""


def load(source, name="written_by_a_user"):
    """A module of this source."""
    module = types.ModuleType(name)
    exec(textwrap.dedent(source), module.__dict__)
    return module


def of_top(source):
    top = load(source).top
    return digest(getattr(top, "py_func", top))


def test_the_same_source_has_the_same_hash():
    assert of_top(BEFORE) == of_top(BEFORE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("COUNT = 3", "COUNT = 4"),
        ("COUNT = 3", "COUNT = 3.0"),
        ("[1.0, 2.0]", "[1.0, 2.5]"),
        ("[1.0, 2.0]", "[1, 2]"),
        ("(1, (2.0", "(1, (2.5"),
        ("LEFT = 1", "LEFT = 2"),
        ("x + step", "x - step"),
        ("made(1)", "made(2)"),
        ("x * COUNT", "x / COUNT"),
        ("y=1", "y=2"),
        ("np.sqrt(x)", "np.cbrt(x)"),
        ("np.linalg.norm(TABLE)", "np.linalg.det(TABLE)"),
        ("in (1, 2)", "in (1, 3)"),
        ("in {3, 4}", "in {3, 5}"),
        ("return 0.0", "return 1.0"),
        ("+ Side.LEFT", "- Side.LEFT"),
    ],
)
def test_any_change_in_reach_changes_the_hash(old, new):
    assert old in BEFORE
    assert of_top(BEFORE) != of_top(BEFORE.replace(old, new))


def test_what_is_out_of_reach_does_not_matter():
    assert of_top(BEFORE) == of_top(BEFORE + "\n    UNUSED = 7")


def test_values_in_modules_count_for_each_function_that_reads_them():
    """Also where a function that was seen before reads something else of the same module."""
    settings = types.ModuleType("settings")
    settings.first, settings.second = 1, 2
    source = """
        from duels.kernels.compile import kernel

        @kernel
        def low(x):
            return x + settings.first

        @kernel
        def top(x):
            return low(x) * settings.second
    """

    def hashed():
        module = types.ModuleType("written_by_a_user")
        module.settings = settings
        exec(textwrap.dedent(source), module.__dict__)
        return digest(getattr(module.top, "py_func", module.top))

    before = hashed()
    settings.second = 3
    between = hashed()
    settings.first = 0
    assert len({before, between, hashed()}) == 3


def test_a_function_that_calls_itself():
    def twice(source):
        return digest(load(source).fall)

    source = "def fall(n):\n    return fall(n - 1) if n else 0"
    assert twice(source) == twice(source) != twice(source.replace("else 0", "else 1"))


def test_of_the_package_only_the_name_counts():
    """The folder's name covers its sources."""
    plain = getattr(uniform, "py_func", uniform)
    changed = types.FunctionType((lambda stream: 0.5).__code__, plain.__globals__, plain.__name__)
    changed.__module__ = plain.__module__
    assert digest(changed) == digest(plain)


def test_bound_copies_differ_by_what_they_are_bound_to():
    def template(x):
        return step(x)  # noqa: F821

    def plus(x):
        return x + 1

    def minus(x):
        return x - 1

    def hashed(function):
        copy = bind(template, "copy", step=kernel(function))
        return digest(getattr(copy, "py_func", copy))

    assert hashed(plus) == hashed(plus) != hashed(minus)


def test_the_hash_is_the_same_in_another_process():
    """Else nothing would ever be found on disk. Sets of words are in another order there."""
    source = textwrap.dedent(BEFORE).replace("{3, 4}", "{'a', 'b', 'c', 'd'}")
    program = (
        f"import types\nmodule = types.ModuleType('user')\nexec({source!r}, module.__dict__)\n"
        "from duels.kernels.digest import digest\n"
        "print(digest(getattr(module.top, 'py_func', module.top)))"
    )
    first, second = (
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in "12"
    )
    assert first == second != ""


def test_arrays_of_objects_and_of_none():
    def reads():
        return words

    words = np.array(["a", None], dtype=object)
    before = digest(reads)
    words[1] = "b"
    assert digest(reads) != before
