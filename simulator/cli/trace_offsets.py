"""``nwtsim trace offsets``: every call on a file, one by one."""

from __future__ import annotations

import argparse
from functools import partial

from simulator.cli import options, trace_options

CALLS_SHOWN = 100

_TEXT = """\
List every call on a file: when it began, how long it took, where in the file it was, and how many
bytes it moved. With --top N it lists the N that took longest. The plot has the three over time. A
table shows the 100 that took longest; CSV and JSON have all."""

_EXAMPLES = """\
  nwtsim trace offsets job.parquet --file result.dat --plot offsets.png
  nwtsim trace offsets job.parquet --file result.dat --call write --format csv > writes.csv
  nwtsim trace offsets job.parquet --file result.dat --top 10"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    trace_options.add_report(parser)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    if not arguments.file:
        arguments.parser.error("--file NAME is needed: the file whose calls are listed")
    from simulator.traces.reports.offsets import offsets

    make = partial(offsets, top=trace_options.top_of(arguments, CALLS_SHOWN))
    return trace_options.report(arguments, make, "offsets")
