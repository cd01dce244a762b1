"""Commands that tests carry out: what they print, and what they say where they refuse."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest

from simulator.cli.main import COMMANDS, _parser, main
from simulator.cli.trace import SUBCOMMANDS

Capture: TypeAlias = pytest.CaptureFixture[str]


def done(capsys: Capture, *words: str) -> str:
    """Carry out a command; return what it printed."""
    code = main(list(words))
    said = capsys.readouterr()
    assert code == 0, said.err
    return said.out


def as_json(capsys: Capture, *words: str) -> Any:
    """Carry out a command; return what it printed for programs."""
    return json.loads(done(capsys, *words, "--format", "json"))


def elapsed(capsys: Capture, command: list[str]) -> int:
    """Carry out a command that a report prints; return how long its run takes, in ns."""
    program, *words = command
    assert program == "nwtsim"
    limits = ["--no-limits"] if words[0] in ("run", "replay") else []
    return int(as_json(capsys, *words, *limits)["elapsed_ns"])


def refused(capsys: Capture, *words: str) -> str:
    """Carry out a command that is bad input; return what it says."""
    assert main(list(words)) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    return said.err


def parsers() -> Iterator[tuple[list[str], argparse.ArgumentParser]]:
    """Yield the parser of each command, and of each report of ``trace``, with its words."""
    for name in COMMANDS:
        parser = commands_in(_parser([name]))[name]
        yield [name], parser
    for name in SUBCOMMANDS:
        parser = commands_in(commands_in(_parser(["trace"]))["trace"])[name]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            parser.parse_known_args(["--help"])  # It is configured when it is used.
        yield ["trace", name], parser


def commands_in(parser: argparse.ArgumentParser) -> Any:
    """Return the parsers of the commands of a parser."""
    (found,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    return found.choices
