"""A measurement of a folder: each probe as measured and as simulated, as a table or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from tabulate import tabulate

from simulator.measure.probe import MIB
from simulator.measure.probing import Measurement
from simulator.measure.simulated import Checked
from simulator.units import format_size, format_time

_HEAD = ("probe", "measured", "quartiles", "MB/s", "simulated", "error", "")


def render_measurement(
    measurement: Measurement, checks: Sequence[Checked], machine: str, form: str
) -> str:
    """Return a measurement as ``table`` or ``json``; ``machine`` is the text of its file."""
    if form == "json":
        record = _record(measurement, checks) | {"machine": machine}
        return json.dumps(record, indent=2, ensure_ascii=False) + "\n"
    facts, limits = measurement.facts, measurement.limits
    head = (
        f"{measurement.folder}: {facts.filesystem} on {facts.host} ({facts.system}), {facts.date}\n"
        f"{format_size(limits.size)} of files, up to {limits.processes} processes, seed"
        f" {limits.seed}; seconds of one call, of several processes over all their calls"
    )
    rows = [_row(one) for one in checks]
    columns = ("left", *("right",) * 5, "left")
    blocks = [head, tabulate(rows, _HEAD, colalign=columns, disable_numparse=True)]
    blocks.append("\n".join(_errors(checks)))
    if said := unknown(measurement):
        blocks.append("\n".join(f"Not known: {one}." for one in said))
    return "\n\n".join(blocks) + "\n"


def unknown(measurement: Measurement) -> list[str]:
    """Return what could not be measured here, and why."""
    facts = measurement.facts
    if facts.in_memory:
        return [f"a device, since {facts.filesystem} keeps files in memory"]
    found = []
    if not facts.reaches_device:
        found.append("reads of the device, since neither O_DIRECT nor dropping pages works here")
    elif not facts.cold:
        found.append("sequential reads of the device, since pages cannot be dropped here")
    if facts.available is None:
        found.append("the memory of the page cache; its capacity is assumed")
    if measurement.limits.processes == 1:
        found.append("what several processes get together")
    return found


def _row(one: Checked) -> tuple[str, ...]:
    measured, probe = one.measured, one.measured.probe
    low, high = measured.quartiles
    rate = f"{probe.size / measured.median / 1e6:,.4g}" if probe.size else ""
    simulated, error = _time(one.simulated), f"{one.error * 100:+.0f} %"
    use = "held out" if probe.held_out else ""
    between = f"{_time(low)} - {_time(high)}"
    return (probe.name, _time(measured.median), between, rate, simulated, error, use)


def _errors(checks: Sequence[Checked]) -> list[str]:
    """Return the typical error of the probes that were used, and of the others."""
    lines = []
    for name, held_out in (("used in the fit", False), ("held out", True)):
        errors = [
            abs(math.log(1 + one.error))
            for one in checks
            if one.measured.probe.held_out == held_out
        ]
        if errors:
            mean = math.expm1(sum(errors) / len(errors))
            plural = "s" * (len(errors) > 1)
            lines.append(
                f"{len(errors)} probe{plural} {name}: geometric mean error {mean * 100:.0f} %."
            )
    return lines


def _record(measurement: Measurement, checks: Sequence[Checked]) -> dict[str, Any]:
    facts, limits = measurement.facts, measurement.limits
    return {
        "folder": measurement.folder,
        "host": facts.host,
        "system": facts.system,
        "date": facts.date,
        "filesystem": facts.filesystem,
        "size_MiB": limits.size / MIB,
        "processes": limits.processes,
        "seed": limits.seed,
        "direct": facts.direct,
        "drops_pages": facts.drops,
        "unknown": unknown(measurement),
        "probes": [_probe(one) for one in checks],
    }


def _probe(one: Checked) -> dict[str, Any]:
    probe, (low, high) = one.measured.probe, one.measured.quartiles
    return {
        "probe": probe.name,
        "kind": probe.kind,
        "size_bytes": probe.size,
        "processes": probe.processes,
        "held_out": probe.held_out,
        "repetitions": len(one.measured.samples),
        "calls": sum(sample.calls for sample in one.measured.samples),
        "median_ns": one.measured.median * 1e9,
        "quartiles_ns": [low * 1e9, high * 1e9],
        "simulated_ns": one.simulated * 1e9,
        "error": one.error,
    }


def _time(seconds: float) -> str:
    return format_time(seconds * 1e9)
