"""``nwtsim advise TRACE --on MACHINE``: what would make a traced program faster."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from simulator.cli import options
from simulator.errors import InputError

if TYPE_CHECKING:
    from simulator.study.advise import AdvisedTrace


def advise_trace(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.cli.advise_cured import write_cured
    from simulator.output import placing_if, show
    from simulator.report.advise import advice_json, advice_text

    cured = arguments.cured
    if cured is not None and cured.exists():
        raise InputError(f"{cured}: exists already; name a new folder for the cured calls")
    options.check_files(arguments, "out", "html")
    with placing_if(arguments.out) as out, placing_if(arguments.html) as html:
        done = _advised(arguments)
        if cured is not None:
            write_cured(cured, done, arguments)
        write = advice_json if arguments.format == "json" else advice_text
        if html is not None:
            from simulator.report.html.advise import advice_page

            result = done.replay.result
            title = f"{result.workload} on {result.machine}"
            show(advice_page(done.advised, title, _command(arguments)), html)
        show(write(done.advised), out)
    return 0


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command that gives the same advice."""
    from simulator.cli.replay import command_of

    _, _, *words = command_of(arguments)
    return options.with_limits(["nwtsim", "advise", *words], arguments)


def _advised(arguments: argparse.Namespace) -> AdvisedTrace:
    """Replay the trace, and what would cure it."""
    from simulator.answers.again import machine_variants
    from simulator.cli.replay import command_of, placing_of
    from simulator.run import with_full_paths
    from simulator.study.advise import AdvisedTrace
    from simulator.study.replay import Wanted

    arguments.logs = [options.file(name) for name in arguments.inputs]
    arguments.buffer = 0
    settings = with_full_paths(arguments.settings, arguments.on)
    wanted = Wanted(
        placing=placing_of(arguments),
        think=arguments.think,
        seed=arguments.seed,
        engine=options.engine_name(arguments.engine),
        exclude=tuple(arguments.exclude_dir),
        said=options.say,
    )
    return AdvisedTrace(
        arguments.logs,
        machine_variants(arguments.on, settings),
        wanted,
        limits=arguments.limits,
        command=command_of(arguments),
        progress=arguments.progress,
        cwd=arguments.cwd,
        lenient=arguments.lenient,
        warn=_warn,
    )


def _warn(about: str) -> None:
    print(f"warning: {about}", file=sys.stderr)
