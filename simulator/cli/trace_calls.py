"""``nwtsim trace calls``: the number of calls in each interval."""

from __future__ import annotations

import argparse
from functools import partial

from simulator.cli import options, trace_options

_TEXT = """\
Count the calls that began in each interval of a trace, from its start on: those that succeeded and
those that failed. Intervals without a call are listed too. With --top N the N intervals with the
most calls are listed. Without --interval the length of the log sets the interval."""

_EXAMPLES = """\
  nwtsim trace calls job.parquet --interval 10
  nwtsim trace calls job.parquet --call lstat64 --interval '5 ms' --plot calls.png
  nwtsim trace calls job.log --since 09:30 --until 09:31 --format csv"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    trace_options.add_report(parser)
    trace_options.add_interval(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.traces.reports.intervals import calls

    make = partial(calls, step_ns=arguments.interval, top=arguments.top)
    return trace_options.report(arguments, make, "calls", step_ns=arguments.interval)
