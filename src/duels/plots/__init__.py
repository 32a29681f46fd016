"""Curves, cells and beliefs as pictures, drawn without a display and without global state."""

from __future__ import annotations

from duels.plots.belief import Snapshot, belief_figure, take_snapshot
from duels.plots.calibration import Calibration, calibration_figure
from duels.plots.cells import cells_figure
from duels.plots.curves import OFF_SCALE, Curve, Panel, regret_figure
from duels.plots.ends import ends_figure
from duels.plots.files import save_figure
from duels.plots.labels import labels_touching_lines
from duels.plots.style import policy_colour
from duels.plots.winning_spaces import winning_spaces_figure

__all__ = [
    "OFF_SCALE",
    "Calibration",
    "Curve",
    "Panel",
    "Snapshot",
    "belief_figure",
    "calibration_figure",
    "cells_figure",
    "ends_figure",
    "labels_touching_lines",
    "policy_colour",
    "regret_figure",
    "save_figure",
    "take_snapshot",
    "winning_spaces_figure",
]
