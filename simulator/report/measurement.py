"""A measurement of a folder: each probe as measured and as simulated, as a table or JSON."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from simulator.measure.compared import CHANGED, Before, Change, is_changed
from simulator.measure.notes import told, told_apart
from simulator.measure.probe import MIB, Measured, quartiles
from simulator.measure.probing import Measurement
from simulator.measure.programs import Timed
from simulator.report.forms import picked
from simulator.report.page import (
    Column,
    Kind,
    Lines,
    Page,
    Section,
    Table,
    ValueInWords,
    table_of_texts,
)
from simulator.study.measurement import Checked, Whole
from simulator.units import format_size, format_time

_HEADS = ("probe", "measured", "quartiles", "MB/s", "simulated", "error", "use")
_SCREEN = 14
"""Probes of a comparison that are listed, if so few have changed."""


def measurement_page(whole: Whole) -> Page:
    """Return a measurement as a page: of one that is compared, the comparison."""
    page = _page(whole) if whole.earlier is None else _compared(whole, whole.earlier)
    return replace(page, record=lambda: _record(whole))


def _page(whole: Whole) -> Page:
    """Return a measurement: how good the machine is, then the probes, the worst if not all fit."""
    checks, limits = whole.checks, whole.measurement.limits
    about = (
        f"{format_size(limits.size)} of files, up to {limits.processes} processes, seed"
        f" {limits.seed}; seconds of one call, of several processes over all their calls"
    )
    kinds: tuple[Kind, ...] = ("text", *("number",) * 5, "text")
    heads = [Column(head, head, kind) for head, kind in zip(_HEADS, kinds, strict=True)]
    rows = [_row(one) for one in checks]
    probes = Table("probes", "Probes", heads, rows, noun="probe", weight="error")
    groups = [one.measured for one in checks if one.measured.groups]
    sections = [
        Section("", [probes], leads=True, name="probes"),
        Section("", [Lines([f"Two groups: {told(one)}." for one in groups])], name="two groups"),
        *_second(whole),
    ]
    unknowns = [f"Not known: {one}." for one in unknown(whole.measurement)]
    answer = [*_errors(checks), *_several(checks), *unknowns]
    return Page(_title(whole), [about], answer, sections)


def _title(whole: Whole) -> str:
    facts = whole.measurement.facts
    system = f"{facts.filesystem} on {facts.host} ({facts.system})"
    return f"{whole.measurement.folder}: {system}, {facts.date}"


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


def _row(one: Checked) -> tuple[Any, ...]:
    measured, probe = one.measured, one.measured.probe
    low, high = measured.quartiles
    rate = f"{probe.size / measured.median / 1e6:,.4g}" if probe.size else ""
    simulated = _time(one.simulated)
    error = ValueInWords(abs(one.error), f"{one.error * 100:+.0f} %")
    use = "held out" if probe.held_out else "other state" if probe.state else ""
    if one.measured.groups:
        use = f"{use}, two groups" if use else "two groups"
    between = f"{_time(low)} - {_time(high)}"
    return (probe.name, _time(measured.median), between, rate, simulated, error, use)


def _errors(checks: Sequence[Checked]) -> list[str]:
    """Return the typical error of the probes that were used, and of the others."""
    lines = []
    for name, held_out in (("used in the fit", False), ("held out", True)):
        factors = [
            one.error + 1
            for one in checks
            if one.measured.probe.held_out == held_out and not one.measured.probe.state
        ]
        if factors:
            plural = "s" * (len(factors) > 1)
            lines.append(f"{len(factors)} probe{plural} {name}: {_mean_error(factors)}.")
    return lines


def _mean_error(factors: Sequence[float]) -> str:
    """State how far factors of times are from 1; a time of nothing is in no geometric mean."""
    logs = [abs(math.log(one)) for one in factors if one > 0]
    nothing = len(factors) - len(logs)
    if not logs:
        return "simulated in no time"
    mean = f"geometric mean error {math.expm1(sum(logs) / len(logs)) * 100:.0f} %"
    return f"{mean}, without {nothing} simulated in no time" if nothing else mean


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


def _compared(whole: Whole, earlier: Before) -> Page:
    """Return a comparison: what has changed first, then what is nearest to it."""
    changes = sorted(whole.changes, key=_rank)
    changed = sum(one.verdict in CHANGED for one in changes)
    shown = changes[: max(_SCREEN, changed)]
    head = ("probe", "then", "quartiles", "now", "quartiles", "change", "seen from", "verdict")
    table = table_of_texts(head, [_changed_row(one) for one in shown], "lrrrrrrl", "probe")
    answer = _verdict(changes, len(shown), earlier)
    about = [f"{earlier.name}: {earlier.title}"]
    return Page(_title(whole), about, answer, [Section("", [table], leads=True, name="probes")])


def _rank(one: Change) -> tuple[bool, float]:
    return one.verdict not in CHANGED, -abs(math.log(one.factor))


def _verdict(changes: Sequence[Change], shown: int, earlier: Before) -> list[str]:
    if not changes or is_changed(changes):
        lines = [f"This is not the machine of {earlier.name}: measure it anew."]
    else:
        lines = [f"This still is the machine of {earlier.name}."]
    counts = Counter(one.verdict for one in changes)
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    total = f"{len(changes)} probes: {words}."
    lines.append(total if changes else "No probe of the file was made.")
    if rest := changes[shown:]:
        most = max(abs(one.factor - 1) for one in rest)
        lines.append(
            f"{len(rest)} probes that are not listed differ by {most * 100:.0f} % at most."
        )
    return lines


def _changed_row(one: Change) -> tuple[str, ...]:
    spans = [f"{_time(seen.low)} - {_time(seen.high)}" for seen in (one.then, one.now)]
    change = f"{(one.factor - 1) * 100:+.0f} %"
    noticed = "" if one.noticed is None else f"x {one.noticed:.2f}"
    times = _time(one.then.median), spans[0], _time(one.now.median), spans[1]
    return (one.then.probe, *times, change, noticed, one.verdict)


# -- what else was asked for -----------------------------------------------------------------------


def _second(whole: Whole) -> list[Section]:
    """Return what fio measured, and what programs took."""
    sections = []
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
        head = ("probe", "measured", "fio", "least and most", "fio is")
        table = table_of_texts(head, rows, "lrrrr", "probe")
        sections.append(Section("", [table], leads=True, name="fio"))
    if whole.programs is not None:
        rows = [_program_row(*one) for one in whole.programs]
        heads = ("program", "real", "quartiles", "waiting", "computing", "predicted", "error")
        table = table_of_texts(heads, rows, "lrrrrrr", "program")
        factors = [one / timed.undisturbed for timed, one in whole.programs]
        said = (
            f"{len(factors)} programs: {_mean_error(factors)}, of what they take"
            " without waiting for a processor that others have."
        )
        sections.append(Section("", [said, table], leads=True, name="programs"))
    return sections


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
        **picked(facts, "host system date filesystem"),
        "size_MiB": limits.size / MIB,
        **picked(limits, "processes seed"),
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
        **picked(probe, "processes held_out state"),
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
