"""How ties fall, measured: uniform over cells, over arms, half and half in RUCB."""

from collections import Counter

import numpy as np
import pytest

import duels
from duels.policies.ctb_2 import UNIT, Ctb2
from tests.policies.test_ctb_on_circle import on_circle

N = 4000


def first_arms(name, catalogue, told=(), **settings):
    """How often each arm is asked first, over seeds."""
    counts = Counter()
    for seed in range(N):
        policy = duels.make_policy(name, catalogue, seed=seed, **settings)
        for duel in told:
            policy.tell(*duel)
        counts[policy.ask().first] += 1
    return np.array([counts[arm] for arm in range(len(catalogue))]) / N


def assert_close(shares, expected, n=N):
    expected = np.asarray(expected)
    error = np.sqrt(expected * (1 - expected) / n)
    assert (np.abs(shares - expected) <= 4 * error + 1e-12).all(), (shares, expected)


FIVE = duels.Catalogue([[0.0, 0.0], [3.0, 0.1], [0.2, 4.0], [-1.0, 1.0], [0.5, -0.3]])


@pytest.mark.parametrize("ties", ["random", "stay"])
def test_ctb_1_draws_among_cells_not_among_arms(ties):
    best = duels.enumerate_cells(FIVE).best
    shares = np.bincount(best, minlength=5) / len(best)
    assert_close(first_arms("ctb-1", FIVE, ties=ties), shares)


@pytest.mark.parametrize("ties", ["random", "stay"])
def test_ctb_1_on_the_circle_draws_among_arms(ties):
    arms = duels.enumerate_cells(FIVE).can_be_best()
    policies = (on_circle(FIVE.features, seed=seed, ties=ties) for seed in range(N))
    counts = Counter(policy.ask().first for policy in policies)
    assert set(counts) == set(arms)
    assert_close(np.array([counts[arm] for arm in arms]) / N, np.full(len(arms), 1 / len(arms)))


def test_ctb_2_draws_among_arms():
    catalogue = duels.Catalogue(np.zeros((4, 1)))
    shares = first_arms("ctb-2", catalogue, told=[(0, 1)])
    assert_close(shares, [1 / 3, 0, 1 / 3, 1 / 3])
    assert_close(first_arms("ctb-2", catalogue, ties="stay"), [1 / 4] * 4)
    assert_close(first_arms("ctb-2", catalogue, told=[(0, 1)], ties="stay"), [1, 0, 0, 0])


def test_ctb_2_draws_among_arms_once_it_cannot_stay():
    """The last pair told has lost to another arm: the other three arms are tied."""
    places = Counter()
    for seed in range(N):
        policy = duels.make_policy(
            "ctb-2", duels.Catalogue(np.zeros((5, 1))), seed=seed, ties="stay"
        )
        asked = policy.ask()
        others = [arm for arm in range(5) if arm not in asked]
        for arm in asked:
            policy.tell(others[1], arm)
        policy.tell(*asked)
        places[others.index(policy.ask().first)] += 1
    assert_close(np.array([places[place] for place in range(3)]) / N, [1 / 3] * 3)


@pytest.mark.parametrize("name", ["ctb-1", "ctb-2"])
def test_stay_keeps_the_pair_while_it_is_tied(name):
    for seed in range(20):
        policy = duels.make_policy(name, duels.Catalogue(np.eye(6)), seed=seed, ties="stay")
        asked = policy.ask()
        others = [arm for arm in range(6) if arm not in asked]
        policy.tell(others[0], others[1])
        policy.tell(others[1], others[0])
        policy.tell(*asked)
        policy.tell(*asked[::-1])
        assert policy.ask() == asked, seed


@pytest.mark.parametrize("name", ["ws-w", "ctb-2"])
def test_favourite_is_of_the_last_pair_where_that_is_tied(name):
    for seed in range(20):
        policy = duels.make_policy(name, duels.Catalogue(np.zeros((6, 1))), seed=seed)
        first, second = policy.ask()
        policy.tell(first, second)
        policy.tell(second, first)
        assert policy.favourite() == first, "all are tied"
        others = [arm for arm in range(6) if arm not in (first, second)]
        policy.tell(others[0], first)
        policy.tell(others[-1], first)
        policy.tell(second, first)
        assert policy.favourite() == second, "tied with others, ahead of the first"


@pytest.mark.parametrize("name", ["ws-w", "ctb-2"])
def test_favourite_is_not_of_the_last_pair_where_others_lead(name):
    for seed in range(20):
        policy = duels.make_policy(name, duels.Catalogue(np.zeros((3, 1))), seed=seed)
        asked = policy.ask()
        policy.tell(*asked)
        (other,) = {0, 1, 2} - set(asked)
        for arm in asked:
            policy.tell(other, arm)
        assert policy.favourite() == other, seed


def test_ws_w_draws_among_arms_at_the_start():
    assert_close(first_arms("ws-w", duels.Catalogue(np.zeros((5, 1)))), [0.2] * 5)


def test_rucb_asks_its_hypothesised_best_arm_half_the_time():
    catalogue = duels.Catalogue(np.zeros((4, 1)))
    counts = Counter()
    for seed in range(N):
        policy = duels.make_policy("rucb", catalogue, seed=seed)
        policy.state.best[0] = 2
        policy.tell(0, 1)
        counts[policy.ask().first] += 1
    # all are candidates but arm 1, which trails: its bound 0 + sqrt(0.51 ln 2) exceeds ½
    shares = np.array([counts[arm] for arm in range(4)]) / N
    assert_close(shares, [1 / 6, 1 / 6, 1 / 2, 1 / 6])


@pytest.mark.parametrize("spec", ["rucb", "ctb-2:ties=random", "ctb-2:ties=stay", "ws-w"])
def test_the_second_arm_is_drawn_among_all_others_at_the_start(spec):
    catalogue = duels.Catalogue(np.zeros((4, 1)))
    pairs = Counter(tuple(duels.make_policy(spec, catalogue, seed=seed).ask()) for seed in range(N))
    for first in range(4):
        counts = np.array([pairs[first, second] for second in range(4) if second != first])
        assert_close(counts / counts.sum(), [1 / 3] * 3, counts.sum())


def test_rucb_challenges_with_arms_that_never_met_the_first():
    """U is 1 for pairs that never met, 0 + sqrt(0.51 ln 2) for arm 0, which lost to arm 2."""
    seconds = Counter()
    for seed in range(N):
        policy = duels.make_policy("rucb", duels.Catalogue(np.zeros((4, 1))), seed=seed)
        policy.tell(2, 0)
        first, second = policy.ask()
        if first == 2:
            seconds[second] += 1
    assert set(seconds) == {1, 3}
    n = seconds.total()
    assert_close(np.array([seconds[1], seconds[3]]) / n, [1 / 2] * 2, n)


def test_thompson_draws_cells_from_the_posterior():
    catalogue = duels.Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    policy = duels.make_policy("thompson", catalogue, q=0.8)
    policy.tell(1, 0)
    expected = policy.probabilities()
    assert_close(first_arms("thompson", catalogue, told=[(1, 0)], q=0.8), expected)


def test_random_asks_every_ordered_pair_alike():
    counts = Counter()
    for seed in range(N):
        counts[tuple(duels.make_policy("random", duels.Catalogue(np.eye(3)), seed=seed).ask())] += 1
    assert len(counts) == 6
    assert_close(np.array(list(counts.values())) / N, [1 / 6] * 6)


def test_pair_scores_and_win_probabilities_say_the_same():
    """p_ij = q is worth one duel won by i over j."""
    catalogue = duels.Catalogue(np.zeros((3, 1)))
    p = np.array([[0.5, 0.8, 0.8], [0.2, 0.5, 0.5], [0.2, 0.5, 0.5]])
    by_table = Ctb2(catalogue, win_probabilities=p, q=0.8, ties="first")
    by_mapping = Ctb2(catalogue, win_probabilities={(0, 1): 0.8, (2, 0): 0.2}, q=0.8, ties="first")
    by_scores = Ctb2(catalogue, r={(0, 1): 1.0, (0, 2): 1.0}, ties="first")
    by_matrix = Ctb2(catalogue, r=[[0, 1, 1], [0, 0, 0], [0, 0, 0]], ties="first")
    told = Ctb2(catalogue, ties="first")
    told.tell(0, 1)
    told.tell(0, 2)
    expected = told.state.tournament.key
    for policy in (by_table, by_mapping, by_scores, by_matrix):
        np.testing.assert_allclose(policy.state.tournament.key, expected, atol=1e-12)
        assert policy.ask().first == told.ask().first == 0


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"r": [[0.0, 1.0]]}, r"one column for each arm, \(3, 3\), got the shape \(1, 2\)"),
        ({"r": "many"}, "must be a table of numbers"),
        ({"r": np.full((3, 3), np.nan)}, "must be finite"),
        ({"r": {(0, 0): 1.0}}, "two different arms"),
        ({"r": {(0, 1): np.inf}}, "must be finite"),
        ({"r": {(0, 9): 1.0}}, "numbered from 0 to 2"),
        ({"win_probabilities": np.full((3, 3), 0.6)}, "must sum to 1, got 0.6 and 0.6"),
        ({"win_probabilities": {(0, 1): 1.0}}, "between 0 and 1, both excluded"),
        ({"win_probabilities": {(0, 1): 0.6, (1, 0): 0.4}}, "names each pair once"),
        ({"r": {}, "win_probabilities": {}}, "got both"),
    ],
)
def test_prior_knowledge_is_checked(settings, rule):
    with pytest.raises(duels.DuelsError, match=rule):
        Ctb2(duels.Catalogue(np.zeros((3, 1))), **settings)


def test_ctb_2_takes_a_million_arms():
    policy = duels.make_policy("ctb-2", duels.Catalogue(np.zeros((10**6, 2))), seed=1)
    for _ in range(1000):
        first, second = policy.ask()
        policy.tell(max(first, second), min(first, second))
    deficits = -policy.state.tournament.key[2**20 : 2**20 + 10**6]
    assert deficits.sum() == 1000 * UNIT
    assert deficits[policy.favourite()] == deficits.min()
