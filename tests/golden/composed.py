"""The NWT's cases on the composed machine: old texts converted, and records in the old words.

Accounts name parts, no longer their instances: those of the frozen record are added up by part.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

from simulator.config.convert import convert
from simulator.config.fitting import fit
from simulator.config.formats import parse_machine, parse_workload
from simulator.config.lowering.plan import make_plan
from simulator.plan.plan import Plan
from simulator.result.result import ProcessResult, Result
from simulator.runtime.listed import KINDS
from tests.golden.case import OLD
from tests.golden.inputs import Inputs
from tests.golden.record import packed

Engine = Callable[..., Result]

OLD_NAMES = {"lan": "lan", "nfs": "nfs.server", "paths": "frontend.paths"}
"""Instance of a part without a number -> its old name."""
_NEW = re.compile(r"(?P<node>(pe\d+|ssu|cp0))\.(crossbar|channel)\.(?P<way>\w+)")


@functools.cache
def _machine(text: str) -> Any:
    return parse_machine(convert(text, "machine"), str(OLD / "workloads" / "machine.yaml"))


@functools.cache
def _workload(text: str) -> Any:
    return parse_workload(convert(text, "workload"), str(OLD / "workloads" / "workload.yaml"))


def composed_plan(inputs: Inputs) -> Plan:
    """Convert the texts of a case and lower them; the two must fit together."""
    machine, workload = _machine(inputs.machine), _workload(inputs.workload)
    errors = [one for one in fit(machine, workload) if one.severity == "error"]
    assert not errors, errors
    noisy = inputs.seed is not None
    plan = make_plan(machine, workload, seed=inputs.seed or 0, noisy=noisy)
    return plan.with_run(inputs.run, inputs.runs)


def composed_record(inputs: Inputs, engine: Engine) -> dict[str, Any]:
    """Run a case on an engine, identities checked; the record as it was frozen."""
    plan = composed_plan(inputs)
    result = engine(plan, record=True, timeline=inputs.spans, debug=True)
    assert result.calls is not None
    record = {
        "machine": result.machine,
        "workload": result.workload,
        "seed": result.seed,
        "run": result.run,
        "elapsed_ns": result.elapsed_ns,
        "end_ns": result.end_ns,
        "prestage_ns": result.prestage_ns,
        "clients": {one.name: _client(one) for one in result.processes},
        "parts": _parts(plan, result),
        "cache": _cache(result),
        "rates": {work: result.rate(work) for work in ("read", "write")},
        "mean_elapsed_ns": {work: result.mean_calls_ns(work) for work in ("read", "write")},
        "lost": result.lost(),
        "calls": packed(_calls(plan, result)),
    }
    if inputs.spans:
        rows = [
            (old_name(one.part), one.start_ns, one.service_ns, one.bytes) for one in result.spans
        ]
        record["spans"] = packed(rows)
    return record


def _client(one: ProcessResult) -> dict[str, Any]:
    return {
        "started_ns": one.started_ns,
        "ended_ns": one.ended_ns,
        "read": {"bytes": one.read.bytes, "elapsed_ns": one.read.calls_ns},
        "written": {"bytes": one.write.bytes, "elapsed_ns": one.write.calls_ns},
        "compute_ns": one.compute_ns,
        "idle_ns": one.idle_ns,
        # A machine with a single PE calls it by its old name, pe0.
        "where": {
            re.sub(r"^pe0\b", "pe", name): list(times) for name, times in sorted(one.spent.items())
        },
    }


def old_name(name: str) -> str:
    """Return what an instance of a part was called in version 1."""
    if name in OLD_NAMES:
        return OLD_NAMES[name]
    if found := _NEW.fullmatch(name):
        return f"{found['node']}.{found['way']}"
    return name if name[-1].isdigit() else f"{name}0"


def _parts(plan: Plan, result: Result) -> dict[str, Any]:
    made = {
        old_name(name): {
            "requests": part.requests,
            "bytes": part.bytes,
            "busy_ns": part.busy_ns,
            "servers": 1 if part.kind == "cpu" else part.servers,
        }
        for name, part in result.parts.items()
    }
    for store in result.stores.values():
        counts = store.counts
        nothing = {"requests": 0, "bytes": 0, "busy_ns": 0, "servers": 1}
        if counts["hits"] + counts["misses"]:
            made["ssu.cache"] = {**nothing, "requests": counts["hits"] + counts["misses"]}
        if counts["written_back"]:
            made["ssu.writeback"] = {
                **nothing,
                "requests": counts["written_back"],
                "bytes": counts["written_back_bytes"],
                "servers": plan.stores[0].workers,
            }
    return dict(sorted(made.items()))


def _cache(result: Result) -> dict[str, int] | None:
    """Return the counters of the store; None if no process used it."""
    for store in result.stores.values():
        return store.counts
    return None


def _calls(plan: Plan, result: Result) -> Any:
    """(client, call, file or "", offset, size, begin, end) of each call of each client."""
    log = result.calls
    assert log is not None
    for number, process in enumerate(plan.processes):
        first = log.first[number]
        for row in range(first, first + log.count[number]):
            file = log.file[row]
            name = plan.files[file].name if file >= 0 else ""
            numbers = (log.offset[row], log.size[row], log.begin[row], log.end[row])
            yield process.name, KINDS[log.kind[row]], name, *numbers


# -- the frozen record in the words of the new one -------------------------------------------------


def by_part(frozen: dict[str, Any], got: dict[str, Any]) -> dict[str, Any]:
    """Return a frozen record whose accounts are by part, with the counters that ``got`` has."""
    made = dict(frozen)
    made["clients"] = {
        name: {**one, "where": _by_column(one["where"])} for name, one in frozen["clients"].items()
    }
    cache = frozen["cache"]
    if got["cache"] is None:  # A store that was prestaged at most is not in the results.
        assert not any(count for name, count in cache.items() if not name.startswith("prestaged"))
        made["cache"] = None
    else:
        more = {name: count for name, count in got["cache"].items() if name not in cache}
        made["cache"] = {**cache, **more}
    return made


def _by_column(where: dict[str, list[int]]) -> dict[str, list[int]]:
    columns: dict[str, list[int]] = {}
    for name, (wait, service) in where.items():
        entry = columns.setdefault(column_of(name), [0, 0])
        entry[0] += wait
        entry[1] += service
    return dict(sorted(columns.items()))


def column_of(name: str) -> str:
    """Return the column of accounts that an old part's time is in.

    >>> [column_of(one) for one in ("pe7", "pe7.in", "ssu.read", "ssu.out", "array0", "lan")]
    ['pe', 'pe.crossbar', 'channel', 'ssu.crossbar', 'array', 'lan']
    """
    if name in ("ssu.cache", "ssu.writeback", "lan", "other.processes"):
        return name
    if name in ("ssu.read", "ssu.write"):
        return "channel"
    if name in OLD_NAMES.values():
        return next(new for new, old in OLD_NAMES.items() if old == name)
    node, _, way = name.partition(".")
    bare = node.rstrip("0123456789")
    if way:
        return f"{'cp0' if bare == 'cp' else bare}.crossbar"
    return bare
