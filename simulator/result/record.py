"""JSON record of a result; simulator/report/keys.yaml explains each key."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from simulator.result.jobs import by_job, moved, reached_by, still_dirty
from simulator.result.services import mesh_json

if TYPE_CHECKING:
    from simulator.result.result import PartResult, Result, StoreResult


def record_of(result: Result) -> dict[str, Any]:
    """Return the record of a result: dictionaries, lists, texts and numbers only."""
    return {
        "machine": result.machine,
        "workload": result.workload,
        "engine": result.engine,
        "why": result.why,
        "seed": result.seed,
        "noise": result.noisy,
        "run": result.run,
        "digest": result.digest,
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "prestage_ns": result.prestage_ns,
        **_rates(result),
        "jobs": {job.name: job.to_json() for job in by_job(result)},
        "processes": [one.to_json() for one in result.processes],
        "parts": {name: _part(one, result.end_ns) for name, one in result.parts.items()},
        "stores": {name: _store(one) for name, one in result.stores.items()},
        "latencies": {operation: one.to_json() for operation, one in result.latencies.items()},
        "events": result.events,
        **_states(result),
        **({"repeated": result.repeats.to_json()} if result.repeats.periods else {}),
        **_services(result),
    }


def _rates(result: Result) -> dict[str, Any]:
    """Return the rates at which the run read and wrote, and the rate to stable storage."""
    came = reached_by(result)
    return {
        "read_MBps": round(moved(result, "read").rate / 1e6, 6),
        "write_MBps": round(moved(result, "write").rate / 1e6, 6),
        "stable_MBps": 0.0 if came is None else round(came.rate / 1e6, 6),
        "stable": None
        if came is None
        else {**came.to_json(), "dirty_bytes": sum(still_dirty(result).values())},
    }


def _states(result: Result) -> dict[str, Any]:
    """Return failures of resources, disk arrays and jobs; empty without events."""
    record: dict[str, Any] = {}
    if result.arrays:
        record["arrays"] = {name: asdict(one) for name, one in result.arrays.items()}
    if result.states:
        record["states"] = {
            name: {key: value for key, value in asdict(one).items() if key != "given_up" or value}
            for name, one in result.states.items()
        }
    if result.restarts:
        record["restarts"] = {
            one.job: {key: value for key, value in asdict(one).items() if key != "job"}
            for one in result.restarts
        }
    return record


def _services(result: Result) -> dict[str, Any]:
    """Return counters of services and libraries; empty on a machine without any."""
    record: dict[str, Any] = {}
    if result.services:
        record["services"] = {
            name: {"service": one.service, "kind": one.kind, **one.counts}
            for name, one in result.services.items()
        }
    if result.meshes:
        record["meshes"] = [mesh_json(one) for one in result.meshes]
    if result.numerical is not None:
        record["numerical"] = result.numerical.to_json()
    if result.mpi_io is not None:
        work = result.mpi_io
        record["mpi_io"] = {
            "calls": work.calls,
            "server_calls": work.server_calls,
            "copied_bytes": work.copied,
            "buffers": dict(work.memory),
        }
    return record


def _part(one: PartResult, end_ns: int) -> dict[str, Any]:
    busy = round(one.utilisation(end_ns), 9) if one.queues else None
    return {**asdict(one), "utilisation": busy}


def _store(one: StoreResult) -> dict[str, Any]:
    ratio = one.hit_ratio
    return {
        "store": one.store,
        "hit_ratio": None if ratio is None else round(ratio, 9),
        **one.counts,
    }
