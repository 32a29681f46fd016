import numpy as np
import pytest

import duels
from duels.environments.base import judge
from duels.errors import InvalidValue, UnknownName
from duels.experiment import BLOCK, block_streams, simulate, start, streams
from duels.experiment import run as runs
from duels.policies import CLASSES
from duels.regret import NAMES
from tests.experiment.players import Several
from tests.twins.regret import pair_regret

REPLICATIONS = 1000

# design.md section 5: a plain, slow reference; (setting, t): (mean, standard error)
S1, S2 = "paper-binary", "paper-bradley-terry"
KNOWN = {
    "ctb-1:ties=random": {
        (S1, 100): (7.41, 0.11), (S1, 500): (7.41, 0.11), (S2, 100): (26.8, 0.9),
        (S2, 200): (47.4, 1.7), (S2, 300): (65.6, 2.4), (S2, 500): (97.7, 3.9),
    },
    "ctb-1:ties=first": {
        (S1, 100): (9.55, 0.14), (S1, 500): (9.55, 0.14), (S2, 100): (12.7, 0.6),
        (S2, 200): (22.9, 1.2), (S2, 300): (32.0, 1.7), (S2, 500): (48.3, 2.8),
    },
    "ctb-2:ties=random": {
        (S1, 100): (58.9, 0.3), (S1, 500): (71.9, 0.6), (S2, 100): (78.1, 0.5),
        (S2, 200): (91.8, 0.8), (S2, 300): (94.4, 0.9), (S2, 500): (95.8, 1.0),
    },
    "ctb-2:ties=first": {
        (S1, 100): (50.3, 0.4), (S1, 500): (56.8, 0.5), (S2, 100): (70.9, 0.6),
        (S2, 200): (84.7, 0.9), (S2, 300): (88.6, 1.0), (S2, 500): (91.0, 1.2),
    },
    "ctb-3:ties=random": {
        (S1, 100): (7.39, 0.11), (S1, 500): (7.39, 0.11), (S2, 100): (0.64, 0.06),
        (S2, 200): (0.73, 0.07), (S2, 300): (0.77, 0.09), (S2, 500): (0.85, 0.12),
    },
    "least-regret:rule=plain,regret=binary,q=0.8,arm_effects=0": {
        (S1, 100): (6.74, 0.11), (S1, 500): (6.74, 0.11),
    },
    "least-regret:rule=plain,regret=binary,q=0.6,arm_effects=0": {
        (S2, 100): (0.06, 0.02), (S2, 200): (0.08, 0.03), (S2, 300): (0.09, 0.03),
        (S2, 500): (0.09, 0.03),
    },
    "least-regret:rule=plain,regret=binary,choice=constant,arm_effects=0": {
        (S1, 100): (6.96, 0.20), (S1, 500): (6.96, 0.20), (S2, 100): (0.38, 0.12),
        (S2, 500): (0.38, 0.12),
    },
    "thompson": {
        (S1, 100): (15.9, 0.7), (S1, 500): (17.6, 1.4), (S2, 100): (15.5, 1.7),
        (S2, 200): (16.4, 2.1), (S2, 300): (16.4, 2.1), (S2, 500): (16.4, 2.1),
    },
    "ws-w": {
        (S1, 100): (32.8, 0.5), (S1, 500): (35.3, 0.6), (S2, 100): (74.1, 1.0),
        (S2, 200): (104.2, 1.7), (S2, 300): (120.3, 2.2), (S2, 500): (137.0, 2.9),
    },
    "rucb": {
        (S1, 100): (87.1, 1.4), (S1, 500): (394, 6), (S2, 100): (136, 4),
        (S2, 200): (258, 7), (S2, 300): (371, 11), (S2, 500): (558, 18),
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "setting"),
    sorted({(spec, where) for spec, known in KNOWN.items() for where, _ in known}),
)
def test_known_answers(spec, setting):
    known = {t: answer for (where, t), answer in KNOWN[spec].items() if where == setting}
    curves = simulate(spec, setting, horizon=500, replications=REPLICATIONS, seed=2026)
    for t, (mean, error) in known.items():
        combined = np.hypot(error, curves.standard_error[t - 1])
        assert abs(curves.mean[t - 1] - mean) <= 4 * combined, (t, curves.mean[t - 1], mean)


SPHERE = {"n_arms": 200, "n_features": 4, "choice": "logit", "scale": 5.0}
AIMS = [  # regret that least-regret should not exceed, from design.md and docs/benchmarks.md
    ("least-regret:regret=binary,arm_effects=0", S1, {}, 500, 36, 8.5),
    ("least-regret:regret=binary", S1, {}, 500, 36, 11.3),
    ("least-regret:arm_effects=0", S2, {}, 500, 36, 0.6),
    ("least-regret", S2, {}, 500, 36, 0.8),
    ("least-regret:choice=logit,arm_effects=0", "sphere", SPHERE, 100, 30, 3.8),
    ("least-regret:arm_effects=0", "sphere", SPHERE, 100, 30, 4.2),
    ("least-regret", "sphere", SPHERE, 100, 30, 5.6),
]


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "setting", "settings", "horizon", "n", "aim"), AIMS)
def test_aims_of_least_regret(spec, setting, settings, horizon, n, aim):
    environment = duels.make_environment(setting, **settings)
    curves = simulate(spec, environment, horizon=horizon, replications=n, seed=2027)
    assert curves.mean[-1] <= aim + 4 * curves.standard_error[-1]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CLASSES))
def test_same_seed_same_duels_whatever_the_number_of_jobs(name, monkeypatch):
    on_threads(monkeypatch)

    def run(jobs, replications=21):
        return simulate(name, S2, horizon=40, replications=replications, seed=9, jobs=jobs).regret

    one = run(1)
    assert np.array_equal(one, run(2))
    assert np.array_equal(one, run(5))
    assert np.array_equal(one[:4], run(1, replications=4)), "a replication stands on its own"


def test_another_seed_gives_other_duels():
    runs = [simulate("ws-w", S1, horizon=30, replications=5, seed=s).regret for s in (1, 2)]
    assert not np.array_equal(*runs)


def test_all_policies_meet_the_same_worlds():
    environment = duels.make_environment("sphere")
    one, two = (environment.draw(streams(3, 7)[0]) for _ in range(2))
    assert np.array_equal(one[0], two[0])
    assert np.array_equal(one[1].utilities, two[1].utilities)


def test_streams_are_all_different_and_come_again():
    pairs = np.array([streams(3, replication) for replication in range(3 * BLOCK)])
    assert len(np.unique(pairs.reshape(-1, 4), axis=0)) == 2 * 3 * BLOCK
    blocks = np.concatenate([block_streams(3, block) for block in range(3)])
    assert np.array_equal(pairs, blocks)
    assert np.array_equal(pairs, [streams(3, replication) for replication in range(3 * BLOCK)])
    others = np.array([streams(4, replication) for replication in range(3 * BLOCK)])
    assert (pairs != others).any(axis=2).all(), "another seed, other streams"


def test_a_policy_starts_from_the_second_stream_of_its_replication():
    environment = duels.make_environment(S1)
    for replication in (0, 1, BLOCK):
        player, _, answers = start("random", environment, streams(3, replication))
        assert np.array_equal(player.stream, streams(3, replication)[1])
        assert not np.array_equal(player.stream, answers)
        again = start("random", environment, streams(3, replication))[0]
        assert player.ask() == again.ask()


def test_policies_draw_anew_in_every_replication():
    """In one and the same world, the policy's stream alone gives different first pairs."""
    environment = duels.make_environment(S1)
    pairs, best = set(), set()
    for replication in range(3 * BLOCK):
        randomness = np.stack([streams(3, 0)[0], streams(3, replication)[1]])
        player, world, _ = start("random", environment, randomness)
        pairs.add(tuple(player.ask()))
        best.add((world.best, world.utilities.max()))
    assert len(best) == 1
    assert len(pairs) > 2 * BLOCK, "of 380 pairs, 24 draws seldom give one twice"


@pytest.mark.parametrize("name", ["random", "ws-w", "ctb-3", "thompson"])
def test_a_simulation_is_ask_and_tell_on_the_streams_of_each_replication(name):
    environment = duels.make_environment(S2)
    curves = simulate(name, environment, horizon=15, replications=BLOCK + 2, seed=6)
    for replication in (0, 1, BLOCK - 1, BLOCK, BLOCK + 1):
        player, world, answers = start(name, environment, streams(6, replication))
        total, expected = 0.0, []
        for _ in range(15):
            pair = player.ask()
            player.tell(*judge(world, *pair, answers))
            total += pair_regret(NAMES[world.regret], world.utilities, *pair)
            expected.append(total)
        assert np.array_equal(curves.regret[replication], expected), replication


def test_curves_summarise():
    curves = simulate("random", "sphere", horizon=25, replications=12, seed=0)
    assert curves.regret.shape == (12, 25)
    assert (np.diff(curves.regret, axis=1) >= 0).all(), "regret is cumulative"
    np.testing.assert_allclose(curves.mean, curves.regret.mean(axis=0))
    spread = curves.regret.std(axis=0, ddof=1)
    np.testing.assert_allclose(curves.standard_error, spread / np.sqrt(12))
    single = simulate("random", "sphere", horizon=25, replications=1, seed=0)
    assert np.isnan(single.standard_error).all()


def test_settings_written_behind_the_name_count():
    one = simulate("ctb-1:ties=first", S1, horizon=50, replications=20, seed=1)
    two = simulate("ctb-1:ties=random", S1, horizon=50, replications=20, seed=1)
    assert not np.array_equal(one.regret, two.regret)


@pytest.mark.parametrize(("setting", "q"), [(S1, 0.8), (S2, 0.6)])
def test_ctb_3_is_told_the_papers_q_unless_it_is_given_one(setting, q):
    def run(spec):
        return simulate(spec, setting, horizon=60, replications=20, seed=4).regret

    assert np.array_equal(run("ctb-3"), run(f"ctb-3:q={q}"))
    assert not np.array_equal(run("ctb-3"), run("ctb-3:q=0.99"))


@pytest.mark.parametrize(
    ("spec", "setting", "q"),
    [("ctb-3", S1, 0.8), ("ctb-3", S2, 0.6), ("ctb-3:q=0.9", S1, 0.9), ("ctb-3:q=0.9", S2, 0.9)],
)
def test_what_the_user_writes_goes_before_what_an_environment_tells(spec, setting, q):
    player = start(spec, duels.make_environment(setting), streams(0, 0))[0]
    assert player.log_odds == pytest.approx(np.log(q / (1 - q)))


def test_thompson_is_told_the_win_probabilities_whatever_its_q():
    def run(spec):
        return simulate(spec, S2, horizon=60, replications=20, seed=4).regret

    assert np.array_equal(run("thompson"), run("thompson:q=0.99"))


def on_threads(monkeypatch):
    """Threads are used as soon as there are several jobs."""
    monkeypatch.setattr(runs, "LOOK", 0.0)
    monkeypatch.setattr(runs, "THREADS_PAY", 0.0)


def in_processes(monkeypatch):
    """Processes are used as soon as there are several jobs."""
    monkeypatch.setattr(runs, "LOOK", 0.0)
    monkeypatch.setattr(runs, "THREADS_SUFFICE", 2.0)
    monkeypatch.setattr(runs, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(runs, "PART", 1e-9)
    monkeypatch.setattr(runs, "_run_threads", None)


@pytest.mark.parametrize("prepare", [lambda _: None, on_threads, in_processes])
def test_progress_is_told_of_every_replication(prepare, monkeypatch):
    prepare(monkeypatch)
    finished = []
    simulate("ws-w", S1, horizon=5, replications=50, seed=0, jobs=2, progress=finished.append)
    assert sum(finished) == 50


@pytest.mark.parametrize(
    "environment",
    [
        S2,
        duels.make_environment("matrix", p="arithmetic"),
        duels.make_environment("cloud", n_arms=6, lapse=0.2, drift=0.1),
        Several,
    ],
    ids=["a choice model", "a table", "people who drift", "worlds of several sizes"],
)
def test_processes_play_the_same_as_one(environment, monkeypatch):
    def run(jobs):
        return simulate("ws-w", environment, horizon=40, replications=61, seed=9, jobs=jobs)

    one = run(1)
    in_processes(monkeypatch)
    two = run(2)
    assert one == two
    for notion in ("strong-copeland", "simple-borda", "weak-utility"):
        assert np.array_equal(one.of(notion), two.of(notion))
    part = simulate("ws-w", environment, horizon=40, replications=20, seed=9, first=11, jobs=2)
    assert np.array_equal(part.regret, one.regret[11:31])


def test_what_cannot_be_sent_plays_on_threads_without_a_word(monkeypatch):
    on_threads(monkeypatch)
    monkeypatch.setattr(runs, "THREADS_SUFFICE", 2.0)
    monkeypatch.setattr(runs, "WORTH_WORKERS", 0.0)

    class Local(Several):
        """Nothing outside this function knows it."""

    one, two = (
        simulate("ws-w", Local, horizon=20, replications=40, seed=1, jobs=jobs) for jobs in (1, 2)
    )
    assert one == two


def test_an_interrupt_ends_all_threads(monkeypatch):
    on_threads(monkeypatch)

    def interrupt(finished):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulate("ws-w", S1, horizon=5, replications=500, seed=0, jobs=2, progress=interrupt)


@pytest.mark.parametrize("field", ["horizon", "replications", "jobs"])
@pytest.mark.parametrize("value", [0, -3, 2.5, True, "many"])
def test_numbers_are_checked(field, value):
    given = {"horizon": 5, "replications": 2, "jobs": 1, field: value}
    with pytest.raises(InvalidValue, match=f"{field} must be a whole number of at least 1"):
        simulate("ws-w", S1, seed=0, **given)


def test_names_are_checked():
    with pytest.raises(UnknownName, match="Did you mean 'ws-w'"):
        simulate("wsw", S1, horizon=5, replications=2)
    with pytest.raises(UnknownName, match="Did you mean 'paper-binary'"):
        simulate("ws-w", "paper_binary", horizon=5, replications=2)
    with pytest.raises(InvalidValue, match=r"comes from duels.make_environment"):
        simulate("ws-w", None, horizon=5, replications=2)
    with pytest.raises(InvalidValue, match="A policy is a name, a Policy class, an object"):
        simulate(7, S1, horizon=5, replications=2)
    with pytest.raises(InvalidValue, match="seed must be a whole number of at least 0, got -1"):
        simulate("ws-w", S1, horizon=5, replications=2, seed=-1)


def test_strong_regret_is_at_least_weak_regret():
    def run(regret):
        return simulate(
            "rucb", duels.make_environment("sphere", n_arms=6, regret=regret),
            horizon=80, replications=6, seed=5,
        ).regret  # fmt: skip

    for kind in ("utility", "binary"):
        assert (run(f"strong-{kind}") >= run(kind)).all()
        assert (run(f"strong-{kind}") > run(kind)).any()
