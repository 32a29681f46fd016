"""The report of a `compare` run: one HTML file that needs no other."""

from __future__ import annotations

import base64
import hashlib
from html import escape
from importlib.resources import files

from duels.experiment.chunks import CURVES_KEPT, MOST_POINTS
from duels.experiment.compared import Compared
from duels.experiment.figures import curves_of, far_off, fewer, words
from duels.experiment.results_tables import (
    HEADER,
    explanation,
    failure_lines,
    html_table,
    lines_of,
    number,
)
from duels.plots.inline import inline_ends, inline_figure


def page(compared: Compared) -> str:
    """The whole report.

    The style and the script stand inside, and the page's own policy allows these two and nothing
    else: no other script, no request to anywhere.
    """
    style, script = _text("report.css"), _text("report.js")
    rules = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    title = f"{len(compared.policies)} policies in {compared.facts['world']}"
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{rules}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{style}</style>
</head>
<body>
<h1>{escape(title)}</h1>
{_summary(compared)}
{_failures(compared)}
{_sections(compared)}
{_measured(compared)}
<script>{script}</script>
</body>
</html>
"""


def fragment(compared: Compared) -> str:
    """Figures and tables for a notebook, without a script."""
    return f"<div>{_failures(compared)}{_sections(compared, every_pair=False)}</div>"


def _text(name: str) -> str:
    return files("duels.experiment").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _summary(compared: Compared) -> str:
    plan = compared.facts["plan"]
    return (
        f'<p class="facts">{plan["replications"]:,} replications of {plan["horizon"]:,} duels, '
        f"seed {plan['seed']}. All policies met the same worlds.</p>"
    )


def _failures(compared: Compared) -> str:
    lines = "".join(f"<p>{escape(line)}</p>" for line in failure_lines(compared))
    return f'<div class="failed">{lines}</div>' if lines else ""


def _sections(compared: Compared, *, every_pair: bool = True) -> str:
    """A figure and a table for each regret."""
    parts = []
    for count, (regret, lines) in enumerate(lines_of(compared).items()):
        curves = curves_of(compared, regret)
        if regret.startswith("simple-"):
            drawn = inline_ends(curves, regret=words(regret))
        else:
            drawn = inline_figure(
                curves, regret=words(regret), off_scale=far_off(curves), name=f"f{count}"
            )
        parts.append(
            f"<h2>{escape(words(regret).capitalize())}</h2><figure>{drawn}"
            "<figcaption>Mean ± 1.96 standard errors.</figcaption></figure>"
            f'<div class="wide">{html_table(HEADER, lines)}</div>'
        )
        if every_pair and len(compared.policies) > 2:
            parts.append(
                "<details><summary>All pairs of policies</summary>"
                f'<div class="wide pairs">{_pairs(compared, regret)}</div>'
                '<p class="note">Row minus column, in the worlds that both met; in bold where the '
                "95 % interval does not hold 0.</p></details>"
            )
    return "".join(parts) + f'<p class="note">{escape(explanation(compared))}</p>'


def _pairs(compared: Compared, regret: str) -> str:
    """Differences between all policies, as a square."""
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in compared.policies)
    body = ""
    for policy in compared.policies:
        line = ""
        for other in compared.policies:
            found = compared.difference(regret, policy, other)
            text = "" if policy == other else number(found["difference"])
            sure = policy != other and (found["low"] > 0 or found["high"] < 0)
            line += f"<td>{f'<b>{text}</b>' if sure else text}</td>"
        body += f'<tr><th scope="row">{escape(policy)}</th>{line}</tr>'
    return f"<table><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table>"


def _in_lines(command: str) -> str:
    """A command of the shell, each setting on a line of its own, to be read and to be copied."""
    if not command.startswith("duels compare "):
        return command  # of Python
    return command.replace(" --", " \\\n    --")


def _measured(compared: Compared) -> str:
    facts = compared.facts
    packages = ", ".join(f"{name} {found}" for name, found in facts["versions"].items())
    other = fewer(compared)
    few = f" Other numbers of replications: {other}." if other else ""
    return (
        "<h2>How this was measured</h2>"
        f"<pre>{escape(_in_lines(facts['command']))}</pre>"
        f'<p class="facts">World: {escape(facts["plan"]["world"].strip("<>"))}.{escape(few)} With '
        f"{escape(packages)}. Curves are kept at {MOST_POINTS} times at most; their quantiles, in "
        f"curves.parquet, are those of the first {CURVES_KEPT:,} worlds.</p>"
    )
