"""Does the range of `Session.questions_left` hold four cases in five?

``python -m benchmarks.left`` draws people from the prior, asks each a few questions, notes what is
promised, and asks on until the rule is met. It prints how often the range held, and how often
fewer and more questions came than it says.
"""

from __future__ import annotations

import time
from collections.abc import Callable
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


class Coverage(NamedTuple):
    """Of n promises, the shares that held, and that fewer or more questions came than they say."""

    n: int
    held: float
    fewer: float
    more: float
    median: float
    promised: float


def one_promise(
    policy: str | Callable[..., Policy],
    rule: duels.StoppingRule,
    seed: int,
    *,
    n_arms: int,
    n_features: int,
    before: int,
) -> tuple[QuestionsLeft, int] | None:
    """What was promised after so many answers, and how many questions came; None if none did."""
    rng = np.random.default_rng(seed)
    catalogue = duels.Catalogue(rng.normal(size=(n_arms, n_features)))
    session = duels.Session(catalogue, policy, seed=seed, stopping=rule)
    assert session.policy.belief is not None
    person = session.policy.belief.person(rng)
    left: QuestionsLeft | None = None
    while not session.ended:
        if session.questions == before:
            left = session.questions_left()
        question = session.ask()
        first, second = (float(person.utilities[arm]) for arm in question.pair)
        won = rng.random() < win_probability(person.choice, first, second)
        session.answer(question.number, question.left if won else question.right)
    return None if left is None else (left, session.questions - before)


def coverage(
    policy: str | Callable[..., Policy], rule: duels.StoppingRule, n: int, **settings: int
) -> Coverage:
    """Over n sessions, with ``n_arms`` and ``n_features``, looked at after ``before`` answers."""
    drawn = [one_promise(policy, rule, seed, **settings) for seed in range(n)]
    known = [each for each in drawn if each is not None]
    fewer = [came < left.low for left, came in known]
    more = [came > left.high for left, came in known]
    return Coverage(
        len(known),
        1.0 - float(np.mean(fewer)) - float(np.mean(more)),
        float(np.mean(fewer)),
        float(np.mean(more)),
        float(np.median([came for _, came in known])),
        float(np.median([left.expected for left, _ in known])),
    )


def milliseconds(
    policy: str | Callable[..., Policy], n_arms: int = 100, n_features: int = 5
) -> float:
    """What one look costs."""
    features = np.random.default_rng(0).normal(size=(n_arms, n_features))
    session = duels.Session(duels.Catalogue(features), policy, seed=0)
    session.questions_left()
    begin = time.perf_counter()
    for _ in range(20):
        session.questions_left()
    return 50.0 * (time.perf_counter() - begin)


@click.command()
@click.option("--policy", default="least-regret", show_default=True)
@click.option("--people", default=100, show_default=True)
def main(policy: str, people: int) -> None:
    click.echo(f"one look, 100 arms: {milliseconds(policy):.1f} ms")
    for n_arms, n_features in ((20, 2), (40, 5), (100, 4)):
        for rule in RULES:
            for before in (0, 5, 15):
                found = coverage(
                    policy, rule, people, n_arms=n_arms, n_features=n_features, before=before
                )
                click.echo(
                    f"{n_arms} arms, {n_features} features, {rule}, after {before}: "
                    f"{found.n} sessions, held {found.held:.2f}, fewer {found.fewer:.2f}, "
                    f"more {found.more:.2f}; median {found.median:g}, promised {found.promised:g}"
                )


if __name__ == "__main__":
    main()
