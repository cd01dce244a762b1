"""Files that were drawn, without what is refused: a mistake that is told leaves out its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from simulator.config import ConfigError
from simulator.config.errors import Problem
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.config.machine_file import Machine
from simulator.config.workload_file import Workload
from simulator.plan.plan import Plan
from tests.draws.sections import written

Read = TypeVar("Read")
ROUNDS = 40


def text_of(document: dict[str, Any]) -> str:
    """Return a file: a line for each of its keys, and for each thing that has a name."""
    lines = []
    for key, value in document.items():
        if isinstance(value, dict) and value and key != "runtime":
            lines += [f"{key}:", *(f"  {name}: {written(one)}" for name, one in value.items())]
        else:
            lines.append(f"{key}: {written(value)}")
    return "\n".join(lines) + "\n"


def mended_machine(document: dict[str, Any]) -> Machine | None:
    """Return the machine of a file, without what is refused; None if nothing is left."""
    return _mended(document, parse_machine)


def mended_plan(document: dict[str, Any], machine: Machine) -> tuple[Workload, Plan] | None:
    """Return a workload that fits a machine, and the plan of both; None if nothing is left."""

    def read(text: str) -> tuple[Workload, Plan]:
        workload = parse_workload(text)
        if errors := [one for one in fit(machine, workload) if one.severity == "error"]:
            raise ConfigError(errors)
        return workload, make_plan(machine, workload)

    return _mended(document, read)


def _mended(document: dict[str, Any], read: Callable[[str], Read]) -> Read | None:
    for _ in range(ROUNDS):
        try:
            return read(text_of(document))
        except ConfigError as error:
            problems = error.problems
        assert all(one.key and one.message for one in problems), list(map(str, problems))
        if not all(_left_out(document, path) for path in _paths(problems)):
            return None
    raise AssertionError(f"{ROUNDS} times something else was wrong:\n{text_of(document)}")


def _paths(problems: Sequence[Problem]) -> list[list[str]]:
    """Return where the problems are, the last of a list first."""
    steps = {tuple(one.key.split(".")) for one in problems}
    alone = (one for one in steps if not any(one[: len(other)] == other != one for other in steps))
    return [list(one) for one in sorted(alone, key=_order, reverse=True)]


def _order(steps: tuple[str, ...]) -> list[tuple[int, str]]:
    return [(int(one), "") if one.isdecimal() else (0, one) for one in steps]


def _left_out(document: Any, steps: list[str]) -> bool:
    """Leave out what is at a place, or the last thing above it that is there; False: nothing is."""
    inside: list[tuple[Any, Any]] = []
    for step in steps:
        key: Any = int(step) if isinstance(document, list) and step.isdecimal() else step
        within = range(len(document)) if isinstance(document, list) else document
        if not isinstance(within, dict | range) or key not in within:
            break
        inside.append((document, key))
        document = document[key]
    if not inside:
        return False
    holder, key = inside[-1]
    del holder[key]
    return True
