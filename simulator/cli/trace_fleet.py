"""``nwtsim trace fleet``: many logs, and what their cures would give back.

Read all logs in a folder and its folders (Darshan, strace, truss, stores), several at a time, and
list them: the share of I/O in the time of their processes, bytes, and what stands out most. With
--on MACHINE each is replayed there as it is and with its cures, those with most I/O first, and the
logs are ranked by the time that the best cure gives back at the site: seconds that the job takes
less, for each of its processes. Those seconds are simulated, or it says why not.

A log that cannot be read is a row with its reason. What is done is kept in the store: after an
interrupt the same command goes on from there.

Examples:
  nwtsim trace fleet logs
  nwtsim trace fleet logs --on lustre-scratch --html fleet.html
  nwtsim trace fleet logs --match '*.darshan' --on lustre-scratch --limit '20 s' --samples 5
  nwtsim trace fleet logs --on lustre-scratch --format csv --out fleet.csv
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from simulator.cli import many, options
from simulator.report import terminal
from simulator.stopping import on_interrupt

if TYPE_CHECKING:
    from simulator.study.fleet import Trial

LIMIT_S = 5
WITHIN_S = 80
"""With the reading of 500 logs it makes two minutes on two processors."""
OPTIONS = {
    "folder FOLDER file": "a folder with logs, also in folders below",
    "--match PATTERN text=*": "only files with such a name, like '*.darshan' (default: all)",
    "--lenient": "skip damaged lines of logs",
    "[what cures save]": "",
    "--on MACHINE": "a machine file, or a shipped name: replay the logs there, with their cures",
    "--set PATH=VALUE setting*": "any value of the machine, like --set ssu.block='4 MB'",
    "placing": "",
    "--limit TIME limit": f"processor time for each log, like '20 s' (default: {LIMIT_S} s)",
    "--within TIME limit": "begin no further log after this time, those with most I/O first"
    f" (default: {WITHIN_S} s); the same command goes on from the store",
    "--samples N 1..1000": "draw at most so many samples of the calls of a Darshan log without DXT"
    " (default: 10)",
    "[]": "",
    f"--top N 1..{options.MOST_TOP}": "rows of each table (default: all)",
    "format:table:json:csv full html out": "",
    "--parquet FILE file": "also write the rows, with their types, into this file",
    "jobs store progress": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    options.one_thread()
    from simulator.errors import InputError
    from simulator.extras import need
    from simulator.output import placing_if
    from simulator.processors import processors
    from simulator.report.fleet import fleet_page, write_parquet
    from simulator.study.fleet import logs_in, read_fleet

    need("pyarrow", "duckdb")
    options.check_files(arguments, "out", "html", "parquet")
    trial = _trial(arguments)
    logs = logs_in(arguments.folder, arguments.match)
    with (
        options.reporting(arguments, arguments.out) as report,
        placing_if(arguments.parquet) as table,
        many.results_of(arguments) as results,
    ):
        kept = "nothing is kept (--no-store)"
        if results is not None:
            kept = f"the same command goes on from what is kept in {results.path}"
        with on_interrupt(lambda: kept):
            fleet = read_fleet(
                *(arguments.folder, logs, trial),
                **options.values(arguments, "lenient progress"),
                jobs=arguments.jobs or processors(),
                results=results,
                said=terminal.say,
            )
        if not fleet.rows:
            raise InputError(
                f"{arguments.folder}: none of {len(logs):,} files is a log of strace, truss or"
                " Darshan, or a store"
            )
        report(fleet_page(fleet, _command(arguments), arguments.top))
        if table is not None:
            write_parquet(fleet, table)
    return 0


def _trial(arguments: argparse.Namespace) -> Trial | None:
    """Return how cures are tried; None without a machine. InputError for what then has no sense."""
    from simulator.errors import InputError

    if arguments.on is None:
        for name in ("settings", "filesystem", "path", "prestage", "limit", "within", "samples"):
            if getattr(arguments, name) not in (None, []):
                option = name.removesuffix("tings")
                raise InputError(
                    f"--{option} is about what cures save; add --on MACHINE, or omit it"
                )
        return None
    from simulator.cli.replay import variants_of
    from simulator.config.lowering.replayed import Placing, usual_place
    from simulator.replay.family import SAMPLES
    from simulator.replay.replay import ReplayOptions
    from simulator.study.fleet import Trial

    variants = variants_of(arguments)
    wanted = ReplayOptions.of(arguments.filesystem, arguments.path, arguments.prestage)
    # What is wrong with the machine or the place is said before logs are read.
    usual_place(variants.load(()), wanted.placing or Placing())
    return Trial(
        variants,
        wanted,
        limit_s=arguments.limit or LIMIT_S,
        samples=arguments.samples or SAMPLES,
        machine=arguments.on,
        settings=tuple(arguments.settings),
        within_s=arguments.within or WITHIN_S,
    )


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command that lists the same logs."""
    words = ["nwtsim", "trace", "fleet", str(arguments.folder)]
    words += options.words_of(arguments, "match lenient on settings filesystem path prestage")
    for name in ("limit", "within"):
        if value := getattr(arguments, name):
            words += [f"--{name}", f"{value:g} s"]
    return [*words, *options.words_of(arguments, "samples top")]


def limit(text: str) -> float:
    """Read a time in s."""
    from simulator.units import parse_time

    found = int(parse_time(text)) / 1e9
    if found < 0.1:
        raise ValueError(f"{text!r} is no time limit; write 0.1 s or more, like '20 s'")
    return found
