"""``nwtsim advise``: what would make a job or a traced program faster.

Say what would make a program or a job faster, and by how many seconds. Known patterns are looked
for, and for each one found the cure is simulated: the calls of the trace are rewritten as the cured
program would make them, and replayed; or the machine or the job is changed, and run again. The
report has what saves 1 % or more, the most first, with the files, an example call and what to
change. What saves less is not advised. TRACE is a log of strace or truss, a store of 'nwtsim trace
import', or a Darshan log; MACHINE and WORKLOAD are files or shipped names.

The patterns are record-length-rewrite and oversized-read (buffers of a language's runtime),
small-io, direct-io, unaligned, seek-storm, one-at-a-time, scattered-write, strided-write,
strided-read,
rewritten, re-read, re-list, poll, reopened, sleeping-poll, open-storm, close-flush, many-files,
many-small, started, sync-write, sync-per-file, transaction-per-row and table-scan (SQLite),
failed-lookup, stat-storm, shared-hotspot, no-prestage, other-filesystem, and machine (more of what
limits); docs/advise.md says what each is. Each change is one of the program, of a setting, or of
hardware, and what it gives up in safety is said.

Examples:
  nwtsim advise job.log --on workstation
  nwtsim advise job.parquet --on nwt --path nfs --format json
  nwtsim advise job.log --on workstation -o cured     writes the cured calls as workloads
  nwtsim advise nwt test-write                         a machine and a workload
"""

from __future__ import annotations

import argparse

from simulator.cli import options
from simulator.errors import InputError
from simulator.report import terminal
from simulator.stopping import on_interrupt

OPTIONS = {
    "inputs INPUT +": "logs or a store, with --on; or a machine and a workload",
    "--set PATH=VALUE setting*": "any value of the machine, or of the workload",
    "seed engine format:table:json full": "",
    "--[no-]limits": "of a trace, look for changes of the machine too (default: unless that takes"
    " long)",
    "job html out progress": "",
    "[for a trace]": "",
    "--on MACHINE": "the machine that the trace is replayed on",
    "placing think reading exclude-dir": "",
    "--samples N 1..1000": "draw so many samples of the calls of a Darshan log without DXT"
    " (default: 10)",
    "-o --cured DIR file": "write the calls as they are, and as each advice has them, as workloads"
    " into this new folder, with the command for each",
}
USAGE = """\
nwtsim advise [options] TRACE [TRACE ...] --on MACHINE
       nwtsim advise [options] MACHINE WORKLOAD"""


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command: on a trace, which ``--on`` tells, or on a machine with a workload."""
    options.one_thread()
    if arguments.on is not None:
        if arguments.job is not None:
            raise InputError("--job is for a machine and a workload; omit --job, or omit --on")
        from simulator.cli import advise_trace

        return advise_trace.run(arguments)
    _check_job(arguments)
    return _advise_job(arguments)


_OF_TRACES = "filesystem path cwd cured prestage lenient exclude_dir think samples"
_NOTHING = "what would help was not found, and the same command begins anew"


def _check_job(arguments: argparse.Namespace) -> None:
    """Raise InputError if the words are no machine and workload, or have options for a trace."""
    if len(arguments.inputs) != 2:
        raise InputError(
            f"advise: got {len(arguments.inputs)} input{'s' * (len(arguments.inputs) != 1)} and no"
            " --on; write 'nwtsim advise TRACE --on MACHINE' or 'nwtsim advise MACHINE WORKLOAD'"
        )
    for option, value in options.values(arguments, _OF_TRACES).items():
        if value != arguments.parser.get_default(option):
            name = "-o" if option == "cured" else f"--{option.replace('_', '-')}"
            raise InputError(f"{name} is for a trace; add --on MACHINE, or omit {name}")


def _advise_job(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.report.advise import advice_page, advised_of
    from simulator.units import format_time

    machine, workload = arguments.inputs
    asked = options.run_of(arguments, machine, workload, terminal.Messages().listener)
    with options.reporting(arguments, arguments.out) as report:
        with terminal.watching() as watching:
            more = options.MOST_LIMITS if arguments.limits else 0
            result = asked.result(more=more, watch=watching)
        with on_interrupt(lambda: f"the run takes {format_time(result.elapsed_ns)}; {_NOTHING}"):
            advised = advised_of(
                asked,
                result,
                command=["nwtsim", "run", *arguments.inputs, *options.words_of(arguments)],
                **options.values(arguments, "limits job progress"),
            )
        words = ["nwtsim", "advise", machine, workload, *options.words_of(arguments)]
        title = f"{asked.plan.workload} on {asked.plan.machine}"
        report(advice_page(advised, title, [*words, *options.words_of(arguments, "limits")]))
    return 0
