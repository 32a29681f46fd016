"""The documentation says what is true: its code runs, its help texts and tables are the real ones.

``python tests/test_docs.py`` writes the help texts of docs/command-line.md anew.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import inspect
import io
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner

import duels
from duels import bounds, errors
from duels.cli import main
from duels.environments import CLASSES
from duels.policies import settings_of

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
COMMAND_LINE = DOCS / "command-line.md"
SERVED = DOCS / "build-it-into-your-app.md"  # needs a server: tests/test_docs_app.py runs it

PYTHON_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ANY_BLOCK = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
HELP = re.compile(r"<!-- help:(.*?)-->\n.*?<!-- /help -->", re.DOTALL)
SHOWN = re.compile(r"#\s->\s?(.*)$")
NOT_USED = re.compile(  # "options:" is a keyword of the reference page
    r"\b(items?|options?(?!:)|actions?|comparisons?|trials?|utils|helpers?|managers?)\b", re.I
)


# Python blocks


def shown_output(lines: list[str], statement: ast.stmt) -> str | None:
    """What the page says a statement gives: behind it, or in the comments right below it."""
    last = statement.end_lineno or statement.lineno
    behind = SHOWN.search(lines[last - 1])
    shown = [behind[1]] if behind else []
    for line in lines[last:]:
        below = SHOWN.match(line)
        if not below:
            break
        shown.append(below[1])
    return "\n".join(shown) if shown else None


def run_statement(statement: ast.stmt, namespace: dict[str, Any]) -> str:
    """What a statement prints, and the value if it is an expression that has one."""
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), "page", "eval"), namespace)
        else:
            exec(compile(ast.Module([statement], []), "page", "exec"), namespace)
    return printed.getvalue() + ("" if value is None else repr(value))


def run_block(block: str, namespace: dict[str, Any]) -> None:
    if ">>> " in block:
        run_doctest(block, namespace)
        return
    lines = block.splitlines()
    for statement in ast.parse(block).body:
        output = run_statement(statement, namespace)
        shown = shown_output(lines, statement)
        if shown is not None:
            assert output.strip() == shown.strip(), f"the page shows another output in:\n{block}"


def run_doctest(block: str, namespace: dict[str, Any]) -> None:
    examples = doctest.DocTestParser().get_doctest(block, namespace, "page", None, 0)
    report = io.StringIO()
    result = doctest.DocTestRunner(verbose=False).run(examples, report.write, clear_globs=False)
    assert result.failed == 0, report.getvalue()
    namespace.update(examples.globs)


@pytest.mark.parametrize(
    "page",
    [ROOT / "README.md", *(page for page in PAGES if page != SERVED)],
    ids=lambda page: page.name,
)
def test_python_blocks_run_and_give_what_they_show(page, tmp_path, monkeypatch):
    blocks = PYTHON_BLOCK.findall(page.read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, Any] = {"__name__": "page"}
    for block in blocks:
        run_block(block, namespace)


@pytest.mark.parametrize(
    "block",
    ["1 + 1  # -> 3", "print(1)\n# -> 2", "for i in (1, 2):\n    print(i)\n# -> 1", ">>> 1 + 1\n3"],
)
def test_a_wrong_output_is_noticed(block):
    with pytest.raises(AssertionError):
        run_block(block, {})


# Help texts


def help_text(arguments: list[str]) -> str:
    result = CliRunner().invoke(
        main, [*arguments, "--help"], prog_name="duels", terminal_width=80, max_content_width=80
    )
    assert result.exit_code == 0
    return result.output.rstrip()


def with_help(page: str) -> str:
    """The page with every help text as the command prints it now."""

    def block(found: re.Match[str]) -> str:
        words = found[1].split()
        return (
            f"<!-- help:{found[1]}-->\n```text\n$ {' '.join(['duels', *words])} --help\n"
            f"{help_text(words)}\n```\n<!-- /help -->"
        )

    return HELP.sub(block, page)


def test_help_texts_are_those_of_the_commands():
    page = COMMAND_LINE.read_text(encoding="utf-8")
    assert page == with_help(page), "Run: python tests/test_docs.py"


def test_every_command_has_its_help_text():
    assert isinstance(main, click.Group)
    documented = [found.strip() for found in HELP.findall(COMMAND_LINE.read_text(encoding="utf-8"))]
    assert sorted(documented) == sorted(["", *main.list_commands(click.Context(main))])


# Tables and lists


def section(page: str, heading: str) -> str:
    """The part of a page below a heading of the second level."""
    parts = re.split(r"^## ", page, flags=re.MULTILINE)
    (found,) = (part for part in parts if part.startswith(f"{heading}\n"))
    return found


@pytest.mark.parametrize("name", duels.list_policies())
def test_every_policy_is_described_with_its_settings_and_defaults(name):
    pages = sorted(DOCS.glob("policies*.md"))
    text = section("\n".join(page.read_text(encoding="utf-8") for page in pages), f"`{name}`")
    rows = re.findall(r"^\| `(\w+)` \| `([^`]+)` \|", text, flags=re.MULTILINE)
    assert dict(rows) == {key: str(default) for key, default in settings_of(name).items()}


@pytest.mark.parametrize("name", duels.list_environments())
def test_every_environment_is_described_with_its_settings(name):
    page = (DOCS / "simulating.md").read_text(encoding="utf-8")
    assert f"| `{name}` |" in page
    for setting in inspect.signature(CLASSES[name].__init__).parameters:
        assert setting == "self" or f"| `{setting}` |" in page


def test_the_reference_has_everything_public():
    named = re.findall(r"^::: ([\w.]+)", (DOCS / "reference.md").read_text(encoding="utf-8"), re.M)
    last_words = {name.rsplit(".", 1)[-1] for name in named}
    public = {
        name
        for name in duels.__all__
        if not name.startswith("__") and not isinstance(getattr(duels, name), ModuleType)
    }
    from_modules = {name for name in public if hasattr(bounds, name) or hasattr(errors, name)}
    assert public - from_modules <= last_words
    assert {"duels.bounds", "duels.errors"} <= set(named)


def test_the_navigation_lists_every_page_once():
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    listed = [page for entry in nav for page in entry.values()]
    assert sorted(listed) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_words_outside_the_vocabulary_are_not_used(page):
    prose = ANY_BLOCK.sub("", page.read_text(encoding="utf-8"))
    assert NOT_USED.findall(prose) == []


if __name__ == "__main__":
    COMMAND_LINE.write_text(
        with_help(COMMAND_LINE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n"
    )
