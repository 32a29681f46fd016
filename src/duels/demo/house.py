"""The cabin itself: how it is built tells its year, its size the beds, and smoke the sauna."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from duels.demo.canvas import Canvas, Colour, Point, mix

BASE = 492.0  # where the walls meet the ground
WHITE, DARK = (250, 244, 232), (66, 54, 56)
LOGS = ((176, 124, 82), (158, 108, 76), (190, 140, 94))
PAINTS = ((188, 74, 62), (222, 164, 78), (86, 136, 146), (128, 150, 104), (204, 112, 84))
ROOFS = ((94, 72, 76), (140, 78, 66), (84, 92, 106), (112, 96, 74))
LARCH = ((204, 160, 112), (92, 78, 76), (178, 130, 92))


class Plan(NamedTuple):
    """The measures of a cabin: its gable from left to middle, its long wall from there to right."""

    left: float
    middle: float
    right: float
    eaves: float
    ridge: float
    wall: Colour
    roof: Colour

    @property
    def top(self) -> Point:
        return ((self.left + self.middle) / 2, self.ridge)


def paint_house(canvas: Canvas, random: Random, *, beds: int, built: int, sauna: bool) -> None:
    """A cabin in the middle of the picture."""
    floors = 2 if beds >= 5 else 1
    gable, long = 128 + 4 * beds, 128 + 17 * beds
    left = 400 - (gable + long) / 2 + random.uniform(-24, 24)
    _shadow(canvas, left, left + gable + long)
    if built < 1950:
        _log_house(canvas, _plan(random, left, gable, long, floors, 84, LOGS), floors, sauna)
    elif built < 1980:
        _tent_house(canvas, _plan(random, left, gable + 60, long * 0.75, 1, 0, ROOFS), sauna)
    elif built < 2000:
        _painted_house(canvas, _plan(random, left, gable, long, floors, 76, PAINTS), floors, sauna)
    else:
        _modern_house(canvas, _plan(random, left, gable, long, floors, 34, LARCH), floors, sauna)


def _plan(
    random: Random,
    left: float,
    gable: float,
    long: float,
    floors: int,
    rise: float,
    colours: tuple[Colour, ...],
) -> Plan:
    eaves = BASE - 92 * floors - (8 if floors == 1 else 0)
    wall, roof = random.choice(colours), random.choice(ROOFS)
    return Plan(left, left + gable, left + gable + long, eaves, eaves - rise, wall, roof)


def _shadow(canvas: Canvas, left: float, right: float) -> None:
    middle, wide = (left + right) / 2 + 18, (right - left) / 2 + 40
    canvas.disc(middle, BASE + 3, wide, (60, 70, 62), flat=0.1, cover=0.3)
    path = [(left + 44, BASE), (left + 84, BASE), (left + 112, 600), (left - 26, 600)]
    canvas.polygon(path, (226, 202, 160), cover=0.75)
    if canvas.light.night:
        canvas.glow(middle, BASE + 14, wide * 1.1, canvas.light.window, flat=0.15)


# Walls


def _walls(canvas: Canvas, plan: Plan) -> None:
    side = mix(plan.wall, DARK, 0.2)
    canvas.polygon(
        [
            (plan.middle, BASE),
            (plan.right, BASE),
            (plan.right, plan.eaves),
            (plan.middle, plan.eaves),
        ],
        side,
    )
    canvas.polygon(
        [
            (plan.left, BASE),
            (plan.middle, BASE),
            (plan.middle, plan.eaves),
            plan.top,
            (plan.left, plan.eaves),
        ],
        plan.wall,
    )


def _log_house(canvas: Canvas, plan: Plan, floors: int, sauna: bool) -> None:
    _chimney(canvas, plan, sauna)
    _walls(canvas, plan)
    line = mix(plan.wall, DARK, 0.35)
    y = BASE - 15
    while y > plan.eaves:
        canvas.line([(plan.left, y), (plan.right, y)], line, 2)
        canvas.disc(plan.middle, y + 7, 6.4, mix(plan.wall, WHITE, 0.3))
        canvas.disc(plan.middle, y + 7, 2.8, line)
        y -= 15
    while y > plan.ridge + 12:
        half = (y - plan.ridge) / (plan.eaves - plan.ridge) * (plan.middle - plan.left) / 2
        canvas.line([(plan.top[0] - half, y), (plan.top[0] + half, y)], line, 2)
        y -= 15
    _roof(canvas, plan, plan.roof)
    _openings(canvas, plan, floors, mix(plan.roof, WHITE, 0.15), shutters=PAINTS[2])


def _painted_house(canvas: Canvas, plan: Plan, floors: int, sauna: bool) -> None:
    _chimney(canvas, plan, sauna)
    _walls(canvas, plan)
    for edge in range(round(plan.left) + 12, round(plan.right), 12):
        top = plan.eaves if edge > plan.middle else plan.eaves - 8
        canvas.line([(edge, BASE), (edge, top)], mix(plan.wall, DARK, 0.24), 1.3, cover=0.6)
    for corner in (plan.left + 4, plan.middle, plan.right - 4):
        canvas.box(corner - 4, plan.eaves, corner + 4, BASE, WHITE)
    _roof(canvas, plan, plan.roof)
    _openings(canvas, plan, floors, WHITE, shutters=None)


def _modern_house(canvas: Canvas, plan: Plan, floors: int, sauna: bool) -> None:
    _chimney(canvas, plan, sauna)
    _walls(canvas, plan)
    for y in range(round(plan.eaves) + 9, round(BASE), 9):
        canvas.line([(plan.left, y), (plan.right, y)], mix(plan.wall, DARK, 0.22), 1.2, cover=0.6)
    _roof(canvas, plan, (72, 74, 84))
    for floor in range(floors):
        low = BASE - 92 * floor - 10
        _window(canvas, plan.middle + 14, low - 66, plan.right - 14, low - 6, DARK, bars=3)
        if floor:
            _window(canvas, plan.left + 16, low - 60, plan.middle - 16, low - 14, DARK, bars=2)
    _door(canvas, plan, (214, 142, 84))
    _window(canvas, plan.left + 78, BASE - 74, plan.middle - 14, BASE - 22, DARK, bars=1)
    canvas.box(plan.middle + 4, BASE - 4, plan.right + 46, BASE + 8, (198, 156, 114))
    for post in (plan.middle + 12, plan.right + 36):
        canvas.box(post, BASE + 8, post + 7, BASE + 20, (140, 104, 80))


def _tent_house(canvas: Canvas, plan: Plan, sauna: bool) -> None:
    """Its roof reaches down to the ground on both sides."""
    top = (plan.top[0], BASE - 218)
    _smoke_if(canvas, sauna, top[0] + 66, top[1] - 14)
    canvas.box(top[0] + 55, top[1] - 14, top[0] + 77, top[1] + 40, (150, 96, 82))
    far = (plan.right - 26, top[1])
    roof = [top, far, (plan.right + 30, BASE), (plan.middle, BASE)]
    canvas.polygon(roof, plan.wall)
    for share in (0.2, 0.4, 0.6, 0.8):
        start = (top[0] + (plan.middle - top[0]) * share, top[1] + (BASE - top[1]) * share)
        end = (far[0] + (plan.right + 30 - far[0]) * share, start[1])
        canvas.line([start, end], mix(plan.wall, DARK, 0.35), 2)
    canvas.polygon([(plan.left, BASE), top, (plan.middle, BASE)], (206, 158, 106))
    _tent_front(canvas, plan, top)
    for foot in (plan.left - 8, plan.middle + 8):
        canvas.line([(foot, BASE), (top[0], top[1] - 6)], mix(plan.wall, WHITE, 0.28), 11)


def _tent_front(canvas: Canvas, plan: Plan, top: Point) -> None:
    x = top[0]
    canvas.polygon([(x - 44, BASE - 98), (x, top[1] + 34), (x + 44, BASE - 98)], DARK)
    pane = [(x - 37, BASE - 102), (x, top[1] + 45), (x + 37, BASE - 102)]
    canvas.glass(pane)
    canvas.line([(x, top[1] + 40), (x, BASE - 98)], DARK, 4)
    canvas.box(plan.left + 30, BASE - 92, plan.middle - 30, BASE - 84, (158, 112, 80))
    _window(canvas, x + 10, BASE - 74, x + 62, BASE - 22, WHITE, bars=2)
    canvas.box(x - 58, BASE - 76, x - 14, BASE, WHITE, round_by=2)
    canvas.box(x - 53, BASE - 71, x - 19, BASE, PAINTS[2])
    canvas.disc(x - 25, BASE - 34, 2.8, WHITE)


# Roof and chimney


def _roof(canvas: Canvas, plan: Plan, colour: Colour) -> None:
    (x, y), over = plan.top, 15
    slope = (plan.eaves - plan.ridge) / (plan.middle - x)
    low = plan.eaves + slope * over
    far = x + plan.right - plan.middle
    front, back = (plan.middle + over, low), (plan.right + over + 6, low)
    canvas.polygon([(x, y), (far + 12, y), back, front], colour)
    for share in (0.25, 0.5, 0.75):
        start = (x + (front[0] - x) * share, y + (low - y) * share)
        end = (far + 12 + (back[0] - far - 12) * share, start[1])
        canvas.line([start, end], mix(colour, DARK, 0.4), 1.6, cover=0.7)
    rim = mix(colour, WHITE, 0.3)
    canvas.line([(plan.left - over, low), (x, y), front], rim, 10)
    canvas.line([(front[0] - 2, low + 1), back], mix(colour, DARK, 0.35), 5)


def _chimney(canvas: Canvas, plan: Plan, sauna: bool) -> None:
    x, top = plan.top[0] + (plan.right - plan.middle) * 0.62, plan.ridge - 38
    _smoke_if(canvas, sauna, x + 13, top - 6)
    canvas.box(x, top, x + 26, plan.eaves, (164, 104, 86))
    canvas.box(x + 15, top, x + 26, plan.eaves, (138, 86, 76))
    canvas.box(x - 4, top - 6, x + 30, top + 3, (112, 84, 80))


def _smoke_if(canvas: Canvas, sauna: bool, x: float, y: float) -> None:
    if not sauna:
        return
    discs = [
        (x + 3.2 * step + 0.55 * step**2, y - 9 - 13.5 * step, 7 + 2.4 * step) for step in range(9)
    ]
    canvas.puffs(discs, mix(canvas.light.bottom, WHITE, 0.6), 0.4 if canvas.light.night else 0.72)


# Windows and doors


def _openings(
    canvas: Canvas, plan: Plan, floors: int, frame: Colour, *, shutters: Colour | None
) -> None:
    _door(canvas, plan, mix(plan.roof, PAINTS[2], 0.5) if shutters else PAINTS[2])
    _window(canvas, plan.left + 82, BASE - 74, plan.middle - 16, BASE - 34, frame, bars=2)
    room = plan.right - plan.middle
    count = max(1, int(room // 78))
    for floor in range(floors):
        low = BASE - 92 * floor - 32
        for number in range(count):
            x = plan.middle + room * (number + 0.5) / count
            _window(canvas, x - 22, low - 44, x + 22, low, frame, bars=2)
            if shutters:
                for side in (x - 36, x + 25):
                    canvas.box(side, low - 46, side + 11, low + 2, shutters)
            else:
                _flower_box(canvas, x, low)
        if floor:
            x = plan.top[0]
            _window(canvas, x - 50, low - 44, x - 12, low, frame, bars=2)
            _window(canvas, x + 12, low - 44, x + 50, low, frame, bars=2)
    x = plan.top[0]
    canvas.disc(x, plan.eaves - 24, 13, frame)
    canvas.puffs([(x, plan.eaves - 24, 9)], canvas.light.window, 1.0)


def _flower_box(canvas: Canvas, x: float, low: float) -> None:
    canvas.box(x - 25, low + 4, x + 25, low + 12, (140, 98, 74))
    for number in range(6):
        colour = ((232, 96, 96), (250, 204, 96))[number % 2]
        canvas.disc(x - 20 + 8 * number, low + 3, 4.4, colour)


def _door(canvas: Canvas, plan: Plan, colour: Colour) -> None:
    x = plan.left + 26
    canvas.box(x - 5, BASE - 82, x + 43, BASE, mix(plan.wall, WHITE, 0.55), round_by=2)
    canvas.box(x, BASE - 77, x + 38, BASE, colour)
    canvas.glass([(x + 9, BASE - 68), (x + 29, BASE - 68), (x + 29, BASE - 44), (x + 9, BASE - 44)])
    canvas.disc(x + 32, BASE - 34, 2.8, WHITE)
    canvas.box(x - 9, BASE - 2, x + 47, BASE + 7, (172, 160, 150), round_by=2)


def _window(
    canvas: Canvas, left: float, top: float, right: float, low: float, frame: Colour, *, bars: int
) -> None:
    if right - left < 16:
        return
    canvas.box(left - 4, top - 4, right + 4, low + 4, frame, round_by=2)
    canvas.glass([(left, top), (right, top), (right, low), (left, low)])
    for number in range(1, bars):
        x = left + (right - left) * number / bars
        canvas.line([(x, top), (x, low)], frame, 3)
