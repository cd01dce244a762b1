"""The page of a trace: what was called, how long it took, what moved, and what to look into."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.errors import InputError
from simulator.report import page as model
from simulator.report.counted import COUNTED, counted_blocks, counted_of
from simulator.report.html import markup
from simulator.report.html.page import bars, note
from simulator.report.html.style import PIECES
from simulator.report.html.svg import Line, Piece, Plot, picture, ticks_of
from simulator.report.lined import shortened
from simulator.report.page import Block, Browser, Markup, Page, Section
from simulator.report.scales import figure as written
from simulator.report.scales import scale_of
from simulator.report.trace import model_tables, unknown_text
from simulator.traces.reports import check, intervals, summary, transfers
from simulator.traces.reports.activity import WAYS, Activity, By, activity_of, most_used
from simulator.units import format_rate, format_time
from simulator.wording import brief_size, counted, exact_time, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.traces.reports import activity
    from simulator.traces.reports.opened import Opened
    from simulator.traces.reports.table import Report, Table


MOST_CALLS = 40
MOST_FILES = 30
MOST_ROWS = 50
MOST_BARS = 10
MOST_FOUND = 10
_READ, _WRITE = 0, 1


def trace_page(
    trace: Opened, command: Sequence[str], asked: Report | None = None, top: int | None = None
) -> Page:
    """Return the page of a trace; what its log does not tell is left out, and said.

    ``asked``: a report that the page has besides; ``top``: rows of calls and files at least.
    """
    most, files = max(top or 0, MOST_CALLS), max(top or 0, MOST_FILES)
    calls = summary.summary(trace, most)
    checked = check.check(trace, MOST_FOUND)
    title = f"Trace {', '.join(Path(name).name for name in trace.names)}"
    about = [line for line in checked.notes if line.startswith("elapsed")]
    sections = [
        Section("Calls", [*_longest(calls), *tables(calls, "Calls", most), *calls.notes]),
        Section("Checks", _checks(checked)),
        Section(COUNTED, counted_blocks(counted_of(trace))),
        Section("Throughput over time", _known(lambda: _over_time(trace))),
        Section("Who moved bytes when", [*_moving(trace, "process"), *_moving(trace, "file")]),
        Section("Sizes of reads and writes", _known(lambda: _sizes(trace))),
        Section("Files", _known(lambda: _files(trace, files))),
        Section("Errors", [] if asked is None else tables(asked, "Errors", files)),
        Section("Assumptions", notes(checked)),
    ]
    answer = _answer(calls, checked)
    return Page(title, about, answer, sections, browser=lambda: Browser(command=command))


def _checks(checked: Report) -> list[Block]:
    """Return the tables of the checks; beside the table of all files theirs has another name."""
    found = tables(checked, "Checks")
    return [
        replace(one, name=f"of-{one.name}") if isinstance(one, model.Table) and number else one
        for number, one in enumerate(found)
    ]


def _known(make: Callable[[], list[Block]]) -> list[Block]:
    """Return a section, or why the log does not have what it needs."""
    try:
        return make()
    except InputError as error:
        return [note(str(error))]


def _answer(calls: Report, checked: Report) -> list[str]:
    """State what was called and moved, where the time of calls went, and what is to look into."""
    # What these moved is in the calls beneath as well.
    above = calls.values.get("above", ())
    every = [one for one in calls.tables[0].row_dicts() if one["call"] not in above]
    many = sum(one["count"] for one in every)
    more = " or more" if calls.tables[0].more else ""
    values = checked.values
    told = f"{many:,} calls{more}"
    moved = [
        f"{word} {brief_size(values[key])}"
        for word, key in (("read", "read_bytes"), ("wrote", "written_bytes"))
        if values.get(key)
    ]
    lines = [calls.title] if calls.title else []
    lines.append(f"{told}: {', '.join(moved)}." if moved else f"{told}.")
    timed = [one for one in every if one["time_s"]]
    if timed:
        whole = sum(one["time_s"] for one in timed)
        shares = [f"{one['call']} {percent(one['time_s'], whole)}" for one in timed[:3]]
        lines.append(f"{format_time(1e9 * whole)} in calls: {', '.join(shares)}.")
    layers = values["layers_s"]
    if len(layers) > 2:
        each = (f"{name} {format_time(1e9 * layers[name])}" for name in layers if name != "all")
        lines.append(f"Client time by layer: {', '.join(each)}.")
    found = [one for one in checked.tables[0].row_dicts() if one["verdict"] == "warning"]
    if found:
        lines.append(f"To look into: {'; '.join(one['label'] for one in found)}.")
    else:
        lines.append("No check gives a warning.")
    return lines


def _longest(calls: Report) -> list[Markup]:
    """Draw the time spent in each call."""
    every = [one for one in calls.tables[0].row_dicts() if one["time_s"]]
    whole = max((one["time_s"] for one in every), default=0)
    drawn = [
        (one["call"], format_time(1e9 * one["time_s"]), [Piece(one["time_s"] / whole, _READ)])
        for one in every[:MOST_BARS]
    ]
    return [bars(drawn, "Time in calls: ", "Time in calls")] if drawn else []


def _rates(trace: Opened) -> tuple[list[dict[str, Any]], float, str]:
    """Return rates in intervals, their length in s, and what they are of."""
    if trace.darshan is None or trace.darshan["segments"] or not trace.darshan.get("heat"):
        report = intervals.rate(trace)
        told = report.notes[0].partition(",")[0]
        return list(report.tables[0].row_dicts()), report.values["interval_s"], told
    found = activity_of(trace, "process")
    step = found.step_ns / 1e9
    both = zip(found.total("read"), found.total("write"), strict=True)
    rows = [
        {"start_s": place * step, "read_Bps": read / step, "written_Bps": written / step}
        for place, (read, written) in enumerate(both)
    ]
    return rows, step, f"by {found.source}, in intervals of {exact_time(found.step_ns)}"


def _moving(trace: Opened, by: By) -> list[Block]:
    """Draw a row for each process or file; the log may say it of one of them alone."""
    try:
        return moving_picture(activity_of(trace, by), by)
    except InputError as error:
        return [note(str(error))]


def _over_time(trace: Opened) -> list[Block]:
    every, step, intervals_told = _rates(trace)
    if not every:
        return []
    start = every[0]["start_s"]
    length = len(every) * step
    keys = (("read", "read_Bps"), ("write", "written_Bps"))
    used = [(name, key) for name, key in keys if any(one[key] for one in every)]
    most = max((one[key] or 0 for one in every for _, key in used), default=0)
    if not most:
        return []
    top, ticks = ticks_of("rate", most)
    lines = [
        Line(
            name,
            [((i + 0.5) / len(every), (one[key] or 0) / top) for i, one in enumerate(every)],
            filled=True,
        )
        for name, key in used
    ]
    across = [(i / 4, format_time(1e9 * (start + length * i / 4))) for i in range(5)]
    told = f"Bytes read and written over time; at most {format_rate(most).partition(' (')[0]}."
    plot = Plot(told, lines, across, ticks, label="since the log's start")
    return [plot.markup(), note(intervals_told)]


def _sizes(trace: Opened) -> list[Block]:
    report = transfers.sizes(trace, 20)
    every: list[dict[str, Any]] = list(report.tables[0].row_dicts())
    bins = [one for one in every if one["reads"] or one["writes"]]
    most = max((one["reads"] + one["writes"] for one in bins), default=0)
    if not most:
        return []
    drawn = []
    for one in bins:
        low, high = (written(one[key], scale_of("size", [0])) for key in ("from_bytes", "to_bytes"))
        name = f"{low} to {high} B" if low != high else f"{low} B"
        text = f"{counted(one['reads'], 'read')}, {counted(one['writes'], 'write')}"
        pieces = [
            Piece(one["reads"] / most, _READ),
            Piece(one["writes"] / most, _WRITE, hatched=True),
        ]
        drawn.append((name, text, [piece for piece in pieces if piece.share]))
    key = "Calls by the bytes that they moved. Solid: reads; hatched: writes."
    return [bars(drawn, "Sizes. ", key), *tables(report, "Lengths", names=("lengths",))]


def _files(trace: Opened, most: int) -> list[Block]:
    return tables(summary.by_file(trace, most), "Calls by file", most)


def tables(
    report: Report, caption: str, most: int = MOST_ROWS, *, names: Sequence[str] = ()
) -> list[Block]:
    """Return the tables of a report for people, or those of some names."""
    return [
        made
        for table in report.tables
        if "table" in table.outputs and (not names or table.name in names)
        for made in _tables(table, caption, most)
    ]


def _tables(table: Table, caption: str, most: int) -> Iterator[Block]:
    every = iter(table.rows)
    rows = list(islice(every, most))
    more = table.more + sum(1 for _ in every)
    for number, one in enumerate(model_tables(replace(table, rows=rows), named_first=True)):
        told = f"({counted(more, 'more row')} not listed)" if more and not number else ""
        title = f"{caption}: {one.title}" if one.title else caption
        yield replace(one, title=title, note=told)


def notes(report: Report) -> list[Block]:
    """Return the sentences that belong to a report, and what its log does not contain."""
    return [note(line) for line in (*report.notes, unknown_text(report.unknown))]


# -- who moved bytes when ------------------------------------------------------------------------

MOST_MOVING = 32
MOST_CELLS = 100
"""In a row; of more intervals several are one cell."""
DECADES = 4
"""Powers of ten below the most that are told apart."""
NAME_WIDTH = 60
_LEAST = 0.1
"""How opaque the palest cell is."""
_ROW, _THIN, _AXIS = 26, 9, 22
_COLOURS = {"read": 0, "write": 5}


def moving_picture(found: Activity, by: By) -> list[Block]:
    """Return a picture of the bytes of each process or file over time; nothing without bytes."""
    lines = most_used(found, MOST_MOVING) if by == "file" else found.shown(MOST_MOVING)
    lines = [one for one in lines if by == "process" or one.bytes]
    most = max((max(one.read + one.write) for one in lines if one.alone), default=0.0)
    if not most:
        return []
    content = [one for place, line in enumerate(lines) for one in _row(place, line, most)]
    bottom = len(lines) * _ROW
    content.append(markup.tag("line", x1="0", x2="100%", y1=bottom, y2=bottom, class_="axis"))
    length = found.intervals * found.step_ns
    for part, anchor in ((0.0, ""), (0.5, "m"), (1.0, "e")):
        how = {"x": markup.percent(part), "y": bottom + 16, "class_": anchor}
        content.append(markup.tag("text", format_time(length * part), **how))
    rate = format_rate(most * 1e9 / found.step_ns).partition(" (")[0]
    about = f"Bytes of each {by} over time, by {found.source}."
    key = f"By {found.source}. Blue: read; orange, below: written; darker by powers of ten, at most"
    return [picture(about, bottom + _AXIS, *content), note(f"{key} {rate}.")]


def _row(place: int, line: activity.Line, most: float) -> Iterator[Markup]:
    """Yield the name of a row, and its cells: what it reads above what it writes."""
    top = place * _ROW
    yield markup.tag("text", shortened(line.name, NAME_WIDTH), x=0, y=top + 10, class_="s")
    for number, way in enumerate(WAYS):
        values: Sequence[float] = getattr(line, way)
        each = -(-len(values) // MOST_CELLS)
        cells = [_depth(values[at : at + each], most) for at in range(0, len(values), each)]
        first = 0
        for depth, some in groupby(cells):
            many = len([*some])
            box = {
                "x": markup.percent(first * each / len(values)),
                "width": markup.percent(min(many * each, len(values) - first * each) / len(values)),
                "y": top + 13 + number * (_THIN // 2 + 1),
                "height": _THIN // 2,
            }
            first += many
            if depth:
                yield markup.tag("rect", fill=PIECES[_COLOURS[way]], fill_opacity=depth, **box)


def _depth(values: Sequence[float], most: float) -> float:
    """Return how opaque a cell is, by its bytes on average; 0 without any."""
    moved = sum(values) / len(values)
    if moved <= 0:
        return 0.0
    return round(max(_LEAST, 1 + math.log10(min(moved / most, 1.0)) / DECADES), 1)
