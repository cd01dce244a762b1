"""``nwtsim measure``: a machine file from bounded probes on a folder."""

from __future__ import annotations

import argparse
import sys

from simulator.cli import options

_TEXT = """\
Measure the file system of a folder with bounded probes: cached and random reads, writes with and
without fsync, metadata, several processes. Derive a machine (machine/2) from them, with the spread
and date of each value as its source, simulate the probes on it, and print both. All files are in a
new folder inside of DIR, which is removed at the end, also after an error or a signal.

With --compare FILE, say instead whether this still is the machine that was measured: the exit code
is 1 if a probe takes longer or shorter than the spread of both measurements explains."""

_EXAMPLES = """\
  nwtsim measure /scratch -o scratch.yaml
  nwtsim measure . --quick
  nwtsim measure /data -o data.yaml --size '2 GiB' --time '5 min' --processes 8
  nwtsim measure /data --compare data.yaml           (still the same machine?)
  nwtsim measure /data --fio                         (fio's numbers beside)
  nwtsim measure /data --programs                    (dd and others, real and predicted)
  nwtsim measure . -o here.yaml --format json        (samples, for programs)"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from simulator.measure.probe import MOST_PROCESSES

    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument(
        "folder", metavar="DIR", type=options.file, help="a folder on the file system"
    )
    options.add_made(parser, "write the machine to this file")
    parser.add_argument(
        "--size",
        metavar="SIZE",
        type=_size,
        help="most that the files of the probes hold (default: '512 MiB'; quick: '128 MiB')",
    )
    parser.add_argument(
        "--time",
        metavar="TIME",
        type=_time,
        help="about how long all probes may take (default: '60 s'; quick: '10 s')",
    )
    parser.add_argument(
        "--processes",
        metavar="N",
        type=lambda text: options.whole(text, 1, MOST_PROCESSES),
        help="most processes at the same time (default: processors, at most 64)",
    )
    parser.add_argument(
        "--compare",
        metavar="FILE",
        help="compare with a machine that was measured; exit with 1 if this is another one",
    )
    options.flag(parser, "--fio", "have fio, if installed, make the same probes")
    options.flag(
        parser,
        "--programs",
        "run simple programs (dd, loops in Python), too, and predict them on the machine",
    )
    options.flag(
        parser,
        "--shared-folder",
        "measure also where other users may write, and could rename the files of the probes",
    )
    options.flag(parser, "--quick", "fewer sizes and repetitions")
    parser.add_argument(
        "--seed", metavar="N", type=options.seed, default=1, help="of random offsets (default: 1)"
    )
    options.add(parser, "format:table:json full progress")


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
    limits = limits_of(
        size=arguments.size,
        seconds=arguments.time,
        processes=arguments.processes,
        quick=arguments.quick,
        seed=arguments.seed,
    )
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


def _size(text: str) -> int:
    """Read a size of at least 16 MiB."""
    from simulator.measure.probe import LEAST_MIB, MIB
    from simulator.units import parse_size

    try:
        size = int(parse_size(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if size < LEAST_MIB * MIB:
        raise argparse.ArgumentTypeError(f"{text!r} is too little; write '{LEAST_MIB} MiB' or more")
    return size


def _time(text: str) -> float:
    """Read a time, in seconds."""
    from simulator.units import parse_time

    try:
        time = parse_time(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if time <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is no time; write it like '60 s'")
    return time / 1e9
