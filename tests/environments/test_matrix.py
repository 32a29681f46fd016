"""Worlds of a given matrix of win probabilities."""

import numpy as np
import pytest

from duels import make_environment
from duels.environments.base import judge_by_table
from duels.environments.matrix import Matrix
from duels.errors import FileProblem, InvalidValue
from duels.kernels.stream import make_stream, spawn_streams

pytestmark = pytest.mark.kernels

CIRCLE = np.array([[0.5, 0.8, 0.3], [0.2, 0.5, 0.9], [0.7, 0.1, 0.5]])


def test_arithmetic():
    p = make_environment("matrix", p="arithmetic").p
    assert p.shape == (8, 8)
    assert p[0].tolist() == pytest.approx([0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85])
    assert p[7, 0] == pytest.approx(0.15)


def test_cyclic():
    p = make_environment("matrix", p="cyclic").p
    assert p[0].tolist() == [0.5, 0.6, 0.6, 0.6]
    assert [p[1, 2], p[2, 3], p[3, 1]] == [0.9] * 3


def test_the_table_is_shuffled_with_the_utilities():
    environment = Matrix(p="arithmetic")
    seen = set()
    for stream in spawn_streams(np.random.SeedSequence(1), 200):
        arms, world = environment.draw(stream)
        assert (len(arms), arms.n_features) == (8, 0)
        order = np.argsort(-world.utilities)  # the rows of the matrix, best first
        np.testing.assert_allclose(world.choice[np.ix_(order, order)], environment.p)
        np.testing.assert_allclose(world.utilities, 0.5 - world.choice[world.best])
        assert world.utilities[world.best] == 0
        seen.add(tuple(order))
    assert len(seen) > 190


def test_answers_follow_the_table():
    _, world = Matrix(p="cyclic").draw(make_stream(3))
    stream, asked = make_stream(4), 4000
    for first in range(4):
        for second in range(4):
            p = world.choice[first, second]
            wins = sum(
                judge_by_table(world, first, second, stream)[0] == first for _ in range(asked)
            )
            if first != second:
                assert abs(wins / asked - p) < 4 * np.sqrt(p * (1 - p) / asked)


def test_without_a_condorcet_winner_utilities_are_copeland_scores():
    p = np.full((4, 4), 0.5)
    p[:3, :3] = CIRCLE
    p[3, :3], p[:3, 3] = 0.4, 0.6
    _, world = Matrix(p=p).draw(make_stream(1))
    assert sorted(world.utilities) == pytest.approx([0, 2 / 3, 2 / 3, 2 / 3])
    # of three Copeland winners that with the best Borda score: 0.7 and 0.7 and 0.3 + 0.6
    borda = (world.choice.sum(axis=1) - 0.5) / 3
    assert borda[world.best] == pytest.approx(max(p.sum(axis=1) - 0.5) / 3)


def test_a_file_is_read_once_and_named(tmp_path):
    path = tmp_path / "p.csv"
    np.savetxt(path, CIRCLE, delimiter=",")
    environment = make_environment("matrix", p=path)
    path.unlink()
    assert np.array_equal(environment.p, CIRCLE)
    assert str(path) in repr(environment)


def test_another_matrix_is_shown_otherwise():
    shown = {repr(Matrix(p=p)) for p in (CIRCLE, CIRCLE.T, "cyclic", "arithmetic")}
    assert len(shown) == 4
    assert repr(Matrix(p=CIRCLE)) == repr(Matrix(p=CIRCLE.tolist()))
    assert len(repr(Matrix(p=np.full((200, 200), 0.5)))) < 100


def test_the_matrix_of_the_user_is_copied():
    p = CIRCLE.copy()
    environment = Matrix(p=p)
    p[:] = 0.5
    assert np.array_equal(environment.p, CIRCLE)


def test_the_world_can_be_changed_without_changing_the_matrix():
    environment = Matrix(p=CIRCLE)
    environment.draw(make_stream(1))[1].choice[:] = 0.0
    assert np.array_equal(environment.p, CIRCLE)


def test_names_that_are_not_there(refusal):
    message = refusal(FileProblem, Matrix, p="arithmetics")
    assert "Did you mean 'arithmetic'?" in message
    assert "cannot be read" in refusal(FileProblem, Matrix, p="nowhere.csv")
    assert "must sum to 1" in refusal(InvalidValue, Matrix, p=[[0.5, 0.5], [0.4, 0.5]])
