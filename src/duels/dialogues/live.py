"""Live sessions: a cache of replays, bounded in bytes, that is caught up with the store."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from duels.beliefs.draw_utilities import shared_noise
from duels.catalogue import Catalogue
from duels.dialogues.size import bytes_of
from duels.session import Session, StoppingRule
from duels.stores.sessions import Begun
from duels.stores.store import Store

CATALOGUES = 50  # kept in memory at once


@dataclass
class Held:
    """A session in memory. Whoever uses it holds its lock."""

    id: str
    lock: threading.RLock = field(default_factory=threading.RLock)
    begun: Begun | None = None
    session: Session | None = None
    size: int = 0


class LiveSessions:
    """The sessions of a store that are in memory: those used last, as far as there is room.

    Args:
        store: where the facts are.
        memory: the bytes that all of them together may take.
    """

    def __init__(self, store: Store, memory: int) -> None:
        self._store, self.memory = store, memory
        self._lock = threading.Lock()
        self._held: OrderedDict[str, Held] = OrderedDict()
        self._catalogues: OrderedDict[int, tuple[Catalogue, frozenset[str]]] = OrderedDict()
        self.bytes = 0
        self.replays = 0

    def __len__(self) -> int:
        return len(self._held)

    @contextmanager
    def hold(self, id: str) -> Iterator[tuple[Begun, Session]]:
        """A session with all facts of the store, for one user at a time.

        It is dropped if an error leaves it with other facts than the store has.
        """
        with self._lock:
            held = self._held.setdefault(id, Held(id))
            self._held.move_to_end(id)
        with held.lock:
            begun, session = self._caught_up(held)
            try:
                yield begun, session
            except BaseException:
                if len(session.facts) != begun.n_facts:
                    self.forget(id)
                raise
            self._weigh(held)

    def put(self, begun: Begun, session: Session) -> None:
        """Keep a session that has just been begun."""
        held = Held(begun.id, begun=begun, session=session)
        with self._lock:
            self._held[begun.id] = held
        self._weigh(held)

    def forget(self, id: str) -> None:
        """Drop a session from memory, not from the store."""
        with self._lock:
            held = self._held.pop(id, None)
            if held is not None:
                self.bytes -= held.size
                held.size = 0
                held.session = None

    def catalogue(self, id: int) -> Catalogue:
        """A catalogue of the store; they never change."""
        return self._loaded(id)[0]

    def pictures(self, id: int) -> frozenset[str]:
        """The names of the pictures that there are of a catalogue."""
        return self._loaded(id)[1]

    def _loaded(self, id: int) -> tuple[Catalogue, frozenset[str]]:
        with self._lock:
            if id in self._catalogues:
                self._catalogues.move_to_end(id)
                return self._catalogues[id]
        catalogues = self._store.catalogues
        loaded = catalogues.load(id), catalogues.picture_names(id)
        with self._lock:
            self._catalogues[id] = loaded
            while len(self._catalogues) > CATALOGUES:
                self._catalogues.popitem(last=False)
        return loaded

    def make(self, begun: Begun) -> Session:
        """The session that was begun so, without any facts."""
        return Session(
            self.catalogue(begun.catalogue),
            begun.policy,
            settings=self._settings(begun),
            seed=begun.seed,
            stopping=stopping_of(begun),
            strengths=begun.strengths,
        )

    def _settings(self, begun: Begun) -> dict[str, object]:
        settings = dict(begun.settings)
        if begun.prior is not None:
            settings["prior"], _ = self._store.catalogues.prior(begun.prior)
        return settings

    def _caught_up(self, held: Held) -> tuple[Begun, Session]:
        try:
            return self._follow(held)
        except BaseException:
            self.forget(held.id)
            raise

    def _follow(self, held: Held) -> tuple[Begun, Session]:
        begun = self._store.sessions.get(held.id)
        session = held.session
        known = 0 if session is None else len(session.facts)
        if session is None or known > begun.n_facts:
            session, known = self.make(begun), 0
            self.replays += begun.n_facts > 0
        if begun.n_facts > known:
            recorded = self._store.sessions.recorded(held.id, after=known)
            session.follow(each.fact for each in recorded)
        if held.begun is not None and begun.carried_on != held.begun.carried_on:
            session.carry_on(stopping_of(begun))
        held.begun, held.session = begun, session
        return begun, session

    def _weigh(self, held: Held) -> None:
        """Count a session's bytes, and drop those that were not used for longest, if need be."""
        session = held.session
        if session is None:
            return
        size = bytes_of(session, without=(session.catalogue, shared_noise()))
        with self._lock:
            if self._held.get(held.id) is not held:
                return
            self.bytes += size - held.size
            held.size = size
            while self.bytes > self.memory and len(self._held) > 1:
                _, oldest = self._held.popitem(last=False)
                self.bytes -= oldest.size
                oldest.size = 0


def stopping_of(begun: Begun) -> StoppingRule | None:
    """The rule of a session, as it is kept in the store."""
    if begun.carried_on or begun.stopping is None:
        return None
    return StoppingRule(**begun.stopping)
