"""The calls of a simulated run as a store: what ``nwtsim run --store`` writes.

A client is a process, numbered from 1 as its pid, with an ``execve`` when it begins and an
``exit_group`` when it ends. The store's metadata keep where its files were, so that the same
machine gives the same times again when the store is replayed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.plan.codes import (
    BARRIER,
    CLOSE,
    CREATE,
    DIRECT,
    LOCK,
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
    SYNC,
    SYNCED,
    UNLINK,
    UNLOCK,
    WAIT,
    WRITE,
)
from simulator.traces.unstored import unstored
from simulator.workload.traced import owner_of

if TYPE_CHECKING:
    import pyarrow

    from simulator.plan.plan import Plan
    from simulator.result.result import CallLog, Result

    Numbers = np.ndarray[Any, Any]

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
    LOCK: "flock",
    UNLOCK: "funlock",
    BARRIER: "barrier",
    SEND: "sendto",
    RECEIVE: "recvfrom",
    BEGIN: "execve",
    FINISH: "exit_group",
}
ORDER = list(CALLS)
NAMES = list(dict.fromkeys(CALLS.values()))
CREATING = "O_WRONLY|O_CREAT|O_EXCL"
"""The flags of an open that creates its file."""
WITH_FD = (SEEK, READ, WRITE, OPEN, CLOSE, STAT, SYNC, CREATE, READDIR)
MODES = [CREATING, "O_DIRECT", "O_DSYNC", "O_DSYNC|O_DIRECT", "O_WRONLY|O_TRUNC"]
"""Flags of such an open, of reads and writes by the bits of their kinds, of one that empties."""
EMPTYING = 4
assert (DIRECT, SYNCED) == (PLAIN + 1, 2 * (PLAIN + 1))
MEETINGS = (LOCK, UNLOCK, BARRIER, SEND, RECEIVE)
"""Calls whose offset is the number of a lock, a barrier or a channel."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a store keeps of a run."""

    about: dict[str, Any]
    """The run: its machine, workload, digest and seed, and where its files were."""
    files: list[str]
    clients: list[str]
    born: list[int]
    """For each client the mark at which it begins, or -1."""
    lives: list[tuple[int, int]]
    """For each client its begin and its end; ns since the run began."""
    marks: int
    log: CallLog


def recorded(plan: Plan, result: Result) -> Recorded:
    """Return the record of a run of a plan."""
    processes = {one.name: one for one in result.processes}
    names = [process.name for process in plan.processes]
    lives = [processes[name] for name in names]
    return Recorded(
        about={
            "machine": plan.machine,
            "workload": plan.workload,
            "digest": plan.digest,
            "seed": plan.seed if plan.noisy else None,
            "clients": names,
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
            "meetings": _meetings(plan),
            "unstored": not_stored(plan),
            "nodes": [
                {"group": plan.groups[one.group].name, "node": one.node} for one in plan.processes
            ],
        },
        files=[file.name for file in plan.files],
        clients=names,
        born=[process.born for process in plan.processes],
        lives=[(life.started_ns, life.ended_ns) for life in lives],
        marks=plan.marks,
        log=_log_of(result),
    )


def not_stored(plan: Plan) -> list[str]:
    """Return what a run of a plan does beside its calls; InputError if it makes none."""
    return unstored(plan, [kind for kind in CALLS if kind not in (PASS, WAIT, BEGIN, FINISH)])


def _meetings(plan: Plan) -> dict[str, Any]:
    """Where processes meet."""
    return {
        "locks": plan.locks,
        "barriers": list(plan.barriers),
        "channels": [[channel.source, channel.target] for channel in plan.channels],
    }


def _log_of(result: Result) -> CallLog:
    if result.calls is None:
        raise ValueError("the run has no record of its calls; run it with record=True")
    return result.calls


class SimulatedTrace:
    """A recorded run; it has what a log that was read has."""

    def __init__(self, run: Recorded) -> None:
        self.run = run
        self.paths: list[Path] = []
        self._rows = _rows(run)
        self.about: dict[str, Any] = {
            "sources": [],
            "format": "simulated",
            "times": "since the run began",
            "durations": True,
            "epoch": None,
            "calls": len(self._rows["kind"]),
            "processes": sum(owner_of(one) == one for one in run.clients),
            "simulated": run.about,
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
            "file": pa.array([*self.run.files, *_name_absent(self.run.files, self._rows)]),
            "error": pa.array(["ENOENT"]),
            "flags": pa.array(MODES),
        }
        count = len(self._rows["kind"])
        for start in range(0, count, BATCH):
            part = {name: column[start : start + BATCH] for name, column in self._rows.items()}
            yield _batch(part, texts)


def _name_absent(files: list[str], rows: dict[str, Numbers]) -> list[str]:
    """Return names for what was looked for in vain; the rows get the numbers of theirs."""
    found = np.flatnonzero(rows["kind"] == LOOKUP)
    pairs = zip(rows["file"][found].tolist(), rows["offset"][found].tolist(), strict=True)
    names: dict[tuple[int, int], int] = {}
    rows["file"] = rows["file"].copy()
    for row, pair in zip(found.tolist(), pairs, strict=True):
        rows["file"][row] = names.setdefault(pair, len(files) + len(names))
    return [f"{files[file].rstrip('/')}/(absent {number})" for file, number in names]


def _rows(run: Recorded) -> dict[str, Numbers]:
    """All calls, in the order in which they ended."""
    log = run.log
    types = {"kind": np.int8, "file": np.int32}
    names = ("kind", "file", "offset", "size", "begin", "end")
    columns = {
        name: np.frombuffer(column, types.get(name, np.int64)) if len(column) else np.zeros(0)
        for name, column in zip(names, log.columns(), strict=True)
    }
    columns = {name: column.astype(np.int64) for name, column in columns.items()}
    kinds: Numbers = columns["kind"]
    columns |= {"mode": kinds // DIRECT, "kind": kinds & PLAIN}
    client = np.repeat(np.arange(len(log.count)), log.count)
    columns["process"] = client
    columns["returned"] = _returned(run, columns)
    real = np.isin(columns["kind"], ORDER)
    real &= ((columns["kind"] != PASS) & (columns["kind"] != WAIT)) | (columns["returned"] > 0)
    opens = _emptying(columns)
    columns["mode"][opens] = EMPTYING
    columns["end"] = columns["end"].copy()
    columns["end"][opens] = columns["end"][opens + 1]
    real[opens + 1] = False
    columns = {name: column[real] for name, column in columns.items()}
    whole = _with_lives(columns, run)
    order = np.lexsort((whole["number"], whole["process"], whole["end"]))
    return {name: column[order] for name, column in whole.items()}


def _emptying(columns: dict[str, Numbers]) -> Numbers:
    """Return the opens of files that are emptied there, whose ``setattr`` is in their flags."""
    kind, file, process = columns["kind"], columns["file"], columns["process"]
    found = np.flatnonzero((kind == SETATTR) | (kind == CLOSE))
    found = found[np.lexsort((found, file[found], process[found]))]
    one, then = found[:-1], found[1:]
    ends = (kind[one] == SETATTR) & (kind[then] == CLOSE) & (columns["size"][then] == REPLACED)
    for column in (file, process):
        ends &= (column[one] == column[then]) & (column[one - 1] == column[one])
    opens: Numbers = one[ends & (kind[one - 1] == OPEN) & (one > 0)] - 1
    return opens


def _returned(run: Recorded, columns: dict[str, Numbers]) -> Numbers:
    """What each call returned; of a fork and a wait the child's pid, or 0 if there is no child."""
    kind, file, offset = columns["kind"], columns["file"], columns["offset"]
    moved = np.isin(kind, (READ, WRITE, SEND, RECEIVE))
    returned = np.where(moved, columns["size"], 0)
    returned = np.where(kind == SEEK, offset, returned)
    returned = np.where((kind == OPEN) | (kind == CREATE), file + FIRST_FD, returned)
    marks = run.marks
    children = np.zeros(marks + 1, np.int64)
    for number, mark in enumerate(run.born):
        if mark >= 0:
            children[mark] = number + 1
    born = (kind == PASS) & (offset <= marks)
    returned[born] = children[offset[born]]
    enders = np.zeros(marks + 1, np.int64)
    ends = (kind == PASS) & (returned == 0)
    enders[offset[ends]] = columns["process"][ends] + 1
    waits = kind == WAIT
    returned[waits] = enders[offset[waits]]
    return returned


def _with_lives(columns: dict[str, Numbers], run: Recorded) -> dict[str, Numbers]:
    """The calls, and the begin and end of each client."""
    lives = run.lives
    count = len(columns["kind"])
    columns["number"] = np.arange(1, count + 1)
    whole = columns
    for kind, when, number in (
        (BEGIN, [begin for begin, _ in lives], 0),
        (FINISH, [end for _, end in lives], count + 1),
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
    moves = np.isin(kind, (READ, WRITE, SEND, RECEIVE))
    on_file = np.isin(kind, (*WITH_FD, *METADATA)) & (file >= 0)
    with_fd = on_file & np.isin(kind, WITH_FD)
    code = np.zeros(max(ORDER) + 1, np.int32)
    code[ORDER] = [NAMES.index(CALLS[one]) for one in ORDER]
    only = np.zeros(len(kind), np.int32)

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
        "fd": numbers(file + FIRST_FD, with_fd),
        "kind": words(only, "kind", with_fd),
        "file": words(file, "file", on_file),
        "offset": numbers(part["offset"], np.isin(kind, (SEEK, READ, WRITE, *MEETINGS))),
        "requested": numbers(part["size"], moves),
        "returned": numbers(part["returned"], (kind != FINISH) & (kind != LOOKUP)),
        "error": words(only, "error", kind == LOOKUP),
        "flags": words(part["mode"], "flags", (part["mode"] > 0) | (kind == CREATE)),
    }
    wanted = schema()
    arrays = [
        columns[name].cast(wanted.field(name).type)
        if name in columns
        else pa.nulls(len(kind), wanted.field(name).type)
        for name in COLUMNS
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=wanted)
