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

from simulator.errors import InputError
from simulator.plan.codes import (
    ASK_READ,
    ASK_WRITE,
    CLOSE,
    CREATE,
    DIRECT,
    LOOKUP,
    METADATA,
    MKDIR,
    OPEN,
    PASS,
    PLAIN,
    READ,
    READDIR,
    RECEIVE,
    RENAME,
    REPLACED,
    RMDIR,
    SEEK,
    SEND,
    SETATTR,
    STAT,
    STREAM,
    SYNC,
    SYNCED,
    UNLINK,
    WAIT,
    WRITE,
)
from simulator.replay.arrays import Numbers, view_of
from simulator.replay.operations import MEETING_OF, MEETINGS
from simulator.traces.columns import COLUMNS, schema
from simulator.workload.traced import owner_of

if TYPE_CHECKING:
    import pyarrow

    from simulator.plan.plan import Plan
    from simulator.result.result import CallLog, Result

BATCH = 1 << 16
FIRST_FD = 3
BEGIN, FINISH = 100, 101
CALLS = {
    SEEK: "lseek",
    READ: "read",
    WRITE: "write",
    OPEN: "openat",
    CLOSE: "close",
    PASS: "clone",
    WAIT: "wait4",
    STAT: "stat",
    SYNC: "fsync",
    CREATE: "openat",
    LOOKUP: "access",
    UNLINK: "unlink",
    RENAME: "rename",
    MKDIR: "mkdir",
    RMDIR: "rmdir",
    READDIR: "getdents64",
    SETATTR: "chmod",
    **{kind: name for name, kind in MEETING_OF.items()},
    BEGIN: "execve",
    FINISH: "exit_group",
}
NAMES = list(dict.fromkeys(CALLS.values()))
WITH_FD = (SEEK, READ, WRITE, OPEN, CLOSE, STAT, SYNC, CREATE, READDIR)
MOVES = (READ, WRITE, SEND, RECEIVE)
MODES = [
    "O_WRONLY|O_CREAT|O_EXCL",
    *("O_DIRECT", "O_DSYNC", "O_DSYNC|O_DIRECT"),
    "O_WRONLY|O_TRUNC",
]
"""Flags of an open that creates its file, of reads and writes by the bits of their kinds, and of an
open that empties its file."""
EMPTYING = 4
assert (DIRECT, SYNCED) == (PLAIN + 1, 2 * (PLAIN + 1))


class SimulatedTrace:
    """The calls of a run; it has what a log that was read has."""

    def __init__(self, plan: Plan, result: Result) -> None:
        """ValueError if the calls of the run were not recorded."""
        if result.calls is None:
            raise ValueError("the run has no record of its calls; run it with record=True")
        clients = [process.name for process in plan.processes]
        self._files = [file.name for file in plan.files]
        self._rows = _rows(plan, result, result.calls)
        self.paths: list[Path] = []
        self.about: dict[str, Any] = {
            "sources": [],
            "format": "simulated",
            "times": "since the run began",
            "durations": True,
            "epoch": None,
            "calls": len(self._rows["kind"]),
            "processes": sum(owner_of(one) == one for one in clients),
            "simulated": _about(plan, clients),
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
            "call": pa.array(NAMES),
            "kind": pa.array(["file"]),
            "file": pa.array([*self._files, *_name_absent(self._files, self._rows)]),
            "error": pa.array(["ENOENT"]),
            "flags": pa.array(MODES),
        }
        for start in range(0, len(self._rows["kind"]), BATCH):
            part = {name: column[start : start + BATCH] for name, column in self._rows.items()}
            yield _batch(part, texts)


def _about(plan: Plan, clients: list[str]) -> dict[str, Any]:
    """Return what a store keeps of a run beside its calls: its inputs, and where its files were."""
    return {
        "machine": plan.machine,
        "workload": plan.workload,
        "digest": plan.digest,
        "seed": plan.seed if plan.noisy else None,
        "clients": clients,
        "files": {
            file.name: {
                "length": file.length,
                "size": max(file.size, file.length),
                "path": plan.paths[file.path].name,
                "base": file.base,
                "lead": file.lead,
                "prestaged": file.prestaged,
            }
            for file in plan.files
        },
        "meetings": {
            "locks": plan.locks,
            "barriers": list(plan.barriers),
            "channels": [[channel.source, channel.target] for channel in plan.channels],
        },
        "unstored": unstored(plan),
        "nodes": [
            {"group": plan.groups[one.group].name, "node": one.node} for one in plan.processes
        ],
    }


def unstored(plan: Plan) -> list[str]:
    """Return what processes of a plan do beside their calls, which a store lacks.

    InputError if they do nothing else: a store of the run would be empty.
    """
    made = plan.operations.kind
    what = []
    if ASK_READ in made or ASK_WRITE in made:
        what.append("reads and writes on I/O nodes (MPI-IO)")
    if plan.services.meshes:
        what.append("sweeps over a mesh and the messages of their edges")
    if plan.services.callers:
        what.append("calls of numerical servers")
    streams = any(one.kind == STREAM for process in plan.processes for one in process.phases)
    calls = any(kind in made for kind in CALLS if kind not in (PASS, WAIT, BEGIN, FINISH))
    if what and not streams and not calls:
        raise InputError(
            f"--store: {plan.workload} makes no calls on files, only {' and '.join(what)}, which"
            " cannot be replayed; omit the option"
        )
    return what


def lacking(what: str) -> str:
    """Return in words what a store lacks, and what that means for a replay."""
    return (
        f"{what} are not in the store: a replay lets the time pass that they took, but they do not"
        " use the machine"
    )


# -- rows -----------------------------------------------------------------------------------------


def _name_absent(files: list[str], rows: dict[str, Numbers]) -> list[str]:
    """Return names for what was looked for in vain; the rows get the numbers of theirs."""
    found = np.flatnonzero(rows["kind"] == LOOKUP)
    pairs = zip(rows["file"][found].tolist(), rows["offset"][found].tolist(), strict=True)
    names: dict[tuple[int, int], int] = {}
    rows["file"] = rows["file"].copy()
    for row, pair in zip(found.tolist(), pairs, strict=True):
        rows["file"][row] = names.setdefault(pair, len(files) + len(names))
    return [f"{files[file].rstrip('/')}/(absent {number})" for file, number in names]


def _rows(plan: Plan, result: Result, log: CallLog) -> dict[str, Numbers]:
    """Return all calls, in the order in which they ended, with the begin and end of each client."""
    names = ("kind", "file", "offset", "size", "begin", "end")
    columns = {
        name: view_of(column).astype(np.int64)
        for name, column in zip(names, log.columns(), strict=True)
    }
    kinds = columns["kind"]
    columns |= {"mode": kinds // DIRECT, "kind": kinds & PLAIN}
    columns["process"] = np.repeat(np.arange(len(log.count)), log.count)
    columns["returned"] = _returned(plan, columns)
    real = np.isin(columns["kind"], list(CALLS))
    real &= ~np.isin(columns["kind"], (PASS, WAIT)) | (columns["returned"] > 0)
    opens = _emptying(columns)
    columns["mode"][opens] = EMPTYING
    columns["end"][opens] = columns["end"][opens + 1]
    real[opens + 1] = False
    columns = {name: column[real] for name, column in columns.items()}
    columns["number"] = np.arange(1, len(columns["kind"]) + 1)
    lives = {one.name: one for one in result.processes}
    begins = [lives[one.name].started_ns for one in plan.processes]
    ends = [lives[one.name].ended_ns for one in plan.processes]
    last = len(columns["kind"]) + 1
    parts = [columns, _of_clients(BEGIN, begins, 0), _of_clients(FINISH, ends, last)]
    columns = {
        name: np.concatenate([one.get(name, np.zeros_like(one["kind"])) for one in parts])
        for name in columns
    }
    order = np.lexsort((columns["number"], columns["process"], columns["end"]))
    return {name: column[order] for name, column in columns.items()}


def _of_clients(kind: int, when: list[int], number: int) -> dict[str, Numbers]:
    """Return a call of each client."""
    many, times = len(when), np.array(when, np.int64)
    return {
        "kind": np.full(many, kind),
        "file": np.full(many, -1),
        "begin": times,
        "end": times,
        "process": np.arange(many),
        "number": np.full(many, number),
    }


def _emptying(columns: dict[str, Numbers]) -> Numbers:
    """Return the opens of files that are emptied there, whose ``setattr`` is in their flags."""
    kind, file, process = columns["kind"], columns["file"], columns["process"]
    found = np.flatnonzero((kind == SETATTR) | (kind == CLOSE))
    found = found[np.lexsort((found, file[found], process[found]))]
    one, then = found[:-1], found[1:]
    ends = (kind[one] == SETATTR) & (kind[then] == CLOSE) & (columns["size"][then] == REPLACED)
    for column in (file, process):
        ends &= (column[one] == column[then]) & (column[one - 1] == column[one])
    return np.asarray(one[ends & (kind[one - 1] == OPEN) & (one > 0)] - 1)


def _returned(plan: Plan, columns: dict[str, Numbers]) -> Numbers:
    """Return the result of each call; of a fork and a wait the child's pid, 0 without a child."""
    kind, offset = columns["kind"], columns["offset"]
    returned = np.where(np.isin(kind, MOVES), columns["size"], 0)
    returned = np.where(kind == SEEK, offset, returned)
    returned = np.where(np.isin(kind, (OPEN, CREATE)), columns["file"] + FIRST_FD, returned)
    children = np.zeros(plan.marks + 1, np.int64)
    for number, process in enumerate(plan.processes, 1):
        if process.born >= 0:
            children[process.born] = number
    born = (kind == PASS) & (offset <= plan.marks)
    returned[born] = children[offset[born]]
    enders = np.zeros(plan.marks + 1, np.int64)
    ends = (kind == PASS) & (returned == 0)
    enders[offset[ends]] = columns["process"][ends] + 1
    waits = kind == WAIT
    returned[waits] = enders[offset[waits]]
    return returned


def _batch(part: dict[str, Numbers], texts: dict[str, Any]) -> pyarrow.RecordBatch:
    import pyarrow as pa

    kind, file = part["kind"], part["file"]
    on_file = np.isin(kind, (*WITH_FD, *METADATA)) & (file >= 0)
    with_fd = on_file & np.isin(kind, WITH_FD)
    code = np.zeros(max(CALLS) + 1, np.int32)
    code[list(CALLS)] = [NAMES.index(name) for name in CALLS.values()]
    moves, only = np.isin(kind, MOVES), np.zeros(len(kind), np.int32)
    every = np.ones(len(kind), bool)
    columns: dict[str, tuple[Numbers, Numbers]] = {
        "time_ns": (part["begin"], every),
        "duration_ns": (part["end"] - part["begin"], kind != FINISH),
        "pid": (part["process"] + 1, every),
        "process": (part["process"], every),
        "call": (code[kind], every),
        "fd": (file + FIRST_FD, with_fd),
        "kind": (only, with_fd),
        "file": (file, on_file),
        "offset": (part["offset"], np.isin(kind, (SEEK, READ, WRITE, *MEETINGS))),
        "requested": (part["size"], moves),
        "returned": (part["returned"], (kind != FINISH) & (kind != LOOKUP)),
        "error": (only, kind == LOOKUP),
        "flags": (part["mode"], (part["mode"] > 0) | (kind == CREATE)),
    }
    wanted, arrays = schema(), []
    for name, form in COLUMNS.items():
        values, there = columns.get(name, (only, ~every))
        numbers = pa.array(values, pa.int32() if form == "text" else pa.int64(), mask=~there)
        if form == "text":
            numbers = pa.DictionaryArray.from_arrays(
                numbers, texts.get(name, pa.array([], pa.string()))
            )
        arrays.append(numbers.cast(wanted.field(name).type))
    return pa.RecordBatch.from_arrays(arrays, schema=wanted)
