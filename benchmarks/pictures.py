"""The figures of docs/how-it-chooses.md: `python -m benchmarks.pictures`.

`belief`: one person with two features and q = 0.8, before any duel, after 5 and after 20.
`regret-of-all`: every policy in the paper's two settings, in the same worlds as `duels paper`.
`calibration`: people who answer by each of the three choice models, asked until the policy is 99 %
sure or 150 questions are gone; the first moment at which it is 50 %, 60 %, … sure is where a
session with that stopping rule would have ended.

All are seeded, so the same code draws the same figures; the tables behind them are printed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import duels
from duels.beliefs.assumptions import PROBIT, SCALES, trusted_shares
from duels.choice import CODES, CONSTANT, ChoiceModel, win_probability
from duels.plots import (
    OFF_SCALE,
    Calibration,
    Curve,
    Moment,
    Panel,
    belief_figure,
    calibration_figure,
    regret_figure,
    save_figure,
    take_moment,
)
from duels.plots.files import write_whole
from duels.plots.style import EDGE, add_note, fill, note_height, quiet_style
from duels.policies.least_regret import BINARY_CONSTANT

LEVELS = np.array([0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
N_ARMS, MOST_QUESTIONS = 12, 150
LOOKS = (0, 5, 20)
BELIEF_SEED = 139  # a person whose favourite is not the first guess
SETTINGS = {
    "paper-binary": "Binary regret and constant p",
    "paper-bradley-terry": "Bradley-Terry regret and p",
}
POLICIES = ("least-regret", "ctb-3", "thompson", "ctb-1", "ctb-2", "ws-w", "rucb", "random")
PAPER = "choice=constant,arm_effects=0"  # what the paper takes for granted
MORE = {
    "paper-binary": {
        "least-regret:binary": "least-regret:regret=binary",
        "least-regret:paper": f"least-regret:regret=binary,{PAPER}",
    },
    "paper-bradley-terry": {"least-regret:paper": f"least-regret:{PAPER}"},
}
HORIZON = 500

# The belief, moment by moment


def spread_arms(rng: np.random.Generator) -> NDArray[np.float64]:
    """Normal arms (N_ARMS, 2), none far out and no two so near that their points would touch."""
    arms: list[NDArray[np.float64]] = []
    while len(arms) < N_ARMS:
        arm = rng.normal(size=2)
        if np.linalg.norm(arm) < 1.8 and all(np.linalg.norm(arm - a) > 0.45 for a in arms):
            arms.append(arm)
    return np.array(arms)


def moments_of_one_person(seed: int) -> tuple[list[Moment], NDArray[np.float64]]:
    """What is believed of one person at each of LOOKS, and that person's theta (2,)."""
    features = spread_arms(np.random.default_rng(seed))
    rng = np.random.default_rng(seed)
    angle = rng.uniform(0.0, 2.0 * np.pi)
    theta = np.array([np.cos(angle), np.sin(angle)])
    person = Person(features, features @ theta, ChoiceModel(CONSTANT, 0.8))
    policy = duels.make_policy(
        "least-regret", duels.Catalogue(features), seed=seed,
        regret="binary", choice="constant", arm_effects=0,
    )  # fmt: skip
    moments = []
    for t in range(max(LOOKS) + 1):
        if t in LOOKS:
            moments.append(take_moment(policy))
        policy.tell(*person.answer(policy.ask(), rng))
    return moments, theta


def draw_belief(console: Console, replications: int) -> Figure:
    moments, theta = moments_of_one_person(BELIEF_SEED)
    best = int(np.argmax(moments[0].features @ theta))
    for moment in moments:
        right = "the best arm" if moment.favourite == best else "not the best arm"
        console.print(
            f"belief after {moment.n_duels} duels: favourite {moment.favourite}, {right}, "
            f"{moment.confidence:.0%} sure; next {tuple(moment.pair)}"
        )
    note = "On the ring: how likely theta points there, in the colour of the arm then best."
    return belief_figure(moments, true_theta=theta, note=note)


# Regret of all policies


def draw_regret(console: Console, replications: int) -> Figure:
    panels = []
    for setting, title in SETTINGS.items():
        curves = []
        for label, spec in ({name: name for name in POLICIES} | MORE[setting]).items():
            run = duels.simulate(
                spec, setting, horizon=HORIZON, replications=replications, seed=0, jobs=1
            )
            console.print(f"{setting}: {spec}: {run.mean[-1]:.2f} ± {run.standard_error[-1]:.2f}")
            curves.append(Curve(label, run.mean, run.standard_error))
        panels.append(Panel(title, curves))
    note = (
        f"{replications:,} worlds, the same for all policies. least-regret: with its defaults; "
        f":binary, with regret=binary; :paper, with {PAPER} and the regret shown."
    )
    return one_below_the_other(regret_figure(panels, off_scale=OFF_SCALE), note)


@quiet_style()
def one_below_the_other(figure: Figure, note: str) -> Figure:
    """The panels of a regret figure in a column, each as large as it was: narrow, for phones."""
    wide, high = figure.get_size_inches()
    boxes = [axes.get_position() for axes in figure.axes]
    panel_width, body = wide * boxes[0].width, high * boxes[0].height
    left, head = wide * boxes[0].x0, high * (1.0 - boxes[0].y1)
    right = max(
        text.get_window_extent().x1 - axes.bbox.x1 for axes in figure.axes for text in axes.texts
    )
    width = left + panel_width + right / figure.dpi + EDGE
    old = figure.texts[0].get_text().replace("\n", " ")
    figure.texts[0].remove()
    note = fill(f"{old} {note}", width)
    row, foot = head + body + 0.55, note_height(note)
    height = len(boxes) * row + foot
    figure.set_size_inches(width, height)
    for k, axes in enumerate(figure.axes):
        bottom = foot + (len(boxes) - 1 - k) * row + 0.55
        axes.set_position((left / width, bottom / height, panel_width / width, body / height))
        axes.set_ylabel(figure.axes[0].get_ylabel())
    add_note(figure, note)
    return figure


# Calibration


class Person(NamedTuple):
    """Somebody to ask: features of the arms (n, 2), their utilities (n,), how these show."""

    features: NDArray[np.float64]
    utilities: NDArray[np.float64]
    choice: ChoiceModel

    def answer(self, pair: duels.Pair, rng: np.random.Generator) -> tuple[int, int]:
        """Winner and loser."""
        first, second = pair
        p = win_probability(self.choice, self.utilities[first], self.utilities[second])
        return (first, second) if rng.random() < p else (second, first)


def draw_person(model: str, rng: np.random.Generator) -> Person:
    """Arms and somebody from the prior of `least-regret` itself, but always of one choice model.

    Utilities are ζ·F_i, ζ standard normal, F the features centred and divided by their spread; the
    scale is one of SCALES. For the constant model q is uniform on (½, 1).
    """
    features = rng.normal(size=(N_ARMS, 2))
    centred = features - features.mean(axis=0)
    centred /= np.sqrt(np.mean(np.sum(centred**2, axis=1)))
    utilities = centred @ rng.normal(size=2)
    strength = rng.uniform(0.5, 1.0)
    if model != "constant":
        strength = float(rng.choice(SCALES)) / (PROBIT if model == "probit" else 1.0)
    return Person(features, utilities, ChoiceModel(CODES[model], strength))


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
    shares = trusted_shares(BINARY_CONSTANT)
    for k, level in enumerate(LEVELS):
        weights = [shares[s.model] * s.calibration().stopped[k] for s in asked]
        right = np.average([s.calibration().share[k] for s in asked], weights=weights)
        stated = np.average([s.stated()[k] for s in asked], weights=weights)
        row = (percent(level, 0), percent(right), "", percent(stated), "", "")
        table.add_row("all, weighed as auto does", *row)
    console.print(table)
    note = f"{replications} people of each kind, {N_ARMS} arms, up to {MOST_QUESTIONS} questions."
    return calibration_figure([sessions.calibration() for sessions in asked], note=note)


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"


# All three

FIGURES: dict[str, tuple[Callable[[Console, int], Figure], int]] = {
    "belief": (draw_belief, 1),
    "regret-of-all": (draw_regret, 400),
    "calibration": (draw_calibration, 1200),
}


def save_svg(figure: Figure, path: Path) -> Path:
    """Only the SVG of what `save_figure` writes."""
    with tempfile.TemporaryDirectory() as folder:
        _, drawn = save_figure(figure, Path(folder) / path.stem)
        return write_whole(path, drawn.read_bytes())


@click.command()
@click.option("--out", type=click.Path(path_type=Path), default=Path("docs/figures"),
              show_default=True, help="The folder to write to.")  # fmt: skip
@click.option("--replications", type=click.IntRange(1), help="Worlds, or sessions a model.  "
              "[default: 400 for regret-of-all, 1200 for calibration]")  # fmt: skip
@click.option("--only", type=click.Choice(list(FIGURES)), help="Only this figure.")
def main(out: Path, replications: int | None, only: str | None) -> None:
    """Draw the figures of docs/how-it-chooses.md again."""
    console = Console(width=110)
    for name in FIGURES if only is None else (only,):
        draw, usual = FIGURES[name]
        figure = draw(console, usual if replications is None else replications)
        console.print(f"wrote {save_svg(figure, out / f'{name}.svg')}")


if __name__ == "__main__":
    main()
