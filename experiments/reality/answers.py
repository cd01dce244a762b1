"""What nwtsim says of a traced program: predicted time, and advice, on a measured machine.

strace stops a program at each call, so that the time between two calls is mostly its own. A replay
keeps that time as computing. It is scaled such that all computing adds up to the user time of the
run without strace: ``--think scale=X``. The observed time is that of the run without strace, too.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.cli.advise_trace import COMMANDS
from simulator.errors import InputError

from .runs import Bench

STRACE = (
    "strace", "-f", "--seccomp-bpf", "-ttt", "-T", "-e", "trace=%file,%desc,%process",
)  # fmt: skip
NOT_DATA = ("/usr", "/lib", "/lib64", "/etc", "/proc", "/sys", sys.base_prefix)
"""Folders of libraries and interpreters, which are in the page cache."""
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Predicted:
    """A traced program on the measured machine."""

    calls: int
    """Lines of the log."""
    traced_s: float
    """Elapsed time under strace."""
    scale: float
    """Of computing."""
    predicted_s: float
    advice: list[dict[str, Any]]
    commands: list[dict[str, Any]]
    """Each printed command, with the time that it promised and the one that it gave, in ns."""


def predicted(
    bench: Bench, user_s: float, machine: Path, *, advise: bool, commands: bool = False
) -> Predicted:
    """Trace a program's slow way, replay it, and ask for advice.

    ``commands``: run every command that the advice prints, too.
    """
    log = bench.folder.parent / f"{bench.folder.name}.strace"
    traced_s = _traced(bench, log)
    options = [str(log), "--on", str(machine), "--cwd", str(bench.folder), "--format", "json"]
    if not bench.program.cold:  # Its input is in the page cache.
        options.append("--prestage")
    for one in NOT_DATA:
        if not bench.folder.is_relative_to(one):
            options += ["--exclude-dir", one]
    scale = _scale(options, user_s)
    think = ["--think", f"scale={scale:.{_DIGITS}f}" if scale else "none"]
    written = log.with_suffix(".cured")
    cured = ["--cured", str(written)] if commands else []
    answer = _nwtsim("advise" if advise else "replay", *options, *think, "--no-limits", *cured)
    predicted_s = answer["predicted_s"] if advise else answer["elapsed_ns"] / 1e9
    with log.open("rb") as lines:
        calls = sum(1 for _ in lines)
    log.unlink()
    advice = [_kept(one, "pattern") for one in answer.get("advice", ())]
    ran = list(_ran(written)) if commands else []
    return Predicted(calls, traced_s, scale, predicted_s, advice, ran)


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


def _traced(bench: Bench, log: Path) -> float:
    """Write a program's log; returns the seconds that it took under strace."""
    return bench.run(bench.program.slow, (*STRACE, "-o", str(log))).elapsed_s


def _scale(options: Sequence[str], user_s: float) -> float:
    """Return by what a replay's computing is scaled to the user time without strace."""
    whole = _nwtsim("replay", *options, "--no-limits")
    thinking = whole["jobs"]["trace"]["where"]["compute_ns"] / 1e9
    return min(1.0, round(user_s / thinking, _DIGITS)) if thinking else 1.0


def _kept(advice: dict[str, Any], *more: str) -> dict[str, Any]:
    """Return of an advice what decides whether it is right, and what it promises."""
    kept = {key: advice[key] for key in (*more, "saves_s", "predicted_s", "how")}
    if more:
        kept["instead"] = [_kept(one) for one in advice["instead"]]
    return kept


def measured(folder: Path, out: Path, *, quick: bool) -> dict[str, Any]:
    """Measure a folder; returns what ``nwtsim measure`` prints."""
    words = ["--quick"] if quick else []
    found: dict[str, Any] = _nwtsim(
        "measure", str(folder), "-o", str(out), "--format", "json", *words
    )
    return found


def _nwtsim(*words: str) -> Any:
    command = [sys.executable, "-m", "simulator", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise InputError(f"nwtsim {' '.join(words)}: {done.stderr.strip()}")
    return json.loads(done.stdout)
