"""``nwtsim replay``: a traced job on a simulated machine."""

from __future__ import annotations

import argparse
import re
import sys
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from simulator.cli import options
from simulator.errors import nearest
from simulator.report import terminal
from simulator.stopping import DeferredInterrupt
from simulator.units import decimal

if TYPE_CHECKING:
    from simulator.answers.advise import Advised
    from simulator.answers.again import NotAsked
    from simulator.answers.limits import Limits
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.replay.replay import Replay, ReplayOptions

_TEXT = """\
Replay the calls of a program, logged by strace, truss or Darshan (DXT), on a simulated machine:
each process issues its reads, writes and seeks in order, computes between them as long as in the
log, and waits for its I/O; children begin at their fork, and a parent waits for the end of a child
as in the log. The report has the predicted time of the job, where it goes, observed and predicted
times side by side, by call and by file, and what the log does not contain."""

_EXAMPLES = """\
  nwtsim replay job.log --on nwt
  nwtsim replay job.parquet --on nwt --think none --format json
  nwtsim replay job.log --on nwt --html page.html       (the report as a page)
  nwtsim replay job.log --on nwt --buffer '8 MB'        with a buffer of 8 MB for each file
  nwtsim replay job.log --on nwt --path nfs --set lan.rate='125 MB/s'"""

MOST_SCALE = 10**6


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from simulator.cli.trace_options import MOST_TOP, add_exclude_dir, add_reading

    options.describe(parser, _TEXT, _EXAMPLES)
    parser.add_argument(
        "logs",
        metavar="LOG",
        nargs="+",
        type=options.file,
        help="logs of strace or truss, a store that 'nwtsim trace import' or 'nwtsim run --store'"
        " wrote, or a Darshan log",
    )
    parser.add_argument(
        "--on",
        metavar="MACHINE",
        required=True,
        help="a machine file, or a shipped name, like nwt or workstation",
    )
    add_placing(parser)
    add_think(parser)
    parser.add_argument(
        "--buffer",
        metavar="SIZE",
        type=size,
        default=0,
        help="gather the calls on each file in a buffer, like '8 MB' (default: no buffer)",
    )
    options.add_set(parser, "any value of the machine, like --set ssu.block='4 MB'")
    options.add(parser, "seed engine")
    add_reading(parser)
    add_exclude_dir(parser, ", like /usr; their time stays as computing (may be repeated)")
    parser.add_argument(
        "--top",
        metavar="N",
        type=lambda text: options.whole(text, 1, MOST_TOP),
        help="files in the table (default: 15)",
    )
    options.add(parser, "format:table:json full limits html out")
    options.flag(parser, "--debug", "check after the run that nothing was lost")
    options.add(parser, "progress")


def add_think(parser: argparse._ActionsContainer) -> None:
    """Add ``--think``."""
    parser.add_argument(
        "--think",
        metavar="HOW",
        type=think,
        help="time between the calls of a process: keep, none, or scale=X (default: without what"
        " strace took of it, if 'nwtsim trace record' has measured that; else keep)",
    )


def add_placing(parser: argparse._ActionsContainer) -> None:
    """Add the options that apply to all files."""
    parser.add_argument(
        "--path",
        metavar="NAME",
        help="how files are reached: a path of the file system (default: its first)",
    )
    parser.add_argument(
        "--filesystem",
        metavar="NAME",
        help="the file system that holds the files (default: the machine's first)",
    )
    parser.add_argument(
        "--prestage",
        action=argparse.BooleanOptionalAction,
        help="put files that existed before the job into the stores (default: no; for a recorded"
        " log into the page cache, if they were there)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    options.one_thread()
    from simulator.replay.replay import replay
    from simulator.report.replay import outcome_of, replay_page

    variants = variants_of(arguments)
    machine = variants.load(())
    wanted = replace(wanted_of(arguments), buffer=arguments.buffer, debug=arguments.debug)
    options.check_files(arguments, "out", "html")
    warned: list[str] = []

    def warn(about: str) -> None:
        warned.append(about)
        print(f"warning: {about}", file=sys.stderr)

    with options.reporting(arguments, arguments.out) as report:
        done = replay(
            arguments.logs,
            machine,
            wanted,
            cwd=arguments.cwd,
            lenient=arguments.lenient,
            progress=arguments.progress,
            warn=warn,
        )
        limits, held = None, DeferredInterrupt()
        with held if arguments.out is arguments.html is None else nullcontext():
            limits = _limits(arguments, done, variants)
        command = command_of(arguments)
        outcome = replace(
            outcome_of(done, machine, limits, command),
            warned=warned,
            short=not arguments.full,
            again=options.with_limits(command, arguments),
        )
        if arguments.html is not None or arguments.format != "json":
            outcome = replace(
                outcome,
                advised=_advice(done, variants, limits, command),
                question=("nwtsim", "advise", *command[2:]) if not arguments.buffer else (),
            )
        told = outcome if options.limits_told(arguments) else replace(outcome, limits=None)
        page = partial(replay_page, done, top=arguments.top)
        report(page(told), page(outcome) if arguments.html is not None else None)
        held.end("the replay is whole, and what limits it was not found: --no-limits does not ask")
    return 0


def _limits(
    arguments: argparse.Namespace, done: Replay, variants: Variants[Machine]
) -> Limits | NotAsked | None:
    """Ask what limits; None if that is not wanted."""
    if not options.limits_wanted(arguments):
        return None
    from simulator.answers.again import ask_limits
    from simulator.replay.advice import again_of

    again, shown = again_of(done, variants), arguments.progress
    return ask_limits(again, done.plan, done.result, wanted=arguments.limits, progress=shown)


def _advice(
    done: Replay,
    variants: Variants[Machine],
    limits: Limits | NotAsked | None,
    command: tuple[str, ...],
) -> Advised | None:
    """Run what would help, as far as it takes no time; None where what limits was not asked."""
    from simulator.answers.limits import Limits
    from simulator.replay.advice import first_of_trace

    return first_of_trace(done, variants, limits, command) if isinstance(limits, Limits) else None


def variants_of(arguments: argparse.Namespace) -> Variants[Machine]:
    """Return the machine with the settings, of which others are made with more of them."""
    from simulator.answers.again import machine_variants
    from simulator.run import with_full_paths

    return machine_variants(arguments.on, with_full_paths(arguments.settings, arguments.on))


def command_of(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the words of a command that makes the same replay."""
    words = ["nwtsim", "replay", *map(str, arguments.logs), "--on", arguments.on]
    for option in ("filesystem", "path", "cwd"):
        if getattr(arguments, option) is not None:
            words += [f"--{option}", getattr(arguments, option)]
    if arguments.prestage is not None:
        words.append("--prestage" if arguments.prestage else "--no-prestage")
    words += ["--lenient"] if arguments.lenient else []
    for folder in arguments.exclude_dir:
        words += ["--exclude-dir", folder]
    if arguments.think is not None:
        named = {0: "none", 1: "keep"}.get(arguments.think)
        words += ["--think", named or f"scale={decimal(arguments.think)}"]
    if arguments.buffer:
        words += ["--buffer", f"{arguments.buffer} B"]
    return (*words, *options.words_of(arguments))


def wanted_of(arguments: argparse.Namespace) -> ReplayOptions:
    """Return how the trace is to be replayed."""
    from simulator.replay.replay import ReplayOptions

    return ReplayOptions.of(
        arguments.filesystem,
        arguments.path,
        arguments.prestage,
        think=arguments.think,
        seed=arguments.seed,
        engine=arguments.engine,
        exclude=tuple(arguments.exclude_dir),
        said=terminal.say,
    )


def think(text: str) -> Fraction:
    """Read ``keep``, ``none`` or ``scale=X``."""
    if text in ("keep", "none"):
        return Fraction(text == "keep")
    scale = re.fullmatch(r"scale=([0-9]{1,12}(\.[0-9]{1,9})?)", text)
    if scale is None or Fraction(scale[1]) > MOST_SCALE:
        ways, way = ("keep", "none", "scale"), text.partition("=")[0]
        near = None if way in ways else nearest(way, ways)
        meant = f"did you mean {near!r}? Write" if near else "write"
        raise argparse.ArgumentTypeError(
            f"{text!r} is not understood; {meant} keep, none, or a factor, like scale=0.5"
        )
    return Fraction(scale[1])


def size(text: str) -> int:
    """Read a size of 1 byte or more."""
    from simulator.units import parse_size

    try:
        found = int(parse_size(text))
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if found < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no buffer size; write one, like '8 MB'")
    return found
