import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.errors import UnknownName
from duels.regret import CODES, NOTIONS, find_notion, regret_code
from tests.twins.regret import pair_regret


def measured(kind, utilities, i, j):
    """The regret of one pair: the table's functions take many replications and times."""
    best = int(np.argmax(utilities))
    pair = [np.array([[arm]]) for arm in (best, i, j)]
    return find_notion(kind).of_pair(np.array([utilities]), *pair).item()


KINDS = [kind for kind in CODES if NOTIONS[kind].worth == "utility"]


def each_kind(kind):
    """A kind of regret by all of its names."""
    return [kind] if kind.startswith("strong") else [kind, f"weak-{kind}"]


@pytest.mark.parametrize("kind", KINDS)
@given(utilities=st.lists(st.floats(-10, 10), min_size=2, max_size=5))
def test_every_kind_against_its_definition(kind, utilities):
    for i, j in itertools.product(range(len(utilities)), repeat=2):
        for name in each_kind(kind):
            expected = pair_regret(kind, utilities, i, j)
            assert measured(name, utilities, i, j) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@given(utilities=st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=5))
def test_never_negative_and_blind_to_the_order_shown(kind, utilities):
    for i, j in itertools.combinations(range(len(utilities)), 2):
        regret = measured(kind, utilities, i, j)
        assert regret >= 0
        assert regret == measured(kind, utilities, j, i)


@pytest.mark.parametrize("kind", ["utility", "binary"])
def test_weak_regret_is_0_with_the_best_arm(kind):
    utilities = [0.1, 0.9, -3.0]
    assert measured(kind, utilities, 2, 1) == 0.0
    assert measured(kind, utilities, 0, 2) > 0.0


def test_codes_are_distinct():
    assert len(set(CODES.values())) == len(CODES) == 10


def test_weak_is_meant_where_neither_weak_nor_strong_is_said():
    for kind in ("utility", "binary", "gap", "copeland", "borda"):
        assert NOTIONS[kind] == NOTIONS[f"weak-{kind}"] != NOTIONS[f"strong-{kind}"]
        assert regret_code(kind) == regret_code(f"weak-{kind}") != regret_code(f"strong-{kind}")


def test_unknown_regret(refusal):
    message = refusal(UnknownName, regret_code, "strong-binry")
    assert "'strong-binry'" in message
    assert "Did you mean 'strong-binary'?" in message
    assert "utility, binary, strong-utility, strong-binary" in message


def test_no_regret(refusal):
    assert "Known: utility" in refusal(UnknownName, regret_code, None)
