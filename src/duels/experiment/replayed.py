"""How many of the pairs that were asked a log of recorded duels could answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.environments.replay import Replay
from duels.errors import InvalidValue
from duels.experiment.curves import Curves
from duels.experiment.seeds import streams


def share_answered(curves: Curves, environment: Replay) -> NDArray[np.float64]:
    """The share of asked pairs that were recorded, in each replication: shape (replications,).

    ``curves`` must come from this environment: its worlds are drawn again to see who was asked.
    """
    played = curves.histories
    if played is None or curves.environment != repr(environment):
        raise InvalidValue(
            f"The share of answered pairs needs the duels played in {environment!r}, got "
            f"{curves!r}. Use the curves that simulate gives for this environment."
        )
    shares = np.empty(len(played.first))
    for replication in range(len(shares)):
        recorded = environment.draw_records(streams(curves.seed, replication)[0]).recorded
        shares[replication] = recorded[played.first[replication], played.second[replication]].mean()
    return shares
