import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.errors import UnknownName
from duels.regret import CODES, pair_regret, regret_code

pytestmark = pytest.mark.kernels


def plain(kind, utilities, i, j):
    """The definitions, read aloud."""
    top = max(utilities)
    is_best = [arm == utilities.index(top) for arm in range(len(utilities))]
    return {
        "utility": top - max(utilities[i], utilities[j]),
        "binary": 0 if is_best[i] or is_best[j] else 1,
        "strong-utility": top - (utilities[i] + utilities[j]) / 2,
        "strong-binary": 0 if is_best[i] and is_best[j] else 1,
    }[kind]


@pytest.mark.parametrize("kind", CODES)
@given(utilities=st.lists(st.floats(-10, 10), min_size=2, max_size=5))
def test_every_kind_against_its_definition(kind, utilities):
    array = np.array(utilities)
    best = int(array.argmax())
    for i, j in itertools.product(range(len(utilities)), repeat=2):
        regret = pair_regret(regret_code(kind), array, best, i, j)
        assert regret == pytest.approx(plain(kind, utilities, i, j), abs=1e-12)


@pytest.mark.parametrize("kind", CODES)
@given(utilities=st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=5))
def test_never_negative_and_blind_to_the_order_shown(kind, utilities):
    array = np.array(utilities)
    best = int(array.argmax())
    for i, j in itertools.combinations(range(len(utilities)), 2):
        regret = pair_regret(CODES[kind], array, best, i, j)
        assert regret >= 0
        assert regret == pair_regret(CODES[kind], array, best, j, i)


@pytest.mark.parametrize("kind", ["utility", "binary"])
def test_weak_regret_is_0_with_the_best_arm(kind):
    utilities = np.array([0.1, 0.9, -3.0])
    assert pair_regret(CODES[kind], utilities, 1, 2, 1) == 0.0
    assert pair_regret(CODES[kind], utilities, 1, 0, 2) > 0.0


def test_codes_are_distinct():
    assert len(set(CODES.values())) == len(CODES) == 4


def test_unknown_regret(refusal):
    message = refusal(UnknownName, regret_code, "strong-binry")
    assert "'strong-binry'" in message
    assert "Did you mean 'strong-binary'?" in message
    assert "utility, binary, strong-utility, strong-binary" in message


def test_no_regret(refusal):
    assert "Known: utility" in refusal(UnknownName, regret_code, None)
