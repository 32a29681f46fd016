"""One line is said when kernels take long to compile, and only then."""

import io
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from duels.kernels import notice
from duels.kernels.compile import kernel
from duels.kernels.notice import TEXT, Compiling


def square(x):
    return x * x


@pytest.fixture
def heard():
    """What numba reports of a kernel of this package."""
    owner = SimpleNamespace(_cache=notice.KernelCache(square))
    return SimpleNamespace(data={"dispatcher": owner})


@pytest.fixture
def compiling(monkeypatch):
    """A listener without patience: its timer ends as soon as it is started."""

    class Timer:
        def __init__(self, seconds, say):
            self.seconds, self.say = seconds, say
            started.append(self)

        def start(self):
            self.say()

        def cancel(self):
            pass

    started = []
    monkeypatch.delenv("DUELS_QUIET", raising=False)
    monkeypatch.setattr(notice.threading, "Timer", Timer)
    listener = Compiling()
    listener.started = started
    return listener


def test_it_is_said_once_in_a_process(compiling, heard, capsys):
    for _ in range(3):
        compiling.on_start(heard)
        compiling.on_end(heard)
    assert capsys.readouterr().err == TEXT + "\n"
    assert "once" in TEXT
    assert "duels warm-up" in TEXT


def test_seconds_add_up_over_kernels(compiling, heard, monkeypatch):
    clock = iter([0.0, 1.5, 10.0, 10.25])
    monkeypatch.setattr(notice.time, "perf_counter", lambda: next(clock))
    monkeypatch.setattr(compiling, "_say", lambda: None)
    for _ in range(2):
        compiling.on_start(heard)
        compiling.on_start(heard)  # one kernel inside another
        compiling.on_end(heard)
        assert compiling.now
        compiling.on_end(heard)
        assert not compiling.now
    assert [timer.seconds for timer in compiling.started] == [2.0, 0.5]


def test_quiet_on_request(compiling, heard, capsys, monkeypatch):
    monkeypatch.setenv("DUELS_QUIET", "1")
    assert Compiling().quiet
    monkeypatch.setenv("DUELS_QUIET", "0")
    assert not Compiling().quiet
    compiling.quiet = True
    compiling.on_start(heard)
    assert compiling.now
    compiling.on_end(heard)
    assert not compiling.now
    assert capsys.readouterr().err == ""


def test_other_people_s_functions_are_no_concern(compiling, capsys):
    theirs = SimpleNamespace(data={"dispatcher": SimpleNamespace(_cache=None)})
    compiling.on_start(theirs)
    assert not compiling.now
    compiling.on_end(theirs)
    assert capsys.readouterr().err == ""


def test_workers_leave_it_to_their_parent(compiling, heard, capsys, monkeypatch):
    monkeypatch.setattr(notice.multiprocessing, "parent_process", lambda: object())
    compiling.on_start(heard)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("gone", [None, io.StringIO()])
def test_without_standard_error_nothing_happens(compiling, heard, monkeypatch, gone):
    if gone is not None:
        gone.close()
    monkeypatch.setattr(sys, "stderr", gone)
    compiling.on_start(heard)
    assert compiling.quiet


def test_numba_reports_what_it_compiles_and_not_what_is_on_disk(tmp_path):
    program = (
        "from duels.kernels import notice\n"
        "notice.PATIENCE = 0.0\n"
        "from duels.kernels.normal import log_normals_below\n"
        "import numpy as np\n"
        "log_normals_below(np.ones(2))\n"
        "assert not notice.compiling.now"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    environment.pop("DUELS_QUIET", None)
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=environment, capture_output=True, text=True, check=True,
        ).stderr
        for _ in range(2)
    ]  # fmt: skip
    assert said == [TEXT + "\n", ""]


def test_an_error_while_compiling_is_the_end_of_it():
    @kernel
    def broken(x):
        return x.no_such_attribute

    with pytest.raises(Exception, match="no_such_attribute"):
        broken(1)
    assert not notice.compiling.now
