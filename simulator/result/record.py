"""A result as a record for programs; docs/results.md says what each key means, and its unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.result.jobs import by_job

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
        "read_MBps": round(result.rate("read") / 1e6, 6),
        "write_MBps": round(result.rate("write") / 1e6, 6),
        "jobs": {job.name: job.to_json() for job in by_job(result)},
        "processes": [one.to_json() for one in result.processes],
        "parts": {name: _part(one, result.end_ns) for name, one in result.parts.items()},
        "stores": {name: _store(one) for name, one in result.stores.items()},
        "latencies": {operation: one.to_json() for operation, one in result.latencies.items()},
        "events": result.events,
    }


def _part(one: PartResult, end_ns: int) -> dict[str, Any]:
    return {
        "part": one.part,
        "kind": one.kind,
        "requests": one.requests,
        "bytes": one.bytes,
        "busy_ns": one.busy_ns,
        "servers": one.servers,
        "utilisation": round(one.utilisation(end_ns), 9),
    }


def _store(one: StoreResult) -> dict[str, Any]:
    ratio = one.hit_ratio
    return {
        "store": one.store,
        "hit_ratio": None if ratio is None else round(ratio, 9),
        **one.counts,
    }
