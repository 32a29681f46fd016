"""What every store keeps, on databases that the migrations have made."""

from __future__ import annotations

import json
import threading
from datetime import UTC, timedelta

import numpy as np
import pytest
from sqlalchemy.exc import IntegrityError

from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.errors import Closed, Conflict, InvalidValue, UnknownName
from duels.facts import Answer, Question, Undo, Withdrawal
from duels.pictures import Picture
from duels.stores import owners
from duels.stores.document import fingerprint
from duels.stores.entries import Settings, now
from duels.stores.sessions import Outcome, Overtaken, Recorded
from duels.stores.store import Store
from tests.examples import drinks

FACTS = [
    Question(1, 0, 3),
    Answer(1, "left", "clearly"),
    Question(2, 2, 1),
    Question(3, 1, 3, aside=True),
    Answer(2, "tie"),
    Withdrawal(3),
    Undo(2),
    Answer(2, "skip"),
]
ODD = ["\0", "te\0a", "\ud800", "☕", "'; DROP TABLE sessions; --", "%", "x" * 5000, ""]


def at_once(*calls):
    """Call all of these at the same moment; what each returned or raised."""
    found, together = [None] * len(calls), threading.Barrier(len(calls))

    def run(place, call):
        together.wait()
        try:
            found[place] = call()
        except Exception as problem:
            found[place] = problem

    threads = [threading.Thread(target=run, args=each) for each in enumerate(calls)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


# Catalogues.


def test_a_catalogue_is_kept_as_it_was(store, database):
    settings = Settings("ctb-3", {"q": 0.8}, {"confidence": 0.9}, {"clearly": 3.0})
    entry = store.catalogues.add(" drinks ", drinks(), settings=settings)
    with Store(database) as again:
        assert again.catalogues.entries() == [entry]
        assert again.catalogues.find("drinks") == again.catalogues.entry(entry.id) == entry
        assert fingerprint(again.catalogues.load(entry.id)) == fingerprint(drinks())
    assert (entry.name, entry.n_arms, entry.n_features) == ("drinks", 4, 2)
    assert (entry.settings, entry.fingerprint) == (settings, fingerprint(drinks()))
    assert (entry.open, entry.learns, entry.prior, entry.retired) == (True, False, None, None)
    assert entry.created.tzinfo == UTC
    assert abs(now() - entry.created) < timedelta(hours=1)


def test_names_of_arms_may_be_odd(store):
    names = ["te\0a", "half \ud800", "☕", "'; DROP TABLE catalogues; --", "é" * 3000]
    entry = store.catalogues.add("odd", Catalogue(names=names))
    assert store.catalogues.load(entry.id).names == tuple(names)


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "te\0a", "\ud800", "x" * 101])
def test_names_of_catalogues_that_are_refused(store, name, refusal):
    said = refusal(InvalidValue, store.catalogues.add, name, drinks())
    assert "printable" in said
    assert store.catalogues.entries() == []


def test_a_name_is_used_once_until_its_catalogue_is_retired(store, entry, refusal):
    said = refusal(Conflict, store.catalogues.add, "drinks", drinks())
    assert "there is a 'drinks' already" in said
    store.catalogues.retire(entry.id)
    store.catalogues.retire(entry.id)
    retired = store.catalogues.entry(entry.id)
    assert not retired.open
    assert refusal(UnknownName, store.catalogues.find, "drinks")
    assert "retired" in refusal(Closed, store.catalogues.open_round, entry.id)
    second = store.catalogues.add("drinks", drinks())
    assert store.catalogues.entries() == [second]
    assert store.catalogues.entries(retired=True) == [retired, second]


def test_two_who_add_the_same_name_at_once(store):
    add = [lambda: store.catalogues.add("drinks", drinks())] * 4
    found = at_once(*add)
    assert sum(isinstance(each, Conflict) for each in found) == 3
    assert len(store.catalogues.entries()) == 1


@pytest.mark.parametrize("name", ODD)
def test_a_catalogue_that_is_not_there(store, entry, name, refusal):
    assert "Known: drinks" in refusal(UnknownName, store.catalogues.find, name)
    assert store.catalogues.picture(entry.id, name) is None


def test_ids_that_are_not_there(store, entry, refusal):
    for ask in (store.catalogues.entry, store.catalogues.load, store.catalogues.open_round):
        assert "no catalogue with the id 99" in refusal(UnknownName, ask, 99)


def test_pictures(store):
    kept = {"a b/ü.png": Picture("image/webp", bytes(range(256))), "b": Picture("image/webp", b"")}
    entry = store.catalogues.add("drinks", drinks(), pictures=kept)
    other = store.catalogues.add("others", drinks())
    assert store.catalogues.picture_names(entry.id) == set(kept)
    assert store.catalogues.picture_names(other.id) == set()
    for name, picture in kept.items():
        assert store.catalogues.picture(entry.id, name) == picture
        assert store.catalogues.picture(other.id, name) is None


def test_how_later_sessions_are_held(store, entry):
    store.catalogues.hold(entry.id, Settings("rucb", stopping=None))
    assert store.catalogues.entry(entry.id).settings == Settings("rucb", stopping=None)


# Rounds.


def test_rounds_open_and_close(store, entry):
    first = entry.round
    assert (first.number, first.closed) == (1, None)
    assert store.catalogues.open_round(entry.id) == first
    closed = store.catalogues.close_round(entry.id)
    assert closed.closed >= closed.opened
    assert store.catalogues.close_round(entry.id) == closed
    assert not store.catalogues.entry(entry.id).open
    second = store.catalogues.open_round(entry.id)
    assert (second.number, second.closed) == (2, None)
    assert store.catalogues.entry(entry.id).round == second
    assert store.catalogues.rounds(entry.id) == [closed, second]


def test_a_round_is_opened_once_by_many(store, entry):
    store.catalogues.close_round(entry.id)
    opened = at_once(*[lambda: store.catalogues.open_round(entry.id)] * 4)
    assert {each.number for each in opened} == {2}
    assert len(store.catalogues.rounds(entry.id)) == 2


def test_catalogues_have_rounds_of_their_own(store, entry):
    other = store.catalogues.add("others", drinks())
    store.catalogues.close_round(entry.id)
    assert store.catalogues.entry(other.id).open
    assert other.round.id != entry.round.id


# Priors.


def test_priors_are_kept_and_switched_on_and_off(store, entry, refusal):
    assert "Learn them first" in refusal(InvalidValue, store.catalogues.learn, entry.id, True)
    first = Gaussian([0.1, 1 / 3], [[2.0, 0.5], [0.5, 1.0]])
    key = store.catalogues.add_prior(entry.id, first, 7)
    kept, people = store.catalogues.prior(key)
    assert people == 7
    assert np.array_equal(kept.mean, first.mean)
    assert np.array_equal(kept.covariance, first.covariance)
    later = store.catalogues.add_prior(entry.id, Gaussian(np.zeros(2), np.eye(2)), 9)
    now_held = store.catalogues.entry(entry.id)
    assert (now_held.prior, now_held.learns) == (later, True)
    store.catalogues.learn(entry.id, False)
    assert (store.catalogues.entry(entry.id).learns, later) == (False, now_held.prior)
    store.catalogues.learn(entry.id, True)
    assert store.catalogues.entry(entry.id).learns
    assert store.catalogues.prior(key)[1] == 7


# Sessions and their facts.


def test_a_session_is_kept_as_it_was_begun(store, database, begun):
    new = begun(strengths={"clearly": 3.0})
    store.sessions.add(new)
    with Store(database) as again:
        assert again.sessions.get(new.id) == new
        assert again.sessions.recorded(new.id) == []


def test_an_id_is_taken_once(store, begun, refusal):
    store.sessions.add(begun())
    assert "is taken" in refusal(Conflict, store.sessions.add, begun(seed=1))
    assert store.sessions.get("session-1").seed == 2**63 - 1


@pytest.mark.parametrize("id", ODD)
def test_a_session_that_is_not_there(store, begun, id, refusal):
    store.sessions.add(begun())
    assert "There is no session" in refusal(UnknownName, store.sessions.get, id)


def test_facts_come_back_in_their_order(store, begun):
    new = begun()
    store.sessions.add(new, [Recorded(new.created, FACTS[0])])
    store.sessions.append(new.id, 1, FACTS[1:5])
    store.sessions.append(new.id, 5, FACTS[5:])
    recorded = store.sessions.recorded(new.id)
    assert [each.fact for each in recorded] == FACTS
    moments = [each.at for each in recorded]
    assert moments == sorted(moments)
    assert all(moment.tzinfo == UTC for moment in moments)
    for after in range(len(FACTS) + 2):
        assert store.sessions.recorded(new.id, after=after) == recorded[after:]
    now_held = store.sessions.get(new.id)
    assert (now_held.n_facts, now_held.changed) == (len(FACTS), moments[-1])


def test_facts_are_added_to_what_the_writer_has_seen_only(store, begun, refusal):
    new = begun()
    store.sessions.add(new, [Recorded(new.created, FACTS[0])])
    store.sessions.append(new.id, 1, FACTS[1:3])
    for seen in (0, 1, 2, 4, -1):
        said = refusal(Overtaken, store.sessions.append, new.id, seen, [Undo(1)])
        assert "this one has 3" in said
    assert [each.fact for each in store.sessions.recorded(new.id)] == FACTS[:3]
    refusal(UnknownName, store.sessions.append, "nobody", 0, [Undo(1)])


def test_of_many_who_answer_at_once_one_is_taken(store, database, begun):
    new = begun()
    store.sessions.add(new, [Recorded(new.created, FACTS[0])])
    kinds = ["left", "right", "tie", "skip"]
    with Store(database) as other:
        found = at_once(
            *(
                lambda place=place, kind=kind: (store, other)[place % 2].sessions.append(
                    new.id, 1, [Answer(1, kind), Question(2, 1, 2)]
                )
                for place, kind in enumerate(kinds)
            )
        )
    assert sum(isinstance(each, Overtaken) for each in found) == 3
    first, said, asked = (each.fact for each in store.sessions.recorded(new.id))
    assert (first, asked) == (FACTS[0], Question(2, 1, 2))
    assert said.kind == kinds[found.index(None)]


def test_all_facts_of_a_step_are_kept_or_none(store, begun):
    new = begun()
    store.sessions.add(new, [Recorded(new.created, FACTS[0])])
    with pytest.raises(IntegrityError):
        store.sessions.append(new.id, 1, [Answer(1, "tie"), Question(2, 1, None)])
    assert [each.fact for each in store.sessions.recorded(new.id)] == FACTS[:1]
    assert store.sessions.get(new.id).n_facts == 1


def test_a_reader_sees_whole_steps_in_order_while_others_write(store, begun):
    new = begun()
    store.sessions.add(new)
    steps, torn = 60, []

    def write():
        for number in range(1, steps + 1):
            step = [Question(number, 0, 1), Answer(number, "left")]
            store.sessions.append(new.id, 2 * number - 2, step)

    def read():
        seen = []
        while len(seen) < 2 * steps:
            more = store.sessions.recorded(new.id, after=len(seen))
            seen += more
            numbers = [each.fact.number for each in seen]
            if numbers != [place // 2 + 1 for place in range(len(seen))]:
                torn.append(numbers)
                return

    assert at_once(write, read, read) == [None] * 3
    assert torn == []


def test_a_closed_round_takes_no_facts(store, entry, begun, refusal):
    new = begun()
    store.sessions.add(new, [Recorded(new.created, FACTS[0])])
    store.sessions.require_open(new.id)
    store.catalogues.close_round(entry.id)
    store.catalogues.open_round(entry.id)  # the next one is not for this session
    for call in (
        lambda: store.sessions.append(new.id, 1, [Answer(1, "left")]),
        lambda: store.sessions.require_open(new.id),
    ):
        assert "'drinks' has closed this round" in refusal(Closed, call)
    store.catalogues.retire(entry.id)
    assert "is retired" in refusal(Closed, store.sessions.require_open, new.id)
    assert refusal(UnknownName, store.sessions.require_open, "nobody")
    assert store.sessions.get(new.id).n_facts == 1


def test_that_a_person_goes_on_is_kept(store, begun, refusal):
    store.sessions.add(begun())
    store.sessions.carry_on("session-1")
    assert store.sessions.get("session-1").carried_on
    refusal(UnknownName, store.sessions.carry_on, "nobody")


def test_sessions_are_listed_the_oldest_first(store, entry, begun):
    other = store.catalogues.add("others", drinks())
    moment = now()
    for id, seconds, held in (("c", 0, entry), ("a", 2, entry), ("b", 1, other)):
        created = moment + timedelta(seconds=seconds)
        store.sessions.add(begun(id, created=created, catalogue=held.id, round=held.round.id))
    assert store.sessions.ids() == ["c", "b", "a"]
    assert store.sessions.ids(entry.id) == ["c", "a"]


# Outcomes.


def test_the_outcome_of_most_facts_is_kept(store, begun):
    store.sessions.add(begun())
    assert store.sessions.outcome("session-1") is None
    for n_facts, favourite in ((3, 1), (5, 2), (5, 3), (4, 0)):
        document = {"favourite": favourite, "name": "te\0a ☕ \ud800"}
        store.sessions.put_outcome("session-1", Outcome(n_facts, favourite, document))
    kept = store.sessions.outcome("session-1")
    assert kept == Outcome(5, 2, {"favourite": 2, "name": "te\0a ☕ \ud800"})
    assert store.sessions.outcome("nobody") is None


def test_an_outcome_comes_with_the_facts_that_it_is_of(store, begun):
    new = begun()
    store.sessions.add(new, [Recorded(new.created, FACTS[0])])
    store.sessions.append(new.id, 1, [FACTS[1]], Outcome(2, 0, {}))
    assert store.sessions.outcome(new.id) == Outcome(2, 0, {})
    with pytest.raises(Overtaken):
        store.sessions.append(new.id, 1, [FACTS[1]], Outcome(3, 1, {}))
    assert store.sessions.outcome(new.id) == Outcome(2, 0, {})


def test_an_outcome_of_a_session_that_was_forgotten_is_not_kept(store, begun, refusal):
    refusal(UnknownName, store.sessions.put_outcome, "nobody", Outcome(1, 0, {}))
    assert store.sessions.outcome("nobody") is None


def test_outcomes_that_come_at_once(store, begun):
    store.sessions.add(begun())
    puts = [
        lambda n=n: store.sessions.put_outcome("session-1", Outcome(n, n % 4, {}))
        for n in (3, 9, 9, 5, 1, 7)
    ]
    assert at_once(*puts) == [None] * len(puts)
    assert store.sessions.outcome("session-1") == Outcome(9, 1, {})


# Forgetting.


def test_nothing_is_left_of_a_session_that_was_forgotten(store, begun, refusal):
    for id in ("session-1", "session-2"):
        new = begun(id)
        store.sessions.add(new, [Recorded(new.created, fact) for fact in FACTS])
        store.sessions.put_outcome(id, Outcome(8, 0, {}))
    store.sessions.forget("session-1")
    refusal(UnknownName, store.sessions.forget, "session-1")
    refusal(UnknownName, store.sessions.get, "session-1")
    assert store.sessions.recorded("session-1") == []
    assert store.sessions.outcome("session-1") is None
    assert store.sessions.ids() == ["session-2"]
    assert [each.fact for each in store.sessions.recorded("session-2")] == FACTS
    assert rows_with(store, "session-1") == []


def rows_with(store, text):
    """All rows of all tables in which a text occurs."""
    from duels.stores.schema import metadata

    with store.database.reading() as connection:
        return [
            row
            for table in metadata.sorted_tables
            for row in connection.execute(table.select())
            if text in json.dumps(list(row), default=str)
        ]


# The owner.


def test_the_owners_key_is_made_once_and_kept_as_a_hash(store):
    assert not store.owners.is_key("")
    key = store.owners.make_key()
    assert store.owners.make_key() is None
    assert store.owners.is_key(key)
    for wrong in ("", key[:-1], key + "x", "\0", "\ud800", "☕"):
        assert not store.owners.is_key(wrong)
    assert rows_with(store, key) == []


def test_one_key_is_made_by_many(store):
    keys = at_once(*[store.owners.make_key] * 3)
    assert sum(each is not None for each in keys) == 1
    assert store.owners.is_key(next(filter(None, keys)))


def test_a_new_key_ends_the_old_one_and_its_logins(store):
    old = store.owners.make_key()
    login = store.owners.log_in()
    new = store.owners.replace_key()
    assert (store.owners.is_key(old), store.owners.is_key(new)) == (False, True)
    assert store.owners.login(login.token) is None


def test_logins(store, monkeypatch):
    first, second = store.owners.log_in(), store.owners.log_in()
    assert store.owners.login(first.token) == first
    for wrong in ("", "\0", "\ud800", first.form_token):
        assert store.owners.login(wrong) is None
    assert rows_with(store, first.token) == []
    store.owners.log_out(first.token)
    assert store.owners.login(first.token) is None
    assert store.owners.login(second.token) == second
    later = now() + owners.LASTS + timedelta(seconds=1)
    monkeypatch.setattr(owners, "now", lambda: later)
    assert store.owners.login(second.token) is None
    store.owners.log_in()
    assert len(rows_with(store, "")) == 1
