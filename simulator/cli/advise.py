"""``nwtsim advise``: what would make a job or a traced program faster.

Two forms: a trace on a machine (:mod:`~simulator.cli.advise_trace`), which ``--on`` tells, and a
machine with a workload (:mod:`~simulator.cli.advise_job`).
"""

from __future__ import annotations

import argparse
import os

from simulator.cli import options
from simulator.errors import InputError

_TEXT = """\
Say what would make a program or a job faster, and by how many seconds. Known patterns are looked
for, and for each one found the cure is simulated: the calls of the trace are rewritten as the cured
program would make them, and replayed; or the machine or the job is changed, and run again. The
report has what saves 1 % or more, the most first, with the files, an example call and what to
change. What saves less is not advised. TRACE is a log of strace or truss, a store of 'nwtsim trace
import', or a Darshan log with DXT; MACHINE and WORKLOAD are files or shipped names."""

_PATTERNS = """\
The patterns are record-length-rewrite (Fortran), small-io, unaligned,
seek-storm, re-read, open-storm, close-flush, sync-write, failed-lookup,
stat-storm, shared-hotspot, no-prestage, and machine (more of what limits);
docs/advise.md says what each is."""

_EXAMPLES = """\
  nwtsim advise job.log --on workstation
  nwtsim advise job.parquet --on nwt --path nfs --format json
  nwtsim advise job.log --on workstation -o cured     writes the cured calls as workloads
  nwtsim advise nwt test-write                         a machine and a workload"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from simulator.cli.replay import add_placing, add_think
    from simulator.cli.trace_options import add_exclude_dir, add_reading

    options.describe(parser, _TEXT, _EXAMPLES)
    parser.description = f"{parser.description}\n\n{_PATTERNS}"
    parser.usage = (
        "nwtsim advise [options] TRACE [TRACE ...] --on MACHINE\n"
        "       nwtsim advise [options] MACHINE WORKLOAD"
    )
    parser.add_argument(
        "inputs",
        metavar="INPUT",
        nargs="+",
        help="logs or a store, with --on; or a machine and a workload",
    )
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="PATH=VALUE",
        type=options.setting,
        action="append",
        default=[],
        help="any value of the machine, or of the workload",
    )
    options.add_seed(parser)
    options.add_engine(parser)
    options.add_format(parser, "table", "json")
    parser.add_argument(
        "--limits",
        action=argparse.BooleanOptionalAction,
        help="of a trace, look for changes of the machine too (default: unless that takes long)",
    )
    options.add_job(parser)
    options.add_html(parser)
    parser.add_argument(
        "--out", metavar="FILE", type=options.file, help="write the report to this file"
    )
    options.add_progress(parser)
    traces = parser.add_argument_group("for a trace")
    traces.add_argument("--on", metavar="MACHINE", help="the machine that the trace is replayed on")
    add_placing(traces)
    add_think(traces)
    add_reading(traces)
    add_exclude_dir(traces, ", like /usr; their time stays as computing (may be repeated)")
    traces.add_argument(
        "-o",
        "--cured",
        metavar="DIR",
        type=options.file,
        help="write the calls as they are, and as each advice has them, as workloads into this new"
        " folder, with the command for each",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    # numpy starts threads for linear algebra, of which there is none here, and they spin.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if arguments.on is not None:
        if arguments.job is not None:
            raise InputError("--job is for a machine and a workload; omit --job, or omit --on")
        from simulator.cli.advise_trace import advise_trace

        return advise_trace(arguments)
    from simulator.cli.advise_job import advise_job

    _check_job(arguments)
    return advise_job(arguments)


def _check_job(arguments: argparse.Namespace) -> None:
    """Raise InputError if the words are no machine and workload, or have options for a trace."""
    if len(arguments.inputs) != 2:
        raise InputError(
            f"advise: got {len(arguments.inputs)} input{'s' * (len(arguments.inputs) != 1)} and no"
            " --on; write 'nwtsim advise TRACE --on MACHINE' or 'nwtsim advise MACHINE WORKLOAD'"
        )
    for option in ("filesystem", "path", "cwd", "cured"):
        if getattr(arguments, option) is not None:
            name = "-o" if option == "cured" else f"--{option}"
            raise InputError(f"{name} is for a trace; add --on MACHINE, or omit {name}")
    given = {one: bool(getattr(arguments, one)) for one in ("prestage", "lenient", "exclude_dir")}
    for option, is_given in (*given.items(), ("think", arguments.think != 1)):
        if is_given:
            name = option.replace("_", "-")
            raise InputError(f"--{name} is for a trace; add --on MACHINE, or omit --{name}")
