"""Does the range of `Session.questions_left` hold four cases in five?

``python -m benchmarks.left`` draws people from the prior, asks them questions, notes what is
promised after some of the answers, and asks on until the rule is met. It prints how often the range
held, and how often fewer and more questions came than it says.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from typing import NamedTuple

import click
import numpy as np

import duels
from duels.choice import win_probability
from duels.policies.base import Policy
from duels.session import QuestionsLeft

MOST = 150  # questions, after which it is enough to know that more would come
RULES = (
    duels.StoppingRule(confidence=0.95, questions=MOST),
    duels.StoppingRule(regret=0.05, questions=MOST),
    duels.StoppingRule(),
)
SIZES = ((20, 2), (40, 5), (100, 4))
LOOKS = (0, 5, 10, 20, 30)  # answers, after which the promise is noted


class Promise(NamedTuple):
    """What was promised, and how many questions came."""

    left: QuestionsLeft
    came: int


class Coverage(NamedTuple):
    """Of n promises, the shares that held, and that fewer or more questions came than they say."""

    n: int
    held: float
    fewer: float
    more: float
    median: float
    promised: float

    def __str__(self) -> str:
        return (
            f"{self.n} sessions, held {self.held:.2f}, fewer {self.fewer:.2f}, "
            f"more {self.more:.2f}; median {self.median:g}, promised {self.promised:g}"
        )


def promises(
    policy: str | Callable[..., Policy],
    rule: duels.StoppingRule,
    seed: int,
    *,
    n_arms: int,
    n_features: int,
    looks: Collection[int] = LOOKS,
) -> dict[int, Promise]:
    """What was promised after so many answers, as long as the session was not over by then."""
    rng = np.random.default_rng(seed)
    catalogue = duels.Catalogue(rng.normal(size=(n_arms, n_features)))
    session = duels.Session(catalogue, policy, seed=seed, stopping=rule)
    assert session.policy.belief is not None
    person = session.policy.belief.person(rng)
    promised: dict[int, QuestionsLeft] = {}
    while not session.ended:
        if session.questions in looks:
            left = session.questions_left()
            assert left is not None
            promised[session.questions] = left
        question = session.ask()
        first, second = (float(person.utilities[arm]) for arm in question.pair)
        won = rng.random() < win_probability(person.choice, first, second)
        session.answer(question.number, question.left if won else question.right)
    return {look: Promise(left, session.questions - look) for look, left in promised.items()}


def coverage(made: list[Promise]) -> Coverage:
    """How often these promises held."""
    fewer = [came < left.low for left, came in made]
    more = [came > left.high for left, came in made]
    return Coverage(
        len(made),
        1.0 - float(np.mean(fewer)) - float(np.mean(more)),
        float(np.mean(fewer)),
        float(np.mean(more)),
        float(np.median([came for _, came in made])),
        float(np.median([left.expected for left, _ in made])),
    )


def milliseconds(
    policy: str | Callable[..., Policy], n_arms: int = 100, n_features: int = 5
) -> float:
    """What one look costs of CPU, the median of twenty."""
    features = np.random.default_rng(0).normal(size=(n_arms, n_features))
    session = duels.Session(duels.Catalogue(features), policy, seed=0)
    session.questions_left()
    seconds = []
    for _ in range(20):
        begin = time.process_time()
        session.questions_left()
        seconds.append(time.process_time() - begin)
    return 1000.0 * float(np.median(seconds))


@click.command()
@click.option("--policy", default="least-regret", show_default=True)
@click.option("--people", default=100, show_default=True, help="For every rule and size.")
@click.option("--seed", default=0, show_default=True, help="Of the first of them.")
def main(policy: str, people: int, seed: int) -> None:
    click.echo(f"one look, 100 arms: {milliseconds(policy):.1f} ms")
    everywhere: dict[int, list[Promise]] = {look: [] for look in LOOKS}
    for n_arms, n_features in SIZES:
        for rule in RULES:
            made: dict[int, list[Promise]] = {look: [] for look in LOOKS}
            for one in range(seed, seed + people):
                drawn = promises(policy, rule, one, n_arms=n_arms, n_features=n_features)
                for look, promise in drawn.items():
                    made[look].append(promise)
                    everywhere[look].append(promise)
            for look in LOOKS:
                if made[look]:
                    title = f"{n_arms} arms, {n_features} features, {rule}, after {look}"
                    click.echo(f"{title}: {coverage(made[look])}")
    for look, each in everywhere.items():
        if each:
            click.echo(f"all of them after {look} answers: {coverage(each)}")


if __name__ == "__main__":
    main()
