"""Dialogues over a store of each kind."""

from __future__ import annotations

import pytest

from duels.dialogues import Dialogues
from duels.stores.entries import Settings
from tests.examples import drinks


@pytest.fixture
def add(store):
    """Keep a catalogue; by default four drinks, asked about by a policy that is fast."""

    def keep(name="drinks", catalogue=None, **settings):
        settings = {"policy": "ws-w", "stopping": {"questions": 5}, **settings}
        catalogue = drinks() if catalogue is None else catalogue
        return store.catalogues.add(name, catalogue, settings=Settings(**settings))

    return keep


@pytest.fixture
def dialogues(store):
    """Dialogues in this process."""
    return Dialogues(store)
