"""What is kept of a result: all that has a meaning in time, bytes or counts.

Not kept: the engine's name, the digest of the input and the number of events, which may change
without any change of a model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from simulator.runtime.listed import KINDS

if TYPE_CHECKING:
    from simulator.engine.callresult import CallsResult
    from simulator.engine.mesh_result import MeshResult
    from simulator.engine.plan import Plan
    from simulator.engine.result import Result

MOST_ROWS = 16
"""Longer lists of rows are packed."""
SHOWN = 3
"""Rows of a packed list at either end that are kept as they are."""
BLOCKS = 16
"""Parts of a packed list that have a digest each, so that one sees where a list differs."""


def packed(rows: Iterable[Sequence[Any]]) -> Any:
    """A list of rows as it is, or of a long one its length, its ends, and digests.

    >>> packed([(1, 2), (3, 4)])
    [[1, 2], [3, 4]]
    >>> sorted(packed([[n] for n in range(100)]))
    ['blocks', 'count', 'first', 'last', 'rows_in_block', 'sha256']
    """
    listed = [list(row) for row in rows]
    if len(listed) <= MOST_ROWS:
        return listed
    size = -(-len(listed) // BLOCKS)
    return {
        "count": len(listed),
        "first": listed[:SHOWN],
        "last": listed[-SHOWN:],
        "sha256": _digest(listed),
        "rows_in_block": size,
        "blocks": [_digest(listed[i : i + size])[:8] for i in range(0, len(listed), size)],
    }


def _digest(rows: list[list[Any]]) -> str:
    """The SHA-256 of the rows as JSON without spaces."""
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _account(parts: Mapping[str, tuple[int, int]]) -> dict[str, list[int]]:
    """Part -> waiting and service (ns), by name."""
    return {part: list(parts[part]) for part in sorted(parts)}


def of_storage(plan: Plan, result: Result, *, spans: bool) -> dict[str, Any]:
    """A run of the NWT's simulator; the rows of calls and spans are named below."""
    assert result.calls is not None
    record = {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "run": result.run,
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "prestage_ns": result.prestage_ns,
        "clients": {
            one.name: {
                "started_ns": one.started_ns,
                "ended_ns": one.ended_ns,
                "read": asdict(one.read),
                "written": asdict(one.write),
                "compute_ns": one.compute_ns,
                "idle_ns": one.idle_ns,
                "where": _account(one.parts),
            }
            for one in result.clients
        },
        "parts": {
            name: {
                "requests": part.requests,
                "bytes": part.bytes,
                "busy_ns": part.busy_ns,
                "servers": part.servers,
            }
            for name, part in sorted(result.parts.items())
        },
        "cache": dict(sorted(result.cache.items())),
        "rates": {work: result.rate(work) for work in ("read", "write")},
        "mean_elapsed_ns": {work: result.mean_elapsed_ns(work) for work in ("read", "write")},
        "lost": result.lost(),
        "calls": packed(_calls(plan, result)),
    }
    if spans:
        rows = [(one.part, one.start_ns, one.service_ns, one.bytes) for one in result.spans]
        record["spans"] = packed(rows)
    return record


def _calls(plan: Plan, result: Result) -> Iterable[tuple[Any, ...]]:
    """(client, call, file or "", offset, size, begin, end) of each call of each client."""
    log = result.calls
    assert log is not None
    for number, job in enumerate(plan.jobs):
        first = log.first[number]
        for row in range(first, first + log.count[number]):
            file = log.file[row]
            name = plan.files[file].name if file >= 0 else ""
            numbers = (log.offset[row], log.size[row], log.begin[row], log.end[row])
            yield job.name, KINDS[log.kind[row]], name, *numbers


def of_mesh(result: MeshResult) -> dict[str, Any]:
    """A run of Orion's simulator."""
    nodes = []
    for one in result.nodes:
        record = asdict(one)
        record["where"] = _account(record.pop("parts"))
        nodes.append(record)
    return {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "run": result.run,
        "points": result.points,
        "setup_ns": result.setup_ns,
        "loop_ends_ns": list(result.loop_ends_ns),
        "nodes": nodes,
        "counts": dict(sorted(result.counts.items())),
        "link_busy_ns": result.link_busy_ns,
        "loop_ns": result.loop_ns,
        "computation_share": result.computation_share,
        "detection_ns": result.detection_ns,
    }


def of_calls(result: CallsResult) -> dict[str, Any]:
    """A run of Ninf's simulator; the rows of calls are named in ``columns``."""
    columns = (
        "submitted_ns",
        "accepted_ns",
        "started_ns",
        "received_ns",
        "computing_ns",
        "computed_ns",
        "ended_ns",
        "operations",
        "bytes",
    )
    servers = list(result.servers)
    rows = [
        (
            result.callers[one.caller],
            servers[one.server],
            one.group,
            *(getattr(one, column) for column in columns),
        )
        for one in result.calls
    ]
    return {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "run": result.run,
        "duration_ns": result.duration_ns,
        "end_ns": result.end_ns,
        "columns": ["caller", "server", "group", *columns],
        "calls": packed(rows),
        "servers": {
            name: {**asdict(one), "loads": packed((load,) for load in one.loads)}
            for name, one in result.servers.items()
        },
        "links": {name: asdict(one) for name, one in sorted(result.links.items())},
        "where": _account(result.parts),
        "groups": result.to_json()["groups"],
        "served_rate": result.served_rate(),
    }
