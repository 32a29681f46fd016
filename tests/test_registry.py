import subprocess
import sys

import pytest

from duels import environments, policies
from duels.errors import UnknownName, UserCodeFailed
from duels.registry import Registry, is_own, load_object


def test_a_registry_is_a_mapping():
    letters = Registry("string", {"lower": ":ascii_lowercase", "digits": ":digits"})
    assert list(letters) == ["lower", "digits"]
    assert len(letters) == 2
    assert "lower" in letters
    assert "upper" not in letters
    assert letters["digits"] == "0123456789"
    assert letters.get("upper") is None
    with pytest.raises(KeyError):
        letters["upper"]


def test_a_module_is_imported_when_it_is_asked_for():
    program = (
        "import sys\nfrom duels.registry import Registry\n"
        "found = Registry('xml', {'parse': 'sax:parse'})\n"
        "assert 'parse' in found and list(found) and len(found) and 'xml.sax' not in sys.modules\n"
        "found['parse']\nassert 'xml.sax' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("classes", [policies.CLASSES, environments.CLASSES])
def test_what_is_registered_bears_its_name(classes):
    for name, found in classes.items():
        assert found.name == name


def test_what_is_written_module_and_name():
    assert all(map(is_own, ["mine:King", "my.policies:King.of_the_hill", " mine:King "]))
    others = [
        "rucb",
        "rucb:alpha=0.6",
        "sphere:n_arms=3,p=0.8",
        "mine:",
        ":King",
        "mine:2",
        "a:b:c",
    ]
    assert not any(map(is_own, others))


def test_what_the_user_wrote_is_found_in_the_working_directory(tmp_path, monkeypatch):
    (tmp_path / "own_words.py").write_text("class King:\n    class Hill:\n        height = 3\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert load_object("own_words:King.Hill").height == 3
    with pytest.raises(UnknownName, match=r"'own_words' has no 'Kind'.*Did you mean 'King'\?"):
        load_object("own_words:Kind")


def test_what_cannot_be_loaded_is_named(tmp_path, monkeypatch):
    (tmp_path / "own_slip.py").write_text("1 / 0\n")
    (tmp_path / "own_exit.py").write_text("raise SystemExit(2)\n")
    (tmp_path / "own_need.py").write_text("import no_such_package_anywhere\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(UnknownName, match="no module 'own_nothing'"):
        load_object("own_nothing:King")
    with pytest.raises(UnknownName, match="written module:name, got 'rucb'"):
        load_object("rucb")
    with pytest.raises(UserCodeFailed, match=r"'own_exit' could not be imported.*SystemExit"):
        load_object("own_exit:King")
    with pytest.raises(
        UserCodeFailed, match=r"'own_slip' could not be imported.*ZeroDivisionError"
    ):
        load_object("own_slip:King")
    with pytest.raises(UserCodeFailed, match="no_such_package_anywhere"):
        load_object("own_need:King")
