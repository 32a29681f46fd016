import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.kernels.pair_table import EMPTY, crowded, enlarge, make_pair_table, slot

pytestmark = pytest.mark.kernels

PAIR = st.one_of(
    st.integers(0, 40), st.integers(0, 10**12), st.integers(0, 50).map(lambda k: k << 32)
)


def check(table, plain):
    """The table holds what the dictionary holds, each pair once."""
    held = {
        pair: value
        for pair, value in zip(table.pair.tolist(), table.value.tolist(), strict=True)
        if pair != EMPTY
    }
    assert held == plain
    assert table.used[0] == len(plain) == (table.pair != EMPTY).sum()


@given(st.lists(st.tuples(PAIR, st.integers(-3, 3)), max_size=120))
def test_against_a_dictionary(additions):
    table, plain = make_pair_table(1), {}
    for pair, amount in additions:
        if crowded(table, 1):
            table = enlarge(table, 1)
            check(table, plain)
        table.value[slot(table, pair)] += amount
        plain[pair] = plain.get(pair, 0) + amount
    check(table, plain)
    for pair, value in plain.items():
        assert table.value[slot(table, pair)] == value
    check(table, plain)


@pytest.mark.parametrize("n_pairs", [0, 1, 7, 8, 9, 1000])
def test_there_is_room_for_the_pairs_promised(n_pairs):
    table = make_pair_table(n_pairs)
    assert not crowded(table, n_pairs)
    for pair in range(n_pairs):
        slot(table, pair * 1_000_003)
    assert table.used[0] == n_pairs
    assert 2 * n_pairs <= len(table.pair)


def test_crowded_from_half():
    table = make_pair_table(1)
    half = len(table.pair) // 2
    assert not crowded(table, half)
    assert crowded(table, half + 1)
    slot(table, 5)
    assert crowded(table, half)


@pytest.mark.parametrize("n_more", [1, 100, 5000])
def test_enlarging_makes_room(n_more):
    table = make_pair_table(3)
    for pair in (5, 70, 10**12 - 1):
        table.value[slot(table, pair)] = pair / 2
    larger = enlarge(table, n_more)
    assert not crowded(larger, n_more)
    check(larger, {5: 2.5, 70: 35.0, 10**12 - 1: (10**12 - 1) / 2})


def test_enlarging_leaves_the_old_table_alone():
    table = make_pair_table(3)
    slot(table, 5)
    larger = enlarge(table, 50)
    larger.value[slot(larger, 5)] = 7.0
    check(table, {5: 0.0})


def test_half_full_is_no_trouble_for_the_pairs_of_an_arm():
    """All pairs of one arm among a million: neighbours in number, so the hash must part them."""
    n_arms, n_pairs = 10**6, 2000
    table = make_pair_table(n_pairs)
    slots = {slot(table, 17 * n_arms + other) for other in range(n_pairs)}
    assert len(slots) == n_pairs


@pytest.mark.parametrize("stride", [1, 10**6, 2**20, 2**32])
def test_probes_are_few(stride):
    """A full run of occupied slots is what a look-up may have to walk through."""
    table = make_pair_table(1000)
    for k in range(1000):
        slot(table, k * stride)
    run = longest = 0
    for pair in [*table.pair, *table.pair]:
        run = run + 1 if pair != EMPTY else 0
        longest = max(longest, run)
    assert longest < 200
