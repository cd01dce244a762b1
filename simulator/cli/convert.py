"""``nwtsim convert``: a file in a format of version 1 becomes one of the present formats."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from simulator.cli import options

_TEXT = """\
Convert a machine or workload file of an old format (machine/1, workload/1 and others) to machine/2
or workload/2. The new file means the same: a run of it gives the same result. Values keep their
sources and notes, and the file its head comment; mistakes of the old file are listed as by check.
Without -o the new file is printed."""

_EXAMPLES = """\
  nwtsim convert my-machine.yaml -o my-machine-2.yaml"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument("file", metavar="OLD", type=options.file, help="a file in an old format")
    parser.add_argument(
        "-o", "--out", metavar="NEW", type=options.file, help="the file to write (default: print)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.config.convert import convert, lost_comments
    from simulator.config.textfile import read_text
    from simulator.output import show, write_text

    old = read_text(Path(arguments.file))
    new = convert(old, str(arguments.file))
    if arguments.out is None:
        show(new)
    else:
        write_text(Path(arguments.out), new)
    lost = lost_comments(old, new)
    if lost:
        lines = f"line{'s' if len(lost) > 1 else ''} {', '.join(map(str, lost))}"
        print(f"{arguments.file}: warning: comments not kept: {lines}", file=sys.stderr)
    return 0
