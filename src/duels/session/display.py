"""A result as a notebook shows it: plain HTML without style, all text escaped."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from duels.session.words import care_bars, per_cent, sure_words

if TYPE_CHECKING:
    from duels.session.result import Result


def html_of(result: Result) -> str:
    """The favourite, the likeliest arms, and what the answers say the person cares about."""
    sure = sure_words(result.confidence, result.questions)
    parts = [f"<p>Favourite: <strong>{escape(result.name)}</strong> ({escape(sure)})</p>"]
    if len(result.ranking) > 1:
        rows = [(each.name, per_cent(each.probability or 0.0)) for each in result.ranking]
        parts.append(_table(("Arm", "Is the best"), rows))
    if result.cares:
        weights = {
            each.column: f"{each.weight:+.2f} ± {each.uncertainty:.2f}" for each in result.cares
        }
        bars = care_bars(result.cares)
        cares = [(bar["column"], weights[bar["column"]], bar["words"]) for bar in bars]
        parts.append(_table(("What it is worth", "Utility for one standard deviation", ""), cares))
    return "\n".join(parts)


def _table(heads: Iterable[str], rows: Iterable[tuple[str, ...]]) -> str:
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(each)}</td>' for each in row)}</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
