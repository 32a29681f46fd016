"""Where a cabin stands: sky, and the sea, a lake, a forest or mountains."""

from __future__ import annotations

import math
from collections.abc import Callable
from random import Random

from duels.demo.canvas import HEIGHT, WIDTH, Canvas, Colour, Point, mix

WHITE = (255, 252, 244)
WATER, DEEP_WATER = (116, 186, 196), (70, 142, 166)
LAKE, DEEP_LAKE = (128, 184, 190), (76, 132, 152)
SAND, GRASS, MEADOW, MOSS = (240, 214, 164), (150, 176, 106), (166, 192, 108), (122, 148, 84)
ROCK, ROCK_IN_SHADE = (142, 146, 168), (110, 114, 142)
FIR, FIR_LIT = (46, 92, 80), (66, 118, 94)
TRUNK, BIRCH, LEAVES = (108, 76, 60), (238, 232, 220), (176, 188, 92)
REED, BOARDS = (134, 140, 76), (178, 134, 98)
FLOWERS = ((250, 212, 92), (238, 128, 120), (246, 240, 236), (168, 132, 206))


def paint_sky(canvas: Canvas, random: Random) -> None:
    """The sky with sun or moon, and with stars or clouds."""
    canvas.sky()
    light = canvas.light
    x, y = random.uniform(80, 250), random.uniform(80, 130)
    if light.night:
        _stars(canvas, random)
    canvas.glow(x, y, 110, light.sun)
    canvas.puffs([(x, y, 34 if light.night else 40)], light.sun, 1.0)
    if light.night:
        craters = [(x - 11, y - 8, 7.0), (x + 9, y + 10, 9.0), (x + 12, y - 13, 4.0)]
        canvas.puffs(craters, mix(light.sun, light.bottom, 0.25), 1.0)
    for place in (random.uniform(330, 480), random.uniform(620, 760)):
        _cloud(canvas, random, place, random.uniform(60, 150))


def _stars(canvas: Canvas, random: Random) -> None:
    for _ in range(70):
        x, y = random.uniform(0, WIDTH), random.uniform(0, 300)
        canvas.puffs([(x, y, random.choice((0.8, 1.1, 1.6)))], WHITE, 0.85)


def _cloud(canvas: Canvas, random: Random, x: float, y: float) -> None:
    size = random.uniform(15, 25)
    shape = [
        (-1.9, 0.35, 0.65),
        (-1.0, 0.0, 1.0),
        (0.2, -0.45, 1.25),
        (1.4, 0.1, 0.95),
        (2.2, 0.4, 0.6),
    ]
    discs = [(x + size * right, y + size * down, size * large) for right, down, large in shape]
    canvas.puffs(discs, mix(canvas.light.bottom, WHITE, 0.35), 0.28 if canvas.light.night else 0.8)


def paint_scenery(place: str, canvas: Canvas, random: Random) -> None:
    """What is behind the cabin, and the ground it stands on."""
    SCENERIES[place](canvas, random)


def _sea(canvas: Canvas, random: Random) -> None:
    coast = [(WIDTH, 300.0), (WIDTH, 258.0), (700, 262), (640, 282), (590, 294), (560, 300)]
    canvas.polygon(coast, (128, 150, 134), haze=0.45)
    _lighthouse(canvas, random.uniform(690, 740), 262)
    _water(canvas, random, 300, WATER, DEEP_WATER)
    _sails(canvas, random, random.uniform(150, 260), 318)
    for y, tide in ((404, WHITE), (412, (222, 194, 148)), (420, SAND)):
        canvas.polygon(_hill(y, 9, 2.0, 0.5), tide)
    canvas.polygon(_hill(470, 12, 1.2, 2.0), mix(SAND, (206, 170, 118), 0.3))
    for _ in range(16):
        x = random.choice((random.uniform(0, 230), random.uniform(570, 800)))
        _tuft(canvas, random, x, random.uniform(440, 590), (150, 158, 96))


def _lake(canvas: Canvas, random: Random) -> None:
    canvas.polygon(_hill(236, 34, 1.3, random.uniform(0, 6)), (112, 150, 146), haze=0.5)
    canvas.polygon(_hill(262, 26, 1.7, random.uniform(0, 6)), (84, 130, 110), haze=0.28)
    for x in range(-10, WIDTH + 20, 21):
        _fir(canvas, x + random.uniform(-7, 7), 300, random.uniform(26, 48), haze=0.2)
    _water(canvas, random, 298, LAKE, DEEP_LAKE)
    canvas.polygon(_hill(428, 12, 1.1, 1.2), GRASS)
    canvas.polygon(_hill(490, 14, 0.9, 4.0), mix(GRASS, (92, 128, 74), 0.35))
    _jetty(canvas)
    for _ in range(26):
        _reed(canvas, random, random.uniform(580, 800), random.uniform(424, 462))
    for _ in range(14):
        _tuft(canvas, random, random.uniform(0, 800), random.uniform(520, 595), (104, 140, 78))
    _birch(canvas, random, random.choice((60, 740)), 486, 250)


def _forest(canvas: Canvas, random: Random) -> None:
    canvas.polygon(_hill(250, 30, 1.2, random.uniform(0, 6)), (104, 146, 128), haze=0.55)
    for base, tall, gap, haze in ((330, 130, 34, 0.5), (385, 180, 46, 0.28), (430, 235, 66, 0.08)):
        canvas.polygon(_hill(base - 14, 6, 2.0, haze * 9), FIR, haze=haze)
        for x in range(-20, WIDTH + 60, gap):
            height = tall * random.uniform(0.75, 1.15)
            if haze > 0.1 or not 200 < x < 590:
                _fir(canvas, x + random.uniform(-12, 12), base, height, haze=haze)
    canvas.polygon(_hill(420, 10, 1.4, 2.4), MOSS)
    canvas.polygon(_hill(482, 14, 1.0, 5.2), mix(MOSS, (78, 104, 64), 0.4))
    for _ in range(14):
        _tuft(canvas, random, random.uniform(0, 800), random.uniform(510, 595), (84, 116, 66))
    for _ in range(5):
        _mushroom(canvas, random.uniform(30, 770), random.uniform(530, 585))
    _fir(canvas, random.uniform(20, 60), 520, 330)
    _fir(canvas, random.uniform(735, 775), 540, 380)


def _mountain(canvas: Canvas, random: Random) -> None:
    far = [(x + random.uniform(-25, 25), random.uniform(150, 210)) for x in (60, 270, 480, 690)]
    for x, y in far:
        _peak(canvas, x, y, 190, haze=0.55)
    for x, y, wide in ((170, 118, 270), (640, 92, 300), (410, 190, 210)):
        _peak(canvas, x + random.uniform(-50, 50), y + random.uniform(-20, 20), wide, haze=0.2)
    canvas.polygon(_hill(372, 26, 1.1, random.uniform(0, 6)), (104, 146, 104), haze=0.2)
    for _ in range(17):
        x = random.choice((random.uniform(0, 240), random.uniform(560, 800)))
        _fir(canvas, x, random.uniform(392, 420), random.uniform(50, 100), haze=0.08)
    canvas.polygon(_hill(412, 16, 0.8, 0.4), MEADOW)
    canvas.polygon(_hill(482, 16, 1.0, 3.4), mix(MEADOW, (110, 146, 74), 0.4))
    for _ in range(60):
        x, y = random.uniform(0, WIDTH), random.uniform(505, 596)
        canvas.disc(x, y, random.uniform(2.0, 3.6), random.choice(FLOWERS))


SCENERIES: dict[str, Callable[[Canvas, Random], None]] = {
    "sea": _sea,
    "lake": _lake,
    "forest": _forest,
    "mountain": _mountain,
}


def _hill(y: float, swing: float, waves: float, shift: float) -> list[Point]:
    """Everything below a gentle wave."""
    crest = [
        (float(x), y + swing * math.sin(shift + waves * math.tau * x / WIDTH))
        for x in range(0, WIDTH + 1, 8)
    ]
    return [(0.0, float(HEIGHT)), *crest, (float(WIDTH), float(HEIGHT))]


def _water(canvas: Canvas, random: Random, y: float, near: Colour, deep: Colour) -> None:
    for step in range(8):
        top = y + 150 * (step / 8) ** 1.5
        canvas.box(0, top, WIDTH, HEIGHT, mix(deep, near, step / 7), haze=0.24 - 0.03 * step)
    shine = canvas.light.sun
    for _ in range(34):
        x, down = random.uniform(0, WIDTH), random.uniform(8, 118)
        long = random.uniform(10, 26) * (0.5 + down / 80)
        canvas.box(x, y + down, x + long, y + down + 2.2, shine, cover=0.4, round_by=1.1)


def _sails(canvas: Canvas, random: Random, x: float, y: float) -> None:
    sail = random.choice(((244, 238, 226), (226, 112, 90), (246, 206, 118)))
    canvas.polygon([(x, y - 62), (x, y - 8), (x + 34, y - 8)], sail)
    canvas.polygon([(x - 4, y - 52), (x - 4, y - 8), (x - 24, y - 8)], mix(sail, WHITE, 0.5))
    canvas.polygon(
        [(x - 28, y - 4), (x + 36, y - 4), (x + 26, y + 8), (x - 18, y + 8)], (122, 76, 62)
    )


def _lighthouse(canvas: Canvas, x: float, base: float) -> None:
    outline = [(x - 11, base), (x + 11, base), (x + 7, base - 74), (x - 7, base - 74)]
    canvas.polygon(outline, WHITE, haze=0.12)
    for low in (14, 44):
        wide, narrow = 11 - 4 * low / 74, 11 - 4 * (low + 15) / 74
        stripe = [(x - wide, base - low), (x + wide, base - low)]
        stripe += [(x + narrow, base - low - 15), (x - narrow, base - low - 15)]
        canvas.polygon(stripe, (206, 84, 74), haze=0.12)
    canvas.glow(x, base - 84, 34, (255, 232, 160))
    canvas.box(x - 6, base - 90, x + 6, base - 74, (255, 226, 140))
    canvas.polygon([(x - 10, base - 90), (x + 10, base - 90), (x, base - 103)], (168, 66, 62))


def _jetty(canvas: Canvas) -> None:
    for post, top in ((64, 382), (150, 408), (40, 394), (126, 426)):
        canvas.box(post, top, post + 7, top + 32, (126, 90, 68))
    canvas.polygon([(20, 392), (76, 380), (196, 446), (130, 462)], BOARDS)
    for step in range(8):
        x, y = 30 + 14.5 * step, 396 + 8.4 * step
        canvas.line([(x, y), (x + 58, y - 13)], (148, 106, 78), 1.6)
    canvas.polygon([(176, 378), (262, 378), (244, 398), (192, 398)], (192, 84, 70))
    canvas.polygon([(176, 378), (262, 378), (256, 385), (182, 385)], (226, 186, 140))


def _peak(canvas: Canvas, x: float, top: float, wide: float, *, haze: float) -> None:
    base = 420.0
    left, right = (x - wide, base), (x + wide, base)
    canvas.polygon([left, (x, top), right], ROCK, haze=haze)
    canvas.polygon(
        [(x, top), right, (x - wide * 0.08, base), (x + wide * 0.06, top + 90)],
        ROCK_IN_SHADE,
        haze=haze,
    )
    down = (base - top) * 0.3
    across = wide * 0.3
    edge = [
        (x + across, top + down),
        (x + across * 0.5, top + down * 0.78),
        (x + across * 0.1, top + down * 1.2),
    ]
    edge += [
        (x - across * 0.35, top + down * 0.8),
        (x - across * 0.7, top + down * 1.05),
        (x - across, top + down),
    ]
    canvas.polygon([(x, top), *edge], WHITE, haze=haze)
    shade = [(x, top), *edge[:3], (x + across * 0.12, top + down * 0.6)]
    canvas.polygon(shade, (206, 212, 230), haze=haze)


def _fir(canvas: Canvas, x: float, base: float, tall: float, *, haze: float = 0.0) -> None:
    canvas.box(x - tall * 0.03, base - tall * 0.16, x + tall * 0.03, base, TRUNK, haze=haze)
    for low, high, wide in ((0.1, 0.5, 0.25), (0.32, 0.74, 0.195), (0.56, 1.0, 0.14)):
        bottom, top = base - tall * low, base - tall * high
        dip = bottom + tall * 0.035
        left, right = (x - tall * wide, bottom), (x + tall * wide, bottom)
        canvas.polygon([left, (x, top), right, (x, dip)], FIR, haze=haze)
        canvas.polygon([left, (x, top), (x, dip)], FIR_LIT, haze=haze)


def _birch(canvas: Canvas, random: Random, x: float, base: float, tall: float) -> None:
    canvas.polygon(
        [(x - 7, base), (x - 4, base - tall), (x + 4, base - tall), (x + 8, base)], BIRCH
    )
    for step in range(7):
        y = base - tall * (0.08 + 0.09 * step)
        side = -1 if step % 2 else 1
        canvas.line([(x, y), (x + side * 5, y - 1)], (94, 84, 80), 2.5)
    for right, up, size in ((-30, 0.72, 40), (28, 0.78, 42), (-8, 0.95, 46), (4, 0.7, 36)):
        shadow = mix(LEAVES, FIR, 0.25)
        canvas.disc(x + right + 4, base - tall * up + 5, size, shadow, flat=0.86)
    for right, up, size in ((-34, 0.74, 32), (24, 0.81, 34), (-10, 0.98, 38)):
        radius = size * random.uniform(0.92, 1.08)
        canvas.disc(x + right, base - tall * up, radius, LEAVES, flat=0.86)


def _reed(canvas: Canvas, random: Random, x: float, base: float) -> None:
    lean, tall = random.uniform(-9, 9), random.uniform(34, 66)
    canvas.line([(x, base), (x + lean, base - tall)], REED, 2.4)
    if random.random() < 0.5:
        canvas.box(
            x + lean - 3, base - tall - 12, x + lean + 3, base - tall + 6, (116, 78, 56), round_by=3
        )


def _tuft(canvas: Canvas, random: Random, x: float, base: float, colour: Colour) -> None:
    for lean in (-10, -5, 0, 6, 11):
        tip = (x + lean * 1.3, base - random.uniform(12, 24))
        canvas.polygon([(x + lean * 0.3 - 2, base), tip, (x + lean * 0.3 + 2, base)], colour)


def _mushroom(canvas: Canvas, x: float, base: float) -> None:
    canvas.box(x - 3, base - 11, x + 3, base, (242, 230, 208), round_by=2)
    canvas.polygon(
        [
            (x - 10, base - 9),
            (x - 6, base - 17),
            (x, base - 19),
            (x + 6, base - 17),
            (x + 10, base - 9),
        ],
        (204, 84, 66),
    )
    for right, up in ((-4, 13), (3, 15)):
        canvas.disc(x + right, base - up, 1.5, WHITE)
