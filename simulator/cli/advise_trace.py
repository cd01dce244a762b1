"""``nwtsim advise TRACE --on MACHINE``: what would make a traced program faster.

With ``-o`` the calls as they are, and as each advice has them, are written as workloads.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli import options
from simulator.cli.trace_workload import workload_text
from simulator.errors import InputError
from simulator.report import terminal
from simulator.units import format_time
from simulator.wording import command_line
from simulator.workload.callfile import write_calls

if TYPE_CHECKING:
    from simulator.answers.advise import Change
    from simulator.replay.advice import AdvisedTrace
    from simulator.workload.traced import Traced


def run(arguments: argparse.Namespace) -> int:
    """Carry out the command."""
    from simulator.report.advise import advice_page

    cured = arguments.cured
    if cured is not None and cured.exists():
        raise InputError(f"{cured}: exists already; name a new folder for the cured calls")
    with options.reporting(arguments, arguments.out) as report:
        done = _advised(arguments)
        if cured is not None:
            write_cured(cured, done, arguments)
        result = done.replay.result
        title = f"{result.workload} on {result.machine}"
        report(advice_page(done.advised, title, _command(arguments)))
    return 0


def _command(arguments: argparse.Namespace) -> list[str]:
    """Return the words of a command that gives the same advice."""
    from simulator.cli.replay import command_of

    _, _, *words = command_of(arguments)
    return ["nwtsim", "advise", *words, *options.words_of(arguments, "limits")]


def _advised(arguments: argparse.Namespace) -> AdvisedTrace:
    """Replay the trace, and what would cure it."""
    from simulator.cli.replay import command_of, machines_drawn_of, variants_of, wanted_of
    from simulator.replay.confirmed import advise_samples
    from simulator.replay.family import SAMPLES
    from simulator.study.processes import side_by_side

    arguments.logs = [options.file(name) for name in arguments.inputs]
    arguments.buffer = 0
    return advise_samples(
        arguments.logs,
        variants_of(arguments),
        wanted_of(arguments),
        command=command_of(arguments),
        samples=arguments.samples or SAMPLES,
        spread=side_by_side,
        drawn=machines_drawn_of(arguments),
        **options.values(arguments, "limits progress cwd lenient"),
        warn=lambda about: terminal.say(f"warning: {about}"),
    )


AS_IT_IS = "as-it-is"
COMMANDS = "commands.txt"


def write_cured(folder: Path, done: AdvisedTrace, arguments: argparse.Namespace) -> None:
    """Write a workload and its calls for each advice, and the commands that run them."""
    from simulator.answers.advise import Change

    if done.replay.simulated:
        raise InputError(
            f"-o {folder}: the store is of a simulated run, whose files have places of their own;"
            " -o is for logs of programs"
        )
    folder.mkdir(parents=True)
    advised = done.advised
    runs = [(AS_IT_IS, Change(), advised.elapsed_ns)]
    for number, one in enumerate(advised.advice, 1):
        runs.append((f"{number}-{one.finding.pattern}", one.cure.change, one.elapsed_ns))
    lines = []
    for name, change, elapsed in runs:
        same = not (change.rewrites or change.prestage or change.filesystem)
        own = AS_IT_IS if same else name
        if own == name:
            _write(folder, name, done, change, arguments)
        command = _run_command(folder / f"{own}.yaml", change, arguments)
        lines.append(f"{command}  # {format_time(elapsed)}: {elapsed} ns\n")
    (folder / COMMANDS).write_text("".join(lines), encoding="utf-8")


def _write(
    folder: Path, name: str, done: AdvisedTrace, change: Change, arguments: argparse.Namespace
) -> None:
    traced: Traced = done.job.rewritten(change)
    calls = folder / f"{name}.calls.csv"
    with calls.open("w", encoding="utf-8", newline="") as file:
        write_calls(traced, file)
    title = f"traced: {', '.join(path.name for path in arguments.logs)} ({name})"
    text = workload_text(
        name,
        title,
        calls.name,
        prestage=done.job.prestaged(change),
        filesystem=change.filesystem or arguments.filesystem,
        path=None if change.filesystem else arguments.path,
    )
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def _run_command(workload: Path, change: Change, arguments: argparse.Namespace) -> str:
    words = ["nwtsim", "run", arguments.on, str(workload)]
    for path, value in (*arguments.settings, *change.settings):
        words += ["--set", f"{path}={value}"]
    if arguments.seed is not None:
        words += ["--seed", str(arguments.seed)]
    return command_line(*words)
