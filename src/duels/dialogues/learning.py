"""What earlier people liked, as the place where new sessions start."""

from __future__ import annotations

from duels.beliefs.fit_prior import fit_prior
from duels.errors import DuelsError, InvalidValue
from duels.session import Session
from duels.stores.entries import Entry
from duels.stores.store import Store

FEWEST = 3  # people: from fewer a prior would mostly be what one person likes
MOST = 5000  # people: the latest say enough


def learn_from_people(store: Store, catalogue: int) -> Entry:
    """Fit a prior to those who have finished, and let new sessions start from it.

    Takes from less than a second to some minutes, and blocks nobody else: call it in a thread.
    """
    entry = store.catalogues.entry(catalogue)
    if entry.n_features == 0:
        raise InvalidValue(
            f"What people like is told by features, and {entry.name!r} has none. Add columns that "
            "describe the arms, or go on without."
        )
    histories = store.statistics.histories(catalogue, most=MOST)
    if len(histories) < FEWEST:
        raise InvalidValue(
            f"At least {FEWEST} people must have finished, and with {entry.name!r} "
            f"{len(histories)} have. Wait for more."
        )
    arms, held = store.catalogues.load(catalogue), entry.settings
    prior = fit_prior(arms, histories)
    try:
        Session(arms, held.policy, settings={**held.settings, "prior": prior}, stopping=None).ask()
    except (DuelsError, TypeError) as problem:
        raise InvalidValue(
            f"Sessions can start from earlier people's tastes with a policy that takes a prior, "
            f"and {held.policy!r} cannot: {problem} Choose least-regret in the settings."
        ) from problem
    store.catalogues.add_prior(catalogue, prior, len(histories))
    return store.catalogues.entry(catalogue)
