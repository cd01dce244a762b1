"""``nwtsim measure``: a machine file from bounded probes on a folder.

Measure the file system of a folder with bounded probes: cached and random reads, writes with and
without fsync, metadata, several processes. Derive a machine (machine/2) from them, with the spread
and date of each value as its source, simulate the probes on it, and print both. All files are in a
new folder inside of DIR, which is removed at the end, also after an error or a signal.

With --compare FILE, say instead whether this still is the machine that was measured: the exit code
is 1 if a probe takes longer or shorter than the spread of both measurements explains.

Examples:
  nwtsim measure /scratch -o scratch.yaml
  nwtsim measure . --quick
  nwtsim measure /data -o data.yaml --size '2 GiB' --time '5 min' --processes 8
  nwtsim measure /data --compare data.yaml           (still the same machine?)
  nwtsim measure /data --fio                         (fio's numbers beside)
  nwtsim measure /data --programs                    (dd and others, real and predicted)
  nwtsim measure . -o here.yaml --format json        (samples, for programs)
"""

from __future__ import annotations

import argparse
import sys

from simulator.cli import options
from simulator.cli.shared import Table


def table() -> Table:
    """Return the options."""
    from simulator.measure.probe import MOST_PROCESSES

    return {
        "folder DIR file": "a folder on the file system",
        "-o --out FILE file": "write the machine to this file",
        "--force": "overwrite the file if it is there",
        "--size SIZE probed": "most that the files of the probes hold (default: '512 MiB'; quick:"
        " '128 MiB')",
        "--time TIME seconds": "about how long all probes may take (default: '60 s'; quick: '10"
        " s')",
        f"--processes N 1..{MOST_PROCESSES}": "most processes at the same time (default:"
        " processors, at most 64)",
        "--compare FILE": "compare with a machine that was measured; exit with 1 if this is another"
        " one",
        "--fio": "have fio, if installed, make the same probes",
        "--programs": "run simple programs (dd, loops in Python), too, and predict them on the"
        " machine",
        "--shared-folder": "measure also where other users may write, and could rename the files of"
        " the probes",
        "--quick": "fewer sizes and repetitions",
        "--seed N seed=1": "of random offsets (default: 1)",
        "format:table:json full progress": "",
    }


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command; 1 if the machine is not the one that it is compared with."""
    from simulator.measure.compared import is_changed
    from simulator.measure.machine import machine_name
    from simulator.measure.probe import limits_of
    from simulator.output import placing_if, show
    from simulator.report.measurement import measurement_page
    from simulator.report.progress import Probing
    from simulator.study.measurement import measured_whole

    out = arguments.out
    options.check_made(out, force=arguments.force)
    known = options.values(arguments, "size processes quick seed")
    limits = limits_of(seconds=arguments.time, **known)
    with placing_if(out) as part:
        with Probing(sys.stderr, wanted=arguments.progress) as line:
            whole = measured_whole(
                arguments.folder,
                limits,
                line.heard,
                name=machine_name(out.stem if out is not None else "measured"),
                shared=arguments.shared_folder,
                ask_fio=arguments.fio,
                run_programs=arguments.programs,
                compare=arguments.compare,
            )
        if part is not None:
            show(whole.machine, part)
    below = f"{out}: the machine" if out else "Add -o FILE to have the machine as a file"
    if out is None and whole.earlier is not None:
        below = ""
    with options.reporting(arguments) as report:
        report(measurement_page(whole), below=below)
    return int(whole.earlier is not None and is_changed(whole.changes))


def probed(text: str) -> int:
    """Read a size of at least 16 MiB."""
    from simulator.measure.probe import LEAST_MIB, MIB

    size = options.size(text)
    if size < LEAST_MIB * MIB:
        raise ValueError(f"{text!r} is too little; write '{LEAST_MIB} MiB' or more")
    return size


def seconds(text: str) -> float:
    """Read a time, in seconds."""
    from simulator.units import parse_time

    time = parse_time(text)
    if time <= 0:
        raise ValueError(f"{text!r} is no time; write it like '60 s'")
    return time / 1e9
