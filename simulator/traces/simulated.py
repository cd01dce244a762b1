"""The calls of a simulated run as a store: what ``nwtsim run --store`` writes.

A client is a process, numbered from 1 as its pid, with an ``execve`` when it begins and an
``exit_group`` when it ends. The store's metadata keep where its files were, so that the same
machine gives the same times again when the store is replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.runtime.listed import CLOSE, OPEN, PASS, PAUSE, WAIT
from simulator.runtime.records import READ, SEEK, WRITE

if TYPE_CHECKING:
    import pyarrow

    from simulator.engine.plan import FilePlan, Plan
    from simulator.engine.result import Result

    Numbers = np.ndarray[Any, Any]

BATCH = 1 << 16
FIRST_FD = 3
BEGIN, FINISH = 8, 9
CALLS = {
    SEEK: "lseek",
    READ: "read",
    WRITE: "write",
    OPEN: "openat",
    CLOSE: "close",
    PASS: "clone",
    WAIT: "wait4",
    BEGIN: "execve",
    FINISH: "exit_group",
}
ORDER = list(CALLS)


class SimulatedTrace:
    """A recorded run; it has what a log that was read has."""

    def __init__(self, plan: Plan, result: Result) -> None:
        if result.calls is None:
            raise ValueError("the run has no record of its calls; run it with record=True")
        self.plan = plan
        self.paths: list[Path] = []
        self._rows = _rows(plan, result)
        self.about: dict[str, Any] = {
            "sources": [],
            "format": "simulated",
            "times": "since the run began",
            "durations": True,
            "epoch": None,
            "calls": len(self._rows["kind"]),
            "processes": len(plan.jobs),
            "simulated": {
                "machine": plan.machine.name,
                "workload": plan.workload,
                "digest": plan.digest,
                "seed": plan.seed if plan.noisy else None,
                "clients": [job.name for job in plan.jobs],
                "files": {file.name: _where(plan, file) for file in plan.files},
            },
        }
        self.unknown: dict[str, dict[str, int]] = {
            "inherited": {"calls": 0, "bytes": 0},
            "mmap": {"calls": 0, "bytes": 0},
            "io_uring": {"calls": 0, "submitted": 0},
            "unfinished": {"calls": 0},
            "skipped": {"lines": 0},
        }

    def batches(self) -> Iterator[pyarrow.RecordBatch]:
        """Yield the rows."""
        import pyarrow as pa

        texts = {
            "call": pa.array([CALLS[kind] for kind in ORDER]),
            "kind": pa.array(["file"]),
            "file": pa.array([file.name for file in self.plan.files], pa.string()),
        }
        count = len(self._rows["kind"])
        for start in range(0, count, BATCH):
            part = {name: column[start : start + BATCH] for name, column in self._rows.items()}
            yield _batch(part, texts)


def _where(plan: Plan, file: FilePlan) -> dict[str, Any]:
    """Where a file is and how it is reached, so that another run can have it there."""
    reached = {
        phase.path
        for job in plan.jobs
        for phase in job.phases
        if phase.file >= 0 and plan.files[phase.file] is file
    }
    path = file.path if not reached else "nfs" if reached == {"nfs"} else "scfs"
    return {
        "length": file.length,
        "size": max(file.size, file.length),
        "storage": plan.machine.volumes[file.where.volumes].name,
        "stripes": file.where.stripes,
        "base": file.where.base,
        "first": file.where.first,
        "prestaged": file.prestaged,
        "cached": file.cached or path == "scfs",
        "path": path,
    }


def _rows(plan: Plan, result: Result) -> dict[str, Numbers]:
    """All calls, in the order in which they ended."""
    log = result.calls
    assert log is not None
    types = {"kind": np.int8, "file": np.int32}
    names = ("kind", "file", "offset", "size", "begin", "end")
    columns = {
        name: np.frombuffer(column, types.get(name, np.int64)) if len(column) else np.zeros(0)
        for name, column in zip(names, log.columns(), strict=True)
    }
    columns = {name: column.astype(np.int64) for name, column in columns.items()}
    client = np.repeat(np.arange(len(log.count)), log.count)
    columns["process"] = client
    columns["returned"] = _returned(plan, columns)
    real = columns["kind"] != PAUSE
    real &= ((columns["kind"] != PASS) & (columns["kind"] != WAIT)) | (columns["returned"] > 0)
    columns = {name: column[real] for name, column in columns.items()}
    whole = _with_lives(columns, plan, result)
    order = np.lexsort((whole["number"], whole["process"], whole["end"]))
    return {name: column[order] for name, column in whole.items()}


def _returned(plan: Plan, columns: dict[str, Numbers]) -> Numbers:
    """What each call returned; of a fork and a wait the child's pid, or 0 if there is no child."""
    kind, file, offset = columns["kind"], columns["file"], columns["offset"]
    returned = np.where((kind == READ) | (kind == WRITE), columns["size"], 0)
    returned = np.where(kind == SEEK, offset, returned)
    returned = np.where(kind == OPEN, file + FIRST_FD, returned)
    marks = plan.calls.marks if plan.calls is not None else 0
    children = np.zeros(marks + 1, np.int64)
    for number, job in enumerate(plan.jobs):
        if job.born >= 0:
            children[job.born] = number + 1
    born = (kind == PASS) & (offset <= marks)
    returned[born] = children[offset[born]]
    enders = np.zeros(marks + 1, np.int64)
    ends = (kind == PASS) & (returned == 0)
    enders[offset[ends]] = columns["process"][ends] + 1
    waits = kind == WAIT
    returned[waits] = enders[offset[waits]]
    return returned


def _with_lives(columns: dict[str, Numbers], plan: Plan, result: Result) -> dict[str, Numbers]:
    """The calls, and the begin and end of each client."""
    masters = {client.name: client for client in result.clients}
    lives = [masters[job.name] for job in plan.jobs]
    count = len(columns["kind"])
    columns["number"] = np.arange(1, count + 1)
    whole = columns
    for kind, when, number in (
        (BEGIN, [life.started_ns for life in lives], 0),
        (FINISH, [life.ended_ns for life in lives], count + 1),
    ):
        more = {name: np.zeros(len(lives), np.int64) for name in columns}
        more |= {
            "kind": np.full(len(lives), kind),
            "file": np.full(len(lives), -1),
            "begin": np.array(when, np.int64),
            "end": np.array(when, np.int64),
            "process": np.arange(len(lives)),
            "number": np.full(len(lives), number),
        }
        whole = {name: np.concatenate([whole[name], more[name]]) for name in whole}
    return whole


def _batch(part: dict[str, Numbers], texts: dict[str, Any]) -> pyarrow.RecordBatch:
    import pyarrow as pa

    from simulator.traces.columns import COLUMNS, schema

    kind, file = part["kind"], part["file"]
    moves = (kind == READ) | (kind == WRITE)
    on_file = (kind <= CLOSE) & (file >= 0)
    code = np.zeros(max(ORDER) + 1, np.int32)
    code[ORDER] = np.arange(len(ORDER))

    def numbers(values: Numbers, there: Numbers | None = None) -> Any:
        return pa.array(values, pa.int64(), mask=None if there is None else ~there)

    def words(values: Numbers, name: str, there: Numbers | None = None) -> Any:
        mask = None if there is None else ~there
        return pa.DictionaryArray.from_arrays(pa.array(values, pa.int32(), mask=mask), texts[name])

    columns: dict[str, Any] = {
        "time_ns": numbers(part["begin"]),
        "duration_ns": numbers(part["end"] - part["begin"], kind != FINISH),
        "pid": numbers(part["process"] + 1),
        "process": numbers(part["process"]),
        "call": words(code[kind], "call"),
        "fd": numbers(file + FIRST_FD, on_file),
        "kind": words(np.zeros(len(kind), np.int32), "kind", on_file),
        "file": words(file, "file", on_file),
        "offset": numbers(part["offset"], moves | (kind == SEEK)),
        "requested": numbers(part["size"], moves),
        "returned": numbers(part["returned"], kind != FINISH),
    }
    wanted = schema()
    arrays = [
        columns[name].cast(wanted.field(name).type)
        if name in columns
        else pa.nulls(len(kind), wanted.field(name).type)
        for name in COLUMNS
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=wanted)
