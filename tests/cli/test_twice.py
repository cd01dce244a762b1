"""An option that takes one value and is given twice: an error in every command."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterator

import pytest

from tests.cli.commands import Capture, done, parsers, refused

VALUES = (
    "1",
    "2",
    "8 MB",
    "1 s",
    "50 %",
    "0..1",
    "a",
    "a.html",
    "a.json",
    "a.csv",
    "1/2",
    "a.png",
    "16 GB",
    "none",
    "0.5",
)
"""One of these is what an option reads."""


def value_of(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    """Return a value that an option takes."""
    for text in (*(action.choices or ()), *VALUES):
        with contextlib.suppress(argparse.ArgumentError):
            parser._get_values(action, [str(text)])
            return str(text)
    raise AssertionError(f"{action.option_strings}: add a value that it reads")


def cases() -> Iterator[tuple[list[str], argparse.ArgumentParser, argparse.Action]]:
    """Yield the options of all commands that keep one value."""
    for words, parser in parsers():
        for action in parser._actions:
            if isinstance(action, argparse._StoreAction) and action.option_strings:
                yield words, parser, action


CASES = [
    pytest.param(parser, action, id=" ".join([*words, action.option_strings[-1]]))
    for words, parser, action in cases()
]


def test_all_commands_have_one() -> None:
    assert len(CASES) > 150


@pytest.mark.parametrize(("parser", "action"), CASES)
def test_twice_is_an_error_that_names_the_option(
    parser: argparse.ArgumentParser, action: argparse.Action, capsys: Capture
) -> None:
    """By any of its names, and with the same value too."""
    value = value_of(parser, action)
    names = action.option_strings
    with pytest.raises(SystemExit):
        parser.parse_known_args([names[0], value, f"{names[-1]}={value}"])
    told = f"argument {'/'.join(names)}: is given twice; write it once"
    assert told in capsys.readouterr().err


def test_in_a_whole_command(capsys: Capture) -> None:
    command = ["run", "workstation", "copy-file", "--source.size", "1 MB", "--copy.size", "1 MB"]
    told = refused(capsys, *command, "--seed", "1", "--seed", "2")
    assert "nwtsim run: error: argument --seed: is given twice; write it once" in told


def test_settings_and_lists_are_given_as_often_as_wanted(capsys: Capture) -> None:
    """The last one of a setting wins, as the help has it."""
    command = ["run", "workstation", "copy-file", "--format", "csv", "--source.size", "1 MB"]
    once = done(capsys, *command, "--copy.size", "1 MB")
    assert once == done(capsys, *command, "--copy.size", "2 MB", "--copy.size", "1 MB")
    assert once == done(capsys, *command, "--set", "copy.size=2 MB", "--set", "copy.size=1 MB")
