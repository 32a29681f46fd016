"""Ctrl-C ends every command with the exit code 130 and without a traceback."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from duels.cli.interrupt import leave_on_interrupt
from duels.kernels.notice import TEXT

DUELS = [sys.executable, "-c", "from duels.cli import main; main()"]


@pytest.mark.parametrize(
    "words",
    [
        ["paper", "--policies", "ctb-1,ctb-2,ctb-3,thompson,ws-w,rucb", "--jobs", "2"],
        ["paper", "--policies", "ctb-1,ctb-2,ctb-3,thompson,ws-w,rucb", "--jobs", "1"],
        ["warm-up", "--policy", "ctb-3", "--policy", "thompson", "--policy", "rucb"],
    ],
)
def test_while_compiling(words, tmp_path):
    """With an empty cache, once the line is there that says so."""
    process = subprocess.Popen(
        [*DUELS, *words],
        cwd=tmp_path,
        env={
            **os.environ,
            "NUMBA_CACHE_DIR": str(tmp_path / "empty"),
            "NUMBA_DISABLE_JIT": "0",
            "DUELS_QUIET": "",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert process.stderr.readline().strip() == TEXT
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate()
    assert process.returncode == 130
    assert stderr.count("Stopped.") == 1
    assert "Traceback" not in stderr


def run_with(body):
    """A command of its own whose body is this."""
    program = (
        "import os, signal, sys, time\n"
        "from duels.cli import COMMANDS, main\n"
        "import click\n"
        "@click.command()\n"
        "def own():\n"
        f"    {body}\n"
        "type(main).get_command = lambda self, context, name: own\n"
        "main(['own'])"
    )
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )


def test_in_any_command():
    done = run_with("os.kill(os.getpid(), signal.SIGINT); time.sleep(60)")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


def test_where_the_main_thread_is_busy_outside_python():
    """Nothing raises KeyboardInterrupt while C code runs: another thread ends the process."""
    done = run_with(
        "from duels.kernels.notice import compiling; compiling._depth = 1; import threading;"
        "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start();"
        "import ctypes; ctypes.CDLL(None).sleep(60); ctypes.CDLL(None).sleep(60)"
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


def test_afterwards_all_is_as_before():
    handler, threads = signal.getsignal(signal.SIGINT), threading.active_count()
    with leave_on_interrupt():
        assert signal.getsignal(signal.SIGINT) is not handler
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is handler
    assert signal.set_wakeup_fd(-1) == -1
    assert threading.active_count() == threads


def test_outside_the_main_thread_nothing_is_changed():
    seen = []

    def work():
        with leave_on_interrupt():
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGINT)]
