"""The results of `compare` as tables in Markdown, LaTeX and HTML."""

from __future__ import annotations

import math
import re
from html import escape
from typing import Any

from duels.experiment.compared import Compared

HEADER = (
    "policy",
    "worlds",
    "mean ± SE",
    "median",
    "95th percentile",
    "difference",
    "95 % interval",
)
LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{each: f"\\{each}" for each in "&%$#_{}"},
}
MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|])")


def number(value: float) -> str:
    """Three figures, or a dash where there is none.

    >>> number(7.4142), number(1234.5), number(-0.01234), number(float("nan"))
    ('7.41', '1,234', '−0.0123', '–')
    """
    if math.isnan(value):
        return "–"
    size = abs(value)
    digits = 0 if size >= 99.95 or size == 0 else min(6, 2 - math.floor(math.log10(size)))
    return f"{value:,.{max(0, digits)}f}".replace("-", "−")


def as_sure(value: float, error: float) -> str:
    """A value with as many decimals as show two figures of its error.

    >>> as_sure(132.157, 5.757), as_sure(5.757, 5.757), as_sure(74.9, 15.04), as_sure(2.0, 0.0)
    ('132.2', '5.8', '75', '2.00')
    """
    if not error > 0 or not math.isfinite(value):  # NaN, too
        return number(value)
    decimals = min(6, max(0, 1 - math.floor(math.log10(error))))
    return f"{value:,.{decimals}f}".replace("-", "−")


def cells(row: dict[str, Any], base: str) -> list[str]:
    """One line of a table, as in `HEADER`."""
    error = row["standard_error"]
    line = [
        row["policy"],
        f"{row['replications']:,}",
        f"{as_sure(row['mean'], error)} ± {as_sure(error, error)}",
        number(row["median"]),
        number(row["q95"]),
    ]
    if row["policy"] == base:
        return [*line, "", ""]
    half = (row["high"] - row["low"]) / 2
    low, high = as_sure(row["low"], half), as_sure(row["high"], half)
    return [*line, as_sure(row["difference"], half), f"{low} to {high}"]


def lines_of(compared: Compared) -> dict[str, list[list[str]]]:
    """For each regret the lines of its table."""
    base = compared.policies[0]
    lines: dict[str, list[list[str]]] = {regret: [] for regret in compared.regrets}
    for row in compared.to_frame().iter_rows(named=True):
        lines[row["regret"]].append(cells(row, base))
    return lines


def explanation(compared: Compared) -> str:
    """How the numbers are to be read, in one paragraph."""
    plan = compared.facts["plan"]
    return (
        f"Regret after {plan['horizon']:,} duels in {compared.facts['world']}, seed "
        f"{plan['seed']}: mean ± standard error (SE) over the worlds, median and 95th percentile. "
        f"All policies met the same worlds; the difference is that to {compared.policies[0]}, "
        "world by world, with its 95 % interval by Student's t."
    )


def markdown_tables(compared: Compared) -> str:
    """A table for each regret."""
    parts = [_markdown(explanation(compared))]
    parts += [_markdown(line) for line in failure_lines(compared)]
    for regret, lines in lines_of(compared).items():
        parts.append(f"## {regret}")
        rows = ["| " + " | ".join(HEADER) + " |", "|---" + "|---:" * (len(HEADER) - 1) + "|"]
        rows += ["| " + " | ".join(map(_markdown, line)) + " |" for line in lines]
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def failure_lines(compared: Compared) -> list[str]:
    """What is said of each policy that failed."""
    return [f"{policy} did not play to the end: {why}" for policy, why in compared.failures.items()]


def text_tables(compared: Compared) -> str:
    """The same for a terminal."""
    parts = failure_lines(compared)
    for regret, lines in lines_of(compared).items():
        rows = [list(HEADER), *lines]
        widths = [max(len(row[k]) for row in rows) for k in range(len(HEADER))]
        parts.append(
            f"{regret}\n"
            + "\n".join(
                "  ".join(
                    text.ljust(width) if k == 0 else text.rjust(width)
                    for k, (text, width) in enumerate(zip(row, widths, strict=True))
                ).rstrip()
                for row in rows
            )
        )
    return "\n\n".join([*parts, explanation(compared)]) + "\n"


def _markdown(text: str) -> str:
    return MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def latex_table(compared: Compared) -> str:
    """One table with a block for each regret; it needs the package booktabs."""
    out = ["% needs \\usepackage{booktabs}", "\\begin{tabular}{l" + "r" * (len(HEADER) - 1) + "}"]
    out += ["\\toprule", " & ".join(map(_latex, HEADER)) + r" \\"]
    for regret, lines in lines_of(compared).items():
        out += [
            "\\midrule",
            f"\\multicolumn{{{len(HEADER)}}}{{l}}{{\\emph{{{_latex(regret)}}}}} \\\\",
        ]
        out += [" & ".join(map(_latex, line)) + r" \\" for line in lines]
    out += ["\\bottomrule", "\\end{tabular}"]
    out += [f"% {line}" for line in map(_one_line, failure_lines(compared))]
    out += [f"% {_one_line(text)}" for text in (explanation(compared), compared.facts["command"])]
    return "\n".join(out) + "\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _latex(text: str) -> str:
    safe = "".join(LATEX.get(letter, letter) for letter in _one_line(text))
    return safe.replace("±", r"$\pm$").replace("−", "$-$").replace("–", "--")


def html_table(header: tuple[str, ...], lines: list[list[str]]) -> str:
    """A table; the first cell of a line is its name."""
    head = "".join(f'<th scope="col">{escape(each)}</th>' for each in header)
    body = "".join(
        f'<tr><th scope="row">{escape(line[0])}</th>'
        + "".join(f"<td>{escape(each)}</td>" for each in line[1:])
        + "</tr>"
        for line in lines
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
