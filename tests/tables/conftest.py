import pytest


@pytest.fixture
def csv(tmp_path):
    def write(text):
        file = tmp_path / "arms.csv"
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture
def json(tmp_path):
    def write(text):
        file = tmp_path / "arms.json"
        file.write_text(text)
        return file

    return write
