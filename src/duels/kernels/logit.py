"""Logistic probabilities in loops that the compiler turns into vector instructions.

Calls of ``exp`` and ``log`` prevent that, and so do sums, whose last digits depend on the order of
their terms. Here exp and log are polynomials with an error of about 1e-15, and the order of each
sum is fixed, so that results are the same on every machine.

Legend: p = ½ + (½ − floor)·tanh(x/2), the logistic function of x squeezed between floor and
1 − floor: a share 2·floor of answers is given at random.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

ROUND = 1.5 * 2.0**52  # a number less than 2^51, plus this, has its nearest whole in its last bits
BIAS, EXPONENT = 1023, 52  # of a double's exponent, and where its bits begin
FRACTION, ONE = 2**52 - 1, 1023 << 52  # the bits of a double's fraction, and those of 1.0
HIGH, LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")  # of log 2
MOST_EXPONENT = 700.0  # larger |x| are cut to this, so that exp(−|x|) is a normal number
TINY = 1e-300


@kernel
def logit_answers(
    x: NDArray[np.float64],
    won: NDArray[np.float64],
    lost: NDArray[np.float64],
    floor: float,
    room: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """Σ won·log p + lost·log(1 − p) over the columns of x (S, R), into out (S,).

    room (3, R): to work in.
    """
    n = x.shape[1]
    e, first, second = room[0], room[1], room[2]
    bits, first_bits, second_bits = e.view(np.int64), first.view(np.int64), second.view(np.int64)
    keep = 1.0 - 2.0 * floor
    for s in range(x.shape[0]):
        row = x[s]
        for k in range(n):  # exp(y) = 2^whole · exp(rest), |rest| below ½ log 2
            y = max(-abs(row[k]), -MOST_EXPONENT)
            shifted = y * (1.0 / math.log(2.0)) + ROUND
            whole = shifted - ROUND
            r = (y - whole * HIGH) - whole * LOW
            t = 1.0 / 3628800.0 + r * (1.0 / 39916800.0 + r / 479001600.0)
            t = 1.0 / 5040.0 + r * (1.0 / 40320.0 + r * (1.0 / 362880.0 + r * t))
            t = 1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r * t))
            first[k] = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * t)))
            e[k] = shifted
        for k in range(n):
            bits[k] = (bits[k] + BIAS) << EXPONENT
        for k in range(n):
            power = first[k] * e[k]
            high = 1.0 / (1.0 + power)
            low = power * high
            up = row[k] > 0.0
            first[k] = floor + keep * (high if up else low)
            second[k] = floor + keep * (low if up else high)
        for k in range(n):  # log(2^whole · m) = whole·log 2 + 2·artanh((m − 1)/(m + 1))
            whole_first = (first_bits[k] >> EXPONENT) - BIAS
            whole_second = (second_bits[k] >> EXPONENT) - BIAS
            e[k] = won[k] * whole_first + lost[k] * whole_second
            first_bits[k] = (first_bits[k] & FRACTION) | ONE
            second_bits[k] = (second_bits[k] & FRACTION) | ONE
        total = 0.0
        for k in range(n):
            over = 1.0 if first[k] > 1.4142135623730951 else 0.0
            m = first[k] * (1.0 - 0.5 * over)
            t = (m - 1.0) / (m + 1.0)
            r = t * t
            u = 1.0 / 15.0 + r * (1.0 / 17.0 + r * (1.0 / 19.0 + r / 21.0))
            u = 1.0 / 7.0 + r * (1.0 / 9.0 + r * (1.0 / 11.0 + r * (1.0 / 13.0 + r * u)))
            u = 2.0 * t * (1.0 + r * (1.0 / 3.0 + r * (1.0 / 5.0 + r * u)))
            value = won[k] * (u + over * math.log(2.0))
            over = 1.0 if second[k] > 1.4142135623730951 else 0.0
            m = second[k] * (1.0 - 0.5 * over)
            t = (m - 1.0) / (m + 1.0)
            r = t * t
            u = 1.0 / 15.0 + r * (1.0 / 17.0 + r * (1.0 / 19.0 + r / 21.0))
            u = 1.0 / 7.0 + r * (1.0 / 9.0 + r * (1.0 / 11.0 + r * (1.0 / 13.0 + r * u)))
            u = 2.0 * t * (1.0 + r * (1.0 / 3.0 + r * (1.0 / 5.0 + r * u)))
            e[k] = e[k] * math.log(2.0) + value + lost[k] * (u + over * math.log(2.0))
        for k in range(n):
            total += e[k]
        out[s] = total


@kernel
def score_pairs(
    utility: NDArray[np.float64],
    weight: NDArray[np.float64],
    scale: NDArray[np.float64],
    floor: NDArray[np.float64],
    begin: NDArray[np.int64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    out: NDArray[np.float64],
) -> None:
    """For each pair E[max(u_first, u_second)] and the information its answer gives on the best arm.

    The S draws come in G groups, one for each arm that may be best, sorted by group.

    utility (k, S): of k arms for each draw. weight (S,): probabilities of the draws. scale,
    floor (S,): how a draw answers, with x = scale·(u_first − u_second) in the legend above.
    begin (G + 1,): where each group begins. first, second (P,): the two arms of each pair. Fills
    out (3, P): E[max(u_first, u_second)], the mutual information between answer and group in nats,
    and the probability that the first arm wins.
    """
    n = len(weight)
    power, term, larger = np.empty(n), np.empty(n), np.empty(n)
    bits = power.view(np.int64)
    mass = np.zeros(len(begin) - 1)
    for g in range(len(mass)):
        for s in range(begin[g], begin[g + 1]):
            mass[g] += weight[s]
    for k in range(len(first)):
        a, b = utility[first[k]], utility[second[k]]
        for s in range(n):
            y = max(-abs(scale[s] * (a[s] - b[s])), -MOST_EXPONENT)
            shifted = y * (1.0 / math.log(2.0)) + ROUND
            whole = shifted - ROUND
            r = (y - whole * HIGH) - whole * LOW
            t = 1.0 / 5040.0 + r * (1.0 / 40320.0 + r / 362880.0)
            t = 1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r * t))
            term[s] = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * t)))
            power[s] = shifted
        for s in range(n):
            bits[s] = (bits[s] + BIAS) << EXPONENT
        for s in range(n):
            e = term[s] * power[s]
            half = (0.5 - floor[s]) * (1.0 - e) / (1.0 + e)
            term[s] = weight[s] * (0.5 + (half if a[s] > b[s] else -half))
            larger[s] = weight[s] * max(a[s], b[s])
        worth, overall, within = 0.0, 0.0, 0.0
        for g in range(len(mass)):
            part = 0.0
            for s in range(begin[g], begin[g + 1]):
                part += term[s]
                worth += larger[s]
            overall += part
            if mass[g] > 0.0:
                p = min(max(part / mass[g], TINY), 1.0)
                q = max(1.0 - p, TINY)
                within -= mass[g] * (p * math.log(p) + q * math.log(q))
        p = min(max(overall, TINY), 1.0)
        q = max(1.0 - p, TINY)
        out[0, k] = worth
        out[1, k] = max(-p * math.log(p) - q * math.log(q) - within, 0.0)
        out[2, k] = overall
