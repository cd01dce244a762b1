"""The page of a trace: what was called, how long it took, what moved, and what to look into."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError
from simulator.report.html import reports
from simulator.report.html.assumptions import made_by
from simulator.report.html.markup import Markup, tag
from simulator.report.html.page import Section, page, paragraphs
from simulator.report.html.plots import Line, Plot, round_ticks
from simulator.report.html.svg import Piece, rows
from simulator.report.scales import figure, scale_of
from simulator.traces.reports import check, intervals, sizes, summary
from simulator.units import format_rate, format_time
from simulator.wording import brief_size, counted, percent

if TYPE_CHECKING:
    from simulator.traces.reports.opened import Opened
    from simulator.traces.reports.table import Report

MOST_CALLS = 40
MOST_FILES = 30
MOST_BARS = 10
MOST_FOUND = 10
_READ, _WRITE = 0, 1


def trace_page(trace: Opened, command: Sequence[str]) -> str:
    """Return the page of a trace; what its log does not tell is left out, and said."""
    calls = summary.summary(trace, MOST_CALLS)
    checked = check.check(trace, MOST_FOUND)
    title = f"Trace {', '.join(Path(name).name for name in trace.names)}"
    about = [line for line in checked.notes if line.startswith("elapsed")]
    sections = [
        Section("Calls", _calls(calls)),
        Section("Checks", _checks(checked)),
        Section("Throughput over time", _known(lambda: _over_time(trace))),
        Section("Sizes of reads and writes", _known(lambda: _sizes(trace))),
        Section("Files", _known(lambda: _files(trace))),
        Section("Assumptions", reports.notes(checked)),
        Section("How this was made", made_by(command, {})),
    ]
    return page(title, about, paragraphs(_answer(calls, checked)), sections)


def _known(make: Callable[[], list[Markup]]) -> list[Markup]:
    """Return a section, or why the log does not have what it needs."""
    try:
        return make()
    except InputError as error:
        return [tag("p", str(error), class_="note")]


def _answer(calls: Report, checked: Report) -> list[str]:
    """Say what was called and moved, where the time of calls went, and what is to look into."""
    # What MPI_File_* moved is in the calls beneath as well.
    every = [one for one in calls.tables[0].row_dicts() if not one["call"].startswith("MPI_")]
    many = sum(one["count"] for one in every)
    more = " or more" if calls.tables[0].more else ""
    values = checked.values
    told = f"{many:,} calls{more}"
    moved = [
        f"{word} {brief_size(values[key])}"
        for word, key in (("read", "read_bytes"), ("wrote", "written_bytes"))
        if values.get(key)
    ]
    lines = [f"{told}: {', '.join(moved)}." if moved else f"{told}."]
    timed = [one for one in every if one["time_s"]]
    if timed:
        whole = sum(one["time_s"] for one in timed)
        shares = [f"{one['call']} {percent(one['time_s'], whole)}" for one in timed[:3]]
        lines.append(f"{format_time(1e9 * whole)} in calls: {', '.join(shares)}.")
    found = [one for one in checked.tables[0].row_dicts() if one["verdict"] == "warning"]
    if found:
        lines.append(f"To look into: {'; '.join(one['label'] for one in found)}.")
    else:
        lines.append("No check gives a warning.")
    return lines


def _calls(calls: Report) -> list[Markup]:
    shown = reports.tables(calls, "Calls", most=MOST_CALLS)
    return [*_longest(calls), *shown, *paragraphs(calls.notes)]


def _longest(calls: Report) -> list[Markup]:
    """Draw the time spent in each call."""
    every = [one for one in calls.tables[0].row_dicts() if one["time_s"]]
    whole = max((one["time_s"] for one in every), default=0)
    bars = [
        (one["call"], format_time(1e9 * one["time_s"]), [Piece(one["time_s"] / whole, _READ)])
        for one in every[:MOST_BARS]
    ]
    if not bars:
        return []
    told = "; ".join(f"{name} {text}" for name, text, _ in bars)
    return [tag("figure", rows(bars, f"Time in calls: {told}"), tag("figcaption", "Time in calls"))]


def _checks(checked: Report) -> list[Markup]:
    return reports.tables(checked, "Checks")


def _over_time(trace: Opened) -> list[Markup]:
    report = intervals.rate(trace)
    every: list[dict[str, Any]] = list(report.tables[0].row_dicts())
    if not every:
        return []
    step, start = report.values["interval_s"], every[0]["start_s"]
    length = len(every) * step
    keys = (("read", "read_Bps"), ("write", "written_Bps"))
    used = [(name, key) for name, key in keys if any(one[key] for one in every)]
    most = max((one[key] or 0 for one in every for _, key in used), default=0)
    if not most:
        return []
    scale = scale_of("rate", [most])
    up = round_ticks(most / scale.size)
    top = up[-1] * scale.size
    lines = [
        Line(
            name,
            [((i + 0.5) / len(every), (one[key] or 0) / top) for i, one in enumerate(every)],
            filled=True,
        )
        for name, key in used
    ]
    across = [(i / 4, format_time(1e9 * (start + length * i / 4))) for i in range(5)]
    ticks = [(value / up[-1], f"{value:g} {scale.unit}") for value in up]
    told = f"Bytes read and written over time; at most {format_rate(most).partition(' (')[0]}."
    plot = Plot(told, lines, across, ticks, label="since the log's start")
    return [plot.markup(), tag("p", report.notes[0].partition(",")[0], class_="note")]


def _sizes(trace: Opened) -> list[Markup]:
    report = sizes.sizes(trace, 20)
    every: list[dict[str, Any]] = list(report.tables[0].row_dicts())
    bins = [one for one in every if one["reads"] or one["writes"]]
    most = max((one["reads"] + one["writes"] for one in bins), default=0)
    if not most:
        return []
    bars = []
    for one in bins:
        low, high = (figure(one[key], scale_of("size", [0])) for key in ("from_bytes", "to_bytes"))
        name = f"{low} to {high} B" if low != high else f"{low} B"
        text = f"{counted(one['reads'], 'read')}, {counted(one['writes'], 'write')}"
        pieces = [
            Piece(one["reads"] / most, _READ),
            Piece(one["writes"] / most, _WRITE, hatched=True),
        ]
        bars.append((name, text, [piece for piece in pieces if piece.share]))
    told = "; ".join(f"{name}: {text}" for name, text, _ in bars)
    key = "Calls by the bytes that they moved. Solid: reads; hatched: writes."
    drawn = tag("figure", rows(bars, f"Sizes. {told}"), tag("figcaption", key))
    return [drawn, *reports.tables(report, "Lengths", names=("lengths",))]


def _files(trace: Opened) -> list[Markup]:
    report = summary.by_file(trace, MOST_FILES)
    return reports.tables(report, "Calls by file", most=MOST_FILES)
