"""Does 95 % sure mean right in 95 of 100 sessions? `python -m benchmarks.pictures` draws it.

People who answer by each of the three choice models are asked until the policy is 99 % sure or 150
questions are gone; the first moment at which it is 50 %, 60 %, … sure is where a session with that
stopping rule would have ended.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import duels
from duels.beliefs.assumptions import LAPSES, LOGIT_TO_PROBIT, SCALES, SHARES
from duels.choice import CODES, ChoiceModel, win_probability
from duels.plots import Calibration, calibration_figure

LEVELS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
N_ARMS, MOST_QUESTIONS = 12, 150


class Person(NamedTuple):
    """Somebody to ask: features of the arms (n, 2), their utilities (n,), how these show.

    lapses: the share of answers given at random.
    """

    features: NDArray[np.float64]
    utilities: NDArray[np.float64]
    choice: ChoiceModel
    lapses: float = 0.0

    def answer(self, pair: duels.Pair, rng: np.random.Generator) -> tuple[int, int]:
        """Winner and loser."""
        first, second = pair
        p = win_probability(self.choice, self.utilities[first], self.utilities[second])
        p = 0.5 * self.lapses + (1.0 - self.lapses) * p
        return (first, second) if rng.random() < p else (second, first)


def draw_person(model: str, rng: np.random.Generator) -> Person:
    """Arms and somebody from the prior of `least-regret` itself, but always of one choice model.

    Utilities are ζ·F_i, ζ standard normal, F the features centred and divided by their spread; the
    scale is one of SCALES, and some answers are lapses. For the constant model q is uniform on
    (½, 1).
    """
    features = rng.normal(size=(N_ARMS, 2))
    centred = features - features.mean(axis=0)
    centred /= np.sqrt(np.mean(np.sum(centred**2, axis=1)))
    utilities = centred @ rng.normal(size=2)
    if model == "constant":
        return Person(features, utilities, ChoiceModel(CODES[model], rng.uniform(0.5, 1.0)))
    parameter = float(rng.choice(SCALES)) / (LOGIT_TO_PROBIT if model == "probit" else 1.0)
    return Person(features, utilities, ChoiceModel(CODES[model], parameter), LAPSES)


class Stops(NamedTuple):
    """Where one session would have stopped at each of LEVELS: (k,) each.

    questions: asked until then, −1 if never. confidence: at that moment. right: the favourite was
    the best arm.
    """

    questions: NDArray[np.int64]
    confidence: NDArray[np.float64]
    right: NDArray[np.bool_]


def ask_one(model: str, session: int, choice: str = "auto") -> Stops:
    """One session; the person, the answers and the policy's draws follow from the first two."""
    rng = np.random.default_rng([CODES[model], session])
    person = draw_person(model, rng)
    best = int(np.argmax(person.utilities))
    spec = f"least-regret:regret=binary,arm_effects=0,choice={choice}"
    policy = duels.make_policy(spec, duels.Catalogue(person.features), seed=rng)
    stops = Stops(np.full(len(LEVELS), -1), np.zeros(len(LEVELS)), np.zeros(len(LEVELS), bool))
    for question in range(MOST_QUESTIONS + 1):
        confidence = policy.confidence()
        now = (stops.questions < 0) & (confidence >= LEVELS)
        stops.questions[now], stops.confidence[now] = question, confidence
        stops.right[now] = policy.favourite() == best
        if stops.questions[-1] >= 0 or question == MOST_QUESTIONS:
            break
        policy.tell(*person.answer(policy.ask(), rng))
    return stops


@dataclass(frozen=True)
class Sessions:
    """Many sessions with people of one choice model: (n, k) each, see `Stops`."""

    model: str
    stops: Stops

    def calibration(self) -> Calibration:
        stopped = self.stops.questions >= 0
        right = (self.stops.right & stopped).sum(axis=0)
        return Calibration(self.model, LEVELS, stopped.sum(axis=0), right)

    def stated(self) -> NDArray[np.float64]:
        """The mean confidence at the moment of stopping, a little above the level: (k,)."""
        stopped = self.stops.questions >= 0
        sums = np.where(stopped, self.stops.confidence, 0.0).sum(axis=0)
        return np.asarray(sums / np.maximum(1, stopped.sum(axis=0)))


def ask_many(model: str, n: int, choice: str = "auto") -> Sessions:
    """n sessions with people of this choice model, of which the policy is told ``choice``."""
    columns = zip(*(ask_one(model, session, choice) for session in range(n)), strict=True)
    return Sessions(model, Stops(*(np.stack(column) for column in columns)))


def draw_calibration(console: Console, replications: int) -> Figure:
    models = ("constant", "logit", "probit")
    asked = [ask_many(model, replications) for model in models]
    told = [ask_many(model, replications, model) for model in models]
    table = Table(title=f"Right when stopped; {replications} sessions a choice model")
    for column in ("answers", "stopped at", "right", "95 % interval", "stated then", "stopped",
                   "questions"):  # fmt: skip
        table.add_column(column, justify="left" if column == "answers" else "right")
    rows = [(s.model, s) for s in asked] + [(f"{s.model}, told", s) for s in told]
    for answers, sessions in rows:
        curve, stops = sessions.calibration(), sessions.stops
        low, high = curve.interval()
        for k, level in enumerate(LEVELS):
            asked_for = stops.questions[stops.questions[:, k] >= 0, k]
            middle = f"{np.median(asked_for):.0f}" if len(asked_for) else ""
            table.add_row(
                answers, percent(level, 0), percent(curve.share[k]),
                f"{percent(low[k])} to {percent(high[k])}", percent(sessions.stated()[k]),
                f"{curve.stopped[k]}", middle,
            )  # fmt: skip
        table.add_section()
    for k, level in enumerate(LEVELS):
        weights = [SHARES[s.model] * s.calibration().stopped[k] for s in asked]
        right = np.average([s.calibration().share[k] for s in asked], weights=weights)
        stated = np.average([s.stated()[k] for s in asked], weights=weights)
        row = (percent(level, 0), percent(right), "", percent(stated), "", "")
        table.add_row("all, weighed as auto does", *row)
    console.print(table)
    note = f"{replications} people of each kind, {N_ARMS} arms, up to {MOST_QUESTIONS} questions."
    return calibration_figure([sessions.calibration() for sessions in asked], note=note)


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"
