"""Cells of arms with any number of features: insert one arm after the other.

Given the cells of the first n arms, arm n is inserted into the ranking of each of them. Inside one
cell the order of the other arms is fixed, so the hyperplanes on which arm n ties with one of them
do not meet there, and the slots in the ranking that arm n can take are consecutive. The search
starts at the slot that the cell's interior theta gives, and goes up and then down until a slot is
empty: no theta satisfies the new ranking's n inequalities between neighbours strictly (`deepest`).

Compared with walking from cell to cell through their walls, parallel differences and arms on a line
need no special case, and no cell is found twice.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.deepest import EMPTY, deepest, dot


@kernel
def _insert_arm(
    arm: int,
    rankings: NDArray[np.int16],
    thetas: NDArray[np.float64],
    normals: NDArray[np.float64],
) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """The cells of arms 0, …, ``arm`` from those of the arms before it."""
    n_features = normals.shape[2]
    found = 0
    new_rankings = np.empty((2 * len(rankings) + arm, arm + 1), np.int16)
    new_thetas = np.empty((len(new_rankings), n_features))
    ranking, between = np.empty(arm + 1, np.int16), np.empty((arm, n_features))
    for cell in range(len(rankings)):
        own_slot = 0
        while own_slot < arm and dot(normals[rankings[cell, own_slot], arm], thetas[cell]) > 0.0:
            own_slot += 1
        for way in (1, -1):
            slot = own_slot if way == 1 else own_slot - 1
            while 0 <= slot <= arm:
                ranking[:slot] = rankings[cell, :slot]
                ranking[slot] = arm
                ranking[slot + 1 :] = rankings[cell, slot:]
                for k in range(arm):
                    between[k] = normals[ranking[k], ranking[k + 1]]
                theta, margin = deepest(between)
                if margin > EMPTY:
                    if found == len(new_rankings):
                        new_rankings = np.concatenate((new_rankings, np.empty_like(new_rankings)))
                        new_thetas = np.concatenate((new_thetas, np.empty_like(new_thetas)))
                    new_rankings[found], new_thetas[found] = ranking, theta
                    found += 1
                elif slot != own_slot:
                    break
                slot += way
    return new_rankings[:found].copy(), new_thetas[:found].copy()


@kernel
def cells_by_insertion(
    normals: NDArray[np.float64],
) -> tuple[NDArray[np.int16], NDArray[np.float64]]:
    """Rankings (M, n_arms) and unit interior points (M, d) of all cells.

    ``normals`` has the shape (n_arms, n_arms, d): unit vectors along A_i − A_j. Only the cells that
    prefer arm 0 to arm 1 are looked for; the others are their opposites, which follow them.
    """
    n_arms, _, n_features = normals.shape
    rankings, thetas = np.empty((1, 2), np.int16), np.empty((1, n_features))
    rankings[0, 0], rankings[0, 1] = 0, 1
    thetas[0] = normals[0, 1]
    for arm in range(2, n_arms):
        rankings, thetas = _insert_arm(arm, rankings, thetas, normals)
    return (
        np.concatenate((rankings, rankings[:, ::-1])),
        np.concatenate((thetas, -thetas)),
    )
