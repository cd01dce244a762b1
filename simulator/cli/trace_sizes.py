"""``nwtsim trace sizes``: the lengths of reads and writes."""

from __future__ import annotations

import argparse
from functools import partial

from simulator.cli import options, trace_options

LENGTHS_SHOWN = 20

_TEXT = """\
Count the reads and writes of a trace by their length: in powers of two (a bin has the lengths from
2^n + 1 to 2^(n+1)), and length by length. A length is what the call returned; a call that copies
from file to file is a read and a write. Failed calls are left out."""

_EXAMPLES = """\
  nwtsim trace sizes job.parquet
  nwtsim trace sizes job.parquet --file result.dat --plot sizes.png
  nwtsim trace sizes job.log --call write --top 3 --format json"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    trace_options.add_report(parser)
    parser.add_argument(
        "--requested",
        action="store_true",
        help="count the lengths requested instead of those returned",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.traces.reports.sizes import sizes

    top = trace_options.top_of(arguments, LENGTHS_SHOWN)
    make = partial(sizes, top=top, requested=arguments.requested)
    return trace_options.report(arguments, make, "sizes", requested=arguments.requested)
