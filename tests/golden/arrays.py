"""The SR8000's cases on the composed machine: old texts converted, records in the old words.

Bytes and calls are those of all processes together: a nonblocking call has them by itself.
"""

from __future__ import annotations

import functools
from typing import Any

from simulator.config.convert import convert
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.native.run import run_native
from simulator.plan.faults import check
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import ProcessResult, Result
from tests.golden.inputs import Inputs

ENGINES = {"reference": run_reference, "native": run_native}

COLUMNS = {
    "mpi-io.calls": "calls",
    "mpi-io.copies": "copying",
    "crossbar": "crossbar",
    "io": "I/O nodes",
    "raid": "disks",
    "mpi-io.merging": "merging",
    "locks": "file lock",
    "barriers": "barrier",
    "other.processes": "asynchronous",
}
"""Column of an account -> the old part."""


@functools.cache
def _machine(text: str) -> Any:
    return parse_machine(convert(text, "machine"), "machine")


@functools.cache
def _workload(text: str) -> Any:
    return parse_workload(convert(text, "workload"), "workload")


def arrays_plan(inputs: Inputs) -> Plan:
    """Convert the texts of a case and lower them; the two must fit together."""
    machine, workload = _machine(inputs.machine), _workload(inputs.workload)
    errors = [one for one in fit(machine, workload) if one.severity == "error"]
    assert not errors, errors
    plan = make_plan(machine, workload, seed=inputs.seed or 0)
    check(plan)
    return plan


def arrays_record(inputs: Inputs, engine: str) -> dict[str, Any]:
    """Run a case on an engine, identities checked; return its record."""
    plan = arrays_plan(inputs)
    result = ENGINES[engine](plan, debug=True)
    assert plan.asked is not None
    work = plan.asked.work
    moved = sum(one.read.bytes + one.write.bytes for one in result.processes)
    calls = {plan.processes[i].name for i in range(len(plan.processes)) if plan.processes[i].sleeps}
    return {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "threads": {
            f"process{number}": _thread(one)
            for number, one in enumerate(result.processes)
            if one.name not in calls
        },
        "nodes": [_node(result, node) for node in range(plan.groups[0].count)],
        "memory": dict(sorted(work.memory.items())),
        "server_calls": work.server_calls,
        "copied": work.copied,
        "bytes": moved,
        "rate": moved / result.elapsed_ns * 1e9,
        "calls": work.server_calls + work.calls,
    }


def _thread(one: ProcessResult) -> dict[str, Any]:
    where = {COLUMNS[column]: list(times) for column, times in one.spent.items()}
    if one.compute_ns:
        where["computing"] = [0, one.compute_ns]
    return {
        "started_ns": one.started_ns,
        "ended_ns": one.ended_ns,
        "where": dict(sorted(where.items())),
    }


def _node(result: Result, node: int) -> dict[str, int]:
    name = f"node{node}"

    def part(label: str) -> tuple[int, int, int]:
        one = result.parts.get(f"{name}.{label}")
        return (one.requests, one.bytes, one.busy_ns) if one else (0, 0, 0)

    store = result.stores.get(f"{name}.buffers")
    counts = store.counts if store else {}
    return {
        "requests": part("io")[0],
        "busy_ns": part("io")[2],
        "sent": part("crossbar.out")[1],
        "received": part("crossbar.in")[1],
        "messages": part("crossbar.out")[0],
        "hits": counts.get("hits", 0),
        "misses": counts.get("misses", 0),
        "read_ahead": counts.get("read_ahead", 0),
        "used_ahead": counts.get("used_ahead", 0),
        "evicted": counts.get("evicted", 0),
        "disk_reads": counts.get("disk_reads", 0),
        "disk_writes": counts.get("disk_writes", 0),
        "disk_read": counts.get("disk_read_bytes", 0),
        "disk_written": counts.get("disk_written_bytes", 0),
        "disk_busy_ns": counts.get("disk_busy_ns", 0),
        "bus_busy_ns": counts.get("bus_busy_ns", 0),
        "raid_hits": counts.get("disk_hits", 0),
    }
