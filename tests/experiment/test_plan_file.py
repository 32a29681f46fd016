"""Experiment files: what they mean, and messages that name the line and the key."""

import pytest

from duels.errors import DuelsError, FileProblem, InvalidValue, UnknownName
from duels.experiment.plan import make_plan
from duels.experiment.plan_file import read_plan_file

GOOD = """\
# what policies do on small worlds
horizon = 40
replications = 16
seed = 3
regret = ["weak-utility", "strong-binary"]

[world]
name = "sphere"
n_arms = 5

[[policies]]
policy = "ctb-1"

[[policies]]
policy = "ctb-3:q=0.6"
replications = 8
"""


@pytest.fixture
def write(tmp_path):
    def written(text):
        path = tmp_path / "experiment.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_a_file_says_what_the_arguments_say(write):
    plan = make_plan(**read_plan_file(write(GOOD)))
    same = make_plan(
        ["ctb-1", "ctb-3:q=0.6@8"],
        "sphere:n_arms=5",
        horizon=40,
        replications=16,
        seed=3,
        regret=["weak-utility", "strong-binary"],
    )
    assert plan.identity() == same.identity()
    assert plan.command() == same.command()
    assert "--policies ctb-1,ctb-3:q=0.6@8 --world sphere:n_arms=5" in plan.command()


def test_a_short_file(write):
    text = 'policies = ["ws-w", "random@8"]\nworld = "paper-binary"\n'
    plan = make_plan(**read_plan_file(write(text)))
    assert [plan.replications_of(entry) for entry in plan.entries] == [200, 8]
    assert plan.regrets == ("weak-binary",)


@pytest.mark.parametrize(
    ("wrong", "right", "kind", "said"),
    [
        ("horizont = 40", "horizon = 40", UnknownName, "line 2, horizont.*'horizon'"),
        ("horizon = 0", "horizon = 40", InvalidValue, "line 2, horizon.*at least 1, got 0"),
        ('horizon = "40"', "horizon = 40", InvalidValue, "line 2, horizon.*got '40'"),
        ("replications = 1.5", "replications = 16", InvalidValue, "line 3, replications"),
        ("seed = -1", "seed = 3", InvalidValue, "line 4, seed.*at least 0"),
        ("seed = true", "seed = 3", InvalidValue, "line 4, seed.*got True"),
        ("seed = ", "seed = 3", InvalidValue, "line 4"),
        ('["weak-utilty"', '["weak-utility"', UnknownName, "line 5, regret.*'weak-utility'"),
        ("regret = 3", GOOD.splitlines()[4], InvalidValue, "line 5, regret.*got 3"),
        ('"spere"', '"sphere"', UnknownName, "line 7, world.*'sphere'"),
        ("n_arm = 5", "n_arms = 5", UnknownName, "line 9, world.*'n_arms'"),
        ('"ctb1"', '"ctb-1"', UnknownName, "line 12, policy: .*'ctb-1'"),
        ("r=0.6", "q=0.6", UnknownName, "line 15, policy: .*'r'"),
        ("replication = 8", "replications = 8", UnknownName, "line 16, replication: .*Did you"),
        ("replications = 0", "replications = 8", InvalidValue, "line 16, replications"),
        ("policie = 3", 'policy = "ctb-1"', UnknownName, "line 12, policie: .*'policy'"),
        ('"nowhere:Mine"', '"ctb-1"', UnknownName, "line 12, policy: .*'nowhere'"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(write, wrong, right, kind, said):
    assert right in GOOD
    with pytest.raises(kind, match=said) as refused:
        read_plan_file(write(GOOD.replace(right, wrong, 1)))
    assert "experiment.toml" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('world = "sphere"\n', "'policies'"),
        ('policies = ["ctb-1"]\n', "'world'"),
        ('policies = []\nworld = "sphere"\n', "line 1, policies"),
        ('policies = "ctb-1"\nworld = "sphere"\n', "line 1, policies"),
        (
            'policies = [\n  "ctb-1",\n  "ctb9",\n]\nworld = "sphere"\n',
            "line 3, policies: .*'ctb9'",
        ),
        ('policies = [1]\nworld = "sphere"\n', "line 1, policies.*got 1"),
        ('policies = ["ctb-1"]\nworld = 3\n', "line 2, world.*got 3"),
        ('policies = ["ctb-1"]\n[world]\nn_arms = 3\n', "line 2, world.*name"),
        ('policies = ["ctb-1"]\n[[world]]\nn_arms = 3\n', "line 2, world"),
        ('policies = ["ctb-1", "ctb-1"]\nworld = "sphere"\n', "line 1, policies: .* twice"),
        ('world = "sphere"\n[[policies]]\npolicy = "ctb-1"\n[[policies]]\n', "line 4, policies"),
    ],
)
def test_files_that_say_too_little(write, text, said):
    with pytest.raises(DuelsError, match=said):
        read_plan_file(write(text))


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(FileProblem, match="No such file"):
        read_plan_file(tmp_path / "none.toml")
    path = write("")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FileProblem, match="UTF-8"):
        read_plan_file(path)


def test_no_policy_twice():
    with pytest.raises(InvalidValue, match="'ctb-1' twice"):
        make_plan(["ctb-1", "ctb-1@8"], "sphere")
