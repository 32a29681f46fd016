import os
import subprocess
import sys
import textwrap
import threading
import types

import numba
import numpy as np
import pytest

from duels.kernels import cache as kept
from duels.kernels.compile import bind, compiled_before, kernel


def twice(x):
    return 2 * x


def square(x):
    return x * x


def steps(x, n):
    """A template: ``step`` gets its meaning from `bind`."""
    for _ in range(n):
        x = step(x)  # noqa: F821
    return x


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty folder for compiled code."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setattr(kept, "FOLDER", folder)
    return folder


# ---- kernel


def test_a_kernel_computes_what_the_function_does(cache):
    assert kernel(square)(7) == 49


def test_division_follows_numpy_once_compiled(cache):
    @kernel
    def over(x, y):
        return x / y

    assert over(1.0, 0.0) == np.inf


def test_where_numba_keeps_other_code_stays_the_same(cache):
    before = numba.config.CACHE_DIR
    kernel(square)
    assert before == numba.config.CACHE_DIR


def test_where_numba_keeps_other_code_stays_the_same_after_an_error(cache):
    before = numba.config.CACHE_DIR
    with pytest.raises(Exception, match="not a function"):
        kernel("not a function")
    assert before == numba.config.CACHE_DIR


# ---- bind


def test_copies_do_not_share_meaning(cache):
    doubling = bind(steps, "doubling", step=kernel(twice))
    squaring = bind(steps, "squaring", step=kernel(square))
    assert [doubling(3, 2), squaring(3, 2), doubling(3, 2)] == [12, 81, 12]


def test_copies_read_back_from_disk_do_not_share_meaning(cache):
    for _ in range(2):  # the second time numba finds them on disk
        assert bind(steps, "doubling", step=kernel(twice))(3, 2) == 12
        assert bind(steps, "squaring", step=kernel(square))(3, 2) == 81


def test_the_template_stays_as_it_is(cache):
    bind(steps, "doubling", step=kernel(twice))
    assert "step" not in globals()
    with pytest.raises(NameError):
        steps(3, 2)


def test_a_copy_has_its_own_name(cache):
    copy = bind(steps, "doubling", step=kernel(twice))
    assert copy.__name__ == copy.__qualname__ == "doubling"
    assert copy.__module__ == steps.__module__
    assert isinstance(steps, types.FunctionType)
    assert steps.__name__ == "steps"


# ---- compiled_before


def test_a_kernel_is_on_disk_once_it_was_called(cache):
    assert not compiled_before("doubling")
    copy = bind(steps, "doubling", step=kernel(twice))
    assert not compiled_before("doubling")
    copy(3, 2)
    assert compiled_before("doubling")
    assert not compiled_before("doubl")
    assert not compiled_before("oubling")


# ---- edited functions


POLICY = """
    from duels.kernels.compile import bind, kernel
    from numbers_of_mine import STEP

    def loop(x, n):
        for _ in range(n):
            x = step(x)
        return x

    @kernel
    def add(x):
        return x + STEP

    @kernel
    def step(x):
        return add(x)

    print(bind(loop, "loop_of_mine", step=step)(0, 10))
"""


def run_policy(folder, policy, constant):
    (folder / "policy.py").write_text(textwrap.dedent(policy))
    (folder / "numbers_of_mine.py").write_text(f"STEP = {constant}")
    done = subprocess.run(
        [sys.executable, "-B", "policy.py"],
        cwd=folder,
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


def test_an_edited_policy_never_runs_its_old_loop(tmp_path):
    """Neither where the edit is in another kernel, nor where it is a constant of another file."""
    assert run_policy(tmp_path, POLICY, 1) == 10
    files = set((tmp_path / "cache").rglob("*.nbc"))
    assert run_policy(tmp_path, POLICY, 1) == 10
    assert set((tmp_path / "cache").rglob("*.nbc")) == files, "what did not change is found again"
    assert run_policy(tmp_path, POLICY, 2) == 20
    assert run_policy(tmp_path, POLICY.replace("x + STEP", "x - STEP"), 2) == -20
    assert run_policy(tmp_path, POLICY, 1) == 10


# ---- threads


def test_kernels_made_by_threads_side_by_side(cache):
    before, answers = numba.config.CACHE_DIR, []

    def work(step):
        def add(x):
            return x + step

        answers.append(kernel(add)(0) == step)

    threads = [threading.Thread(target=work, args=(step,)) for step in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [True] * 8
    assert before == numba.config.CACHE_DIR
