"""The eleven steps on a measured machine: each kind of step alone, and ten threads at once.

The lists of ``steps.py`` become tables of calls. A first job makes the files and syncs them; the
threads begin a minute later. The machine file is that of ``nwtsim measure``; of calls with two
measured states each takes the one that it meets: a file is created where others were just deleted,
and with ten threads a file is opened after thousands of others.

Not modelled: what threads of one process share in the kernel (locks of folders, of the descriptor
table), switching between them, and that a deleted file's pages have to be freed.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from simulator.inputfile import Text
from simulator.result.result import Result
from simulator.run import load_plan, run_plan

from .steps import CYCLES, Step, Thread, path_of, script, threads

HEAD = ("client", "do", "file", "offset", "size", "gap_ns")
MANY = 4096
"""Files between two uses of one from which on `nwtsim measure` has another time for it."""
BEGIN_S = 60
"""When the steps begin: the files are made and on the device by then."""
WORKLOAD = f"""\
format: workload/2
name: filebench
jobs:
  - {{name: made, calls: FOLDER/made.csv}}
  - {{name: steps, start: {BEGIN_S} s, calls: FOLDER/steps.csv}}
"""


@dataclass(frozen=True, slots=True)
class Found:
    """Times of a run, simulated or measured."""

    medians_ns: dict[str, float]
    """Of each kind of step."""
    elapsed_ns: int
    processor_ns: int
    """Of all threads, without waiting."""


def calls(step: Step, iosize: int, *, many: bool) -> list[tuple[str, int, int]]:
    """Return the calls of a step: what to do, offset, size (of a call on a name, its state)."""
    match step.do:
        case "write" | "append":
            ends = [*range(0, step.size, iosize), step.size]
            begun = [("seek", step.offset, 0)] if step.do == "append" else []
            pieces = [("write", step.offset + low, high - low) for low, high in pairwise(ends)]
            return [*begun, *pieces]
        case "read":
            ends = [*range(0, step.size, iosize), step.size, step.size]
            return [("seek", 0, 0), *(("read", low, high - low) for low, high in pairwise(ends))]
        case "create":
            return [("create", 0, 1)]
        case "open" | "stat":
            return [(step.do, 0, int(many))]
        case _:
            return [(step.do, 0, 0)]


def simulate(machine: Path, count: int, cycles: int = CYCLES) -> Found:
    """Simulate the first ``count`` threads."""
    lists = threads(count, cycles)
    many = sum(len(one.before) for one in lists) > MANY
    with TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder / "made.csv", [row for one in lists for row in _making(one)])
        _write(folder / "steps.csv", [row for one in lists for row in _stepping(one, many=many)])
        workload = Text(WORKLOAD.replace("FOLDER", name), "workload")
        whole = run_plan(load_plan(machine, workload), record=True)
        _write(folder / "steps.csv", [(f"t{one.number}", "start", "", "", "", 0) for one in lists])
        before = run_plan(load_plan(machine, workload), record=True)
    assert whole.calls is not None
    assert before.calls is not None
    made_ns = max(before.calls.end)
    if made_ns > BEGIN_S * 10**9:
        raise ValueError(f"the files are made after {made_ns / 1e9:.1f} s, not {BEGIN_S} s")
    return Found(
        _medians(whole, lists, many=many),
        max(whole.calls.end) - BEGIN_S * 10**9,
        _processor_ns(whole) - _processor_ns(before),
    )


def _making(one: Thread) -> list[tuple[object, ...]]:
    name = f"m{one.number}"
    rows: list[tuple[object, ...]] = [(name, "start", "", "", "", 0)]
    for file, size in one.before.items():
        path = path_of(file)
        rows += [(name, "create", path, "", "", 0), (name, "write", path, 0, size, 0)]
        rows += [(name, "sync", path, "", "", 0), (name, "close", path, "", "", 0)]
    return rows


def _stepping(one: Thread, *, many: bool) -> list[tuple[object, ...]]:
    name, iosize = f"t{one.number}", script()["iosize"]
    return [
        (name, "start", "", "", "", 0),
        *(
            (name, do, path_of(step.file), offset, size, 0)
            for step in one.steps
            for do, offset, size in calls(step, iosize, many=many)
        ),
    ]


def _write(path: Path, rows: list[tuple[object, ...]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *rows])


def _medians(whole: Result, lists: list[Thread], *, many: bool) -> dict[str, float]:
    """Return the median time of each kind of step: from the first of its calls to the last."""
    log = whole.calls
    assert log is not None
    took: dict[str, list[int]] = {}
    named = [one.name for one in whole.processes]
    for one in lists:
        place = next(k for k, name in enumerate(named) if name.endswith(f"t{one.number}"))
        at = log.first[place]
        for step in one.steps:
            last = at + len(calls(step, script()["iosize"], many=many)) - 1
            took.setdefault(step.do, []).append(log.end[last] - log.begin[at])
            at = last + 1
    return {do: median(times) for do, times in took.items()}


def _processor_ns(result: Result) -> int:
    return sum(result.parts[name].busy_ns for name in ("cpu", "memory", "lookup"))
