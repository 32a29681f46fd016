from math import erfc, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.errors import InvalidValue
from duels.kernels.stream import (
    below,
    make_generator,
    make_stream,
    next_word,
    normal,
    spawn_streams,
    uniform,
)

pytestmark = pytest.mark.kernels

SEEDS = [0, 1, 7, 2**32, 2**64 + 1, 2**200]
LARGEST = 2**64 - 1


def stream_with_next(word):
    """A stream whose next word is this one."""
    return np.array([word, 0, 0, 0], np.uint64)


# ---- the numbers are numpy's


@pytest.mark.parametrize("seed", SEEDS)
def test_words_are_those_of_numpy(seed):
    stream = make_stream(seed)
    words = [int(next_word(stream)) for _ in range(1000)]
    assert words == np.random.SFC64(seed).random_raw(1000).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_uniforms_are_those_of_numpy(seed):
    stream = make_stream(seed)
    numbers = [uniform(stream) for _ in range(1000)]
    assert numbers == np.random.Generator(np.random.SFC64(seed)).random(1000).tolist()


@given(st.lists(st.integers(0, LARGEST), min_size=4, max_size=4))
def test_any_state_moves_on_as_numpy_does(state):
    bits = np.random.SFC64(0)
    bits.state = {**bits.state, "state": {"state": np.array(state, np.uint64)}}
    stream = np.array(state, np.uint64)
    assert int(next_word(stream)) == bits.random_raw()
    assert stream.tolist() == bits.state["state"]["state"].tolist()


# ---- what is made of them


@pytest.mark.parametrize("word", [0, 1, LARGEST])
def test_uniforms_stay_below_1(word):
    assert 0.0 <= uniform(stream_with_next(word)) < 1.0


@given(st.integers(1, 2**40), st.integers(0, LARGEST))
def test_below_is_in_range(n, word):
    assert 0 <= below(stream_with_next(word), n) < n


def test_below_reaches_both_ends():
    assert below(stream_with_next(0), 10) == 0
    assert below(stream_with_next(LARGEST), 10) == 9


@pytest.mark.parametrize("n", [2, 7, 100])
def test_below_is_uniform(n, unevenness):
    stream = make_stream(3)
    counts = np.bincount([below(stream, n) for _ in range(20_000)], minlength=n)
    assert len(counts) == n
    assert unevenness(counts) < 4


def test_normal_has_the_moments_of_a_normal():
    stream, draws = make_stream(4), 20_000
    z = np.array([normal(stream) for _ in range(draws)])
    for power, moment, variance in [(1, 0, 1), (2, 1, 2), (3, 0, 15), (4, 3, 96)]:
        assert abs((z**power).mean() - moment) < 4 * sqrt(variance / draws)
    tail = erfc(2 / sqrt(2))
    assert abs((abs(z) > 2).mean() - tail) < 4 * sqrt(tail * (1 - tail) / draws)
    assert abs((z[1:] * z[:-1]).mean()) < 4 / sqrt(draws)


@pytest.mark.parametrize("word", [0, LARGEST])
def test_normal_is_finite(word):
    assert abs(normal(stream_with_next(word))) <= sqrt(2 * 53 * log(2)) + 1e-9


# ---- seeds


def test_seeds_that_differ_give_streams_that_differ():
    firsts = {int(next_word(make_stream(seed))) for seed in range(100)}
    assert len(firsts) == 100


def test_no_seed_is_another_stream_each_time():
    assert make_stream().tolist() != make_stream(None).tolist()


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7), np.random.SeedSequence(7)])
def test_equal_seeds_of_every_kind(seed):
    assert make_stream(seed).tolist() == make_stream(7).tolist()
    assert make_generator(seed).random() == make_generator(7).random()


def test_a_seed_sequence_is_not_used_up():
    sequence = np.random.SeedSequence(7)
    assert make_stream(sequence).tolist() == make_stream(sequence).tolist()


def test_a_generator_moves_on():
    generator = np.random.default_rng(7)
    first, second = make_stream(generator), make_stream(generator)
    assert first.tolist() == make_stream(np.random.default_rng(7)).tolist()
    assert first.tolist() != second.tolist()


def test_a_stream_is_used_as_it_is():
    stream = make_stream(7)
    next_word(stream)
    assert make_stream(stream) is stream


@pytest.mark.parametrize("make", [make_stream, make_generator])
@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", [1, 2]])
def test_other_seeds_are_refused(make, seed, refusal):
    message = refusal(InvalidValue, make, seed)
    assert message == f"seed must be a whole number of at least 0, got {seed!r}. Use 0 or more."


@pytest.mark.parametrize("make", [make_stream, make_generator])
@pytest.mark.parametrize(
    "array", [np.arange(4), np.arange(3, dtype=np.uint64), np.ones((1, 4), np.uint64), np.array(7)]
)
def test_other_arrays_are_refused(make, array, refusal):
    message = refusal(InvalidValue, make, array)
    assert "must be an array of four 64-bit words" in message
    assert f"of shape {array.shape} and type {array.dtype}" in message
    assert "Use a whole number as the seed." in message


# ---- generators


def test_a_generator_runs_on_the_same_numbers():
    stream = make_stream(7)
    assert make_generator(7).random() == uniform(stream)


def test_a_generator_is_used_as_it_is():
    generator = np.random.default_rng(7)
    assert make_generator(generator) is generator


def test_a_generator_from_a_stream_moves_the_stream_by_a_word():
    stream, same = make_stream(7), make_stream(7)
    first, second = make_generator(stream), make_generator(stream)
    assert first.random() != second.random()
    next_word(same)
    next_word(same)
    assert stream.tolist() == same.tolist()


# ---- spawning


def test_spawned_streams_differ():
    streams = spawn_streams(np.random.SeedSequence(7), 50)
    assert streams.shape == (50, 4)
    assert len({int(next_word(stream)) for stream in streams}) == 50


def test_the_first_spawned_is_the_one_made():
    assert spawn_streams(np.random.SeedSequence(7), 1)[0].tolist() == make_stream(7).tolist()


def test_spawned_streams_do_not_go_together():
    n = 5000
    a, b = spawn_streams(np.random.SeedSequence(7), 2)
    x = np.array([uniform(a) for _ in range(n)]) - 0.5
    y = np.array([uniform(b) for _ in range(n)]) - 0.5
    assert abs((x * y).mean()) < 4 / 12 / sqrt(n)


def test_spawned_streams_own_their_rows():
    streams = spawn_streams(np.random.SeedSequence(7), 2)
    before = streams[1].tolist()
    next_word(streams[0])
    assert streams[1].tolist() == before
