"""Picture of who moved bytes when on a page: a row for each process or file."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from simulator.report.html.markup import percent, tag
from simulator.report.html.page import note
from simulator.report.html.style import PIECES
from simulator.report.html.svg import picture
from simulator.report.lined import shortened
from simulator.report.page import Block, Markup
from simulator.traces.reports.activity import WAYS, Activity, By, Line, most_used
from simulator.units import format_rate, format_time

MOST_LINES = 32
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
    lines = most_used(found, MOST_LINES) if by == "file" else found.shown(MOST_LINES)
    lines = [one for one in lines if by == "process" or one.bytes]
    most = max((max(one.read + one.write) for one in lines if one.alone), default=0.0)
    if not most:
        return []
    content = [one for place, line in enumerate(lines) for one in _row(place, line, most)]
    bottom = len(lines) * _ROW
    content.append(tag("line", x1="0", x2="100%", y1=bottom, y2=bottom, class_="axis"))
    length = found.intervals * found.step_ns
    for part, anchor in ((0.0, ""), (0.5, "m"), (1.0, "e")):
        how = {"x": percent(part), "y": bottom + 16, "class_": anchor}
        content.append(tag("text", format_time(length * part), **how))
    rate = format_rate(most * 1e9 / found.step_ns).partition(" (")[0]
    about = f"Bytes of each {by} over time, by {found.source}."
    key = f"By {found.source}. Blue: read; orange, below: written; darker by powers of ten, at most"
    return [picture(about, bottom + _AXIS, *content), note(f"{key} {rate}.")]


def _row(place: int, line: Line, most: float) -> Iterator[Markup]:
    """Yield the name of a row, and its cells: what it reads above what it writes."""
    top = place * _ROW
    yield tag("text", shortened(line.name, NAME_WIDTH), x=0, y=top + 10, class_="s")
    for number, way in enumerate(WAYS):
        values: Sequence[float] = getattr(line, way)
        each = -(-len(values) // MOST_CELLS)
        cells = [_depth(values[at : at + each], most) for at in range(0, len(values), each)]
        first = 0
        for depth, some in groupby(cells):
            many = len([*some])
            box = {
                "x": percent(first * each / len(values)),
                "width": percent(min(many * each, len(values) - first * each) / len(values)),
                "y": top + 13 + number * (_THIN // 2 + 1),
                "height": _THIN // 2,
            }
            first += many
            if depth:
                yield tag("rect", fill=PIECES[_COLOURS[way]], fill_opacity=depth, **box)


def _depth(values: Sequence[float], most: float) -> float:
    """Return how opaque a cell is, by its bytes on average; 0 without any."""
    moved = sum(values) / len(values)
    if moved <= 0:
        return 0.0
    return round(max(_LEAST, 1 + math.log10(min(moved / most, 1.0)) / DECADES), 1)
