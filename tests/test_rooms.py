"""The shape of the house: who imports whom, what is public, what the words are."""

import re
import subprocess
import sys
from pathlib import Path

import duels

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))


def test_imports_point_down_the_list_of_rooms():
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 kept, 0 broken" in done.stdout


def test_a_policy_never_sees_an_environment_nor_the_other_way_round():
    for path in SOURCES:
        room = path.relative_to(ROOT / "src" / "duels").parts[0]
        if room in ("policies", "environments"):
            other = {"policies": "environments", "environments": "policies"}[room]
            assert f"duels.{other}" not in path.read_text(), path


def test_what_others_script_against_is_there():
    for name in (
        "Catalogue", "make_policy", "policies", "enumerate_cells", "count_cells",
        "make_environment", "simulate", "Pair", "DuelsError",
    ):  # fmt: skip
        assert name in duels.__all__
        assert hasattr(duels, name)


# words of click, SQLAlchemy, polars, HTTP and OpenAPI, which are not ours to choose
THEIRS = re.compile(
    r"click\.option|help_option_names|version_option|execution_options|\.items?\(\)|form-action"
    r"|-Options\"|[\"']items[\"']"
)


def test_one_word_for_each_thing():
    banned = re.compile(r"\b(item|option|action|comparison|trial|utils|helpers?|manager)s?\b", re.I)
    for path in SOURCES:
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            assert not banned.search(THEIRS.sub("", line)), f"{path}:{number}: {line.strip()}"


def test_no_file_grows_past_what_a_reader_can_hold():
    for path in SOURCES:
        assert len(path.read_text().splitlines()) <= 400, path
