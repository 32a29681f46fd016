"""The file of answers: what is added is there, what was cut short is mended, one writer."""

import json
import os
from pathlib import Path

import pytest

from duels.cli.choosing.answers import AnswersFile, Beginning, CarriedOn, now, require_same_arms
from duels.errors import Conflict, FileProblem
from duels.facts import Answer, Question

BEGUN = Beginning("f" * 64, 3, "ws-w", 7, {"questions": 4}, "0.1.0", now())
FACTS = [Question(1, 0, 2), Answer(1, "left", "clearly"), Question(2, 1, 2)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "tea.answers.jsonl"


@pytest.fixture
def kept(path):
    """A file with a beginning and three facts."""
    with AnswersFile(path) as file:
        file.begin(BEGUN)
        file.add(FACTS[:1])
        file.add(FACTS[1:])
    return path


def facts_of(path):
    with AnswersFile(path) as file:
        return [fact for _, fact in file.lines]


def test_what_is_added_comes_back(kept):
    with AnswersFile(kept) as file:
        assert (file.beginning, file.mended) == (BEGUN, "")
        assert file.lines == list(enumerate(FACTS, start=2))
        file.carry_on(None)
    assert facts_of(kept) == [*FACTS, CarriedOn(None)]


def test_each_line_has_its_moment_and_is_json(kept):
    first, *others = map(json.loads, kept.read_text().splitlines())
    assert first["format"] == 1
    assert all("at" in line for line in others)


def test_a_line_cut_short_anywhere_loses_that_line_only(kept):
    """Whatever is left of the file, all lines before the cut are there, and adding goes on."""
    whole = kept.read_bytes()
    after_first = whole.index(b"\n") + 1
    for end in range(after_first, len(whole)):
        kept.write_bytes(whole[:end])
        n_whole = whole[after_first:end].count(b"\n")
        with AnswersFile(kept) as file:
            assert [fact for _, fact in file.lines] == FACTS[:n_whole]
            cut = not whole[:end].endswith(b"\n")
            assert ("was cut short" in file.mended) == cut
            file.add(FACTS[n_whole:])
        assert facts_of(kept) == FACTS


def test_a_first_line_cut_short_is_a_new_beginning(kept):
    kept.write_bytes(kept.read_bytes()[:30])
    with AnswersFile(kept) as file:
        assert file.beginning is None
        assert file.mended


def test_zeros_that_a_crash_left_behind_are_dropped(kept):
    with kept.open("ab") as file:
        file.write(b"\0" * 100)
    assert facts_of(kept) == FACTS


def test_two_at_once(kept):
    with AnswersFile(kept):
        with pytest.raises(Conflict, match="in use by another"):
            AnswersFile(kept)
        with pytest.raises(Conflict):
            AnswersFile(kept)
    assert facts_of(kept) == FACTS


def test_an_unused_file_is_not_left_behind(path):
    with AnswersFile(path):
        assert path.exists()
    assert not path.exists()


def test_put_aside_keeps_the_old_answers(kept):
    with AnswersFile(kept) as file:
        aside = file.put_aside()
        assert (file.beginning, file.lines) == (None, [])
        file.begin(BEGUN)
        second = file.put_aside()
        file.begin(BEGUN)
    assert facts_of(aside) == FACTS
    assert len({aside, second, kept}) == 3
    assert facts_of(kept) == []


@pytest.mark.parametrize(
    "content",
    ["name,price\ntea,3\n", '{"fact": "answer"}\n', "[1]\n", "x", "\n", '{"format": 1}\n'],
)
def test_a_file_of_something_else_is_left_alone(path, content):
    path.write_text(content)
    with pytest.raises(FileProblem, match="must be one that `duels choose` has begun"):
        AnswersFile(path)
    assert path.read_text() == content


@pytest.mark.parametrize(
    "line",
    ["not json", "[]", '{"fact": "quarrel"}', '{"fact": "answer", "number": "one", "kind": "tie"}'],
)
def test_a_malformed_line_is_named(kept, line):
    lines = kept.read_text().splitlines()
    lines[2] = line
    text = "\n".join(lines) + "\n"
    kept.write_text(text)
    with pytest.raises(FileProblem, match="line 3"):
        AnswersFile(kept)
    assert kept.read_text() == text


def test_a_file_of_a_newer_version(kept):
    kept.write_text(kept.read_text().replace('"format": 1', '"format": 2', 1))
    with pytest.raises(FileProblem, match="Upgrade duels"):
        AnswersFile(kept)


def test_a_full_disk_loses_nothing_of_before():
    """/dev/full takes no byte."""
    file = AnswersFile.__new__(AnswersFile)
    file.path = Path("/dev/full")
    file._fd = os.open("/dev/full", os.O_RDWR)
    with pytest.raises(FileProblem, match="No space left"):
        file.add(FACTS)
    os.close(file._fd)


def test_where_no_file_can_be(tmp_path):
    with pytest.raises(FileProblem, match="--answers"):
        AnswersFile(tmp_path / "no folder" / "x.jsonl")


def test_other_arms_are_refused(path):
    require_same_arms(BEGUN, "f" * 64, 3, path)
    for arms in (3, 4):
        with pytest.raises(Conflict, match="--fresh"):
            require_same_arms(BEGUN, "0" * 64, arms, path)
