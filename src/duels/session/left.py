"""How many questions are left: people drawn from the belief are asked until the rule is met.

All of them are asked side by side, each the favourite and the arm that makes E[max(u_i, u_j)]
largest, and each is judged by a belief of a few hundred draws that only has its weights changed: no
policy is forked, and a look takes milliseconds. Nobody is among the draws that judge them, since a
real person is not either. Fewer judges would be sure too soon, as most of their weight soon lies on
a few of them; and asking a cheaper pair, such as the two likeliest arms, would take too long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import Belief, Draws
from duels.session.stopping import StoppingRule

if TYPE_CHECKING:
    from duels.session.session import Session

Floats = NDArray[np.float32]

PEOPLE = 39  # of n, another falls between the k-th and the (n + 1 − k)-th 1 − 2k/(n + 1) of times
JUDGES = 400  # draws that make up the belief about each of them
ARMS = 40  # at most, that may be asked: those most likely to be best
NEARLY_SURE = 0.999
LEAST = 1e-9  # chance of an answer: nobody is surprised beyond belief
AT_MOST = 200  # questions, as far as is looked


class QuestionsLeft(NamedTuple):
    """How many more questions: the median, and a range that holds four cases in five.

    ``at_most`` is as far as was looked: a number equal to it means "that many or more".
    """

    expected: int
    low: int
    high: int
    at_most: int


def questions_left_of(
    session: Session, at_most: int, seed: np.random.SeedSequence
) -> QuestionsLeft | None:
    """How many more questions a session takes; None where that is not known."""
    rule, belief, most = session.stopping, session.policy.belief, at_most
    if rule is None:
        return None
    if rule.reached(session):
        return QuestionsLeft(0, 0, 0, at_most)
    if rule.questions is not None:
        most = min(most, rule.questions - session.questions)
    if rule.met_by(session.policy) == ["questions"]:
        return QuestionsLeft(most, most, most, at_most)
    if belief is None:
        return None
    rng = np.random.default_rng(seed)
    return QuestionsLeft(*count_questions_left(belief, rule, most, rng), at_most)


def count_questions_left(
    belief: Belief, rule: StoppingRule, most: int, rng: np.random.Generator
) -> tuple[int, int, int]:
    """The median number of questions until a rule is met that is not met yet, and its range.

    People drawn from the belief are asked at most so many questions each, and counted.
    """
    arms = _likeliest(belief.probabilities())
    crowd = _gather(belief.draws(arms), arms, rng)
    counts = _count(crowd, rule, belief.spread(), most, rng)
    low, middle, high = np.quantile(counts, [0.1, 0.5, 0.9], method="weibull")
    return int(middle), int(low), int(high)


class _Crowd(NamedTuple):
    """M draws that judge and n people who are judged by them, with k arms; in single precision.

    Attributes:
        view: what is averaged over the judges, shape (M, 2k + 1): whether each arm is the best,
            what it is worth, and what the best is worth.
        chance: that a judge prefers the first arm of a pair to the second, shape (k, k, M).
        answer: that each of the people does, shape (n, k, k).
    """

    view: Floats
    chance: Floats
    answer: Floats


def _likeliest(probability: NDArray[np.float64]) -> NDArray[np.int64]:
    """The fewest arms, at least two, that are nearly sure to have the best among them."""
    order = np.argsort(-probability, kind="stable")
    enough = int(np.searchsorted(np.cumsum(probability[order]), NEARLY_SURE)) + 1
    return order[: min(max(enough, 2), ARMS)].astype(np.int64)


def _gather(draws: Draws, arms: NDArray[np.int64], rng: np.random.Generator) -> _Crowd:
    """Draw judges and people by weight, as evenly as can be, so that few are drawn twice.

    Judges whose best arm is not among these arms leave some doubt that no question removes. That
    makes up for their small number, which would leave too little.
    """
    k, n = len(arms), PEOPLE + JUDGES
    marks = (rng.random() + np.arange(n)) / n
    rows = np.searchsorted(np.cumsum(draws.weight), marks).clip(max=len(draws.weight) - 1)
    rows = rng.permutation(rows)
    drawn = Draws(*(each[rows] for each in draws))
    first, second = np.triu_indices(k, 1)
    utility = np.ascontiguousarray(drawn.utility.T)
    likes = drawn.chance((utility[first] - utility[second]).T).T.clip(LEAST, 1.0 - LEAST)
    chance = np.full((k, k, n), 0.5, np.float32)
    chance[first, second] = likes
    chance[second, first] = 1.0 - likes
    best = drawn.best[:, None] == arms
    view = np.hstack([best, drawn.utility, drawn.top[:, None]]).astype(np.float32)
    people = chance[:, :, :PEOPLE].transpose(2, 0, 1)
    return _Crowd(view[PEOPLE:], np.ascontiguousarray(chance[:, :, PEOPLE:]), people)


def _count(
    crowd: _Crowd, rule: StoppingRule, spread: float, most: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """The questions that each of the people is asked until the rule is met: shape (n,)."""
    k = len(crowd.chance)
    pairs = _Pairs(crowd.view[:, k : 2 * k])
    going = np.arange(len(crowd.answer))
    counts = np.full(len(going), most)
    weight = np.full((len(going), len(crowd.view)), np.float32(1.0 / len(crowd.view)))
    seen = weight @ crowd.view
    for asked in range(1, most + 1):
        first = seen[:, k : 2 * k].argmax(axis=1)
        second = pairs.second(first, weight)
        won = rng.random(len(going)) < crowd.answer[going, first, second]
        first, second = np.where(won, first, second), np.where(won, second, first)
        weight *= crowd.chance[first, second]
        weight /= weight.sum(axis=1, keepdims=True)
        seen = weight @ crowd.view
        stop = np.zeros(len(going), bool)
        if rule.confidence is not None:
            stop |= seen[:, :k].max(axis=1) >= rule.confidence
        if rule.regret is not None:
            stop |= seen[:, 2 * k] - seen[:, k : 2 * k].max(axis=1) <= rule.regret * spread
        counts[going[stop]] = asked
        going, weight, seen = going[~stop], weight[~stop], seen[~stop]
        if not len(going):
            break
    return counts


class _Pairs:
    """Finds the second arm of each pair; ``worth`` is what each judge says of each arm: (M, k)."""

    def __init__(self, worth: Floats) -> None:
        self.worth = worth
        self.larger: dict[int, Floats] = {}  # by a first arm: max(u_first, u_j), shape (M, k)

    def second(self, first: NDArray[np.int64], weight: Floats) -> NDArray[np.int64]:
        """The arm with the largest E[max(u_first, u_j)], for each of the people: shape (n,)."""
        order = np.argsort(first, kind="stable")
        arms, begin = np.unique(first[order], return_index=True)
        weight, end = weight[order], [*begin[1:].tolist(), len(order)]
        value = np.empty((len(order), self.worth.shape[1]), np.float32)
        for arm, i, j in zip(arms.tolist(), begin.tolist(), end, strict=True):
            if arm not in self.larger:
                self.larger[arm] = np.maximum(self.worth, self.worth[:, arm, None])
            np.matmul(weight[i:j], self.larger[arm], out=value[i:j])
            value[i:j, arm] = -np.inf
        second = np.empty_like(first)
        second[order] = value.argmax(axis=1)
        return second
