"""``nwtsim replay``: a traced job on a simulated machine.

Replay the calls of a program, logged by strace, truss or Darshan, on a simulated machine:
each process issues its reads, writes and seeks in order, computes between them as long as in the
log, and waits for its I/O; children begin at their fork, and a parent waits for the end of a child
as in the log. The report has the predicted time of the job, where it goes, observed and predicted
times side by side, by call and by file, and what the log does not contain.

Examples:
  nwtsim replay job.log --on nwt
  nwtsim replay job.parquet --on nwt --think none --format json
  nwtsim replay job.log --on nwt --html page.html       (the report as a page)
  nwtsim replay job.log --on nwt --buffer '8 MB'        with a buffer of 8 MB for each file
  nwtsim replay job.log --on nwt --path nfs --set lan.rate='125 MB/s'
"""

from __future__ import annotations

import argparse
import sys
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from simulator.cli import options
from simulator.report import terminal
from simulator.stopping import DeferredInterrupt
from simulator.units import decimal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.answers.advise import Advised
    from simulator.answers.again import NotAsked
    from simulator.answers.limits import Limits
    from simulator.config.machine_file import Machine
    from simulator.config.variants import Variants
    from simulator.replay.replay import Replay, ReplayOptions

OPTIONS = {
    "logs LOG file+": "logs of strace or truss, a store that 'nwtsim trace import' or 'nwtsim run"
    " --store' wrote, or a Darshan log",
    "--on MACHINE !": "a machine file, or a shipped name, like nwt or workstation",
    "placing think": "",
    "--buffer SIZE buffer": (
        "gather the calls on each file in a buffer, like '8 MB' (default: no buffer)",
        {"default": 0},
    ),
    "--set PATH=VALUE setting*": "any value of the machine, like --set ssu.block='4 MB'",
    "seed engine reading exclude-dir": "",
    "--samples N 1..1000": "draw so many samples of the calls of a Darshan log without DXT"
    " (default: 10); the one in the middle is shown",
    f"--top N 1..{options.MOST_TOP}": "files in the table (default: 15)",
    "format:table:json full limits html out": "",
    "--debug": "check after the run that nothing was lost",
    "progress": "",
}


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    options.one_thread()
    from simulator.replay.family import SAMPLES, replay_samples
    from simulator.report.replay import outcome_of, replay_page
    from simulator.study.processes import side_by_side

    variants = variants_of(arguments)
    machine = variants.load(())
    wanted = replace(wanted_of(arguments), buffer=arguments.buffer, debug=arguments.debug)
    warned: list[str] = []

    def warn(about: str) -> None:
        warned.append(about)
        print(f"warning: {about}", file=sys.stderr)

    with options.reporting(arguments, arguments.out) as report:
        done = replay_samples(
            arguments.logs,
            machine,
            wanted,
            arguments.samples or SAMPLES,
            drawn=machines_drawn_of(arguments),
            warn=warn,
            spread=side_by_side,
            **options.values(arguments, "cwd lenient progress"),
        )
        limits, held = None, DeferredInterrupt()
        with held if arguments.out is arguments.html is None else nullcontext():
            limits = _limits(arguments, done, variants)
        command = command_of(arguments)
        outcome = replace(
            outcome_of(done, machine, limits, command),
            warned=warned,
            short=not arguments.full,
            again=[*command, *options.words_of(arguments, "limits")],
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


def machines_drawn_of(arguments: argparse.Namespace) -> Sequence[Variants[Machine]]:
    """Return machines whose values are drawn from their ranges, for the samples of a log.

    They are read when they are used: only for a log that has counters and no calls.
    """
    from simulator.answers.again import machine_variants
    from simulator.replay.family import APART, SAMPLES
    from simulator.run import with_full_paths
    from simulator.study.ranges import machines_drawn
    from simulator.traces.logs import is_darshan

    if not is_darshan(arguments.logs[0]):
        return ()
    seed, many = APART * (arguments.seed or 0), arguments.samples or SAMPLES
    given = with_full_paths(arguments.settings, arguments.on)
    drawn = machines_drawn(variants_of(arguments).load(()), many, seed)
    taken = {path for path, _ in given}
    return [
        machine_variants(arguments.on, [*given, *(one for one in more if one[0] not in taken)])
        for more in drawn
    ]


def command_of(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Return the words of a command that makes the same replay."""
    words = ["nwtsim", "replay", *map(str, arguments.logs), "--on", arguments.on]
    words += options.words_of(arguments, "filesystem path cwd prestage lenient exclude_dir")
    if arguments.think is not None:
        named = {0: "none", 1: "keep"}.get(arguments.think)
        words += ["--think", named or f"scale={decimal(arguments.think)}"]
    if arguments.samples:
        words += ["--samples", str(arguments.samples)]
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
        **options.values(arguments, "think seed engine"),
        exclude=tuple(arguments.exclude_dir),
        said=terminal.say,
    )


def buffer(text: str) -> int:
    """Read a size of 1 byte or more."""
    found = options.size(text)
    if found < 1:
        raise ValueError(f"{text!r} is no buffer size; write one, like '8 MB'")
    return found
