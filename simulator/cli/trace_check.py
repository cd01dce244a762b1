"""``nwtsim trace check``: key figures of a program's I/O, compared with guide values."""

from __future__ import annotations

import argparse
from functools import partial

from simulator.cli import options, trace_options

ROWS_SHOWN = 5

_TEXT = """\
Check a trace by the first steps of the analysis of the file system working group of
SS-ken (Scientific System Kenkyukai, the research group of the users of Fujitsu's scientific systems
in Japan; report of 2015):
the share of I/O in client time, bytes read and written against file sizes, metadata calls for each
read and write, and calls far slower than others of their name. Each value is compared with a guide
value: the group's, with the section of its report, or nwtsim's where the report has no number. The
size of a file is the end of what was read or written."""

_EXAMPLES = """\
  nwtsim trace check job.parquet
  nwtsim trace check job.log --exclude-dir /usr,/proc,/sys --top 10
  nwtsim trace check job.darshan --format json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    trace_options.add_report(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.traces.reports.check import check

    make = partial(check, top=trace_options.top_of(arguments, ROWS_SHOWN))
    return trace_options.report(arguments, make, "check")
