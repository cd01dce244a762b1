"""``nwtsim trace offsets``: every call on a file, one by one."""

from __future__ import annotations

import argparse
from functools import partial

from simulator.cli import options, trace_options

CALLS_SHOWN = 100

_TEXT = """\
List every call on a file: its start, duration, offset in the file, and bytes moved. With --top N
the N longest calls are listed. The plot shows duration, size and offset over time. A table has the
100 longest calls; CSV and JSON have all."""

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
        arguments.parser.error("--file NAME is missing: the file whose calls are listed")
    from simulator.traces.reports.offsets import offsets

    make = partial(offsets, top=trace_options.top_of(arguments, CALLS_SHOWN))
    return trace_options.report(arguments, make, "offsets")
