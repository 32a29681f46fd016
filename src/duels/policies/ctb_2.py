"""CTB-2: Comparing The Best over all sign patterns, for many arms (section 5 of the paper).

Legend: w_ij = q_ij(t) + r_ij, the duels that i won against j plus its pair score. A sign pattern
says for every pair who is better. Among those in which k beats all others, the one with the largest
score gives every other pair to the arm with the larger w. So f(k, t) = const − deficit_k, with
deficit_k = Σ_j max(0, w_jk − w_kj). A duel changes two deficits, each in O(1), and a tournament
tree over the arms finds the two smallest in O(log N). Leads are stored in whole millionths of a
duel, so that equal deficits compare as equal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.catalogue import Catalogue
from duels.errors import InvalidValue
from duels.kernels.compile import kernel
from duels.kernels.pair_table import PairTable, crowded, enlarge, make_pair_table, slot
from duels.kernels.stream import Seed, Stream, below
from duels.kernels.tournament import (
    Tournament,
    key_of,
    make_tournament,
    nth_holder,
    nth_other,
    others,
    set_key,
)
from duels.policies.base import (
    FIRST,
    STAY,
    Kernels,
    Policy,
    check_q,
    log_odds,
    tie_break_code,
)
from duels.policies.last_pair import ASKED, TOLD, Pairs, no_pairs, remember
from duels.policies.pair_tables import square, win_matrix

UNIT = 1e6

PairScores = ArrayLike | Mapping[tuple[int, int], float]


class Deficits(NamedTuple):
    """lead: w_ij − w_ji of the pairs i < j. tournament: of the keys −deficit_k. Both are in units.

    pairs (2, 2): the last pair asked and the last pair told. tie_break: the code of the rule.
    """

    lead: PairTable
    tournament: Tournament
    pairs: Pairs
    n_arms: int
    tie_break: int


@kernel
def add_lead(state: Deficits, i: int, j: int, amount: float) -> None:
    """Add a whole number of units to w_ij − w_ji."""
    sign = 1.0 if i < j else -1.0
    at = slot(state.lead, min(i, j) * state.n_arms + max(i, j))
    before = sign * state.lead.value[at]
    after = before + amount
    state.lead.value[at] = sign * after
    trail_i = max(0.0, -after) - max(0.0, -before)
    trail_j = max(0.0, after) - max(0.0, before)
    if trail_i != 0.0:
        set_key(state.tournament, i, key_of(state.tournament, i) - trail_i)
    if trail_j != 0.0:
        set_key(state.tournament, j, key_of(state.tournament, j) - trail_j)


@kernel
def update(state: Deficits, winner: int, loser: int) -> None:
    add_lead(state, winner, loser, UNIT)
    remember(state.pairs, winner, loser)


@kernel
def _previous(state: Deficits, key: float, without: int) -> int:
    """An arm of the previous pair with this key, or −1."""
    for arm in state.pairs[TOLD]:
        if arm >= 0 and arm != without and key_of(state.tournament, arm) == key:
            return int(arm)
    return -1


@kernel
def propose(state: Deficits, stream: Stream) -> tuple[int, int]:
    """The two arms with the smallest deficits; ties are broken by the rule."""
    tournament = state.tournament
    key, tied = tournament.key[1], tournament.holders[1]
    first = _previous(state, key, -1) if state.tie_break == STAY else -1
    if first < 0:
        first = nth_holder(tournament, 1, 0 if state.tie_break == FIRST else below(stream, tied))
    key, tied = others(tournament, first)
    second = _previous(state, key, first) if state.tie_break == STAY else -1
    if second < 0:
        n = 0 if state.tie_break == FIRST else below(stream, tied)
        second = nth_other(tournament, first, key, n)
    state.pairs[ASKED, 0], state.pairs[ASKED, 1] = first, second
    return first, second


@kernel
def recommend(state: Deficits) -> int:
    """The arm with the smallest deficit; of several, one of the last pair told, else the first."""
    arm = _previous(state, state.tournament.key[1], -1)
    return arm if arm >= 0 else nth_holder(state.tournament, 1, 0)


class Ctb2(Policy):
    """Asks the two arms with the smallest deficits: the duels that speak against each being best.

    Needs no features.

    Args:
        r: pair scores r_ij, how much arm i is believed to beat arm j, in duels: a table
            (n_arms, n_arms), or for many arms a mapping {(i, j): r_ij}.
        win_probabilities: prior win probabilities p_ij instead, as a table or as a mapping. They
            become r_ij − r_ji = logit(p_ij) / logit(q): a pair believed to go q : 1 − q counts as
            one duel won.
        q: the probability that the better arm wins, used for ``win_probabilities`` only.
        ties: ``random`` (uniform over tied arms), ``first`` (the lowest arm) or ``stay``.

    >>> policy = Ctb2(Catalogue([[0.0], [1.0], [2.0]]), r={(2, 0): 1.0, (2, 1): 1.0})
    >>> policy.ask().first
    2
    """

    name = "ctb-2"
    summary = "Comparing The Best for up to millions of arms, without features (CTB-2)"
    made_for = "weak regret"
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        r: PairScores | None = None,
        win_probabilities: PairScores | None = None,
        q: float = 0.75,
        ties: str = "random",
    ) -> None:
        super().__init__(catalogue, seed=seed)
        if r is not None and win_probabilities is not None:
            raise InvalidValue(
                "Prior knowledge is either pair scores r or win_probabilities, got both. Drop one."
            )
        code, unit = tie_break_code(ties), log_odds(check_q(q))
        n_arms = len(catalogue)
        leads: dict[tuple[int, int], float] = {}
        if r is not None:
            leads = _leads(r, catalogue)
        elif win_probabilities is not None:
            leads = _leads_from_wins(win_probabilities, catalogue, unit)
        self.state = Deficits(
            lead=make_pair_table(len(leads) + 64),
            tournament=make_tournament(np.zeros(n_arms)),
            pairs=no_pairs(),
            n_arms=n_arms,
            tie_break=code,
        )
        for (i, j), lead in leads.items():
            add_lead(self.state, i, j, float(round(UNIT * lead)))

    def reserve(self, n_duels: int) -> None:
        n_arms = len(self.catalogue)
        n_more = min(n_duels, n_arms * (n_arms - 1) // 2 - int(self.state.lead.used[0]))
        if crowded(self.state.lead, n_more):
            self.state = self.state._replace(lead=enlarge(self.state.lead, n_more))


def _leads(r: PairScores, catalogue: Catalogue) -> dict[tuple[int, int], float]:
    """r_ij − r_ji of every pair that is not level."""
    if isinstance(r, Mapping):
        leads: dict[tuple[int, int], float] = {}
        for key, value in r.items():
            pair, sign = _pair(key, catalogue)
            if not _is_number(value) or not np.isfinite(value):
                raise InvalidValue(
                    f"Pair scores must be finite numbers, got {value!r} for {key}. Correct it."
                )
            leads[pair] = leads.get(pair, 0.0) + sign * float(value)
        return leads
    matrix = square(r, len(catalogue), what="Pair scores r")
    return _uneven(matrix - matrix.T)


def _leads_from_wins(
    p: PairScores, catalogue: Catalogue, unit: float
) -> dict[tuple[int, int], float]:
    if isinstance(p, Mapping):
        leads = {}
        for key, value in p.items():
            if not _is_number(value) or not 0.0 < value < 1.0:
                raise InvalidValue(
                    "Win probabilities must lie between 0 and 1, both excluded, got "
                    f"{value!r} for {key}. Use a number a little above 0 or below 1."
                )
            pair, sign = _pair(key, catalogue)
            if pair in leads:
                raise InvalidValue(
                    f"A mapping of win probabilities names each pair once, but that of {key} is in "
                    "it twice. Keep one: the other way round is 1 minus it."
                )
            leads[pair] = sign * log_odds(value) / unit
        return leads
    wins = win_matrix(p, len(catalogue))
    return _uneven(np.log(wins / wins.T) / unit)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _pair(key: object, catalogue: Catalogue) -> tuple[tuple[int, int], float]:
    """The pair with its lower arm first; −1 if that changed the order, else 1."""
    if not isinstance(key, tuple) or len(key) != 2:
        raise InvalidValue(f"A mapping of pairs has keys (i, j), two arms, got {key!r}. Use those.")
    a, b = catalogue.index(key[0]), catalogue.index(key[1])
    if a == b:
        raise InvalidValue(f"A pair is two different arms, got {key}. Drop it.")
    return ((a, b), 1.0) if a < b else ((b, a), -1.0)


def _uneven(lead: NDArray[np.float64]) -> dict[tuple[int, int], float]:
    rows, columns = np.nonzero(np.triu(lead, 1))
    return {(int(i), int(j)): float(lead[i, j]) for i, j in zip(rows, columns, strict=True)}
