"""Options of commands that make a run several times, with other draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.errors import InputError

if TYPE_CHECKING:
    import argparse

    from simulator.study.replications import Replications


def add_replications(parser: argparse.ArgumentParser) -> None:
    """Add ``--replications``, ``--confidence`` and ``--precision``."""
    group = parser.add_argument_group("from run to run")
    group.add_argument(
        "--replications",
        metavar="N|auto[:MOST]",
        help="make N runs with seeds that follow from --seed (default: 1), and give each figure"
        " with its interval; auto: 8, 16, 32, ... runs, until the intervals of the elapsed time and"
        " of the rates are as narrow as --precision asks, 256 (or MOST) at most. Replication 3 of"
        " any two machines has the same draws",
    )
    group.add_argument(
        "--confidence",
        metavar="PERCENT",
        help="of the intervals (default: '95 %%'); with auto it holds although it looks several"
        " times",
    )
    group.add_argument(
        "--precision",
        metavar="PERCENT",
        help="half-width that auto asks for, of the mean (default: '2 %%')",
    )


def replications_of(arguments: argparse.Namespace) -> Replications | None:
    """Return the replications that are wanted; None: one run. InputError says what is wrong."""
    asked = arguments.replications, arguments.confidence, arguments.precision
    if asked[0] is None:
        for name, value in zip(("confidence", "precision"), asked[1:], strict=True):
            if value is not None:
                raise InputError(f"--{name} is about --replications; add it, or omit --{name}")
        return None
    from simulator.study.replications import wanted

    return wanted(*asked)


def words_of_replications(replications: Replications | None) -> list[str]:
    """Return the options of some replications, as a command has them."""
    return [] if replications is None else replications.options()
