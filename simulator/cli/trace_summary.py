"""``nwtsim trace summary``: each call counted and timed."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from simulator.cli import options, trace_options

if TYPE_CHECKING:
    from simulator.traces.reports.opened import Opened
    from simulator.traces.reports.table import Report

FILES_SHOWN = 20

_TEXT = """\
Count and time the calls of a trace: number, errors, time (in all, mean, shortest, longest), bytes
moved, and rate. With --by file there is a row for each file and call; with --errors the kinds of
error are counted."""

_EXAMPLES = """\
  nwtsim trace summary job.log
  nwtsim trace summary job.parquet --call write --by file --top 5
  nwtsim trace summary job.parquet --errors --call open,openat --by file
  nwtsim trace summary job.parquet --exclude-dir /usr,/proc --format csv > calls.csv
  nwtsim trace summary job.darshan --plot calls.png
  nwtsim trace summary job.log --html page.html     (checks, sizes, throughput and files too)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    trace_options.add_report(parser)
    parser.add_argument(
        "--by",
        choices=["call", "file"],
        default="call",
        help="one row per call (default), or per file and call",
    )
    options.add_html(parser)
    parser.add_argument("--errors", action="store_true", help="count errors by kind instead")


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.traces.reports import summary

    files = arguments.by == "file"
    top = trace_options.top_of(arguments, FILES_SHOWN if files or arguments.errors else None)

    def make(trace: Opened) -> Report:
        if arguments.errors:
            return summary.errors(trace, top, files=files)
        return summary.by_file(trace, top) if files else summary.summary(trace, top)

    return trace_options.report(
        arguments, make, "summary", top=arguments.top, files=files, errors=arguments.errors
    )
