"""``duels warm-up``: compile beforehand, for example while a container's image is built."""

from __future__ import annotations

import time
from contextlib import suppress

import click
import numpy as np

from duels.catalogue import Catalogue
from duels.errors import InvalidValue
from duels.kernels.cache import FOLDER
from duels.policies import CLASSES, DEFAULT, find_policy, parse_spec
from duels.session import Session

N_ARMS = 30
ANSWERS = 3


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
        play(spec, n_features=2)
        with suppress(InvalidValue):  # some settings hold in the plane only
            play(spec, n_features=3)
        click.echo(f"{spec}: ready after {time.perf_counter() - begin:.1f} s")
    click.echo(f"The compiled code is in {FOLDER}")


def play(spec: str, *, n_features: int) -> None:
    """A short dialogue over a small catalogue, with a look at what the policy believes."""
    features = np.random.default_rng(0).normal(size=(N_ARMS, n_features))
    name, settings = parse_spec(spec)
    if find_policy(name, settings).needs_horizon:
        settings.setdefault("horizon", 2 * ANSWERS)
    session = Session(Catalogue(features), name, settings=settings, seed=0)
    for _ in range(ANSWERS):
        question = session.ask()
        session.answer(question.number, question.left)
        session.tie(session.ask().number)
    session.result()
