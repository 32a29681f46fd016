"""The pair a fast policy asks is always among those its slow twin allows."""

from math import log, pi

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duels
from duels.policies.ctb_3 import Ctb3
from tests.twins import policies as twin

SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TIE_BREAKS = st.sampled_from(["first", "random", "stay"])


@st.composite
def planes(draw, least=2, most=6):
    """Distinct arms on a small grid: inside the hull, collinear, with parallel differences."""
    spot = st.tuples(st.integers(-3, 3), st.integers(-3, 3))
    arms = draw(st.lists(spot, min_size=least, max_size=most, unique=True))
    spread = np.array(arms) - np.array(arms).mean(axis=0)
    if np.linalg.matrix_rank(spread) < 2:
        arms = [(0, 0), (3, 1), (1, 2)]
    return [[float(x), float(y)] for x, y in arms]


@st.composite
def sessions(draw, n_arms, most=25):
    """What happens between asks: duels told, True standing for the pair just asked."""
    arms = st.lists(st.integers(0, n_arms - 1), min_size=2, max_size=2, unique=True)
    asked = st.booleans()
    return draw(st.lists(st.one_of(asked, arms.map(tuple)), max_size=most))


def same_cells(catalogue):
    """The cells in the package's order, which rules on ties; the twin has the same cells.

    Where an arc lies symmetrically about angle 0, rounding makes it the first or the last.
    """
    rankings = duels.enumerate_cells(catalogue).rankings.tolist()
    assert sorted(rankings) == sorted(twin.cells_by_angle(catalogue.features.tolist()))
    return rankings


def play(policy, session, allowed):
    """Ask after every step and check the pair; ``allowed(duels, previous)`` gives the twin's."""
    told, previous = [], None
    for step in session:
        pair = tuple(policy.ask())
        assert pair in allowed(told, previous)
        duel = step if isinstance(step, tuple) else pair if step else pair[::-1]
        previous = pair if set(duel) == set(pair) else duel
        policy.tell(*duel)
        told.append(duel)


@SLOW
@given(st.data(), planes(), TIE_BREAKS, st.integers(0, 99))
@pytest.mark.kernels
def test_ctb_1(data, features, ties, seed):
    catalogue = duels.Catalogue(features)
    policy = duels.make_policy("ctb-1", catalogue, seed=seed, ties=ties)
    rankings = same_cells(catalogue)

    def allowed(told, previous):
        scores = twin.cell_scores(rankings, [0.0] * len(rankings), told)
        return twin.ctb(rankings, scores, ties, previous)

    play(policy, data.draw(sessions(len(features))), allowed)


@SLOW
@given(st.data(), planes(), TIE_BREAKS, st.integers(0, 99), st.sampled_from([0.6, 0.8]))
@pytest.mark.kernels
def test_ctb_3(data, features, ties, seed, q):
    catalogue = duels.Catalogue(features)
    policy = duels.make_policy("ctb-3", catalogue, seed=seed, ties=ties, q=q)
    rankings = same_cells(catalogue)
    masses = duels.enumerate_cells(catalogue).widths / (2 * pi)
    start = [log(mass) / log(q / (1 - q)) for mass in masses]

    def allowed(told, previous):
        # exact ties are broken by the rule; near ties, which rounding decides, either way
        loose = "random" if ties == "first" else ties
        return twin.ctb(rankings, twin.cell_scores(rankings, start, told), loose, previous)

    play(policy, data.draw(sessions(len(features))), allowed)


@SLOW
@given(st.data(), planes(), st.sampled_from([0.55, 0.8, 0.95]))
@pytest.mark.kernels
def test_posterior_of_ctb_3_is_lemmas_3_and_4(data, features, q):
    catalogue = duels.Catalogue(features)
    policy = Ctb3(catalogue, q=q)
    cells = duels.enumerate_cells(catalogue)
    rankings, masses = cells.rankings.tolist(), (cells.widths / (2 * pi)).tolist()
    told = [step for step in data.draw(sessions(len(features))) if isinstance(step, tuple)]
    for winner, loser in told:
        policy.tell(winner, loser)
    expected = twin.posterior(rankings, masses, told, q)
    np.testing.assert_allclose(policy.belief.cell_probabilities(), expected, rtol=1e-9)
    by_arm = np.bincount(cells.best, expected, len(features))
    np.testing.assert_allclose(policy.probabilities(), by_arm, rtol=1e-9, atol=1e-15)
    assert policy.probabilities().sum() == pytest.approx(1.0)


@SLOW
@given(st.data(), planes())
@pytest.mark.kernels
def test_posterior_of_thompson(data, features):
    n_arms = len(features)
    share = st.floats(0.05, 0.95)
    p = np.full((n_arms, n_arms), 0.5)
    for i in range(n_arms):
        for j in range(i):
            p[i, j] = data.draw(share)
            p[j, i] = 1.0 - p[i, j]
    catalogue = duels.Catalogue(features)
    policy = duels.make_policy("thompson", catalogue, win_probabilities=p)
    cells = duels.enumerate_cells(catalogue)
    told = [step for step in data.draw(sessions(n_arms)) if isinstance(step, tuple)]
    for winner, loser in told:
        policy.tell(winner, loser)
    masses = (cells.widths / (2 * pi)).tolist()
    expected = twin.posterior_known_p(cells.rankings.tolist(), masses, told, p.tolist())
    by_arm = np.bincount(cells.best, expected, n_arms)
    np.testing.assert_allclose(policy.probabilities(), by_arm, rtol=1e-9, atol=1e-15)
    assert policy.ask() in {(ranking[0], ranking[1]) for ranking in cells.rankings.tolist()}


@SLOW
@given(st.data(), st.integers(2, 4), TIE_BREAKS, st.integers(0, 99), st.booleans())
@pytest.mark.kernels
def test_ctb_2(data, n_arms, ties, seed, with_scores):
    pairs = [(i, j) for i in range(n_arms) for j in range(n_arms) if i != j]
    score = st.integers(-20, 20).map(lambda tenth: tenth / 10)
    r = data.draw(st.dictionaries(st.sampled_from(pairs), score)) if with_scores else {}
    catalogue = duels.Catalogue(np.zeros((n_arms, 1)))
    policy = duels.make_policy("ctb-2", catalogue, seed=seed, ties=ties, r=r)

    def allowed(told, previous):
        tops = twin.sign_pattern_tops(n_arms, r, told)
        return twin.ctb_2(tops, ties, previous)

    play(policy, data.draw(sessions(n_arms)), allowed)


@SLOW
@given(st.data(), st.integers(2, 8), st.integers(0, 99))
@pytest.mark.kernels
def test_ws_w(data, n_arms, seed):
    policy = duels.make_policy("ws-w", duels.Catalogue(np.zeros((n_arms, 1))), seed=seed)
    play(
        policy,
        data.draw(sessions(n_arms, most=60)),
        lambda told, previous: twin.ws_w(n_arms, told, previous),
    )


@SLOW
@given(st.data(), st.integers(2, 6), st.integers(0, 99), st.sampled_from([0.51, 2.0]))
@pytest.mark.kernels
def test_rucb(data, n_arms, seed, alpha):
    catalogue = duels.Catalogue(np.zeros((n_arms, 1)))
    policy = duels.make_policy("rucb", catalogue, seed=seed, alpha=alpha)
    best = None

    def allowed(told, previous):
        nonlocal best
        pairs, best = twin.rucb(n_arms, alpha, told, best, self_duels=False)
        assert policy.state.best[0] == (-1 if best is None else best)
        return pairs

    play(policy, data.draw(sessions(n_arms, most=60)), allowed)


@SLOW
@given(st.data(), st.integers(2, 6), st.integers(0, 99), st.booleans())
@pytest.mark.parametrize("rule", [1, 2, "fh"])
@pytest.mark.kernels
def test_rmed(rule, data, n_arms, seed, self_duels):
    settings = {"f": 0.3, "alpha": 3.0, "horizon": 60}
    names = {1: ("f",), 2: ("f", "alpha"), "fh": ("f", "alpha", "horizon")}
    given_to = {key: settings[key] for key in names[rule]}
    catalogue = duels.Catalogue(np.zeros((n_arms, 1)))
    policy = duels.make_policy(
        f"rmed{rule if rule != 'fh' else '2fh'}",
        catalogue,
        seed=seed,
        self_duels=self_duels,
        **given_to,
    )
    slow = twin.Rmed(policy.state.counts.order.tolist(), rule, **settings)
    for step in data.draw(sessions(n_arms, most=60)):
        pair, allowed = tuple(policy.ask()), slow.pairs()
        if self_duels or pair in allowed:
            assert pair in allowed
        else:
            assert {(pair[0], pair[0])} == allowed, "someone else only where nobody could answer"
            most = max(slow.mu(j, pair[0]) for j in range(n_arms) if j != pair[0])
            assert slow.mu(pair[1], pair[0]) == most
        duel = step if isinstance(step, tuple) else pair if step else pair[::-1]
        policy.tell(*duel)
        slow.tell(*duel, pair if set(duel) == set(pair) else None)
        assert policy.favourite() in slow.best()


@SLOW
@given(st.data(), st.integers(2, 6), st.integers(0, 99), st.sampled_from([0.05, 0.2, 1.0]))
@pytest.mark.kernels
def test_btm(data, n_arms, seed, factor):
    settings = {"gamma": 1.1, "factor": factor, "horizon": 60}
    catalogue = duels.Catalogue(np.zeros((n_arms, 1)))
    policy = duels.make_policy("btm", catalogue, seed=seed, self_duels=True, **settings)
    order = policy.state.counts.order.tolist()
    slow = twin.BeatTheMean(n_arms, **settings)  # which goes by place: equally bad arms are dropped
    for step in data.draw(sessions(n_arms, most=60)):  # in the order of their places
        pair = tuple(order.index(arm) for arm in policy.ask())
        assert pair in (slow.pairs() or {(arm, arm) for arm in slow.active})
        duel = step if isinstance(step, tuple) else pair if step else pair[::-1]
        policy.tell(*(order[place] for place in duel))
        slow.tell(*duel, pair if set(duel) == set(pair) else None)
        assert order.index(policy.favourite()) in slow.active


CUT = {("order", seed) for seed in (0, 3, 5)}  # where random subsets are taken


def beats(world, i, j):
    """Whether i beats j in a total order, or among five arms that beat the next two each."""
    return i < j if world == "order" else (j - i) % 5 in (1, 2)


@pytest.mark.parametrize("world", ["order", "cycle"])
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.kernels
def test_ccb(world, seed):
    rng = np.random.default_rng(seed)
    catalogue = duels.Catalogue(np.zeros((5, 1)))
    policy = duels.make_policy("ccb", catalogue, seed=seed, self_duels=True)
    order, sets = policy.state.counts.order, policy.state.sets
    slow, found, cuts = twin.Ccb(5, 0.51), False, 0
    for t in range(300):
        pair = tuple(policy.ask())
        cut = slow.revise()
        found |= slow.losses < 5
        for place, arm in enumerate(order.tolist()):
            kept = set(order[sets.beaten_by[place]].tolist())
            assert kept <= slow.beaten_by[arm]
            assert len(kept) == cut.get(arm, len(slow.beaten_by[arm]))
            cuts += len(slow.beaten_by[arm]) - len(kept)
            slow.beaten_by[arm] = kept
        assert set(order[sets.winners].tolist()) == slow.b
        assert sets.at[0] == slow.losses
        assert pair in slow.pairs()
        duel = tuple(rng.permutation(5)[:2].tolist()) if rng.random() < 0.1 else pair
        surely = 0.95 if t < 200 else 0.4
        if duel[0] != duel[1] and beats(world, *duel) != (rng.random() < surely):
            duel = duel[::-1]
        policy.tell(*duel)
        slow.told.append(duel)
    assert found
    if (world, seed) in CUT:
        assert cuts > 0


def test_rucb_finds_a_best_arm_and_duels_it_with_itself_only_if_told_to():
    catalogue = duels.Catalogue(np.zeros((3, 1)))
    policy = duels.make_policy("rucb", catalogue, seed=1, self_duels=True)
    other = duels.make_policy("rucb", catalogue, seed=1)
    for _ in range(200):
        for loser in (0, 1):
            policy.tell(2, loser)
            other.tell(2, loser)
    told = [(2, 0), (2, 1)] * 200
    assert twin.rucb(3, 0.51, told, None, self_duels=True) == ({(2, 2)}, 2)
    assert policy.ask() == (2, 2)
    policy.tell(2, 2)
    assert policy.state.n_duels[0] == 401
    assert other.ask() in twin.rucb(3, 0.51, told, None, self_duels=False)[0]
    assert policy.favourite() == other.favourite() == 2
