from math import exp, pi, sqrt

import numpy as np
import pytest

from duels.choice import CONSTANT, LOGIT
from duels.environments import make_environment
from duels.environments.paper import PaperBinary, PaperBradleyTerry
from duels.errors import UnknownName
from duels.kernels.stream import make_stream, spawn_streams
from duels.regret import BINARY, UTILITY

pytestmark = pytest.mark.kernels

N_WORLDS = 500


def streams(seed):
    return spawn_streams(np.random.SeedSequence(seed), N_WORLDS)


def lone_arm(features):
    """The one arm in the open first quadrant; all others must lie in the third."""
    (first,) = np.flatnonzero((features > 0).all(axis=1))
    others = np.delete(features, first, axis=0)
    assert (others <= 0).all()
    return first


# ---- section 7.1


def test_binary_is_the_paper_s():
    environment = PaperBinary()
    features, world = environment.draw(make_stream(1))
    assert features.shape == (20, 2)
    assert world.choice == (CONSTANT, 0.8)
    assert world.regret == BINARY


def test_binary_arms_lie_on_the_whole_circle(unevenness):
    features, _ = PaperBinary(n_arms=4000).draw(make_stream(2))
    assert np.linalg.norm(features, axis=1) == pytest.approx(1)
    angles = np.arctan2(features[:, 1], features[:, 0])
    counts, _ = np.histogram(angles, bins=8, range=(-pi, pi))
    assert unevenness(counts.tolist()) < 4


def test_binary_facts():
    environment = PaperBinary()
    _, world = environment.draw(make_stream(3))
    assert environment.truth("q", world) == 0.8
    p = environment.truth("win_probabilities", world)
    better = world.utilities[:, None] > world.utilities
    assert p[better] == pytest.approx(0.8)
    assert p[better.T] == pytest.approx(0.2)


# ---- section 7.2


def test_bradley_terry_is_the_paper_s():
    environment = PaperBradleyTerry()
    features, world = environment.draw(make_stream(1))
    assert features.shape == (20, 2)
    assert world.choice == (LOGIT, 1.0)
    assert world.regret == UTILITY


@pytest.mark.parametrize("n_arms", [2, 20])
def test_one_arm_faces_all_others_and_is_best(n_arms):
    environment = PaperBradleyTerry(n_arms=n_arms)
    for stream in streams(4)[:100]:
        features, world = environment.draw(stream)
        assert np.linalg.norm(features, axis=1) == pytest.approx(1)
        assert lone_arm(features) == world.best
        assert world.utilities[world.best] > 0
        assert (np.delete(world.utilities, world.best) < 0).all()


def test_theta_lies_in_the_quarter_of_the_lone_arm():
    environment, angles = PaperBradleyTerry(n_arms=3), []
    for stream in streams(5):
        features, world = environment.draw(stream)
        theta = np.linalg.lstsq(features, world.utilities, rcond=None)[0]
        assert (theta > 0).all()
        assert features @ theta == pytest.approx(world.utilities)
        angles.append(np.arctan2(theta[1], theta[0]))
    assert np.mean(angles) == pytest.approx(pi / 4, abs=4 * pi / 2 / sqrt(12 * N_WORLDS))


def test_arms_are_uniform_on_their_quarters(unevenness):
    environment, lone, rest = PaperBradleyTerry(n_arms=3), [], []
    for stream in streams(6):
        features, world = environment.draw(stream)
        angles = np.arctan2(features[:, 1], features[:, 0]) % (2 * pi)
        lone.append(angles[world.best])
        rest.extend(np.delete(angles, world.best))
    first, _ = np.histogram(lone, bins=5, range=(0, pi / 2))
    third, _ = np.histogram(rest, bins=5, range=(pi, 3 * pi / 2))
    assert first.sum() == N_WORLDS
    assert third.sum() == 2 * N_WORLDS
    assert unevenness(first.tolist()) < 4
    assert unevenness(third.tolist()) < 4


def test_bradley_terry_facts():
    environment = PaperBradleyTerry(n_arms=5)
    _, world = environment.draw(make_stream(7))
    assert environment.truth("q", world) == 0.6
    p = environment.truth("win_probabilities", world)
    u = world.utilities.tolist()
    for i in range(5):
        for j in range(5):
            expected = exp(u[i]) / (exp(u[i]) + exp(u[j]))
            assert p[i, j] == pytest.approx(expected)


# ---- settings


@pytest.mark.parametrize(
    ("name", "regret"), [("paper-binary", "binary"), ("paper-bradley-terry", "utility")]
)
def test_settings_by_default(name, regret):
    assert make_environment(name).settings() == {"n_arms": 20, "regret": regret}


@pytest.mark.parametrize("name", ["paper-binary", "paper-bradley-terry"])
@pytest.mark.parametrize("setting", ["p", "scale", "choice", "n_features"])
def test_what_the_paper_fixes_cannot_be_set(name, setting, refusal):
    message = refusal(UnknownName, make_environment, name, **{setting: 0.8})
    assert f"{name} has no setting '{setting}'." in message
    assert "Known: n_arms, regret." in message
