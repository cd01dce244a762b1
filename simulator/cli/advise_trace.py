"""``nwtsim advise TRACE --on MACHINE``: what would make a traced program faster."""

from __future__ import annotations

import argparse
import sys

from simulator.cli import options


def advise_trace(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.answers.again import machine_variants
    from simulator.cli.replay import command_of, placing_of
    from simulator.output import placing_if, show
    from simulator.report.advise import advice_json, advice_text
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
    )
    with placing_if(arguments.out) as out:
        done = AdvisedTrace(
            arguments.logs,
            machine_variants(arguments.on, settings),
            wanted,
            command=command_of(arguments),
            progress=arguments.progress,
            cwd=arguments.cwd,
            lenient=arguments.lenient,
            warn=_warn,
        )
        write = advice_json if arguments.format == "json" else advice_text
        show(write(done.advised), out)
    return 0


def _warn(about: str) -> None:
    print(f"warning: {about}", file=sys.stderr)
