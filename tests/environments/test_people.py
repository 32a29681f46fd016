"""Worlds from files: utilities per person, and recorded duels."""

from pathlib import Path

import numpy as np
import pytest

from duels import Catalogue, make_environment
from duels.environments.replay import Replay, records_of
from duels.errors import FileProblem, InvalidValue, UnknownName
from duels.experiment import share_answered, simulate, streams
from duels.kernels.stream import make_stream

FILES = Path(__file__).parent / "files"
UTILITIES, LOG = FILES / "utilities.csv", FILES / "log.csv"
OF = {"tea": (3, 0, 1), "milk": (2, 1, 4), "rum": (1, 5, -2), "gin": (0, 2.5, 2)}


def bar(*names):
    """A catalogue with these drinks and others, in another order than any file."""
    names = [*reversed(names), "water"]
    return Catalogue([[len(name), ord(name[0])] for name in names], names)


def test_every_replication_is_a_person_of_the_file():
    environment = make_environment("people", utilities=UTILITIES, catalogue=bar(*OF))
    seen = np.zeros(3)
    for seed in range(150):
        catalogue, world = environment.draw(make_stream(seed))
        (person,) = (
            k for k in range(3)
            if all(world.utilities[arm] == OF[name][k] for arm, name in enumerate(catalogue.names))
        )  # fmt: skip
        seen[person] += 1
        for arm, name in enumerate(catalogue.names):
            assert catalogue.features[arm].tolist() == [len(name), ord(name[0])]
    assert seen.min() > 50 - 4 * np.sqrt(150 * 2 / 9)


def test_people_without_a_catalogue_judge_names():
    environment = make_environment("people", utilities=str(UTILITIES))
    assert environment.catalogue.names == tuple(OF)
    assert environment.catalogue.n_features == 0


def test_other_numbers_make_another_environment(tmp_path):
    changed = tmp_path / "utilities.csv"
    changed.write_text(UTILITIES.read_text())
    before = repr(make_environment("people", utilities=changed))
    changed.write_text(UTILITIES.read_text().replace("2.5", "2.4"))
    assert repr(make_environment("people", utilities=changed)) != before


def test_records_by_hand():
    """Arm 2 beat arm 5 twice and lost once, arm 9 lost its only duel, to 5."""
    arms, share, chance, recorded = records_of([(2, 5), (2, 5), (5, 2), (5, 9)])
    assert arms.tolist() == [2, 5, 9]
    assert share == pytest.approx([2 / 3, 2 / 4, 0])
    assert chance[0, 1] == pytest.approx(2 / 3)
    assert chance[1, 2] == 1
    assert chance[0, 2] == pytest.approx(0.5 + 2 / 3 / 2)
    assert chance + chance.T == pytest.approx(1)
    assert recorded.tolist() == [
        [False, True, False], [True, False, True], [False, True, False]
    ]  # fmt: skip


def test_a_log_is_asked_again():
    environment = Replay(log=LOG, catalogue=bar("tea", "milk", "rum", "gin", "cider"))
    sizes = set()
    for seed in range(60):
        catalogue, world = environment.draw(make_stream(seed))
        names = list(catalogue.names)
        sizes.add(len(names))
        if len(names) == 4:  # ann's
            assert set(names) == {"tea", "milk", "rum", "gin"}
            assert world.choice[names.index("tea"), names.index("milk")] == pytest.approx(2 / 3)
            assert names[world.best] == "gin"
        else:
            assert set(names) == {"tea", "milk", "rum", "gin", "cider"}
            assert world.choice[names.index("gin"), names.index("cider")] == 0.5
            assert names[world.best] == "rum"
        for arm, name in enumerate(names):
            assert catalogue.features[arm].tolist() == [len(name), ord(name[0])]
    assert sizes == {4, 5}


def test_the_share_of_pairs_that_the_log_can_answer():
    recorded = {
        4: {("milk", "tea"), ("rum", "tea"), ("gin", "rum")},
        5: {("rum", "tea"), ("milk", "rum"), ("gin", "rum"), ("cider", "rum"), ("cider", "gin")},
    }
    environment = Replay(log=LOG)
    played = simulate("random", environment, horizon=40, replications=12, seed=3)
    shares = share_answered(played, environment)
    for r in range(12):
        names = environment.draw(streams(3, r)[0])[0].names
        pairs = zip(played.histories.first[r], played.histories.second[r], strict=True)
        known = [tuple(sorted((names[i], names[j]))) in recorded[len(names)] for i, j in pairs]
        assert shares[r] == pytest.approx(np.mean(known))
    assert 0.3 < shares.mean() < 0.7


def test_the_share_is_that_of_the_environment_that_was_played():
    played = simulate("random", "sphere", horizon=4, replications=2)
    with pytest.raises(InvalidValue, match="needs the duels played in <replay"):
        share_answered(played, Replay(log=LOG))


@pytest.mark.parametrize(
    ("name", "setting", "text", "rule"),
    [
        ("replay", "log", "a,b\nx,y\n", "columns winner and loser, got 'a,b'"),
        ("replay", "log", "", "columns winner and loser, got ''"),
        ("replay", "log", "winner,loser\n", "has none"),
        ("replay", "log", "winner,loser\nx,y\n\nx,\n", "loser '' in line 4"),
        ("replay", "log", "winner,loser\nx,x\n", "loser 'x' in line 2"),
        ("people", "utilities", "", "got 0 lines"),
        ("people", "utilities", "x,y\n", "got 1 lines"),
        ("people", "utilities", "x,y\n1,2\n3\n", "got 1 cells and not 2 in line 3"),
        ("people", "utilities", "who,x,y\nann,1,2\nbob,1,\n", "got '' for 'y' in line 3"),
        ("people", "utilities", "x,y\n1,nan\n", "got 'nan' for 'y' in line 2"),
        ("people", "utilities", "x,x\n1,2\n", "all different"),
    ],
)
def test_bad_files_name_the_line(tmp_path, name, setting, text, rule):
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises((InvalidValue, FileProblem), match=rule):
        make_environment(name, **{setting: path})


def test_files_that_are_not_there(tmp_path, refusal):
    for name, setting in (("replay", "log"), ("people", "utilities")):
        nowhere = {setting: tmp_path / "nowhere.csv"}
        assert "cannot be read: No such file" in refusal(
            FileProblem, make_environment, name, **nowhere
        )
        for wrong in (None, 3, ["log.csv"]):
            message = refusal(InvalidValue, make_environment, name, **{setting: wrong})
            assert "give its path" in message
        message = refusal(InvalidValue, make_environment, name)
        assert f"{name} needs the setting '{setting}'" in message


def test_arms_that_the_catalogue_does_not_have(refusal):
    for name, setting, path in (("replay", "log", LOG), ("people", "utilities", UTILITIES)):
        given = {setting: path, "catalogue": bar("tea", "milk")}
        assert "No arm is called" in refusal(UnknownName, make_environment, name, **given)
