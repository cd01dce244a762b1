"""What is kept of a result: all that has a meaning in time, bytes or counts.

Not kept: the engine's name, the digest of the input and the number of events, which may change
without any change of a model.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from simulator.native.run import run_native
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.record import record_of
from simulator.result.result import Result
from simulator.runtime.listed import KINDS
from tests.golden.cases import Case

RUN = {"native": run_native, "reference": run_reference}
LEFT_OUT = ("engine", "why", "digest", "events")
LATER = ("p999_ns", "phases")
"""What reports have had since the freeze: a quantile of the histograms whose others are kept, and
the times of phases, which add up to those of the processes."""
MOST_ROWS = 16
"""Longer lists are packed."""
SHOWN = 3
"""Items of a packed list at either end that are kept as they are."""
BLOCKS = 16
"""Parts of a packed list that have a digest each, so that one sees where a list differs."""


def record(case: Case, engine: str) -> dict[str, Any]:
    """Run a case on an engine, identities checked; return its record, as it is read from a file."""
    plan = case.plan()
    result = RUN[engine](plan, record=case.recorded, timeline=case.spans, debug=True)
    made = {key: one for key, one in record_of(result).items() if key not in LEFT_OUT}
    for job in made["jobs"].values():
        job.pop("latencies", None)  # Later, too; all together are those of the run.
    if case.recorded:
        made["calls"] = list(_calls(plan, result))
    if result.numerical is not None:
        made["numerical_calls"] = [asdict(one) for one in result.numerical.calls]
        servers = result.numerical.servers
        made["loads"] = {name: list(one.loads) for name, one in servers.items()}
    if case.spans:
        made["spans"] = [
            (one.part, one.start_ns, one.service_ns, one.bytes) for one in result.spans
        ]
    kept = json.loads(json.dumps(made, sort_keys=True), object_hook=_without_later)
    return dict(packed(kept))


def _without_later(one: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in one.items() if key not in LATER}


def _calls(plan: Plan, result: Result) -> Iterator[tuple[Any, ...]]:
    """Yield (process, call, file or "", offset, size, begin, end) of each call of each process."""
    log = result.calls
    assert log is not None
    for number, process in enumerate(plan.processes):
        first = log.first[number]
        for row in range(first, first + log.count[number]):
            file = log.file[row]
            name = plan.files[file].name if file >= 0 else ""
            numbers = (log.offset[row], log.size[row], log.begin[row], log.end[row])
            yield process.name, KINDS[log.kind[row]], name, *numbers


def packed(value: Any) -> Any:
    """Return a record whose long lists are their length, their ends, and digests.

    >>> packed({"calls": [[1, 2], [3, 4]]})
    {'calls': [[1, 2], [3, 4]]}
    >>> sorted(packed([[n] for n in range(100)]))
    ['blocks', 'count', 'first', 'items_in_block', 'last', 'sha256']
    """
    if isinstance(value, dict):
        return {key: packed(one) for key, one in value.items()}
    if not isinstance(value, list):
        return value
    if len(value) <= MOST_ROWS:
        return [packed(one) for one in value]
    size = -(-len(value) // BLOCKS)
    return {
        "count": len(value),
        "first": value[:SHOWN],
        "last": value[-SHOWN:],
        "sha256": _digest(value),
        "items_in_block": size,
        "blocks": [_digest(value[i : i + size])[:8] for i in range(0, len(value), size)],
    }


def _digest(items: Sequence[Any]) -> str:
    """The SHA-256 of a list as JSON without spaces."""
    text = json.dumps(items, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()
