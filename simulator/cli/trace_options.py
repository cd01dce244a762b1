"""Options of all that reads traces: reports, workloads, replays and advice."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from simulator.cli.options import flag

MOST_TOP = 10**9


def add_reading(parser: argparse._ActionsContainer) -> None:
    """Add the options for reading logs."""
    parser.add_argument(
        "--cwd", metavar="DIR", help="working directory of the first process of the log"
    )
    flag(parser, "--lenient", "skip damaged lines of the log, and count them")


def add_exclude_dir(parser: argparse._ActionsContainer, more: str = "") -> None:
    """Add ``--exclude-dir``; ``more`` is what else its help says."""
    parser.add_argument(
        "--exclude-dir",
        metavar="DIR[,DIR]",
        action=Listed,
        default=[],
        help=f"leave out calls on files below this folder{more}",
    )


class Listed(argparse.Action):
    """An option with names between commas that may be repeated: ``--call read,write``."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Add the names to those before."""
        named = [name.strip() for name in str(values).split(",") if name.strip()]
        if not named:
            parser.error(f"{option_string}: the name is missing; write one")
        setattr(namespace, self.dest, [*getattr(namespace, self.dest), *named])
