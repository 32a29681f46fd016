"""A sheet to paint flat pictures on, in the light of a time of day."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image, ImageDraw

WIDTH, HEIGHT = 800, 600
FINE = 2  # painted this much larger, then made small, so that edges are smooth
QUALITY = 80

Colour = tuple[int, int, int]
Point = tuple[float, float]


class Light(NamedTuple):
    """A time of day: its sky from top to bottom, and how far its tint reaches into all colours."""

    top: Colour
    bottom: Colour
    tint: Colour
    strength: float
    sun: Colour
    window: Colour
    night: bool = False


LIGHTS = {
    "morning": Light(
        (249, 190, 164), (255, 236, 208), (255, 196, 160), 0.14, (255, 250, 226), (255, 225, 150)
    ),
    "day": Light(
        (126, 192, 218), (231, 244, 236), (255, 255, 240), 0.03, (255, 244, 190), (196, 226, 232)
    ),
    "evening": Light(
        (98, 84, 142), (255, 168, 112), (214, 92, 92), 0.24, (255, 214, 140), (255, 218, 128)
    ),
    "night": Light(
        (23, 32, 66), (74, 92, 136), (28, 40, 84), 0.46, (248, 240, 214), (255, 208, 112), True
    ),
}


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """A colour on the way from the first to the second.

    >>> mix((0, 0, 0), (200, 100, 50), 0.5)
    (100, 50, 25)
    """
    red, green, blue = (
        round(one + (other - one) * share) for one, other in zip(first, second, strict=True)
    )
    return red, green, blue


class Canvas:
    """800 by 600, the origin top left. Colours are tinted by the light, and far things are hazy."""

    def __init__(self, light: Light) -> None:
        self.light = light
        self._image = Image.new("RGB", (WIDTH * FINE, HEIGHT * FINE))
        self._draw = ImageDraw.Draw(self._image, "RGBA")

    def shade(self, colour: Colour, haze: float = 0.0) -> Colour:
        """A colour in this light; the haze is the share of the sky in it."""
        tinted = mix(colour, self.light.tint, self.light.strength)
        return mix(tinted, self.light.bottom, haze)

    def sky(self) -> None:
        """From the top down to two thirds; what is below stays the bottom's colour."""
        for row in range(HEIGHT * FINE):
            share = min(1.0, row / (HEIGHT * FINE * 0.66))
            colour = mix(self.light.top, self.light.bottom, share)
            self._draw.line([(0, row), (WIDTH * FINE, row)], fill=colour)

    def polygon(
        self, points: Sequence[Point], colour: Colour, *, haze: float = 0.0, cover: float = 1.0
    ) -> None:
        """A filled polygon; `cover` below 1 lets shine through what is there."""
        self._draw.polygon(
            [(x * FINE, y * FINE) for x, y in points], fill=self._ink(colour, haze, cover)
        )

    def box(
        self,
        left: float,
        top: float,
        right: float,
        bottom: float,
        colour: Colour,
        *,
        haze: float = 0.0,
        cover: float = 1.0,
        round_by: float = 0.0,
    ) -> None:
        """A filled rectangle, with round corners if asked for."""
        self._draw.rounded_rectangle(
            [left * FINE, top * FINE, right * FINE, bottom * FINE],
            radius=round_by * FINE,
            fill=self._ink(colour, haze, cover),
        )

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        colour: Colour,
        *,
        flat: float = 1.0,
        haze: float = 0.0,
        cover: float = 1.0,
    ) -> None:
        """A filled disc, or an ellipse whose height is the share `flat` of its width."""
        tall = radius * flat
        self._draw.ellipse(
            [(x - radius) * FINE, (y - tall) * FINE, (x + radius) * FINE, (y + tall) * FINE],
            fill=self._ink(colour, haze, cover),
        )

    def line(
        self,
        points: Sequence[Point],
        colour: Colour,
        width: float,
        *,
        haze: float = 0.0,
        cover: float = 1.0,
    ) -> None:
        """A line through points."""
        self._draw.line(
            [(x * FINE, y * FINE) for x, y in points],
            fill=self._ink(colour, haze, cover),
            width=round(width * FINE),
            joint="curve",
        )

    def glass(self, points: Sequence[Point]) -> None:
        """A pane in the colour of the windows, which no light tints."""
        self._draw.polygon([(x * FINE, y * FINE) for x, y in points], fill=self.light.window)

    def glow(self, x: float, y: float, radius: float, colour: Colour, *, flat: float = 1.0) -> None:
        """Rings of light around something bright, of just this colour."""
        for share in (1.0, 0.66, 0.4):
            wide, tall = radius * share, radius * share * flat
            self._draw.ellipse(
                [(x - wide) * FINE, (y - tall) * FINE, (x + wide) * FINE, (y + tall) * FINE],
                fill=(*colour, 34),
            )

    def puffs(
        self, discs: Sequence[tuple[float, float, float]], colour: Colour, cover: float
    ) -> None:
        """Discs that melt into one another, such as a cloud or smoke, of just this colour."""
        mask = Image.new("L", self._image.size)
        brush = ImageDraw.Draw(mask)
        for x, y, radius in discs:
            brush.ellipse(
                [
                    (x - radius) * FINE,
                    (y - radius) * FINE,
                    (x + radius) * FINE,
                    (y + radius) * FINE,
                ],
                fill=round(255 * cover),
            )
        self._image.paste(colour, mask=mask)

    def save(self, path: Path) -> None:
        """Write the picture as WebP."""
        small = self._image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        small.save(path, "WEBP", quality=QUALITY, method=6)

    def _ink(self, colour: Colour, haze: float, cover: float) -> tuple[int, int, int, int]:
        return (*self.shade(colour, haze), round(255 * cover))
