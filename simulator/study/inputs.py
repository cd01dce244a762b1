"""The machine and the workload of a run: loaded together, with every mistake of both at once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from simulator.config import (
    ConfigError,
    Machine,
    Problem,
    Setting,
    Workload,
    check_together,
    load_machine,
    load_workload,
    raise_errors,
)


class Inputs(NamedTuple):
    """What a run needs, and what is doubtful about it."""

    machine: Machine
    workload: Workload
    doubts: list[Problem]
    """Warnings: what can be simulated, but will hardly be meant."""


def load_inputs(
    machine: str | Path, workload: str | Path, settings: Iterable[Setting] = ()
) -> Inputs:
    """Load files or shipped names; ConfigError lists what is wrong with either, or with both."""
    settings = list(settings)
    problems: list[Problem] = []
    try:
        loaded = load_machine(machine, settings)
    except ConfigError as error:
        problems += error.problems
    try:
        work = load_workload(workload, settings)
    except ConfigError as error:
        problems += error.problems
    raise_errors(problems)
    return Inputs(loaded, work, raise_errors(check_together(loaded, work)))
