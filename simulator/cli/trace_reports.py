"""``trace summary``, ``sizes``, ``calls``, ``rate``, ``offsets``, ``activity``, ``check``."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import AbstractContextManager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli import options
from simulator.cli.shared import Table

if TYPE_CHECKING:
    from simulator.traces.reports.opened import Opened
    from simulator.traces.reports.table import Report


PICTURES = (".png", ".svg")
LONGEST_INTERVAL_S = 10**9
_CHOOSING = """\
NAME is a file's absolute name, the end of one (run1/out.nc), or a pattern ('*.nc': * stands for a /
as well). TIME is seconds since the log's start (12.5), a clock time for logs of strace -t and -tt
(09:30, 09:30:15.5), or an ISO time, UTC unless it has a zone, for logs of strace -ttt."""


_FILES_SHOWN = 20
"""Rows of a table by file, or of errors, where --top does not say how many."""


OPTIONS: Table = {
    "logs LOG file+": "logs of strace or truss, a store that 'nwtsim trace import' wrote, or a"
    " Darshan log",
    "[which calls]": options.filled(_CHOOSING),
    "--file NAME *": "calls on this file (may be repeated: on any of them)",
    "--call NAME[,NAME] names,": "calls of this name, like read or '*stat*'",
    "--exclude-dir DIR[,DIR] names,": "leave out calls on files below this folder",
    "--exclude-ext EXT[,EXT] names,": "leave out calls on files with this extension, like so or"
    " .conf",
    "--since TIME": "calls that began at this time or later",
    "--until TIME": "calls that began before this time",
    "reading": "",
    "[]": "",
    f"--top N 1..{options.MOST_TOP}": "list at most N rows, those with the largest values",
    "format:table:csv:json full": "",
    "--plot FILE picture": "also draw the report, into FILE.png or FILE.svg",
}
_INTERVAL: Table = {
    "--interval S interval": "length of an interval in seconds, like 0.1, or with a unit, like '5"
    " ms' (default: so that there are 40 to 100 of them)"
}
_OWN: dict[str, Table] = {
    "calls": _INTERVAL,
    "rate": _INTERVAL,
    "sizes": {"--requested": "count the lengths requested instead of those returned"},
    "activity": {
        "--by process|file=process": "a row per process, or rank (default), or per file",
    },
    "summary": {
        "--by call|file=call": "one row per call (default), or per file and call",
        "html": "",
        "--errors": "count errors by kind instead",
    },
}


def configure(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the options of a report."""
    options.describe(parser, REPORTS[name])
    options.add(parser, {**OPTIONS, **_OWN.get(name, {})}, globals())


def summary(arguments: argparse.Namespace, trace: Opened) -> Report:
    """Return the report of ``nwtsim trace summary``.

    Count and time the calls of a trace: number, errors, time (in all, mean, shortest, longest),
    bytes moved, and rate. With --by file there is a row for each file and call; with --errors the
    kinds of error are counted.

    Examples:
      nwtsim trace summary job.log
      nwtsim trace summary job.parquet --call write --by file --top 5
      nwtsim trace summary job.parquet --errors --call open,openat --by file
      nwtsim trace summary job.parquet --exclude-dir /usr,/proc --format csv > calls.csv
      nwtsim trace summary job.darshan --plot calls.png
      nwtsim trace summary job.log --html page.html     (checks, sizes, throughput and files too)
    """
    from simulator.traces.reports import summary as reports

    files = arguments.by == "file"
    top = _top_of(arguments, _FILES_SHOWN if files or arguments.errors else None)
    if arguments.errors:
        return reports.errors(trace, top, files=files)
    return reports.by_file(trace, top) if files else reports.summary(trace, top)


def sizes(arguments: argparse.Namespace, trace: Opened) -> Report:
    """Return the report of ``nwtsim trace sizes``.

    Count the reads and writes of a trace by their length: in powers of two (a bin has the lengths
    from 2^n + 1 to 2^(n+1)), and length by length. A length is what the call returned; a call that
    copies from file to file is a read and a write. Failed calls are left out.

    Examples:
      nwtsim trace sizes job.parquet
      nwtsim trace sizes job.parquet --file result.dat --plot sizes.png
      nwtsim trace sizes job.log --call write --top 3 --format json
    """
    from simulator.traces.reports import transfers

    return transfers.sizes(trace, _top_of(arguments, 20), requested=arguments.requested)


def calls(arguments: argparse.Namespace, trace: Opened) -> Report:
    """Return the report of ``nwtsim trace calls``.

    Count the calls that began in each interval of a trace, from its start on: those that succeeded
    and those that failed. Intervals without a call are listed too. With --top N the N intervals
    with the most calls are listed. Without --interval the length of the log sets the interval.

    Examples:
      nwtsim trace calls job.parquet --interval 10
      nwtsim trace calls job.parquet --call lstat64 --interval '5 ms' --plot calls.png
      nwtsim trace calls job.log --since 09:30 --until 09:31 --format csv
    """
    from simulator.traces.reports import intervals

    return intervals.calls(trace, step_ns=arguments.interval, top=arguments.top)


def rate(arguments: argparse.Namespace, trace: Opened) -> Report:
    """Return the report of ``nwtsim trace rate``.

    Add up the bytes and the calls that read and wrote in each interval of a trace, from its start
    on. A call belongs to the interval in which it began, with all of its bytes. With --top N the N
    intervals with the most bytes are listed. Without --interval the length of the log sets the
    interval.

    Examples:
      nwtsim trace rate job.parquet --plot rate.png
      nwtsim trace rate job.parquet --file result.dat --interval 0.1 --format csv
      nwtsim trace rate job.darshan                 (one with DXT)
    """
    from simulator.traces.reports import intervals

    return intervals.rate(trace, step_ns=arguments.interval, top=arguments.top)


def offsets(arguments: argparse.Namespace, trace: Opened) -> Report:
    """Return the report of ``nwtsim trace offsets``.

    List every call on a file: its start, duration, offset in the file, and bytes moved. With --top
    N the N longest calls are listed. The plot shows duration, size and offset over time. A table
    has the 100 longest calls; CSV and JSON have all.

    Examples:
      nwtsim trace offsets job.parquet --file result.dat --plot offsets.png
      nwtsim trace offsets job.parquet --file result.dat --call write --format csv > writes.csv
      nwtsim trace offsets job.parquet --file result.dat --top 10
    """
    from simulator.traces.reports import transfers

    return transfers.offsets(trace, _top_of(arguments, 100))


def activity(arguments: argparse.Namespace, trace: Opened) -> Report:
    """Return the report of ``nwtsim trace activity``.

    List the bytes that each process (of a Darshan log: rank), or each file, read and wrote, from
    when to when, and its rate in the busiest interval. The picture has rates and times of calls
    over time, and a row for each process or file. A Darshan log without DXT has bytes over time of
    its ranks (HEATMAP, Darshan 3.4 and later), and of its files the first and the last time.

    Examples:
      nwtsim trace activity job.darshan --plot ranks.png
      nwtsim trace activity job.darshan --by file --plot files.png
      nwtsim trace activity job.parquet --by file --top 10
    """
    from simulator.traces.reports import activity as reports

    return reports.activity(trace, arguments.by, _top_of(arguments, 20))


def check(arguments: argparse.Namespace, trace: Opened) -> Report:
    """Return the report of ``nwtsim trace check``.

    Check a trace by the first steps of the analysis of the file system working group of SS-ken
    (Scientific System Kenkyukai, the research group of the users of Fujitsu's scientific systems in
    Japan; report of 2015): the share of I/O in client time, bytes read and written against file
    sizes, metadata calls for each read and write, and calls far slower than others of their name.
    Each value is compared with a guide value: the group's, with the section of its report, or
    nwtsim's where the report has no number. The size of a file is the end of what was read or
    written.

    Examples:
      nwtsim trace check job.parquet
      nwtsim trace check job.log --exclude-dir /usr,/proc,/sys --top 10
      nwtsim trace check job.darshan --format json
    """
    from simulator.report.counted import with_patterns
    from simulator.traces.reports import check as reports

    return with_patterns(reports.check(trace, _top_of(arguments, 5)), trace)


REPORTS = {one.__name__: one for one in (summary, sizes, calls, rate, offsets, activity, check)}
"""Functions that make the reports, by subcommand; the docstring of each is its help."""
_PLOTTED = {
    **{one: {"step_ns": "interval"} for one in ("calls", "rate")},
    "sizes": {"requested": "requested"},
    "activity": {"by": "by"},
    "summary": {"top": "top", "by": "by", "errors": "errors"},
}
"""Arguments of the functions that draw reports, and the options that they are."""


def _top_of(arguments: argparse.Namespace, shown: int | None) -> int | None:
    """Return ``--top``; without it ``shown`` for a table, and no limit for CSV and JSON."""
    if arguments.top is not None:
        top: int = arguments.top
        return top
    return shown if arguments.format == "table" else None


def run(arguments: argparse.Namespace) -> int:
    """Make and write a report; draw it with ``--plot``; with ``--html`` write the trace's page."""
    name = arguments.subcommand
    if name == "offsets" and not arguments.file:
        arguments.parser.error("--file NAME is missing: the file whose calls are listed")
    options.one_thread()
    from simulator.extras import need
    from simulator.output import placing_if
    from simulator.report.trace import write_report

    if arguments.plot:
        need("matplotlib")

    asked = getattr(arguments, "html", None)
    with (
        placing_if(arguments.plot) as plot,
        placing_if(asked) as page,
        _trace_of(arguments) as trace,
    ):
        full = arguments.full or arguments.top is not None
        write_report(REPORTS[name](arguments, trace), arguments.format, sys.stdout, full=full)
        if plot is not None:
            from simulator.report import trace_plots

            drawn = {key: getattr(arguments, one) for key, one in _PLOTTED.get(name, {}).items()}
            figure = trace_plots.DRAWN[name](trace, **drawn)
            suffix = arguments.plot.suffix.lower()
            plot.write_bytes(trace_plots.picture_bytes(figure, suffix))
        if page is not None:
            from simulator.output import show
            from simulator.report.forms import written
            from simulator.report.html.trace import trace_page

            errors = REPORTS[name](arguments, trace) if arguments.errors else None
            made = trace_page(trace, _command(arguments), errors, arguments.top)
            show(written(made, "html"), page)
    return 0


def _trace_of(arguments: argparse.Namespace) -> AbstractContextManager[Opened]:
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
    alone = arguments.alone and not arguments.plot  # matplotlib needs numpy.
    reading = options.values(arguments, "cwd lenient")
    return opened(arguments.logs, choice, **reading, alone=alone)


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command that reads the same calls."""
    given = "file call exclude_dir exclude_ext since until cwd top errors lenient"
    words = ["nwtsim", "trace", "summary", *map(str, arguments.logs)]
    return [*words, *options.words_of(arguments, given)]


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
        raise ValueError(
            f"{text!r} is not an interval; write seconds, like 0.1, or a time, like '5 ms'"
            f" (1 ns to {LONGEST_INTERVAL_S:,} s)"
        )
    return step


def picture(text: str) -> Path:
    """Read the name of a picture to write."""
    path = options.file(text)
    if path.suffix.lower() not in PICTURES:
        raise ValueError(
            f"{text!r} is not the name of a picture; write one that ends in .png or .svg"
        )
    return path
