"""Choosing a pair where some pairs are not to be asked now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from duels.duel import Pair
from duels.errors import InvalidValue
from duels.kernels.stream import Stream, uniform
from duels.policies.base import Policy
from duels.session.record import key

ATTEMPTS = 10  # to find another pair by imagining answers


def choose_pair(
    policy: Policy,
    open_pairs: Sequence[tuple[int, int]],
    resting: Sequence[tuple[int, int]],
    stream: Stream,
) -> Pair:
    """The next pair of a policy, other than those that are open and, if possible, those that rest.

    While pairs are open it is chosen as if they had been answered as is to be expected, so that
    judges side by side are not asked the same thing. The policy itself learns nothing.
    """
    n_arms = len(policy.catalogue)
    n_pairs = n_arms * (n_arms - 1) // 2
    taken = set(map(key, open_pairs))
    if len(taken) >= n_pairs:
        raise InvalidValue(
            f"Open questions have different pairs, and all {n_pairs} pairs of these {n_arms} arms "
            "are open. Answer a question first, or withdraw one."
        )
    chooser = policy.fork() if open_pairs else policy
    for first, second in open_pairs:
        _imagine(chooser, first, second, stream)
    pair = chooser.ask()  # in any case, so that a policy is asked as often as there are questions
    rested = [each for each in resting if each not in taken]
    if len(taken) + len(rested) >= n_pairs:
        return Pair(*rested[0])
    taken.update(rested)
    for _ in range(ATTEMPTS):
        if key(pair) not in taken and pair.first != pair.second:
            return pair
        if chooser is policy:
            chooser = policy.fork()
        _imagine(chooser, *pair, stream)
        pair = chooser.ask()
    return next(pair for pair in _all_pairs(policy) if key(pair) not in taken)


def _imagine(fork: Policy, first: int, second: int, stream: Stream) -> None:
    """Tell a fork the answer that is to be expected."""
    won = uniform(stream) < fork.chance(first, second)
    fork.tell(*((first, second) if won else (second, first)))


def _all_pairs(policy: Policy) -> Iterator[Pair]:
    """All pairs, those with the favourite first."""
    favourite, n_arms = policy.favourite(), len(policy.catalogue)
    yield from (Pair(favourite, arm) for arm in range(n_arms) if arm != favourite)
    yield from (Pair(i, j) for i in range(n_arms) for j in range(i))
