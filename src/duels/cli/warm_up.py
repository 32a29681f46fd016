"""``duels warm-up``: compile beforehand, for example while a container's image is built."""

from __future__ import annotations

import time
from contextlib import suppress

import click
import numpy as np

from duels.catalogue import Catalogue
from duels.errors import NoPosterior
from duels.kernels.cache import FOLDER
from duels.policies import CLASSES, DEFAULT, find_policy, make_policy, parse_spec

N_ARMS = 30
N_FEATURES = 3
DUELS = 3


@click.command("warm-up")
@click.option(
    "--policy",
    "specs",
    multiple=True,
    metavar="NAME",
    help=f"A policy, settings behind a colon; may be given again.  [default: {DEFAULT}]",
)
@click.option("--all", "everything", is_flag=True, help="Every policy, at its default settings.")
def warm_up(specs: tuple[str, ...], everything: bool) -> None:
    """Compile the kernels of policies, so that the first question comes without delay.

    The compiled code is kept in $NUMBA_CACHE_DIR, or else in $XDG_CACHE_HOME, or else in ~/.cache.
    """
    chosen = list(dict.fromkeys([*(CLASSES if everything else ()), *specs])) or [DEFAULT]
    for spec in chosen:
        find_policy(*parse_spec(spec))
    for spec in chosen:
        begin = time.perf_counter()
        play(spec)
        click.echo(f"{spec}: ready after {time.perf_counter() - begin:.1f} s")
    click.echo(f"The compiled code is in {FOLDER}")


def play(spec: str) -> None:
    """Ask and tell a few duels of a small catalogue, and read what the policy believes."""
    features = np.random.default_rng(0).normal(size=(N_ARMS, N_FEATURES))
    policy = make_policy(spec, Catalogue(features), seed=0)
    for _ in range(DUELS):
        winner, loser = policy.ask()
        policy.tell(winner, loser)
        policy.ask()
        policy.tie(winner, loser)
    policy.favourite()
    with suppress(NoPosterior):
        policy.confidence()
        policy.expected_regret()
