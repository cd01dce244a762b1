"""``nwtsim trace``: reports on logs of strace and truss, and what else is made of them.

Read traces of system calls, as strace and truss write them: which calls a program made, on which
files, at which offsets, how many bytes they moved, and how long they took.

Examples:
  nwtsim trace record -o job.log -- ./job        make a trace (or: strace -f -ttt -T -o job.log)
  nwtsim trace import job.log -o job.parquet     read it into a store
  nwtsim trace summary job.parquet               a report; LOG may also be the log itself
  nwtsim trace check job.parquet                 key figures and guide values
  nwtsim trace fleet logs --on lustre-scratch    many logs, by what their cures give back

nwtsim trace SUBCOMMAND --help describes its options.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Sequence
from typing import Any

from simulator.cli import options
from simulator.cli.shared import Table

SUBCOMMANDS = {
    "record": "run a program without and under strace: a log, and what strace itself takes",
    "import": "read logs of strace or truss into a Parquet file",
    "summary": "number, errors, time, bytes and rate of each call, or of each file",
    "sizes": "lengths of reads and writes",
    "calls": "number of calls in each interval",
    "rate": "bytes read and written in each interval",
    "offsets": "every call on a file: start, duration, offset, bytes",
    "activity": "bytes over time of each process or file, as a picture too",
    "check": "key figures of the I/O, compared with guide values",
    "fleet": "all logs of a folder, by what their best cures would give back",
    "workload": "write the trace as a workload that can be edited and run",
    "fortran-ops": "list the calls that a Fortran runtime makes, without a program",
}
"""Name -> what it does: reports (``simulator.cli.trace_reports``), and those with own modules."""
OWN = ("record", "import", "fleet", "workload", "fortran-ops")

OPTIONS: Table = {}


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands."""
    commands = parser.add_subparsers(
        title="subcommands",
        metavar="SUBCOMMAND",
        dest="subcommand",
        required=True,
        parser_class=_lazy(type(parser)),
    )
    for name, summary in SUBCOMMANDS.items():
        commands.add_parser(name, help=summary)


def run(arguments: argparse.Namespace) -> int:
    """Carry out the subcommand."""
    code: int = arguments.run_subcommand(arguments)
    return code


def _lazy(kind: type[argparse.ArgumentParser]) -> type[argparse.ArgumentParser]:
    """Return a parser that imports the module of its subcommand when that is used."""

    class Lazy(kind):  # type: ignore[misc, valid-type]
        configured = False

        def parse_known_args(
            self, args: Sequence[str] | None = None, namespace: Any = None
        ) -> tuple[Any, list[str]]:
            if not self.configured:
                self.configured = True
                name = self.prog.split()[-1]
                if name in OWN:
                    stem = f"trace_{name.replace('-', '_')}"
                    module = importlib.import_module(f"simulator.cli.{stem}")
                    options.configure(self, module)
                else:
                    module = importlib.import_module("simulator.cli.trace_reports")
                    module.configure(self, name)
                self.set_defaults(run_subcommand=module.run, parser=self)
            return super().parse_known_args(args, namespace)  # type: ignore[no-any-return]

    return Lazy
