"""A measurement of a folder: each probe as measured and as simulated, as a table or JSON."""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tabulate import tabulate

from simulator.measure.compared import CHANGED, Before, Change, is_changed
from simulator.measure.notes import told, told_apart
from simulator.measure.probe import MIB, Measured, quartiles
from simulator.measure.probing import Measurement
from simulator.measure.programs import Timed
from simulator.measure.simulated import Checked
from simulator.measure.whole import Whole
from simulator.units import format_size, format_time

_HEAD = ("probe", "measured", "quartiles", "MB/s", "simulated", "error", "")
_SCREEN = 14
"""Probes of a comparison that are listed, if so few have changed."""


def render_measurement(whole: Whole, form: str) -> str:
    """Return a measurement as ``table`` or ``json``: of one that is compared, the comparison."""
    if form == "json":
        return json.dumps(_record(whole), indent=2, ensure_ascii=False) + "\n"
    if whole.earlier is not None:
        return "\n\n".join(_compared(whole, whole.earlier)) + "\n"
    checks = whole.checks
    rows = [_row(one) for one in checks]
    columns = ("left", *("right",) * 5, "left")
    blocks = [_head(whole), tabulate(rows, _HEAD, colalign=columns, disable_numparse=True)]
    blocks.append("\n".join([*_errors(checks), *_several(checks)]))
    if groups := [one.measured for one in checks if one.measured.groups]:
        blocks.append("\n".join(f"Two groups: {told(one)}." for one in groups))
    if said := unknown(whole.measurement):
        blocks.append("\n".join(f"Not known: {one}." for one in said))
    blocks += _second(whole)
    return "\n\n".join(blocks) + "\n"


def _head(whole: Whole) -> str:
    facts, limits = whole.measurement.facts, whole.measurement.limits
    return (
        f"{whole.measurement.folder}: {facts.filesystem} on {facts.host} ({facts.system}),"
        f" {facts.date}\n{format_size(limits.size)} of files, up to {limits.processes} processes,"
        f" seed {limits.seed}; seconds of one call, of several processes over all their calls"
    )


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
    use = "held out" if probe.held_out else "other state" if probe.state else ""
    if one.measured.groups:
        use = f"{use}, two groups" if use else "two groups"
    between = f"{_time(low)} - {_time(high)}"
    return (probe.name, _time(measured.median), between, rate, simulated, error, use)


def _errors(checks: Sequence[Checked]) -> list[str]:
    """Return the typical error of the probes that were used, and of the others."""
    lines = []
    for name, held_out in (("used in the fit", False), ("held out", True)):
        errors = [
            abs(math.log(1 + one.error))
            for one in checks
            if one.measured.probe.held_out == held_out and not one.measured.probe.state
        ]
        if errors:
            mean = math.expm1(sum(errors) / len(errors))
            plural = "s" * (len(errors) > 1)
            lines.append(
                f"{len(errors)} probe{plural} {name}: geometric mean error {mean * 100:.0f} %."
            )
    return lines


def _several(checks: Sequence[Checked]) -> list[str]:
    """Return whether the rates of several streams come out on the machine."""
    several = [one for one in checks if one.measured.probe.processes > 1]
    if not several:
        return []
    missed = [one.measured.probe.name for one in several if not one.within]
    line = f"{len(several) - len(missed)} of {len(several)} rates of several processes are"
    line += " simulated within their spread"
    return [f"{line}; not {', '.join(missed)}." if missed else f"{line}."]


# -- a comparison with an earlier machine file ----------------------------------------------------


def _compared(whole: Whole, earlier: Before) -> list[str]:
    """Return the blocks of a comparison: what has changed first, then what is nearest to it."""
    changes = sorted(whole.changes, key=_rank)
    changed = sum(one.verdict in CHANGED for one in changes)
    shown = changes[: max(_SCREEN, changed)]
    head = ("probe", "then", "quartiles", "now", "quartiles", "change", "seen from", "")
    columns = ("left", *("right",) * 6, "left")
    rows = [_changed_row(one) for one in shown]
    table = tabulate(rows, head, colalign=columns, disable_numparse=True)
    facts = whole.measurement.facts
    first = (
        f"{whole.measurement.folder}: {facts.filesystem} on {facts.host} ({facts.system}),"
        f" {facts.date}\n{earlier.name}: {earlier.title}"
    )
    return [first, table, "\n".join(_verdict(changes, len(shown), earlier))]


def _rank(one: Change) -> tuple[bool, float]:
    return one.verdict not in CHANGED, -abs(math.log(one.factor))


def _verdict(changes: Sequence[Change], shown: int, earlier: Before) -> list[str]:
    lines = []
    if rest := changes[shown:]:
        most = max(abs(one.factor - 1) for one in rest)
        lines.append(f"{len(rest)} more probes differ by {most * 100:.0f} % at most.")
    counts = Counter(one.verdict for one in changes)
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    total = f"{len(changes)} probes: {words}."
    lines.append(total if changes else "No probe of the file was made.")
    if not changes or is_changed(changes):
        lines.append(f"This is not the machine of {earlier.name}: measure it anew.")
    else:
        lines.append(f"This still is the machine of {earlier.name}.")
    return lines


def _changed_row(one: Change) -> tuple[str, ...]:
    spans = [f"{_time(seen.low)} - {_time(seen.high)}" for seen in (one.then, one.now)]
    change = f"{(one.factor - 1) * 100:+.0f} %"
    noticed = "" if one.noticed is None else f"x {one.noticed:.2f}"
    times = _time(one.then.median), spans[0], _time(one.now.median), spans[1]
    return (one.then.probe, *times, change, noticed, one.verdict)


# -- what else was asked for -----------------------------------------------------------------------


def _second(whole: Whole) -> list[str]:
    """Return the blocks of fio and of programs."""
    blocks = []
    if whole.opinions is not None:
        ours = {one.probe.name: one.median for one in whole.measurement.measured}
        rows: list[tuple[str, ...]] = [
            (
                one.probe.name,
                _time(ours[one.probe.name]),
                _time(one.median),
                f"{_time(min(one.fio))} - {_time(max(one.fio))}",
                f"{(one.median / ours[one.probe.name] - 1) * 100:+.0f} %",
            )
            for one in whole.opinions
        ]
        blocks.append(_table(rows, ("probe", "measured", "fio", "least and most", "fio is")))
    if whole.programs is not None:
        rows = [_program_row(*one) for one in whole.programs]
        head = ("program", "real", "quartiles", "waiting", "computing", "predicted", "error")
        blocks.append(_table(rows, head))
        errors = [abs(math.log(one / timed.undisturbed)) for timed, one in whole.programs]
        mean = math.expm1(sum(errors) / len(errors))
        blocks.append(
            f"{len(errors)} programs: geometric mean error {mean * 100:.0f} %, of what they take"
            " without waiting for a processor that others have."
        )
    return blocks


def _table(rows: Sequence[tuple[str, ...]], head: Sequence[str]) -> str:
    columns = ("left", *("right",) * (len(head) - 1))
    return tabulate(rows, head, colalign=columns, disable_numparse=True)


def _program_row(timed: Timed, predicted: float) -> tuple[str, ...]:
    between = " - ".join(map(_time, timed.quartiles))
    times = map(_time, (timed.waiting, timed.computing, predicted))
    error = f"{(predicted / timed.undisturbed - 1) * 100:+.0f} %"
    return (timed.program.name, _time(timed.median), between, *times, error)


# -- for programs ----------------------------------------------------------------------------------


def _record(whole: Whole) -> dict[str, Any]:
    facts, limits = whole.measurement.facts, whole.measurement.limits
    record: dict[str, Any] = {
        "folder": whole.measurement.folder,
        "host": facts.host,
        "system": facts.system,
        "date": facts.date,
        "filesystem": facts.filesystem,
        "size_MiB": limits.size / MIB,
        "processes": limits.processes,
        "seed": limits.seed,
        "direct": facts.direct,
        "drops_pages": facts.drops,
        "unknown": unknown(whole.measurement),
        "probes": [_probe(one) for one in whole.checks],
    }
    if whole.earlier is not None:
        record["compared"] = {
            "file": whole.earlier.name,
            "same": not is_changed(whole.changes),
            "probes": [_change(one) for one in whole.changes],
        }
    if whole.opinions is not None:
        record["fio"] = [
            {"probe": one.probe.name, "median_ns": one.median * 1e9, "turns": len(one.fio)}
            for one in whole.opinions
        ]
    if whole.programs is not None:
        record["programs"] = [
            {
                "program": timed.program.name,
                "median_ns": timed.median * 1e9,
                "quartiles_ns": [one * 1e9 for one in timed.quartiles],
                "waiting_ns": timed.waiting * 1e9,
                "computing_ns": timed.computing * 1e9,
                "predicted_ns": one * 1e9,
            }
            for timed, one in whole.programs
        ]
    return record | {"machine": whole.machine}


def _change(one: Change) -> dict[str, Any]:
    return {
        "probe": one.then.probe,
        "then_ns": one.then.median * 1e9,
        "now_ns": one.now.median * 1e9,
        "seen_from": one.noticed,
        "verdict": one.verdict,
    }


def _probe(one: Checked) -> dict[str, Any]:
    probe, (low, high) = one.measured.probe, one.measured.quartiles
    return {
        "probe": probe.name,
        "kind": probe.kind,
        "size_bytes": probe.size,
        "processes": probe.processes,
        "held_out": probe.held_out,
        "state": probe.state,
        "repetitions": len(one.measured.samples),
        "calls": sum(sample.calls for sample in one.measured.samples),
        "median_ns": one.measured.median * 1e9,
        "quartiles_ns": [low * 1e9, high * 1e9],
        "other_group": _group(one.measured),
        "samples_ns": [seconds * 1e9 for seconds in one.measured.per_call],
        "simulated_ns": one.simulated * 1e9,
        "error": one.error,
    }


def _group(measured: Measured) -> dict[str, Any] | None:
    """Return the group of samples that is not the usual one."""
    groups = measured.groups
    if groups is None:
        return None
    low, high = quartiles(measured.other)
    return {
        "repetitions": [place + 1 for place in groups.other],
        "median_ns": statistics.median(measured.other) * 1e9,
        "quartiles_ns": [low * 1e9, high * 1e9],
        "apart": told_apart(measured, groups),
    }


def _time(seconds: float) -> str:
    return format_time(seconds * 1e9)
