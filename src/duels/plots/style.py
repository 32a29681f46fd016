"""One quiet look for every figure: its letters, lines and colours."""

from __future__ import annotations

import textwrap
import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib.style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure

DPI = 200
INK, MUTED, LIGHT = "#2b2b2b", "#6b6b6b", "#e6e6e6"
NOTE_SIZE = 8.5  # points
EDGE = 0.15  # inches of white around a note

# CTB in blues, least-regret in green, what they are measured against in other colours. Told apart
# by lightness as well as by hue, so also without red or green.
POLICY_COLOURS = {
    "ctb-1": "#1170c4",
    "ctb-2": "#56a8e0",
    "ctb-3": "#123a6b",
    "least-regret": "#2f7f36",
    "thompson": "#a3478f",
    "ws-w": "#c98200",
    "rucb": "#c8431f",
    "random": "#7d7d7d",
}
OTHER_POLICIES = ("#00856f", "#7a5c2e", "#5d55b8", "#8a8f00")

# for more policies in one figure, as light and as dark as the others
MORE_COLOURS = ("#b3446c", "#3e4a59", "#6fae45", "#8a6fd1", "#d08bb8")

ARM_COLOURS = ("#2b7bba", "#dc8f0c", "#2f9e83", "#cf5a3a", "#a9579f", "#93912b")

_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so is the same everywhere
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": "#c4c4c4",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": LIGHT,
    "grid.linewidth": 0.8,
    "xtick.color": "#c4c4c4",
    "xtick.labelcolor": MUTED,
    "ytick.color": "#c4c4c4",
    "ytick.labelcolor": MUTED,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "xtick.major.size": 3,
    "ytick.major.size": 0,
    "lines.linewidth": 1.8,
    "lines.solid_capstyle": "round",
    "pdf.fonttype": 42,  # letters stay letters: printers and journals ask for that
    "svg.fonttype": "path",  # letters as outlines: no fonts needed to look the same
    "svg.hashsalt": "duels",  # the same identifiers every time
}


@contextmanager
def quiet_style() -> Iterator[None]:
    """Use the look of our figures, whatever a matplotlibrc says; also decorates functions."""
    with matplotlib.style.context(_STYLE, after_reset=True), warnings.catch_warnings():
        # a name in letters the font lacks is drawn with boxes; that is no reason to fill a terminal
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def new_figure(width: float, height: float) -> Figure:
    """Make an empty figure, in inches, that needs no display."""
    figure = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


def fill(note: str, width: float) -> str:
    """Break a note into lines that fit into a figure of so many inches."""
    n_letters = int((width - 2 * EDGE) * 72 / (0.6 * NOTE_SIZE))
    return "\n".join(textwrap.fill(line, n_letters) for line in note.splitlines())


def note_height(filled: str) -> float:
    """Inches that a filled note takes at the foot of a figure."""
    return EDGE + len(filled.splitlines()) * NOTE_SIZE * 1.65 / 72


def add_note(figure: Figure, filled: str) -> None:
    """Small print at the foot of a figure."""
    width, height = figure.get_size_inches()
    style: dict[str, Any] = {"size": NOTE_SIZE, "color": MUTED, "linespacing": 1.35}
    figure.text(EDGE / width, EDGE / height, filled, va="bottom", parse_math=False, **style)


def policy_colour(policy: str) -> str:
    """Give a policy its colour in every figure; settings behind its name do not change it.

    >>> policy_colour("ctb-1:ties=stay") == policy_colour("ctb-1")
    True
    """
    name = _name(policy)
    if name in POLICY_COLOURS:
        return POLICY_COLOURS[name]
    return OTHER_POLICIES[zlib.crc32(name.encode()) % len(OTHER_POLICIES)]


def policy_colours(policies: Iterable[str]) -> dict[str, str]:
    """A colour for each policy of one figure, different as long as there are enough.

    A policy has its usual colour unless one before it has taken that; the same policy with other
    settings keeps it.

    >>> policy_colours(["ctb-1", "ctb-1:ties=stay"])
    {'ctb-1': '#1170c4', 'ctb-1:ties=stay': '#1170c4'}
    """
    names = dict.fromkeys(_name(policy) for policy in policies)
    taken = {name: POLICY_COLOURS[name] for name in names if name in POLICY_COLOURS}
    free = [each for each in (*OTHER_POLICIES, *MORE_COLOURS) if each not in taken.values()]
    for name in names:
        if name not in taken:
            usual = policy_colour(name)
            taken[name] = usual if usual in free or not free else free[0]
            if taken[name] in free:
                free.remove(taken[name])
    return {policy: taken[_name(policy)] for policy in policies}


def _name(policy: str) -> str:
    """The policy without its settings; ``module:name`` is no setting."""
    before, _, behind = policy.partition(":")
    return before.strip() if "=" in behind or not behind else policy


def tint(colour: str, strength: float) -> str:
    """Thin a colour with white: strength 1 keeps it, 0 is white."""
    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))
