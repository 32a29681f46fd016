import os
import tempfile
import time
import types
from pathlib import Path

import numba
import numpy as np
import pytest

from duels.kernels import compile as compiling
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
    monkeypatch.setattr(compiling, "CACHE_FOLDER", folder)
    return folder


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two files."""
    folder = tmp_path / "package"
    (folder / "room").mkdir(parents=True)
    (folder / "door.py").write_text("@kernel\nopen = True")
    (folder / "room" / "chair.py").write_text("@kernel\nlegs = 4")
    monkeypatch.setattr(compiling, "PACKAGE", folder)
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


def test_the_package_keeps_its_code_in_the_folder_of_its_sources():
    if "NUMBA_CACHE_DIR" in os.environ:
        assert Path(os.environ["NUMBA_CACHE_DIR"]) in compiling.CACHE_FOLDER.parents
    assert compiling.CACHE_FOLDER.is_dir()


# ---- the fingerprint


def test_the_same_sources_have_the_same_fingerprint(package):
    assert compiling._fingerprint() == compiling._fingerprint()


@pytest.mark.parametrize("file", ["door.py", "room/chair.py"])
def test_touching_any_source_changes_the_fingerprint(package, file):
    before = compiling._fingerprint()
    facts = (package / file).stat()
    os.utime(package / file, ns=(facts.st_atime_ns, facts.st_mtime_ns + 1_000_000))
    assert compiling._fingerprint() != before


def test_a_changed_source_changes_the_fingerprint_even_at_the_same_time(package):
    before = compiling._fingerprint()
    facts = (package / "door.py").stat()
    (package / "door.py").write_text("@kernel\nopen = False")
    os.utime(package / "door.py", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert compiling._fingerprint() != before


def test_a_new_and_a_lost_source_change_the_fingerprint(package):
    before = compiling._fingerprint()
    (package / "room" / "table.py").write_text("@kernel\nlegs = 4")
    between = compiling._fingerprint()
    (package / "room" / "table.py").unlink()
    assert between != before
    assert compiling._fingerprint() == before


def test_other_files_do_not_matter(package):
    before = compiling._fingerprint()
    (package / "no_kernels.py").write_text("colour = 'red'")
    (package / "py.typed").touch()
    (package / "room" / "chair.pyc").write_bytes(b"\0")
    assert compiling._fingerprint() == before


# ---- the folder


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A cache, a home and a folder for temporary files, none of them the true ones."""
    for place in ("numba", "xdg", "home", "temporary"):
        (tmp_path / place).mkdir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


def test_the_folder_is_named_after_the_sources(places, package):
    folder = compiling._cache_folder()
    assert folder == places / "numba" / "duels" / compiling._fingerprint()
    assert folder.is_dir()
    (package / "door.py").write_text("@kernel\nopen = False")
    assert compiling._cache_folder() != folder


def test_first_numba_s_place_then_xdg_s_then_home(places, package, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert places / "xdg" in compiling._cache_folder().parents
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert places / "home" / ".cache" in compiling._cache_folder().parents


def test_a_cache_that_cannot_be_made_falls_back(places, package, monkeypatch):
    (places / "occupied").write_text("a file, not a folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places / "occupied"))
    folder = compiling._cache_folder()
    assert folder.parent == places / "temporary" / f"duels-{os.getuid()}"


def test_a_cache_that_cannot_be_written_falls_back(places, package, monkeypatch):
    def writable(path, mode):
        return places / "numba" not in Path(path).parents

    monkeypatch.setattr(os, "access", writable)
    assert compiling._cache_folder().parent == places / "temporary" / f"duels-{os.getuid()}"


def test_where_nothing_can_be_written_a_new_folder_is_made(places, package, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    folder = compiling._cache_folder()
    assert folder.parent == places / "temporary"
    assert folder.name.startswith("duels-")


def test_folders_of_old_sources_are_forgotten(places, package):
    family = places / "numba" / "duels"
    for name, age in [("old", compiling.KEPT_SECONDS + 60), ("young", compiling.KEPT_SECONDS - 60)]:
        (family / name).mkdir(parents=True)
        (family / name / "kernel.nbi").touch()
        then = time.time() - age
        os.utime(family / name, (then, then))
    folder = compiling._cache_folder()
    assert {path.name for path in family.iterdir()} == {"young", folder.name}


def test_a_folder_in_use_does_not_grow_old(places, package):
    folder = compiling._cache_folder()
    os.utime(folder, (0, 0))
    assert compiling._cache_folder() == folder
    assert folder.stat().st_mtime > compiling.KEPT_SECONDS


def test_a_folder_that_another_process_just_forgot(places, package):
    family = places / "numba" / "duels"
    family.mkdir()
    (family / "gone").symlink_to(places / "nowhere")  # listed, but there is nothing there
    assert compiling._cache_folder().parent == family
