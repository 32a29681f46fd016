"""Draws the pictures of the demo catalogue again, each from its cabin's own features.

``python -m duels.demo.draw`` writes them where they are; the same features give the same picture.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from random import Random

from duels.demo import DEMO
from duels.demo.canvas import LIGHTS, Canvas
from duels.demo.house import paint_house
from duels.demo.scenery import paint_scenery, paint_sky


def draw_all(folder: Path) -> None:
    """Draw every cabin into a folder, in turn in the morning, by day, in the evening, at night."""
    times = tuple(LIGHTS)
    with (DEMO / "cabins.csv").open(encoding="utf-8", newline="") as file:
        for number, cabin in enumerate(csv.DictReader(file)):
            path = folder / cabin["image"]
            path.parent.mkdir(parents=True, exist_ok=True)
            draw(cabin, times[number % len(times)]).save(path)


def draw(cabin: Mapping[str, str], time: str) -> Canvas:
    """One cabin, a row of the table, at a time of day: a name of `LIGHTS`."""
    canvas, random = Canvas(LIGHTS[time]), Random(cabin["name"])
    paint_sky(canvas, random)
    paint_scenery(cabin["place"], canvas, random)
    paint_house(
        canvas,
        random,
        beds=int(cabin["beds"]),
        built=int(cabin["built"]),
        sauna=cabin["sauna"] == "yes",
    )
    return canvas


if __name__ == "__main__":
    draw_all(DEMO)
