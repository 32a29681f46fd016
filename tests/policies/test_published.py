"""Published algorithms lose as much as in two public codes, or in a second reading of the paper.

The codes are Komiyama's (github.com/jkomiyama/duelingbanditlib) and Wu's (HuasenWu/DuelingBandits)
in C++. Their procedures were typed anew; algorithms that they lack were written a second time, in
C++. All ran 2,000 times on each matrix, T = 1,000, arms in random order: (mean, standard error) of
the cumulative strong regret, (p_*i + p_*j − 1)/2 a duel.
"""

import numpy as np
import pytest

import duels

HORIZON, REPLICATIONS = 1000, 400
MIXED = [  # arm 3 beats all others; some pairs are even, one is certain
    [0.5, 0.5, 0.7, 0.4, 0.5],
    [0.5, 0.5, 1.0, 0.3, 0.6],
    [0.3, 0.0, 0.5, 0.45, 0.5],
    [0.6, 0.7, 0.55, 0.5, 0.65],
    [0.5, 0.4, 0.5, 0.35, 0.5],
]
KNOWN = {  # on cyclic and on MIXED
    "rmed1": ((28.559, 0.182), (43.124, 0.234)),
    "rmed2": ((9.041, 0.087), (47.417, 0.268)),
    "rmed2fh": ((11.779, 0.165), (51.654, 0.323)),
    "rucb": ((48.293, 0.166), (74.721, 0.271)),
    "btm:gamma=1.2,factor=1": ((75.042, 0.014), (100.014, 0.024)),
    "interleaved-filter": ((67.805, 0.229), (104.040, 0.575)),
    "savage": ((52.462, 0.149), (107.480, 0.051)),
    "sparring": ((58.177, 0.101), (79.892, 0.131)),
    "multisbm": ((80.824, 0.069), (93.569, 0.091)),
    "double-thompson": ((18.235, 0.112), (31.436, 0.290)),
    "double-thompson-plus": ((18.359, 0.111), (32.202, 0.284)),
    "rcs:alpha=0.51": ((58.116, 0.286), (65.451, 0.318)),
    "ccb": ((48.425, 0.160), (74.780, 0.267)),
    "scb:alpha=0.51,first_round=1000,with_delta=false": ((41.884, 0.248), (104.070, 0.862)),
    # a second reading
    "doubler": ((67.045, 0.080), (94.791, 0.115)),
    "ws-s": ((41.242, 0.136), (46.561, 0.212)),
    "versatile-db": ((47.941, 0.255), (62.289, 0.322)),
    "merge-rucb": ((52.204, 0.161), (97.993, 0.604)),
    "merge-dts": ((53.290, 0.121), (91.459, 0.714)),
}


@pytest.mark.parametrize("matrix", ["cyclic", "mixed"])
@pytest.mark.parametrize("spec", KNOWN)
def test_as_much_regret_as_elsewhere(spec, matrix):
    mean, error = KNOWN[spec][matrix == "mixed"]
    environment = duels.make_environment("matrix", p=MIXED if matrix == "mixed" else matrix)
    played = duels.simulate(
        spec, environment, horizon=HORIZON, replications=REPLICATIONS, seed=2026, jobs=1
    )
    ours = played.of("strong-gap")[:, -1]
    combined = np.hypot(error, ours.std(ddof=1) / np.sqrt(REPLICATIONS))
    assert abs(ours.mean() - mean) < 4 * combined


def test_without_a_condorcet_winner_the_gap_is_refused_for_what_it_is(refusal):
    circle = [[0.5, 0.9, 0.2], [0.1, 0.5, 0.7], [0.8, 0.3, 0.5]]
    played = duels.simulate(
        "ccb", duels.make_environment("matrix", p=circle), horizon=30, replications=3, seed=1
    )
    message = refusal(duels.errors.InvalidValue, played.of, "strong-gap")
    assert "needs a Condorcet winner" in message
    assert "strong-copeland" in message
    assert played.of("strong-copeland").shape == (3, 30)
