"""Pages of the commands, from their parsers: usage, options, examples, exit codes."""

from __future__ import annotations

import argparse
import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

from simulator.cli.main import COMMANDS, GROUPS, _parser

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = "nwtsim"


def pages() -> dict[str, str]:
    """Return the pages in MyST Markdown: the list of all commands, and one for each, by path."""
    made = {f"commands/{name}.md": page(name) for name in COMMANDS}
    return {"commands/index.md": overview()} | made


def overview() -> str:
    """Write the list of the commands, by what a person wants to do."""
    parts = ["# Commands"]
    for title, some in GROUPS.items():
        rows = [
            f"| [`{PROGRAM} {name}`]({name}.md) | {told(text)} |" for name, text in some.items()
        ]
        parts += [
            f"## {title.capitalize()}",
            "\n".join(["| command | what it does |", "|---|---|", *rows]),
        ]
    names = "\n".join(COMMANDS)
    return "\n\n".join([*parts, f"```{{toctree}}\n:hidden:\n\n{names}\n```\n"])


def page(name: str) -> str:
    """Write the page of one command, with those of its subcommands."""
    parser = subcommands(_parser([name]))[name]
    lines = [f"# {PROGRAM} {name}", *body(parser, f"{PROGRAM} {name}", 2)]
    for below, inner in subcommands(parser).items():
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            inner.parse_known_args(["--help"])  # It is configured when it is used.
        lines += [f"## {PROGRAM} {name} {below}", *body(inner, f"{PROGRAM} {name} {below}", 3)]
    return "\n\n".join(lines) + "\n"


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parsers of a command's subcommands, by name."""
    found = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return {name: inner for one in found for name, inner in one.choices.items()}


def body(parser: argparse.ArgumentParser, name: str, level: int) -> Iterator[str]:
    """Yield the blocks of a command: what it does, its usage, options and examples."""
    yield told(parser.description or "")
    yield fenced(re.sub(r"(?m)^(usage: | {7})", "", parser.format_usage()), "text")
    yield f"```{{program}} {name}\n```"
    for group in parser._action_groups:
        actions = [one for one in group._group_actions if shown(one)]
        if actions:
            yield f"{'#' * level} {(group.title or '').capitalize()}"
            if group.description:
                yield told(group.description)
            yield from (option(one, parser) for one in actions)
    examples, _, codes = (parser.epilog or "").partition("\n\n")
    if examples:
        yield f"{'#' * level} Examples"
        yield fenced(re.sub(r"(?m)^  ", "", examples.removeprefix("examples:\n")), "console")
    yield told(codes)


def shown(action: argparse.Action) -> bool:
    """Whether the page has an option: all but ``--help``, and those without a help."""
    hidden = isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
    return not hidden and action.help is not argparse.SUPPRESS


def option(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    """Write one option or argument with its help, as an object that the search finds by name."""
    formatter = parser._get_formatter()
    said = formatter._format_action_invocation(action)
    if action.choices and not action.option_strings:
        said = str(action.metavar or action.dest)
    text = told(formatter._expand_help(action) if action.help else "")
    return f"````{{option}} {said}\n\n{text}\n````"


# -- Markdown ---------------------------------------------------------------------------------


def fenced(text: str, language: str) -> str:
    """Write a block of code."""
    return f"```{language}\n{text.strip()}\n```"


def told(text: str) -> str:
    """Write a help as Markdown: no sign is markup but backticks; pages of docs/ are links."""
    parts = re.split(r"(`[^`\n]+`)", text)
    parts[::2] = [escaped(part) for part in parts[::2]]
    return "".join(parts)


def escaped(text: str) -> str:
    """Return a text in which no sign is markup, and the names of pages are links to them."""
    safe = re.sub(r"([\\`*_<>\[\]$|#~])", r"\\\1", text)
    return re.sub(r"\bdocs/([\w/-]+)\.md", r"[\g<0>](/\g<0>)", safe)
