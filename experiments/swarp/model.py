"""SWarp on Cori and Summit by simulation: stage-in, resample, combine, stage-out.

A pipeline resamples 16 images with their weight maps and combines what came out. Some of the inputs
are copied to the burst buffer first, once for all pipelines; resampled files lie there (``fits``
Y) or on the parallel file system (N). Machines: ``cori.yaml``, ``summit.yaml``.

Not modelled: caches of clients, other jobs on the shared file systems, starting programs.

Source: Pottier and others, CLUSTER 2020: the workflow from the authors' scripts, ``open.csv`` one
series of medians of their runs; the others were not seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from itertools import product
from pathlib import Path
from statistics import fmean, linear_regression
from typing import Any

import yaml

from simulator.inputfile import Text
from simulator.run import load_plan, run_plan

from ..frozen import read_rows

FOLDER = Path(__file__).parent
CORES = 32
"""Cores of a node that pipelines use, and those of the open series."""
COUNTS = (1, 2, 4, 8, 16, 32)
COMBINED = ("image", "weights")
MODES = (("cori", "private"), ("cori", "striped"), ("summit", "local"))
THREADS, STEP_S = 12, 30.0
"""Threads and time of a step by the authors' README."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One run of the workflow on a node."""

    machine: str
    mode: str
    """File system that is the burst buffer."""
    fits: str
    """Whether resampled files lie there (Y), or on the parallel file system (N)."""
    cores: int
    """Threads of each task."""
    pipelines: int
    files: int
    """Of the 32 inputs, how many are staged in the burst buffer: image, weight map, image, .."""


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of a run's parts."""

    stage_in: float
    resample: float
    combine: float
    stage_out: float

    @property
    def makespan(self) -> float:
        """Return the seconds until the last pipeline has combined."""
        return self.stage_in + self.resample + self.combine


@cache
def workflow() -> dict[str, Any]:
    """Return the sizes of files, and what tasks compute."""
    found: dict[str, Any] = yaml.safe_load((FOLDER / "workflow.yaml").read_text("utf-8"))
    return found


def asked() -> list[Asked]:
    """Return all runs to be predicted: as many pipelines as there are cores for."""
    return [
        Asked(*mode, fits, cores, pipelines, files)
        for mode, fits, cores, pipelines, files in product(
            MODES, "YN", COUNTS, COUNTS, range(0, 33, 8)
        )
        if cores * pipelines <= CORES
    ]


def computing_s(task: str, one: Asked) -> float:
    """Return the seconds that a task computes: T32 (s + (1 - s) / n) / (s + (1 - s) / 32)."""
    own = workflow()[task]
    serial = own["serial"]
    share = (serial + (1 - serial) / one.cores) / (serial + (1 - serial) / CORES)
    return float(own["compute_s"] * share / workflow()["speed"][one.machine])


def predict(one: Asked) -> Times:
    """Simulate the steps of a run, each with all pipelines, one step after the other."""
    return Times(
        stage_in=_stage_in(one).elapsed_s(one, 1) if one.files else 0.0,
        resample=_resample(one).elapsed_s(one, one.pipelines),
        combine=_combine(one).elapsed_s(one, one.pipelines),
        stage_out=_stage_out(one).elapsed_s(one, one.pipelines),
    )


@dataclass(slots=True)
class _Step:
    """A workload in the making: a process for each pipeline, each with files of its own."""

    files: list[str] = field(default_factory=list)
    phases: list[str] = field(default_factory=list)

    def read(self, name: str, size: int, filesystem: str, *, shared: bool = True) -> None:
        """Add the reading of a file: the one of all processes, or one that each has written."""
        keys = f"size: {size} B, filesystem: {filesystem}, exists: true"
        self._add("read", name, f"{keys}, shared: {str(shared).lower()}")

    def write(self, name: str, size: int, filesystem: str) -> None:
        """Add the writing of a new file."""
        self._add("write", name, f"size: {size} B, filesystem: {filesystem}")

    def compute(self, time_s: float) -> None:
        """Add computing."""
        self.phases.append(f"{{do: compute, time: {time_s:.9f} s}}")

    def _add(self, do: str, name: str, keys: str) -> None:
        self.files.append(f"  {name}: {{{keys}}}")
        self.phases.append(f"{{do: {do}, file: {name}}}")

    def elapsed_s(self, one: Asked, processes: int) -> float:
        """Simulate it; return when the last process ends."""
        workload = "\n".join(
            [
                *("format: workload/2", "name: swarp", "files:", *self.files),
                *("jobs:", f"  - {{name: step, processes: {processes}, record: 4 MiB, phases: ["),
                *(f"      {phase}," for phase in self.phases),
                "    ]}",
            ]
        )
        plan = load_plan(FOLDER / f"{one.machine}.yaml", Text(workload, "workload"))
        return max(row.elapsed_ns for row in run_plan(plan).processes) / 1e9


def _inputs() -> list[tuple[str, int]]:
    sizes = workflow()
    kinds = (("image", sizes["image"]), ("weights", sizes["weights"]))
    return [(f"{name}{k}", size) for k in range(sizes["images"]) for name, size in kinds]


def _stage_in(one: Asked) -> _Step:
    step = _Step()
    for name, size in _inputs()[: one.files]:
        step.read(name, size, "pfs")
        step.write(f"{name}-staged", size, one.mode)
    return step


def _resample(one: Asked) -> _Step:
    step = _Step()
    inputs, place = _inputs(), _place(one)
    each = computing_s("resample", one) / workflow()["images"]
    for k in range(0, len(inputs), 2):
        for j in (k, k + 1):
            step.read(*inputs[j], one.mode if j < one.files else "pfs")
        step.compute(each)
        for j in (k, k + 1):
            step.write(f"resampled{j}", workflow()["resampled"], place)
    return step


def _combine(one: Asked) -> _Step:
    step = _Step()
    for k in range(len(_inputs())):
        step.read(f"resampled{k}", workflow()["resampled"], _place(one), shared=False)
    step.compute(computing_s("combine", one))
    for name in COMBINED:
        step.write(name, workflow()["combined"], one.mode)
    return step


def _stage_out(one: Asked) -> _Step:
    step = _Step()
    for name in COMBINED:
        step.read(name, workflow()["combined"], one.mode, shared=False)
        step.write(f"{name}-out", workflow()["combined"], "pfs")
    return step


def _place(one: Asked) -> str:
    """Return the file system of resampled files."""
    return one.mode if one.fits == "Y" else "pfs"


@dataclass(frozen=True, slots=True)
class Fitted:
    """What the open series and the README give; times for a byte are those of one stream."""

    pfs_s: float
    buffer_s: float
    compute_s: dict[str, float]
    serial: dict[str, float]


def fitted(
    pfs: tuple[float, float] = (1e9, 1300e-6), buffer: tuple[float, float] = (6.5e9, 800e-6)
) -> Fitted:
    """Solve for the fitted values; ``pfs`` and ``buffer`` are rate (B/s) and open (s) of all.

    Stage-in is proportional to the files, resample linear: their slopes over the mean file's bytes,
    less opens and what all share, are the sum and the difference of both streams' times for a byte.
    """
    sizes, rows = workflow(), read_rows(FOLDER / "open.csv")
    files = [float(row["files"]) for row in rows]
    took = {name: [float(row[name]) for row in rows] for name in ("stage_in", "resample")}
    mean = (sizes["image"] + sizes["weights"]) / 2
    staged, _ = linear_regression(files, took["stage_in"], proportional=True)
    slope, all_on_pfs = linear_regression(files, took["resample"])
    total = (staged - pfs[1] - buffer[1]) / mean - 1 / pfs[0] - 1 / buffer[0]
    less = (-slope - pfs[1] + buffer[1]) / mean - 1 / pfs[0] + 1 / buffer[0]
    pfs_s, buffer_s = (total + less) / 2, (total - less) / 2

    def moved(stream_s: float, tier: tuple[float, float], count: int, size: float) -> float:
        return count * (size * (stream_s + 1 / tier[0]) + tier[1])

    inputs = 2 * sizes["images"]
    slow, fast = (pfs_s, pfs), (buffer_s, buffer)
    files_s = {
        "resample": [(inputs, mean, slow), (inputs, sizes["resampled"], fast)],
        "combine": [(inputs, sizes["resampled"], fast), (2, sizes["combined"], fast)],
    }
    seconds = {
        "resample": all_on_pfs,
        "combine": fmean(float(row["combine"]) for row in rows),
    }
    compute, serial = {}, {}
    for task, parts in files_s.items():
        compute[task] = seconds[task] - sum(moved(*to, n, size) for n, size, to in parts)
        on_pfs = STEP_S - sum(moved(*slow, n, size) for n, size, _ in parts)
        serial[task] = _serial(on_pfs / compute[task])
    return Fitted(pfs_s, buffer_s, compute, serial)


def _serial(ratio: float) -> float:
    """Return s of (s + (1 - s) / 12) = ratio (s + (1 - s) / 32)."""
    return (ratio / CORES - 1 / THREADS) / (1 - 1 / THREADS - ratio * (1 - 1 / CORES))
