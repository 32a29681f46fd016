"""Where compiled code is kept: a folder for each state of the sources, ours, and not for ever."""

import os
import stat
import tempfile
import time
from pathlib import Path

import pytest

from duels.kernels import cache

DAY = 24 * 3600


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of two files."""
    folder = tmp_path / "package"
    (folder / "room").mkdir(parents=True)
    (folder / "door.py").write_text("@kernel\nopen = True")
    (folder / "room" / "chair.py").write_text("LEGS = 4")
    monkeypatch.setattr(cache, "PACKAGE", folder)
    return folder


@pytest.fixture
def places(package, tmp_path, monkeypatch):
    """A cache, a home and a folder for temporary files, none of them the true ones."""
    for place in ("numba", "xdg", "home", "temporary"):
        (tmp_path / place).mkdir()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    return tmp_path


@pytest.fixture
def family(places):
    """The folder that holds a folder for each state of the sources."""
    folder = places / "numba" / "duels"
    folder.mkdir()
    return folder


@pytest.fixture
def temporary(places, monkeypatch):
    """The folder of this user among temporary files, where no other place can be written."""
    (places / "occupied").write_text("a file, not a folder")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(places / "occupied"))
    return places / "temporary" / f"duels-{os.getuid()}"


# ---- the fingerprint


def test_the_same_sources_have_the_same_fingerprint(package):
    before = cache.fingerprint()
    os.utime(package / "door.py", (0, 0))
    assert cache.fingerprint() == before


@pytest.mark.parametrize("file", ["door.py", "room/chair.py"])
def test_a_changed_source_changes_the_fingerprint_even_at_the_same_time(package, file):
    """Also one without kernels: they may contain its constants."""
    before = cache.fingerprint()
    facts = (package / file).stat()
    (package / file).write_text((package / file).read_text() + "\nheight = 2")
    os.utime(package / file, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert cache.fingerprint() != before


def test_a_new_a_lost_and_a_renamed_source_change_the_fingerprint(package):
    before = cache.fingerprint()
    (package / "room" / "table.py").write_text("LEGS = 4")
    between = cache.fingerprint()
    (package / "room" / "table.py").rename(package / "room" / "bed.py")
    renamed = cache.fingerprint()
    (package / "room" / "bed.py").unlink()
    assert len({before, between, renamed}) == 3
    assert cache.fingerprint() == before


def test_files_that_are_no_sources_do_not_matter(package):
    before = cache.fingerprint()
    (package / "py.typed").touch()
    (package / "room" / "chair.pyc").write_bytes(b"\0")
    assert cache.fingerprint() == before


def test_code_that_checks_bounds_is_kept_apart(package, monkeypatch):
    monkeypatch.setattr(cache.config, "BOUNDSCHECK", None)
    before = cache.fingerprint()
    monkeypatch.setattr(cache.config, "BOUNDSCHECK", 1)
    assert cache.fingerprint() != before


# ---- the folder


def test_the_package_keeps_its_code_in_a_folder_of_its_own():
    assert cache.FOLDER.is_dir()
    if "NUMBA_CACHE_DIR" in os.environ:
        assert Path(os.environ["NUMBA_CACHE_DIR"]) in cache.FOLDER.parents


def test_the_folder_is_named_after_the_sources(places, package):
    folder = cache.find_folder()
    assert folder == places / "numba" / "duels" / cache.fingerprint()
    assert (folder / cache.MARKER).is_file()
    (package / "door.py").write_text("open = False")
    assert cache.find_folder() != folder


def test_first_numba_s_place_then_xdg_s_then_home(places, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR")
    assert places / "xdg" in cache.find_folder().parents
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert places / "home" / ".cache" in cache.find_folder().parents


def test_a_file_in_the_place_of_the_folder_falls_back(family, places):
    (family / cache.fingerprint()).write_text("a file, not a folder")
    assert places / "temporary" in cache.find_folder().parents


def test_a_cache_that_cannot_be_written_falls_back(places, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, mode: places / "numba" not in Path(path).parents)
    (places / "numba" / "duels" / cache.fingerprint()).mkdir(parents=True)
    assert cache.find_folder().parent == places / "temporary" / f"duels-{os.getuid()}"


def test_code_made_beforehand_is_used_though_it_cannot_be_written(places, monkeypatch):
    """As in an image of a container."""
    folder = cache.find_folder()
    monkeypatch.setattr(os, "access", lambda path, mode: not mode & os.W_OK)
    assert cache.find_folder() == folder


# ---- among temporary files, where others can write too


def test_the_temporary_folder_is_the_user_s_alone(temporary):
    folder = cache.find_folder()
    assert folder.parent == temporary
    assert stat.S_IMODE(temporary.stat().st_mode) == 0o700
    assert cache.find_folder() == folder


def assert_not_used(folder):
    assert folder.name.startswith("duels-")
    assert folder.parent == Path(tempfile.gettempdir())
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert cache.find_folder() != folder, "a new one each time"


@pytest.mark.parametrize("mode", [0o777, 0o755, 0o500])
def test_a_temporary_folder_that_others_can_read_or_write_is_not_used(temporary, mode):
    temporary.mkdir()
    temporary.chmod(mode)
    assert_not_used(cache.find_folder())


def test_a_temporary_folder_of_another_user_is_not_used(temporary, monkeypatch):
    me = os.getuid()
    temporary.with_name(f"duels-{me + 1}").mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    assert_not_used(cache.find_folder())


def test_a_link_in_the_place_of_the_temporary_folder_is_not_used(temporary, places):
    (places / "elsewhere").mkdir(mode=0o700)
    temporary.symlink_to(places / "elsewhere")
    assert_not_used(cache.find_folder())
    assert not any((places / "elsewhere").iterdir())


# ---- forgetting


def make(folder, age, marker=True):
    """A folder as this package makes it, last used that many seconds ago."""
    folder.mkdir()
    (folder / "kernel.nbi").touch()
    then = time.time() - age
    if marker:
        (folder / cache.MARKER).touch()
        os.utime(folder / cache.MARKER, (then, then))
    os.utime(folder, (then, then))
    return folder


def test_only_our_own_folders_that_nobody_used_for_a_week_are_forgotten(family, places):
    old = make(family / ("a" * 16), 8 * DAY)
    others = [
        make(family / ("b" * 16), 6 * DAY),
        make(family / ("c" * 16), 8 * DAY, marker=False),
        make(family / "photographs", 8 * DAY),
    ]
    elsewhere = make(places / ("d" * 16), 8 * DAY)
    (family / ("d" * 16)).symlink_to(elsewhere)
    (family / ("e" * 16)).symlink_to(places / "nowhere")
    (family / ("f" * 16)).write_text("a file")
    current = cache.find_folder()
    assert not old.exists()
    assert all((folder / "kernel.nbi").exists() for folder in [*others, elsewhere])
    assert {path.name for path in family.iterdir()} == {
        current.name, "photographs", *(letter * 16 for letter in "bcdef"),
    }  # fmt: skip


def test_a_folder_in_use_does_not_grow_old(places):
    folder = cache.find_folder()
    os.utime(folder / cache.MARKER, (0, 0))
    assert cache.find_folder() == folder
    assert time.time() - (folder / cache.MARKER).stat().st_mtime < DAY


def test_a_family_that_cannot_be_listed_does_no_harm(places, monkeypatch):
    def refuse(path):
        raise PermissionError

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert cache.find_folder().is_dir()
