import subprocess
import sys

import pytest

from duels import environments, policies
from duels.registry import Registry


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
