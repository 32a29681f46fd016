"""A question, and a result, as pictures made of letters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.align import Align, AlignMethod
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from duels.cards import Card
from duels.cli.choosing.words import (
    REASONS,
    by_weight,
    clean,
    is_known,
    matters,
    more_questions,
)

if TYPE_CHECKING:
    from duels.session import Care, Progress, Result

WIDEST = 110  # columns: beyond that, cards are read like two pages
NARROWEST = 24  # columns of a card; below that there is one table
AFTER = [("m", "keep asking"), ("u", "undo"), ("q", "leave")]
COLUMNS = 6  # that are named as having mattered
FEW = 4  # rows where there is hardly any room
BAR = 24
SIDES: tuple[tuple[str, AlignMethod], ...] = (("1 ←", "left"), ("→ 2", "right"))
ACCENT, QUIET = "cyan", "dim"


def width_of(console: Console) -> int:
    """How many columns are used."""
    return min(console.width, WIDEST)


def question_view(
    console: Console,
    title: str,
    number: int,
    cards: tuple[Card, Card],
    progress: Progress | None,
    *,
    clearly: bool = False,
    said: str = "",
) -> RenderableType:
    """Two cards, how far it has come, and the keys; as much detail as the window has room for."""
    parts: list[RenderableType] = []
    for detail in range(4):
        parts = [
            _head(title, number, progress, width_of(console)),
            Text(""),
            _both(console, cards, detail),
            _prompt(clearly, said),
        ]
        if sum(_lines(part, width_of(console)) for part in parts) < console.height:
            break
    return Group(*parts)


def _lines(part: RenderableType, width: int) -> int:
    """How many lines something takes."""
    return len(Console(width=width).render_lines(part))


def _head(title: str, number: int, progress: Progress | None, width: int) -> RenderableType:
    first = Table.grid(expand=True)
    first.add_column(no_wrap=True, ratio=1, overflow="ellipsis")
    first.add_column(justify="right", no_wrap=True)
    more = "" if progress is None else more_questions(progress)
    first.add_row(
        Text.assemble((clean(title), "bold"), f"  question {number}"), Text(more, style=QUIET)
    )
    if progress is None:
        return Group(first, Text("getting ready …", style=QUIET))
    return Group(first, _bar(progress))


def _bar(progress: Progress) -> RenderableType:
    from duels.session.words import per_cent

    share = progress.share if progress.share is not None else progress.confidence
    sure = progress.confidence
    words = "" if sure is None else f"{per_cent(sure)} sure of your favourite"
    if share is None:
        return Text("as many questions as you like", style=QUIET)
    line = Table.grid(expand=True, padding=(0, 1, 0, 0))
    line.add_column(ratio=1)
    line.add_column(no_wrap=True)
    bar = ProgressBar(1.0, share, complete_style=ACCENT, finished_style=ACCENT)
    line.add_row(bar, Text(words, style=QUIET))
    return line


def _both(console: Console, cards: tuple[Card, Card], detail: int) -> RenderableType:
    """Two cards side by side and of one height, or a table where there is no room for cards."""
    width = (width_of(console) - 1) // 2
    if width < NARROWEST or detail == 3:
        return _table(cards, detail)
    inner = [_inside(card, detail) for card in cards]
    height = 2 + max(_lines(each, width - 4) for each in inner)
    both = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    for _ in cards:
        both.add_column(width=width)
    both.add_row(
        *(
            Panel(
                each,
                title=Text(f" {key} ", style=f"bold {ACCENT}"),
                title_align=side,
                box=box.ROUNDED,
                border_style=QUIET,
                padding=(0, 1),
                height=height,
            )
            for each, (key, side) in zip(inner, SIDES, strict=True)
        )
    )
    return both


def _inside(card: Card, detail: int) -> RenderableType:
    """What a card says. With a higher detail number it is less: 1 what differs, 2 without text."""
    rows = Table.grid(padding=(0, 1, 0, 0), expand=True)
    rows.add_column(width=1)
    rows.add_column(ratio=5, overflow="fold")
    rows.add_column(ratio=6, overflow="fold")
    shown = [each for each in card.details if each.differs or detail == 0]
    for each in shown:
        mark, style = ("•", "bold") if each.differs else ("", QUIET)
        rows.add_row(
            Text(mark, style=ACCENT),
            Text(clean(each.column), style="" if each.differs else QUIET),
            Text(clean(each.value), style=style),
        )
    parts: list[RenderableType] = [Text(clean(card.name), style=f"bold {ACCENT}")]
    if shown:
        parts += [Text(""), rows]
    parts += _not_shown(card, len(shown))
    if card.text and detail < 2:
        parts += [Text(""), Text(clean(card.text), style="italic")]
    return Group(*parts)


def _table(cards: tuple[Card, Card], detail: int) -> RenderableType:
    """Both arms in three columns; with the detail number 3 only the first rows of what differs."""
    rows = Table.grid(padding=(0, 1, 0, 0), expand=True)
    for _ in range(3):
        rows.add_column(ratio=1, overflow="fold")
    head = [Text(f"{key} {clean(card.name)}") for card, (key, _) in zip(cards, SIDES, strict=True)]
    for each in head:
        each.stylize(f"bold {ACCENT}")
    rows.add_row("", *head)
    both = list(zip(cards[0].details, cards[1].details, strict=True))
    shown = [pair for pair in both if pair[0].differs or detail == 0]
    shown = shown[:FEW] if detail == 3 else shown
    for left, right in shown:
        style = "bold" if left.differs else QUIET
        values = [Text(clean(each.value), style=style) for each in (left, right)]
        rows.add_row(Text(clean(left.column), style="" if left.differs else QUIET), *values)
    return Group(rows, *_not_shown(cards[0], len(shown)))


def _not_shown(card: Card, n_shown: int) -> list[RenderableType]:
    """A line about the columns that are left out, if any are."""
    alike = sum(not each.differs for each in card.details)
    differing = len(card.details) - n_shown - alike
    said = [f"{alike} the same"] * (alike > 0) + [f"{differing} more"] * (differing > 0)
    if n_shown == len(card.details):
        return []
    return [Text(f"  {', '.join(said)}: not shown", style=QUIET)]


def _prompt(clearly: bool, said: str) -> RenderableType:
    if said:
        asked = Text(said, style="yellow")
    elif clearly:
        asked = Text("Which is clearly better?  1 or 2, ! takes that back", style="bold reverse")
    else:
        asked = Text("Which do you prefer?", style="bold")
    return Group(
        asked,
        _keys([("1 ←", "left"), ("→ 2", "right"), ("=", "about equal"), ("s", "skip")]),
        _keys([("!", "or Shift+arrow: clearly"), ("u", "undo"), ("q", "leave, come back later")]),
    )


def _keys(keys: list[tuple[str, str]]) -> Text:
    line = Text()
    for key, meaning in keys:
        line.append(key, style=f"bold {ACCENT}")
        line.append(f" {meaning}   ", style=QUIET)
    line.rstrip()
    return line


def ended_view(console: Console, result: Result, favourite: Card) -> RenderableType:
    """A result with the keys below it, as far as the window has room."""
    width = width_of(console)
    parts: list[RenderableType] = []
    for columns in range(COLUMNS, -2, -1):  # at last without the card's words
        parts = [result_view(result, favourite, width, columns), Text(""), _keys(AFTER)]
        if sum(_lines(part, width) for part in parts) < console.height:
            break
    return Group(*parts)


def result_view(
    result: Result, favourite: Card, width: int, columns: int = COLUMNS
) -> RenderableType:
    """The favourite as its card says, the arms likeliest to be best as bars, and what mattered."""
    from duels.session.words import per_cent, sure_words

    sure = sure_words(result.confidence, result.questions)
    sure = f"{sure[0].upper()}{sure[1:]}"
    why = f" {REASONS[result.ended]}." if result.ended else ""
    name = Text(clean(result.name), style=f"bold {ACCENT}", justify="center")
    under = Text(f"{sure}.{why}", style=QUIET, justify="center")
    details = " · ".join(
        f"{clean(each.column)} {clean(each.value)}" for each in favourite.details[:COLUMNS]
    )
    words = (clean(favourite.text), details) if columns >= 0 else ()
    about = [Text(each, justify="center") for each in words if each]
    title = "Your favourite" if result.ended else "Your favourite so far"
    parts: list[RenderableType] = [
        Panel(
            Align.center(Group(name, *about, under)),
            title=title,
            box=box.ROUNDED,
            border_style=ACCENT,
        )
    ]
    if len(result.ranking) > 1:
        rows = _rows(width)
        for place, each in enumerate(result.ranking, start=1):
            chance = each.probability or 0.0
            rows.add_row(
                Text(f"{place}.", style=QUIET),
                Text(clean(each.name), style="bold" if place == 1 else ""),
                ProgressBar(1.0, chance, complete_style=ACCENT, finished_style=ACCENT),
                Text(per_cent(chance), justify="right"),
            )
        parts += [Text("How likely each is your best", style="bold"), rows]
    if result.questions and result.cares and columns > 0:
        cares = _cares(by_weight(result.cares)[:columns], width)
        parts += [Text("\nWhat mattered to you", style="bold"), cares]
    return Group(*parts)


def _cares(cares: list[Care], width: int) -> RenderableType:
    """What columns are worth; quietly where that is hardly known."""
    rows = _rows(width)
    most = abs(cares[0].weight) or 1.0
    for care in cares:
        known = is_known(care)
        bar = ProgressBar(most, abs(care.weight), complete_style="magenta" if known else "grey50")
        words = Text(matters(care) if known else f"perhaps {matters(care)}")
        words.style = "" if known else QUIET
        rows.add_row("", Text(clean(care.column)), bar, words)
    return rows


def _rows(width: int) -> Table:
    rows = Table.grid(padding=(0, 2, 0, 0))
    rows.add_column(justify="right", width=2)
    rows.add_column(max_width=max(12, width // 3), overflow="ellipsis", no_wrap=True)
    rows.add_column(width=min(BAR, max(6, width // 5)))
    rows.add_column()
    return rows
