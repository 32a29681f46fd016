"""The dialogue without a terminal: answers from standard input, one a line, and plain text."""

from __future__ import annotations

from collections.abc import Iterable

import click

from duels.cards import pair_of_cards
from duels.cli.choosing.dialogue import Dialogue
from duels.cli.choosing.words import (
    by_weight,
    clean,
    found,
    in_one_line,
    is_known,
    matters,
    more_questions,
)
from duels.errors import InvalidValue
from duels.session import Result
from duels.session.words import per_cent

SAID = {
    "1": ("left", ""),
    "2": ("right", ""),
    "1!": ("left", "clearly"),
    "2!": ("right", "clearly"),
    "!1": ("left", "clearly"),
    "!2": ("right", "clearly"),
    "=": ("tie", ""),
    "s": ("skip", ""),
}
RULE = "An answer is one of 1, 2, 1!, 2! (clearly), = (about equal), s (skip), u (undo), q (leave)"


def converse(dialogue: Dialogue, lines: Iterable[str], *, patient: bool) -> bool:
    """Ask until the session ends, the lines do, or one of them is ``q``; whether it has ended.

    ``patient`` asks again after a line that is no answer; otherwise that is an error.
    """
    waiting = iter(lines)
    number = 0
    show = True
    while True:
        question = dialogue.question()
        if question is None:
            return True
        if show:
            _show(dialogue)
        for line in waiting:
            number += 1
            if line.strip():
                break
        else:
            return False
        said = line.strip().lower()
        if said == "q":
            return False
        try:
            _answer(dialogue, said, number)
            show = True
        except InvalidValue as problem:
            if not patient:
                raise
            click.echo(str(problem), err=True)
            show = False


def _answer(dialogue: Dialogue, said: str, number: int) -> None:
    if said == "u":
        dialogue.undo()
    elif said in SAID:
        dialogue.say(*SAID[said])
    else:
        raise InvalidValue(
            f"{RULE}, got {clean(said)[:40]!r} in line {number}. The answers before it are kept."
        )


def _show(dialogue: Dialogue) -> None:
    question = dialogue.question()
    assert question is not None
    more = more_questions(dialogue.session.progress())
    click.echo(f"Question {question.number}{f', {more}' if more else ''}")
    for key, card in zip("12", pair_of_cards(dialogue.catalogue, *question.pair), strict=True):
        click.echo(f"  {key}  {in_one_line(card)}")


def show_result(result: Result) -> None:
    """The favourite, the arms likeliest to be best, and what mattered."""
    click.echo(f"{'Favourite' if result.ended else 'Favourite so far'}: {found(result)}")
    if len(result.ranking) > 1:
        for place, each in enumerate(result.ranking, start=1):
            chance = "" if each.probability is None else per_cent(each.probability)
            click.echo(f"  {place}. {clean(each.name)}  {chance}")
    if result.questions and result.cares:
        click.echo("What mattered:")
        for care in by_weight(result.cares):
            perhaps = "" if is_known(care) else "perhaps "
            click.echo(f"  {clean(care.column)}: {perhaps}{matters(care)}")
