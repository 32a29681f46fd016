"""``duels choose``: one person's favourite, found in the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duels.cli.choosing.answers import AnswersFile, Beginning, Rule, now, require_same_arms
from duels.cli.described import described
from duels.errors import Conflict
from duels.facts import Question

if TYPE_CHECKING:
    from duels.catalogue import Catalogue
    from duels.cli.choosing.dialogue import Dialogue

DEMO = "cabins"
POLICY = "least-regret"


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[FILE]")
@click.option(
    "--answers",
    "path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where the answers are kept.  [default: beside FILE, as NAME.answers.jsonl]",
)
@click.option("--fresh", is_flag=True, help="Begin anew; earlier answers are put aside, not lost.")
@click.option("--more", is_flag=True, help="Keep asking although it has ended.")
@click.option("--policy", metavar="NAME", help=f"Settings behind a colon.  [default: {POLICY}]")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), help="Same seed, same first question.")
@click.option("--questions", type=click.IntRange(1), help="Stop after so many.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Stop when the favourite is this certain, such as 0.9.",
)
@click.option(
    "--top", default=5, show_default=True, type=click.IntRange(1), help="Arms named at the end."
)
def choose(
    file: Path | None,
    path: Path | None,
    fresh: bool,
    more: bool,
    policy: str | None,
    seed: int | None,
    questions: int | None,
    confidence: float | None,
    top: int,
) -> None:
    """Find your favourite: which of these two, again and again.

    FILE is a .csv, .parquet or .json table with one arm a row; without it there is a demo. Each
    answer is on disk before the next question comes, and the same command goes on where you left.

    Without a terminal, answers are read from standard input, one a line: 1, 2, 1! or 2! (clearly),
    = (about equal), s (skip), u (undo), q (leave).
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: more threads only wait
    catalogue, title = _read(file)
    path = path or (file.with_name(f"{title}.answers.jsonl") if file else _in_this_folder(title))
    rule = {
        key: value
        for key, value in (("confidence", confidence), ("questions", questions))
        if value is not None
    }
    with AnswersFile(path) as answers:
        if answers.mended:
            click.echo(answers.mended, err=True)
        if fresh:
            aside = answers.put_aside()
            if aside is not None:
                click.echo(f"The earlier answers are in {aside}", err=True)
        if file is not None and answers.beginning is None:
            click.echo(described(catalogue), err=True)
        begun = _begun(answers, catalogue, policy, seed, rule or None, more=more)
        Choosing(answers, begun, catalogue, title, top).run(rule or None, more=more)


class Choosing:
    """One call of the command, once its file is open."""

    def __init__(
        self, file: AnswersFile, begun: Beginning, catalogue: Catalogue, title: str, top: int
    ) -> None:
        self.file, self.begun = file, begun
        self.catalogue, self.title, self.top = catalogue, title, top
        self.dialogue: Dialogue | None = None

    def run(self, rule: Rule | None, *, more: bool) -> None:
        """Hold the dialogue, and tell what came of it."""
        try:
            if _terminal():
                self._on_screen(rule, more=more)
            else:
                self._in_plain_text(rule, more=more)
        except KeyboardInterrupt:
            self._say_where()
            raise
        self._show_result()
        self._say_where()

    def _on_screen(self, rule: Rule | None, *, more: bool) -> None:
        from duels.cli.choosing.screen import Screen

        last = self.file.lines[-1][1] if self.file.lines else None
        screen = Screen(self.title)
        if not isinstance(last, Question):
            click.echo(f"{self.title}: {len(self.catalogue)} arms. Choosing the first two …")
            self._make(rule, more=more).question()
        with screen.open():
            if isinstance(last, Question):  # before what takes time
                screen.show_question(self.catalogue, last)
            screen.converse(self.dialogue or self._make(rule, more=more), self.top)

    def _in_plain_text(self, rule: Rule | None, *, more: bool) -> None:
        from duels.cli.choosing.plain import converse

        lines: Iterator[str] = iter(sys.stdin.readline, "")
        converse(self._make(rule, more=more), lines, patient=sys.stdin.isatty())

    def _make(self, rule: Rule | None, *, more: bool) -> Dialogue:
        from duels.cli.choosing.dialogue import Dialogue

        self.dialogue = Dialogue(self.catalogue, self.file, self.begun)
        if more:
            self.dialogue.carry_on(rule)
        return self.dialogue

    def _show_result(self) -> None:
        assert self.dialogue is not None
        result = self.dialogue.result(self.top)
        if _terminal():
            from rich.console import Console

            from duels.cards import card
            from duels.cli.choosing.view import result_view, width_of

            console = Console(highlight=False)
            width = width_of(console)
            favourite = card(self.catalogue, result.favourite)
            console.print(result_view(result, favourite, width), width=width)
        else:
            from duels.cli.choosing.plain import show_result

            show_result(result)

    def _say_where(self) -> None:
        ended = self.dialogue is not None and self.dialogue.ended is not None
        how = "with --more keeps asking" if ended else "goes on from here"
        click.echo(f"Answers are in {self.file.path}; the same command {how}.", err=True)


def _read(file: Path | None) -> tuple[Catalogue, str]:
    """The catalogue, and what it is called."""
    if file is None:
        from duels.demo import demo_catalogue

        return demo_catalogue(), DEMO
    from duels.catalogue import Catalogue

    return Catalogue.from_file(file), file.stem


def _in_this_folder(title: str) -> Path:
    return Path(f"{title}.answers.jsonl")


def _begun(
    file: AnswersFile,
    catalogue: Catalogue,
    policy: str | None,
    seed: int | None,
    rule: Rule | None,
    *,
    more: bool,
) -> Beginning:
    """What a dialogue begins with; one that goes on must be about the same."""
    from duels.stores.document import fingerprint

    print_of_arms = fingerprint(catalogue)
    begun = file.beginning
    if begun is None:
        import secrets

        import duels

        return Beginning(
            fingerprint=print_of_arms,
            arms=len(catalogue),
            policy=policy or POLICY,
            seed=secrets.randbits(48) if seed is None else seed,
            stopping=rule,
            duels=duels.__version__,
            begun=now(),
        )
    require_same_arms(begun, print_of_arms, len(catalogue), file.path)
    said: list[tuple[str, object, object]] = [
        ("policy", policy, begun.policy),
        ("seed", seed, begun.seed),
    ]
    if not more:
        said.append(("rule to stop", rule, begun.stopping))
    for what, given, before in said:
        if given is not None and given != before:
            way = "add --more to go on by another rule, or " if what == "rule to stop" else ""
            raise Conflict(
                f"A dialogue keeps the {what} it was begun with, which is {before or 'the usual'} "
                f"in {file.path}, got {given}. Leave it out, {way}begin anew with --fresh."
            )
    return begun


def _terminal() -> bool:
    """Whether a person sits at a terminal that can place its cursor."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
