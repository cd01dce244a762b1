"""Answers of nwtsim for a recorded program: predicted time, and advice, on a measured machine.

The commands are those of a programmer: ``nwtsim trace record -- COMMAND``, and ``nwtsim advise LOG
--on MACHINE``. Their only input beside the log and its record are the files dropped from the page
cache before a run.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.cli.advise_trace import COMMANDS
from simulator.errors import InputError
from simulator.traces.record import beside
from simulator.wording import command_line

from .runs import Bench

RECORD = (sys.executable, "-m", "simulator", "trace", "record", "--yes")
RUNS = 5
"""Runs without strace: they take 90 to 700 ms, so that one run is too inaccurate."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """A recorded program on the measured machine."""

    calls: int
    """Lines of the log."""
    traced_s: float
    """Elapsed time under strace."""
    untraced_s: float
    """Elapsed time of the run that ``trace record`` made without it."""
    predicted_s: float
    advice: list[dict[str, Any]]
    seen: list[str]
    """What was seen in the log and not simulated."""
    commands: list[dict[str, Any]]
    """Each printed command, with its promised time and its result, in ns."""


def predicted(
    bench: Bench,
    machine: Path,
    *,
    advise: bool,
    commands: bool = False,
    keep: Path | None = None,
) -> Predicted:
    """Record a program's slow variant, and ask for advice; without ``advise``, replay it only.

    ``commands``: also run every command that the advice prints. ``keep``: folder for the log and
    its record.
    """
    log = bench.folder.parent / f"{bench.folder.name}.strace"
    record = _recorded(bench, log)
    written = log.with_suffix(".cured")
    cured = ["--cured", str(written)] if commands else []
    options = [str(log), "--on", str(machine), "--no-limits", "--format", "json"]
    answer = _nwtsim("advise" if advise else "replay", *options, *cured)
    with log.open("rb") as lines:
        calls = sum(1 for _ in lines)
    for one in (log, beside(log)):
        one.unlink() if keep is None else shutil.move(one, keep / one.name)
    return Predicted(
        calls=calls,
        traced_s=record["traced"]["elapsed_ns"] / 1e9,
        untraced_s=record["untraced"]["elapsed_ns"] / 1e9,
        predicted_s=answer["predicted_s"] if advise else answer["elapsed_ns"] / 1e9,
        advice=[_graded(one, "pattern") for one in answer.get("advice", ())],
        seen=(answer.get("time") or {}).get("seen", []),
        commands=list(_ran(written)) if commands else [],
    )


def _recorded(bench: Bench, log: Path) -> Any:
    """Write a program's log, and return the record beside it."""
    cold = [word for name in bench.program.cold for word in ("--data", name)]
    cache = ["--cache", "drop", *cold] if cold else []
    # A program with other files in each run would leave those of a third.
    anew = any(name[-1:].isdigit() for name in bench.program.fresh)
    runs = [] if anew else ["--runs", str(RUNS)]
    bench.run(bench.program.slow, (*RECORD, "-o", str(log), *runs, *cache, "--"))
    return json.loads(beside(log).read_text("utf-8"))


def _ran(written: Path) -> Iterator[dict[str, Any]]:
    """Run the commands of a folder of cured calls, and remove it."""
    for line in (written / COMMANDS).read_text("utf-8").splitlines():
        command, _, about = line.partition("  # ")
        promised_ns = int(about.split()[-2])
        found = _nwtsim(*shlex.split(command)[1:], "--no-limits", "--format", "json")
        yield {
            "command": command.replace(f"{written.parent}/", ""),
            "promised_ns": promised_ns,
            "elapsed_ns": found["elapsed_ns"],
        }
    shutil.rmtree(written)


def _graded(advice: dict[str, Any], *more: str) -> dict[str, Any]:
    """Return the fields of an advice that decide whether it is right, and its promise."""
    kept = {key: advice[key] for key in (*more, "saves_s", "predicted_s", "how")}
    if more:
        kept["instead"] = [_graded(one) for one in advice["instead"]]
    return kept


def measured(folder: Path, out: Path, *, quick: bool) -> dict[str, Any]:
    """Measure a folder; return the output of ``nwtsim measure``."""
    words = ["--quick"] if quick else []
    found: dict[str, Any] = _nwtsim(
        "measure", str(folder), "-o", str(out), "--format", "json", *words
    )
    return found


def _nwtsim(*words: str) -> Any:
    command = [sys.executable, "-m", "simulator", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"{command_line('nwtsim', *words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)
