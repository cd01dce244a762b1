"""The calls of a program as they are, and as each advice has them, as workloads in a folder."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.cli.trace_workload import workload_text
from simulator.errors import InputError
from simulator.units import format_time
from simulator.workload.callfile import write_calls

if TYPE_CHECKING:
    from simulator.answers.advise import Change
    from simulator.study.advise import AdvisedTrace
    from simulator.workload.traced import Traced

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
        own = name if change.rewrites or change.prestage else AS_IT_IS
        if own == name:
            _write(folder, name, done, change, arguments)
        command = _command(folder / f"{own}.yaml", change, arguments)
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
        prestage=arguments.prestage or change.prestage,
        filesystem=arguments.filesystem,
        path=arguments.path,
    )
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def _command(workload: Path, change: Change, arguments: argparse.Namespace) -> str:
    words = ["nwtsim", "run", arguments.on, str(workload)]
    for path, value in (*arguments.settings, *change.settings):
        words += ["--set", f"{path}={value}"]
    if arguments.seed is not None:
        words += ["--seed", str(arguments.seed)]
    return shlex.join(words)
