"""``nwtsim trace rate``: bytes read and written in each interval."""

from __future__ import annotations

import argparse
from functools import partial

from simulator.cli import options, trace_options

_TEXT = """\
Add up the bytes and the calls that read and wrote in each interval of a trace, from its start on.
A call belongs to the interval in which it began, with all of its bytes. With --top N the N
intervals with the most bytes are listed. Without --interval the length of the log sets the
interval."""

_EXAMPLES = """\
  nwtsim trace rate job.parquet --plot rate.png
  nwtsim trace rate job.parquet --file result.dat --interval 0.1 --format csv
  nwtsim trace rate job.darshan                 (one with DXT)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    trace_options.add_report(parser)
    trace_options.add_interval(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.traces.reports.intervals import rate

    make = partial(rate, step_ns=arguments.interval, top=arguments.top)
    return trace_options.report(arguments, make, "rate", step_ns=arguments.interval)
