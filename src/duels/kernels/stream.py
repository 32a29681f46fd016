"""Random numbers for kernels: numpy's SFC64, step for step, on an array of four words.

Handing a numpy ``Generator`` to a compiled function costs 11 µs a call, more than most decisions
here; an array costs nothing. The numbers are those of ``numpy.random.Generator(SFC64(seed))``:
the same words and the same uniforms (a test compares them).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.errors import InvalidValue, whole_number
from duels.kernels.compile import kernel

Stream = NDArray[np.uint64]
Seed = int | None | np.random.SeedSequence | np.random.Generator | Stream

WARM_UP = 12  # as numpy does


@kernel
def next_word(stream: Stream) -> np.uint64:
    """The next 64 random bits (Doty-Humphrey's SFC64)."""
    a, b, c, counter = stream[0], stream[1], stream[2], stream[3]
    word = a + b + counter
    stream[0] = b ^ (b >> np.uint64(11))
    stream[1] = c + (c << np.uint64(3))
    stream[2] = ((c << np.uint64(24)) | (c >> np.uint64(40))) + word
    stream[3] = counter + np.uint64(1)
    return np.uint64(word)


@kernel
def uniform(stream: Stream) -> float:
    """A number uniform on [0, 1)."""
    return float(next_word(stream) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def below(stream: Stream, n: int) -> int:
    """A whole number uniform on 0, …, n − 1 (the bias is below n / 2⁵³)."""
    return int(uniform(stream) * n)


@kernel
def normal(stream: Stream) -> float:
    """A standard normal number (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - uniform(stream)))
    return radius * math.cos(2.0 * math.pi * uniform(stream))


@kernel
def normals(stream: Stream, values: NDArray[np.float64]) -> None:
    """Fill an array (n,) with standard normal numbers, two for the price of one."""
    for k in range(0, len(values), 2):
        radius = math.sqrt(-2.0 * math.log(1.0 - uniform(stream)))
        angle = 2.0 * math.pi * uniform(stream)
        values[k] = radius * math.cos(angle)
        if k + 1 < len(values):
            values[k + 1] = radius * math.sin(angle)


@kernel
def _warm(streams: NDArray[np.uint64]) -> None:
    for stream in streams:
        for _ in range(WARM_UP):
            next_word(stream)


def spawn_streams(sequence: np.random.SeedSequence, n: int) -> NDArray[np.uint64]:
    """n independent streams, shape (n, 4): a row is a stream."""
    streams = np.ones((n, 4), np.uint64)
    streams[:, :3] = sequence.generate_state(3 * n, np.uint64).reshape(n, 3)
    _warm(streams)
    return streams


def _checked(stream: NDArray[Any]) -> Stream:
    """Kernels do not look whether an array is long enough, so this does."""
    if stream.shape != (4,) or stream.dtype != np.uint64:
        raise InvalidValue(
            "A stream must be an array of four 64-bit words (uint64) as made by make_stream, got "
            f"one of shape {stream.shape} and type {stream.dtype}. Use a whole number as the seed."
        )
    return stream


def make_stream(seed: Seed = None) -> Stream:
    """A stream from a whole number, a numpy generator or seed sequence, or (None) at random.

    A stream that exists already is used as it is, and moves on.

    >>> uniform(make_stream(7)) == uniform(make_stream(7))
    True
    """
    if isinstance(seed, np.ndarray):
        return _checked(seed)
    if isinstance(seed, np.random.Generator):
        seed = np.random.SeedSequence(seed.integers(0, 2**32, size=4).tolist())
    if seed is None or isinstance(seed, np.random.SeedSequence):
        sequence = seed or np.random.SeedSequence()
    else:
        sequence = np.random.SeedSequence(whole_number("seed", seed, at_least=0))
    stream: Stream = spawn_streams(sequence, 1)[0]
    return stream


def make_generator(seed: Seed = None) -> np.random.Generator:
    """A numpy generator from whatever makes a stream; a stream moves on by one word."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.ndarray):
        seed = int(next_word(_checked(seed)))
    if not (seed is None or isinstance(seed, np.random.SeedSequence)):
        seed = whole_number("seed", seed, at_least=0)
    return np.random.Generator(np.random.SFC64(seed))


def fork_stream(stream: Stream) -> Stream:
    """A new stream that depends on where another one is; the other one does not move."""
    return make_stream(np.random.SeedSequence([*map(int, stream), 0]))
