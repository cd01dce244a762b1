r"""``nwtsim sweep``: many variants of one run.

Simulate a workload on a machine once for each combination of the varied values, on all processors,
and write the rates and counters of all points to DIR: points.csv, points.json, sweep.json (what was
run, with which versions) and, for one or two varied values, plot.png and plot.svg. After an
interruption, even a kill, the same command continues where it stopped; nothing is computed twice,
not by another sweep either (--store), and the files are the same, byte for byte.

With --shard, run one part of it, as a job of a job array; with --merge instead of MACHINE and
WORKLOAD, combine the folders of all parts to what the whole sweep would have written, byte for
byte. Folders of another sweep, or of another version of the program, are refused, and so are parts
that lack points; the message says which.

Of values that are numbers it says where another doubling stops paying (docs/sweeps.md).

Examples:
  nwtsim sweep nwt test-read --vary 'buffer=64 kB..8 MB x2' --out buffers
  nwtsim sweep nwt test-write --vary 'policy=nwt,nwt-predicted' \
      --vary 'ssu.block=1 MB,2 MB,4 MB,8 MB' --set 'ssu.capacity=2048 MB' --out blocks
  nwtsim sweep nwt test-read --vary 'clients=1..16 +1' --seed 1 --jobs 4 --out many
  nwtsim sweep nwt test-read --vary 'buffer=1 MB,8 MB' --replications auto --out intervals
  nwtsim sweep workstation copy-file --vary 'disk.rate=125 MB/s,250 MB/s' --phase copy.0 \
      --phase copy.1 --out phases
  nwtsim sweep nwt test-read --vary buffer='1 MB,8 MB' --limits --out b --html page.html
  nwtsim sweep nwt test-read --vary 'clients=1..16 +1' --shard 1/2 --out parts/1
  nwtsim sweep nwt test-read --vary 'clients=1..16 +1' --shard 2/2 --out parts/2
  nwtsim sweep --merge parts/* --out clients
  nwtsim sweep nwt test-read --vary 'clients=1..16 +1' --scheduler tcp://10.0.0.1:8786 --out c

SPEC is a list of values, or ranges among them: 'A..B xF' (or *F) multiplies by F, 'A..B +S' adds S;
B is included if it is hit. Spaces may be left out: 100kB..20MB+100kB.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from simulator.cli import many, options
from simulator.cli.knob_options import add_own_settings
from simulator.errors import InputError
from simulator.extras import need
from simulator.report import terminal
from simulator.stopping import on_interrupt

if TYPE_CHECKING:
    from simulator.study.grid import Shard
    from simulator.study.sweep import Swept

configure_for = add_own_settings
OPTIONS = {
    "inputs-or-none settings": "",
    "--vary PATH=SPEC setting*": "a short name (buffer, ssu.block, ...), a path as for --set, or"
    " seed; and its values. Several make a grid",
    "--out DIR file!": "folder for the results",
    "--force": "replace the results of another sweep in DIR",
    "--no-plot": (
        "do not write plot.png and plot.svg, which need matplotlib",
        {"dest": "plot", "action": "store_false"},
    ),
    "--parquet": "also write points.parquet, the rows with their types, which needs pyarrow",
    "full html": "",
    "--shard K/N part": "run only part K of N, as one job of a job array; DIR is then the folder of"
    " this part",
    "--merge FOLDER file+": "combine the folders of all parts; no point is simulated",
    "--limits": "say for each point what limits it, by some thirty more runs of the point, and"
    " where that changes",
    "--phase JOB.NUMBER *": "a column with the seconds that a process spends in this phase, on the"
    " average; the first phase of a job is number 0, the second of a loop there 0.1. Several make"
    " several",
    "engine seed replications jobs executor store progress": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    if arguments.merge:
        return _merge(arguments)
    if arguments.workload is None:
        arguments.parser.error("the following arguments are required: MACHINE, WORKLOAD")
    which = _files(arguments)
    from simulator.report.versions import versions
    from simulator.study.folder import writing_to
    from simulator.study.grid import make_sweep
    from simulator.study.sweep import run_sweep

    sweep = make_sweep(
        arguments.machine,
        arguments.workload,
        vary=arguments.vary,
        **options.values(arguments, "settings seed engine limits"),
        replications=many.replications_of(arguments),
        phases=arguments.phase,
    )
    with (
        writing_to(arguments.out),
        options.reporting(arguments) as report,
        many.results_of(arguments) as results,
        many.executor_of(arguments) as executor,
        on_interrupt(lambda: f"the same command goes on from what is kept in {arguments.out}"),
    ):
        swept = run_sweep(
            sweep,
            arguments.out,
            versions=versions(),
            executor=executor,
            results=results,
            **options.values(arguments, "force progress shard"),
            said=terminal.say,
        )
        for doubt in swept.doubts:
            print(doubt, file=sys.stderr)
        _show(swept, arguments, which, report)
    return 0


def _show(
    swept: Swept,
    arguments: argparse.Namespace,
    which: dict[str, bool],
    report: options.Report,
    done_by: str = "",
) -> None:
    """Write what is wanted beside the points, and print the table."""
    from simulator.report.sweep import sweep_page, write_sweep

    if missing := write_sweep(swept, arguments.out, **which):
        print(missing, file=sys.stderr)
    report(sweep_page(swept, arguments.out, done_by))


def _files(arguments: argparse.Namespace) -> dict[str, bool]:
    """Return which files are wanted beside the others; MissingExtraError if one cannot be made."""
    if arguments.parquet:
        need("pyarrow", purpose="--parquet")
    return {"plot": arguments.plot, "parquet": arguments.parquet}


def _merge(arguments: argparse.Namespace) -> int:
    """Carry out the command where parts are there."""
    from simulator.study.folder import writing_to
    from simulator.study.merge import merge_sweep
    from simulator.wording import counted

    _refuse_beside_merge(arguments)
    which = _files(arguments)
    with writing_to(arguments.out), options.reporting(arguments) as report:
        swept = merge_sweep(arguments.merge, arguments.out, force=arguments.force)
        _show(swept, arguments, which, report, f"from {counted(len(arguments.merge), 'folder')}")
    return 0


def _refuse_beside_merge(arguments: argparse.Namespace) -> None:
    """Raise InputError for what the parts were made with, and for what only runs of points need."""
    for names, about in (
        (_IN_PARTS, "is in the parts already"),
        ("jobs executor scheduler store no_store", "is about running points, and none is run"),
    ):
        for name in names.split():
            if getattr(arguments, name) != arguments.parser.get_default(name):
                word = {"machine": "MACHINE", "settings": "--set"}.get(name, f"--{name}")
                raise InputError(f"--merge: {word.replace('_', '-')} {about}; leave it out")


_IN_PARTS = "machine vary settings shard limits phase engine seed replications confidence precision"
"""Options that the parts of a sweep were made with."""


def part(text: str) -> Shard:
    """Read which part of a sweep is run."""
    from simulator.study.grid import read_shard

    return read_shard(text)
