"""The figures of the SS-ken study: the part of a run that each printed number measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.shipped import shipped_root
from simulator.study.studies import read_own

from ..validation.measured import Cells, Measured, Work
from .jobs import MOVING, load_jobs
from .runs import SskenRuns

UNITS = {
    "s": 1.0,
    "ms": 1e-3,
    "us": 1e-6,
    "calls": 1.0,
    "GB": 1e9,
    "MB/s": 1e6,
    "MiB/s": 2.0**20,
    "GB/s": 1e9,
}
"""Size of each unit in seconds, calls, bytes or bytes per second."""


@dataclass(frozen=True, slots=True)
class FigureSource:
    """The part of a run that a figure measures."""

    job: str
    calls: tuple[str, ...]
    files: tuple[str, ...]
    bytes_of: tuple[str, ...]
    """Calls whose bytes determine a rate; those of ``calls`` if empty."""
    what: str
    """``calls``, ``bytes``, ``longest`` (of a call), ``elapsed``, ``computing`` or ``system``;
    empty: time, or rate."""


def raw_study() -> dict[str, Any]:
    """Read the study's file as it is."""
    path = shipped_root("experiments") / "ssken" / "study.yaml"
    raw: dict[str, Any] = read_own(path.read_text(encoding="utf-8"))
    return raw


def source_of(raw: Mapping[str, Any]) -> FigureSource:
    """Return the source of a figure in a run."""
    of = raw["of"]
    calls, files, bytes_of = (tuple(of.get(key, ())) for key in ("calls", "files", "bytes_of"))
    return FigureSource(of["job"], calls, files, bytes_of, of.get("as", ""))


def functions() -> dict[str, Callable[[SskenRuns], float]]:
    """Return the function of the runs for each figure of the study's file, by its id."""
    return {one["id"]: _function(source_of(one), one["unit"]) for one in raw_study()["figures"]}


def _function(asked: FigureSource, unit: str) -> Callable[[SskenRuns], float]:
    return lambda runs: simulated(runs, asked, unit)


def simulated(runs: SskenRuns, asked: FigureSource, unit: str) -> float:
    """Return a figure of a run, in its unit."""
    run = runs.run(asked.job)
    whole = {"elapsed": run.elapsed_s, "computing": run.computing_s, "system": run.system_s}
    if asked.what in whole:
        return whole[asked.what] / UNITS[unit]
    spent = run.of(asked.calls, asked.files)
    if asked.what == "longest":
        return spent.longest_s / UNITS[unit]
    if asked.what == "calls":
        return spent.calls
    if asked.what == "bytes":
        return spent.bytes / UNITS[unit]
    if unit.endswith("/s"):
        moved = run.of(asked.bytes_of, asked.files).bytes if asked.bytes_of else spent.bytes
        return moved / spent.seconds / UNITS[unit]
    return spent.seconds / UNITS[unit]


# -- what is measured in a number ---------------------------------------------------------------

WHOLE = {"computing": ("computing", ""), "system": ("system", "")}
"""Quantities of a job that are not times of calls: cells of their own."""


def cells_of(asked: FigureSource) -> Cells:
    """Return the calls on files whose time or rate a number is.

    An elapsed time has all calls of its job, and its computing.
    """
    if asked.what in WHOLE:
        return frozenset({(asked.job, *WHOLE[asked.what])})
    rows = [row for part in load_jobs()[asked.job].parts for row in part.rows]
    made = {(asked.job, step, row.file) for row in rows for step in row.steps}
    if asked.what == "elapsed":
        return frozenset(made | {(asked.job, *WHOLE["computing"])})
    cells = {
        (job, step, file)
        for job, step, file in made
        if step in asked.calls and (not asked.files or file in asked.files)
    }
    if (
        asked.what
    ):  # The longest of the calls, their number or their bytes: not a part of their time.
        cells = {(job, f"{asked.what} of {step}", file) for job, step, file in cells}
    return frozenset(cells)


def work_of(asked: FigureSource) -> Work:
    """Return the calls of a number by file system and kind: their number and bytes.

    A close moves what was written in its cycle.
    """
    made: dict[tuple[str, str], list[float]] = {}
    for part in load_jobs()[asked.job].parts:
        for row in part.rows:
            for step in row.steps if not asked.files or row.file in asked.files else ():
                if step not in asked.calls:
                    continue
                moves = step in MOVING
                one = made.setdefault((part.filesystem, step), [0.0, 0.0])
                one[0] += row.moves * row.scale if moves else row.count
                one[1] += row.moves * row.scale * row.size if moves or step == "close" else 0.0
    return {key: (calls, moved) for key, (calls, moved) in made.items()}


def measured() -> dict[str, Measured]:
    """Return the measured quantity of each printed number of the report."""
    made = {}
    for raw in raw_study()["figures"]:
        asked = source_of(raw)
        job = load_jobs()[asked.job]
        made[raw["id"]] = Measured(
            cells=cells_of(asked),
            run=asked.job,
            alike=job.alike,
            before=job.before,
            machine=job.machine,
            unit=UNITS[raw["unit"]],
            kind=(asked.calls, asked.what, raw["unit"].endswith("/s")),
            asks=(asked.calls, asked.files, asked.what),
            work={} if asked.what else work_of(asked),
        )
    return made
