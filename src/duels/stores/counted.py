"""The answers that count, as a query: the last one to each question that was not taken back."""

from __future__ import annotations

from sqlalchemy import CTE, ColumnElement, Subquery, and_, func, or_, select

from duels.facts import KINDS
from duels.stores.schema import answers, outcomes, questions, sessions

WITHDRAWAL = "withdrawal"


def chosen_sessions(catalogue: int, round: int | None = None) -> Subquery:
    """The sessions with a catalogue, or those of one of its rounds, and whether each finished.

    A session has finished if its stopping rule was met, whether the person went on or not.
    """
    ended = outcomes.c.document["ended"].as_string()
    met = and_(outcomes.c.n_facts == sessions.c.n_facts, ended.is_not(None))
    query = (
        select(
            sessions.c.id,
            sessions.c.round,
            sessions.c.created,
            sessions.c.changed,
            outcomes.c.favourite,
            func.coalesce(or_(sessions.c.carried_on, met), False).label("finished"),
        )
        .outerjoin(outcomes, outcomes.c.session == sessions.c.id)
        .where(sessions.c.catalogue == catalogue)
    )
    if round is not None:
        query = query.where(sessions.c.round == round)
    return query.subquery("chosen")


def counted_answers(chosen: Subquery, *further: ColumnElement[bool]) -> CTE:
    """The answers that count in these sessions, with the pair of their question."""
    last = (
        select(answers.c.session, func.max(answers.c.position).label("position"))
        .join(chosen, chosen.c.id == answers.c.session)
        .where(answers.c.kind != WITHDRAWAL, *further)
        .group_by(answers.c.session, answers.c.number)
        .subquery("last")
    )
    return (
        select(
            answers.c.session,
            answers.c.number,
            answers.c.position,
            answers.c.kind,
            answers.c.strength,
            answers.c.at,
            questions.c.left_arm,
            questions.c.right_arm,
            questions.c.at.label("asked"),
        )
        .join(
            last,
            (last.c.session == answers.c.session) & (last.c.position == answers.c.position),
        )
        .join(
            questions,
            (questions.c.session == answers.c.session) & (questions.c.number == answers.c.number),
        )
        .where(answers.c.kind.in_(KINDS))
        .cte("counted")
    )
