"""An option that takes one value and is given twice: the last one counts, and it is told."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from simulator.cli.main import main
from tests.cli.commands import Capture, done, parsers


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
def test_the_last_value_counts_and_the_option_is_named(
    parser: argparse.ArgumentParser, action: argparse.Action
) -> None:
    """By any of its names; twice the same value is nothing to tell."""
    namespace = argparse.Namespace()
    for value in (1, 1):
        action(parser, namespace, value)
    assert not hasattr(namespace, "twice")
    action(parser, namespace, 2, action.option_strings[-1])
    names = "/".join(action.option_strings)
    assert namespace.twice == {action.dest: f"{names} is given twice; 2 counts"}
    assert getattr(namespace, action.dest) == 2


def test_in_a_whole_command(capsys: Capture) -> None:
    command = ["run", "workstation", "copy-file", "--source.size", "1 MB", "--copy.size", "1 MB"]
    last = done(capsys, *command, "--seed", "2")
    assert main([*command, "--seed", "1", "--seed", "2"]) == 0
    assert capsys.readouterr() == (last, "warning: --seed is given twice; 2 counts\n")
    assert main([*command, "--seed", "1", "--seed", "2", "--quiet"]) == 0
    assert capsys.readouterr() == (last, "")


def test_settings_and_lists_are_given_as_often_as_wanted(capsys: Capture) -> None:
    """The last one of a setting wins, as the help has it."""
    command = ["run", "workstation", "copy-file", "--format", "csv", "--source.size", "1 MB"]
    once = done(capsys, *command, "--copy.size", "1 MB")
    assert once == done(capsys, *command, "--copy.size", "2 MB", "--copy.size", "1 MB")
    assert once == done(capsys, *command, "--set", "copy.size=2 MB", "--set", "copy.size=1 MB")
