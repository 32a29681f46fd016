"""What answers say a person cares about, in the catalogue's own columns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import MEAN_DRAWS, Belief
from duels.catalogue import Catalogue
from duels.tables.column import Column

Floats = NDArray[np.float64]


class ValueWeight(NamedTuple):
    """What one value of a column of text is worth, against the mean over its values."""

    value: str
    weight: float
    uncertainty: float


class Care(NamedTuple):
    """What a column is worth to a person.

    Attributes:
        column: its name.
        kind: "number", "date", "yes-no", "one-hot" or "list", as in `Catalogue.columns`.
        weight: the utility of one standard deviation (over the arms) more of it: the larger its
            size, the more the column decides. Of text and lists, whose values have no order, the
            standard deviation of what they add to the utility.
        uncertainty: the standard deviation of the weight.
        per_unit: the utility of one unit more of the column (one €, one day; of a yes-no column,
            of yes against no); None for text and lists.
        unit: "€", "%", "days" and the like, where known.
        values: of a column of text, what each value is worth; otherwise empty.
    """

    column: str
    kind: str
    weight: float
    uncertainty: float
    per_unit: float | None = None
    unit: str = ""
    values: tuple[ValueWeight, ...] = ()


def cares(catalogue: Catalogue, belief: Belief | None) -> tuple[Care, ...]:
    """One entry a column, in the catalogue's order; none where theta does not weigh features."""
    if belief is None or not belief.linear or not catalogue.n_features:
        return ()
    mean, deviation = belief.theta()
    together = any(len(column.features) > 1 for column in catalogue.columns)
    around = belief.draw(MEAN_DRAWS, seed=0) if together else np.empty((0, len(mean)))
    found = []
    for column in catalogue.columns:
        places = list(column.features)
        features = catalogue.features[:, places]
        if len(places) == 1:
            care = _single(column, features[:, 0], mean[places[0]], deviation[places[0]])
        else:
            care = _several(column, features, mean[places], around[:, places])
        found.append(care)
    return tuple(found)


def _single(column: Column, feature: Floats, mean: float, deviation: float) -> Care:
    spread, unit = float(feature.std()), column.scale[0]
    weight, uncertainty = float(mean) * spread, float(deviation) * spread
    return Care(column.name, column.kind, weight, uncertainty, float(mean) / unit, column.unit)


def _several(column: Column, features: Floats, mean: Floats, thetas: Floats) -> Care:
    """Of features (n_arms, k) that belong together; thetas (n, k) are drawn around the mean (k,).

    The weight is the standard deviation over the arms of what the column adds for the mean theta;
    its uncertainty is the standard deviation of that over the thetas, to first order.
    """
    covariance = np.cov(features.T, bias=True)
    weight = math.sqrt(max(0.0, float(mean @ covariance @ mean)))
    if weight > 0.0:
        uncertainty = float((thetas @ covariance @ mean).std()) / weight
    else:
        uncertainty = float(np.sqrt(np.einsum("nk,kl,nl->n", thetas, covariance, thetas).mean()))
    values: tuple[ValueWeight, ...] = ()
    if column.values:
        relative = (mean - mean.mean()) / column.scale
        deviations = ((thetas - thetas.mean(axis=1, keepdims=True)) / column.scale).std(axis=0)
        values = tuple(
            ValueWeight(value, float(weight), float(deviation))
            for value, weight, deviation in zip(column.values, relative, deviations, strict=True)
        )
    return Care(column.name, column.kind, weight, uncertainty, None, column.unit, values)
