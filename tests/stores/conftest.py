"""A catalogue in a store, and sessions that were begun with it."""

from __future__ import annotations

import pytest

from duels.stores.entries import now
from duels.stores.sessions import Begun
from tests.examples import drinks


@pytest.fixture
def entry(store):
    """A catalogue that is kept."""
    return store.catalogues.add("drinks", drinks())


@pytest.fixture
def begun(entry):
    """What a session is begun with; its id and further parts can be given."""

    def make(id="session-1", **changes):
        moment = now()
        values = {
            "id": id,
            "catalogue": entry.id,
            "round": entry.round.id,
            "policy": "ws-w",
            "settings": {"q": 0.7},
            "seed": 2**63 - 1,
            "stopping": {"questions": 5},
            "strengths": None,
            "prior": None,
            "carried_on": False,
            "created": moment,
            "changed": moment,
        }
        return Begun(**values | changes)

    return make
