"""``nwtsim trace check``: is there something about a program's I/O to look into?"""

from __future__ import annotations

import argparse
from functools import partial

from simulator.cli import options, trace_options

ROWS_SHOWN = 5

_TEXT = """\
Look at a trace as the first steps of an analysis by the file system working group of SS-ken do
(Scientific System Kenkyukai, the research group of the users of Fujitsu's scientific systems in
Japan; report of 2015): how much of the time was I/O, whether more was read and written than the
files are large, how many metadata calls there were for it, and which calls were far slower than
others of their name. Beside each value stands a guide value, with the section of the group's
report, and whose its limit is: the group's, or ours where the report gives no number. The sizes of
files are known as far as they were read or written."""

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
