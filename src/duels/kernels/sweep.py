"""Moves of one arm effect at a time.

Few arms meet often, and most once or twice. A move of all effects together (see `ellipse`) is as
short as those of the first kind allow; one at a time, each goes as far as its own duels let it. It
costs about what a few moves of all together do, since a step concerns only the duels of one arm.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.ellipse import MOST_SHRINKS, Kind, Rows, Space, begin_slice, narrow
from duels.kernels.likelihood import CONSTANT, agreed, log_agreement, log_term
from duels.kernels.particles import Model, squares_of, strength_of
from duels.kernels.stream import Stream, normals


class Meetings(NamedTuple):
    """Of every slot, which pairs its arm is in: those from begin[slot] to begin[slot + 1].

    begin (slots + 1,). row (2·pairs,): of the pair. sign (2·pairs,): 1 where the arm is its first.
    """

    begin: NDArray[np.int64]
    row: NDArray[np.int64]
    sign: NDArray[np.float64]


@kernel
def make_meetings(rows: Rows, slots: int) -> Meetings:
    n = len(rows.won)
    begin, row, sign = np.zeros(slots + 1, np.int64), np.empty(2 * n, np.int64), np.empty(2 * n)
    for k in range(n):
        begin[rows.first[k] + 1] += 1
        begin[rows.second[k] + 1] += 1
    for slot in range(slots):
        begin[slot + 1] += begin[slot]
    free = begin[:slots].copy()
    for k in range(n):
        for slot, way in ((rows.first[k], 1.0), (rows.second[k], -1.0)):
            row[free[slot]], sign[free[slot]] = k, way
            free[slot] += 1
    return Meetings(begin, row, sign)


@kernel
def _about(
    rows: Rows,
    meetings: Meetings,
    slot: int,
    choice: int,
    strength: float,
    nu: float,
    x: NDArray[np.float64],
    step: float,
) -> float:
    """What the duels of one arm say, were its utility farther by ``step``.

    Their log likelihood; in the constant model, how much of them is agreed with.
    """
    value = 0.0
    for m in range(meetings.begin[slot], meetings.begin[slot + 1]):
        k = meetings.row[m]
        here = x[k] + meetings.sign[m] * step
        won, lost, tied = rows.won[k], rows.lost[k], rows.tied[k]
        if choice == CONSTANT:
            value += agreed(here, won, lost, tied)
        else:
            value += log_term(choice, strength * here, won, lost, tied, nu)
    return value


@kernel
def sweep(
    rows: Rows,
    space: Space,
    meetings: Meetings,
    model: Model,
    kind: Kind,
    nu: float,
    theta: NDArray[np.float64],
    effect: NDArray[np.float64],
    stream: Stream,
) -> None:
    """Move the effect of every slot along its ellipse, by slice sampling.

    On entry and on leaving, space.fixed and space.own fit the draw.
    """
    choice, tau, x, turned = kind.choice, model.taus[kind.tau], space.x, space.normal_effect
    strength = strength_of(model, choice, kind.scale, kind.tau, squares_of(theta))
    normals(stream, turned)
    agree = 0.0
    for k in range(len(x)):
        x[k] = rows.shift[k] + space.fixed[k] + tau * space.own[k]
        agree += agreed(x[k], rows.won[k], rows.lost[k], rows.tied[k])
    for slot in range(len(effect)):
        now, step = effect[slot], 0.0
        before = value = _about(rows, meetings, slot, choice, strength, nu, x, step)
        if choice == CONSTANT:
            value = log_agreement(agree, rows.duels, rows.log_odds, rows.table)
        level, angle, low, high = begin_slice(value, stream)
        for _ in range(MOST_SHRINKS):
            step = tau * (math.cos(angle) * now + math.sin(angle) * turned[slot] - now)
            after = value = _about(rows, meetings, slot, choice, strength, nu, x, step)
            if choice == CONSTANT:
                total = agree - before + after
                value = log_agreement(total, rows.duels, rows.log_odds, rows.table)
            if value > level:
                agree += after - before
                effect[slot] = now + step / tau
                for m in range(meetings.begin[slot], meetings.begin[slot + 1]):
                    k = meetings.row[m]
                    x[k] += meetings.sign[m] * step
                    space.own[k] += meetings.sign[m] * step / tau
                break
            angle, low, high = narrow(angle, low, high, stream)
