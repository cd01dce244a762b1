"""What nwtsim says of a traced program: predicted time, and advice, on a measured machine.

strace stops a program at each call, so that the time between two calls is mostly its own. A replay
keeps that time as computing. It is scaled such that all computing adds up to the user time of the
run without strace: ``--think scale=X``. The observed time is that of the run without strace, too.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.errors import InputError

from .runs import Bench

STRACE = (
    "strace", "-f", "--seccomp-bpf", "-ttt", "-T", "-e", "trace=%file,%desc,%process",
)  # fmt: skip
NOT_DATA = ("/usr", "/lib", "/lib64", "/etc")
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


def predicted(bench: Bench, user_s: float, machine: Path, *, advise: bool) -> Predicted:
    """Trace a program's slow way, replay it, and ask for advice."""
    way = bench.program.slow
    log = bench.folder.parent / f"{bench.folder.name}.strace"
    traced = bench.run(way, (*STRACE, "-o", str(log)))
    options = [str(log), "--on", str(machine), "--cwd", str(bench.folder), "--format", "json"]
    if not bench.program.cold:  # Its input is in the page cache.
        options.append("--prestage")
    for one in NOT_DATA:
        if bench.folder.is_relative_to(one):
            continue
        options += ["--exclude-dir", one]
    whole = _nwtsim("replay", *options, "--no-limits")
    thinking = whole["jobs"]["trace"]["where"]["compute_ns"] / 1e9
    scale = min(1.0, round(user_s / thinking, _DIGITS)) if thinking else 1.0
    think = ["--think", f"scale={scale:.{_DIGITS}f}" if scale else "none"]
    answer = _nwtsim("advise" if advise else "replay", *options, *think, "--no-limits")
    predicted_s = answer["predicted_s"] if advise else answer["elapsed_ns"] / 1e9
    with log.open("rb") as lines:
        calls = sum(1 for _ in lines)
    log.unlink()
    return Predicted(calls, traced.elapsed_s, scale, predicted_s, answer.get("advice", []))


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
