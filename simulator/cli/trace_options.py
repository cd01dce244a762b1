"""Options that the reports on traces share."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli import options

if TYPE_CHECKING:
    from simulator.traces.reports.opened import Opened
    from simulator.traces.reports.table import Report

MOST_TOP = 10**9
PICTURES = (".png", ".svg")
LONGEST_INTERVAL_S = 10**9

CHOOSING = """\
NAME is a file's absolute name, the end of one (run1/out.nc), or a pattern ('*.nc': * stands for a /
as well). TIME is seconds since the log's start (12.5), a clock time for logs of strace -t and -tt
(09:30, 09:30:15.5), or an ISO time, UTC unless it has a zone, for logs of strace -ttt."""


def add_reading(parser: argparse._ActionsContainer) -> None:
    """Add the options for reading logs."""
    parser.add_argument(
        "--cwd", metavar="DIR", help="working directory of the first process of the log"
    )
    parser.add_argument(
        "--lenient", action="store_true", help="skip damaged lines of the log, and count them"
    )


def add_exclude_dir(parser: argparse._ActionsContainer, more: str = "") -> None:
    """Add ``--exclude-dir``; ``more`` is what else its help says."""
    parser.add_argument(
        "--exclude-dir",
        metavar="DIR[,DIR]",
        action=_Listed,
        default=[],
        help=f"leave out calls on files below this folder{more}",
    )


def add_report(parser: argparse.ArgumentParser) -> None:
    """Add LOG and the options of every report: which calls, which format, which plot."""
    parser.add_argument(
        "logs",
        metavar="LOG",
        nargs="+",
        type=options.file,
        help="logs of strace or truss, a store that 'nwtsim trace import' wrote, or a Darshan log",
    )
    group = parser.add_argument_group("which calls", options.filled(CHOOSING))
    group.add_argument(
        "--file",
        metavar="NAME",
        action="append",
        default=[],
        help="calls on this file (may be repeated: on any of them)",
    )
    group.add_argument(
        "--call",
        metavar="NAME[,NAME]",
        action=_Listed,
        default=[],
        help="calls of this name, like read or '*stat*'",
    )
    add_exclude_dir(group)
    group.add_argument(
        "--exclude-ext",
        metavar="EXT[,EXT]",
        action=_Listed,
        default=[],
        help="leave out calls on files with this extension, like so or .conf",
    )
    group.add_argument("--since", metavar="TIME", help="calls that began at this time or later")
    group.add_argument("--until", metavar="TIME", help="calls that began before this time")
    add_reading(group)
    parser.add_argument(
        "--top", metavar="N", type=_top, help="list at most N rows, those with the largest values"
    )
    options.add_format(parser, "table", "csv", "json")
    parser.add_argument(
        "--plot",
        metavar="FILE",
        type=_picture,
        help="also draw the report, into FILE.png or FILE.svg",
    )


def add_interval(parser: argparse.ArgumentParser) -> None:
    """Add ``--interval``."""
    parser.add_argument(
        "--interval",
        metavar="S",
        type=interval,
        help="length of an interval in seconds, like 0.1, or with a unit, like '5 ms' (default: so"
        " that there are 40 to 100 of them)",
    )


@contextmanager
def trace_of(arguments: argparse.Namespace) -> Iterator[Opened]:
    """Open the logs or the store that the arguments name."""
    from simulator.traces.reports.choice import Choice
    from simulator.traces.reports.opened import opened

    choice = Choice(
        files=tuple(arguments.file),
        calls=tuple(arguments.call),
        exclude_dirs=tuple(arguments.exclude_dir),
        exclude_exts=tuple(arguments.exclude_ext),
        since=arguments.since,
        until=arguments.until,
    )
    with opened(arguments.logs, choice, cwd=arguments.cwd, lenient=arguments.lenient) as trace:
        yield trace


def top_of(arguments: argparse.Namespace, shown: int | None) -> int | None:
    """Return ``--top``; without it ``shown`` for a table, and no limit for CSV and JSON."""
    if arguments.top is not None:
        top: int = arguments.top
        return top
    return shown if arguments.format == "table" else None


def report(
    arguments: argparse.Namespace, make: Callable[[Opened], Report], plot: str, **drawn: Any
) -> int:
    """Make and write a report, and draw it with ``--plot``, by a function of trace_plots.

    A command that has ``--html`` also gets the page of the trace.
    """
    # numpy starts threads for linear algebra, of which there is none here, and they spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from simulator.extras import need
    from simulator.output import placing_if
    from simulator.report.trace import write_report

    if arguments.plot:
        need("matplotlib")

    asked = getattr(arguments, "html", None)
    with (
        placing_if(arguments.plot) as picture,
        placing_if(asked) as page,
        trace_of(arguments) as trace,
    ):
        write_report(make(trace), arguments.format, sys.stdout)
        if picture is not None:
            from simulator.report import trace_plots

            figure = trace_plots.DRAWN[plot](trace, **drawn)
            suffix = arguments.plot.suffix.lower()
            picture.write_bytes(trace_plots.picture_bytes(figure, suffix))
        if page is not None:
            from simulator.output import show
            from simulator.report.html.trace import trace_page

            show(trace_page(trace, _command(arguments)), page)
    return 0


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command that reads the same calls."""
    words = ["nwtsim", "trace", "summary", *map(str, arguments.logs)]
    for option in ("file", "call", "exclude-dir", "exclude-ext"):
        words += [
            w for one in getattr(arguments, option.replace("-", "_")) for w in (f"--{option}", one)
        ]
    for option in ("since", "until", "cwd"):
        value = getattr(arguments, option)
        words += [] if value is None else [f"--{option}", value]
    return [*words, *(["--lenient"] if arguments.lenient else [])]


def interval(text: str) -> int:
    """Read the length of an interval in ns: a time with a unit, or a number of seconds."""
    from simulator.units import parse_time

    written = text.strip()
    plain = re.fullmatch(r"[0-9]{0,12}\.?[0-9]{0,12}(e-?[0-9]{1,2})?", written)
    try:
        step = int(Fraction(written) * 10**9) if plain else int(parse_time(written))
    except ValueError:
        step = 0
    if not 1 <= step <= LONGEST_INTERVAL_S * 10**9:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not an interval; write seconds, like 0.1, or a time, like '5 ms'"
            f" (1 ns to {LONGEST_INTERVAL_S:,} s)"
        )
    return step


class _Listed(argparse.Action):
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


def _top(text: str) -> int:
    return options.whole(text, 1, MOST_TOP)


def _picture(text: str) -> Path:
    path = options.file(text)
    if path.suffix.lower() not in PICTURES:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not the name of a picture; write one that ends in .png or .svg"
        )
    return path
