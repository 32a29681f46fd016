"""Simulation: policies play in environments, and their duels are recorded.

``seeds``      the randomness of each replication
``players``    the policy, from a name, a class, an object or a factory, and the world it meets
``loops``      one replication, compiled or in plain Python
``task``       any of the replications of a simulation
``run``        `simulate`: all replications, on threads or in worker processes
``workers``    the worker processes
``compare``    `compare`: many policies in the same worlds
``plan``       what is compared; ``plan_file`` reads it from TOML
``chunks``     chunks of replications, reduced to sums as they are played
``cluster``    chunks on a Dask cluster
``folder``     the folder of a run: parts while it runs, results afterwards
``compared``   the results; ``figures``, ``results_tables``, ``page`` and ``drawn`` show them
``curves``     what was recorded, and the regret that follows from it
``truths``     what arms are worth by the probabilities with which they win
``replayed``   how many of the asked pairs a log of recorded duels could answer

`compare` is not imported here: it brings polars and matplotlib, which `simulate` does not need.
"""

from duels.environments.base import judge as judge
from duels.experiment.curves import Curves, Histories
from duels.experiment.loops import loop_is_compiled
from duels.experiment.players import start
from duels.experiment.replayed import share_answered
from duels.experiment.run import check_size, cores, simulate
from duels.experiment.seeds import BLOCK, block_streams, streams

__all__ = [
    "BLOCK",
    "Curves",
    "Histories",
    "block_streams",
    "check_size",
    "cores",
    "loop_is_compiled",
    "share_answered",
    "simulate",
    "start",
    "streams",
]
