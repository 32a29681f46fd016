"""The figures of docs/how-it-chooses.md: `python -m benchmarks.pictures`.

`belief`: one person with two features and q = 0.8, before any duel, after 5 and after 20.
`regret-of-all`: every policy in the paper's two settings, in the same worlds as `duels paper`.
`calibration`: see `benchmarks.calibration`.

All are seeded, so the same code draws the same figures; the tables behind them are printed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray
from rich.console import Console

import duels
from benchmarks.calibration import N_ARMS, Person, draw_calibration
from duels.choice import CONSTANT, ChoiceModel
from duels.plots import (
    OFF_SCALE,
    Curve,
    Panel,
    Snapshot,
    belief_figure,
    regret_figure,
    save_figure,
    take_snapshot,
)
from duels.plots.files import write_whole
from duels.plots.style import EDGE, add_note, fill, note_height, quiet_style

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


def moments_of_one_person(seed: int) -> tuple[list[Snapshot], NDArray[np.float64]]:
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
            moments.append(take_snapshot(policy))
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
