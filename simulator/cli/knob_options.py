"""An option for each value of a machine and a workload that a command names."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simulator.cli.shared import AppendKnob

if TYPE_CHECKING:
    from simulator.config.knobs import Knobs


def add_own_settings(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add an option for each value of the machine and the workload that the words name.

    Only if a word is an option that is not known yet, or asks for help: reading files takes time.
    ConfigError lists options that the machine does not have, and what is wrong with the files.
    """
    known = parser._option_string_actions
    heads = [word.partition("=")[0] for word in words if word.startswith("--") and word != "--"]
    if all(head in known for head in heads) and not {"--help", "-h"} & set(words):
        return
    from simulator.config.errors import raise_errors
    from simulator.config.knobs import knobs_of
    from simulator.run import mistakes_in, named_in, settable_in

    found = named_in([word for word in words if not word.startswith("-")])
    machine, workload = settable_in(*found) if found is not None else (None, None)
    if found is None or machine is None:
        first = [*itertools.takewhile(lambda word: not word.startswith("-"), words[1:])]
        if first and not {"--help", "-h"} & set(words):
            raise_errors(mistakes_in(first[0], first[1] if len(first) > 1 else None))
        return
    parser.usage = "%(prog)s [options] [--SETTING VALUE ...] MACHINE WORKLOAD"
    group = parser.add_argument_group(f"settings of {machine.name}")
    knobs = knobs_of(machine, workload)
    options = [one[2:] for one in known if one.startswith("--")]
    _refuse_unknown([head for head in heads if head not in known], options, knobs, found)
    told = {
        name: f"{f'now {one.value}' if one.value else 'not set'} ({one.path})".replace("%", "%%")
        for name, one in knobs.items()
    }
    told |= dict.fromkeys({head[2:] for head in heads} & knobs.others.keys(), argparse.SUPPRESS)
    for name in (one for one in told if f"--{one}" not in known):
        how: dict[str, Any] = {"dest": "settings", "const": name, "metavar": "VALUE"}
        group.add_argument(f"--{name}", action=AppendKnob, help=told[name], **how)


def _refuse_unknown(
    heads: Sequence[str], options: Sequence[str], knobs: Knobs, found: tuple[str, str | None]
) -> None:
    """Raise ConfigError if there are options that stand for nothing, or for several values."""
    from simulator.config.errors import ConfigError, Problem
    from simulator.errors import nearest
    from simulator.run import mistakes_in

    problems = []
    for head in heads:
        try:
            knobs.look_up(head[2:])
        except ValueError as error:
            near = nearest(head[2:], [*options, *knobs])
            about = str(error)
            if near in options and near not in knobs:
                about = f"unknown option; did you mean '--{near}'?"
            problems.append(Problem(head, 0, 0, "", about))
    if problems:
        raise ConfigError([*problems, *mistakes_in(*found)])
