"""A figure of a sweep over two numbers: a cell for each point, shaded by level, with knee lines.

The stronger the blue of a cell, the better its point, of times as of rates; the best has a star.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simulator.report.html.markup import percent, tag
from simulator.report.html.style import PIECES
from simulator.report.html.svg import fitting, picture, round_ticks
from simulator.report.page import Markup
from simulator.study.curves import LEAST, best_cell
from simulator.study.knees import SHARE, knee_of

if TYPE_CHECKING:
    from simulator.config.axis import Axis
    from simulator.study.curves import Family
    from simulator.study.replications import Replications

MOST_CELLS = 2_000
MOST_WRITTEN = 9
"""Columns of cells with their numbers in them."""
LIGHTEST, STRONGEST = 0.05, 0.65
"""Opacity of the blue of the worst level and of the best."""
BEST = "\N{BLACK STAR}"
_LEFT = 0.13
"""Share of the width for what stands beside the rows."""
_BOTTOM = 40
_DASHES = (None, "6 4")


def levels(
    found: Sequence[Family], label: str, unit: str, replications: Replications | None
) -> Markup:
    """Draw a figure over two axes: ``found`` are its curves over the one across and the one up."""
    across, up = found
    orders = [_order(family.axis) for family in found]
    columns, rows = map(len, orders)
    row_px = 26 if rows <= 16 else max(3, 416 // rows)
    bottom = rows * row_px
    values = [[across.curves[row].values[column] for column in orders[0]] for row in orders[1]]
    ticks = round_ticks(max(map(max, values)), 8)
    shades = _shades(ticks, least=across.figure in LEAST)
    best = best_cell(values, least=across.figure in LEAST)
    content: list[Markup] = []
    for place, row in enumerate(values):
        y = bottom - (place + 1) * row_px
        for column, value in enumerate(row):
            shade = shades[sum(value >= tick for tick in ticks[1:])]
            star = BEST if (place, column) == best else ""
            content += _cell(value, shade, column / columns, y, 1 / columns, row_px, star)
    content += [
        line
        for number in range(len(found))
        for line in _knee_line(found, number, orders, row_px, replications)
    ]
    content += _labels(found, orders, row_px)
    up_place, along = best
    places = zip(found, (orders[0][along], orders[1][up_place]), strict=True)
    named = ", ".join(f"{one.axis.name}={one.axis.texts[place]}" for one, place in places)
    about = f"{label} over {across.axis.name} and {up.axis.name}: a cell for each point."
    about += f" Best: {named}."
    key = f"The stronger the blue, the better; {BEST} the best, {named}."
    key += f" Shades: levels of {ticks[1]:g} {unit}"
    key += f"; numbers: {unit}." if columns <= MOST_WRITTEN else "."
    key += f" Lines: where a doubling of {across.axis.name} (full) or of {up.axis.name} (dashed)"
    key += f" stops bringing {100 * SHARE:g} %, where it does within the grid."
    drawn = picture(about, bottom + _BOTTOM, *content)
    return tag("figure", drawn, tag("figcaption", key))


def _order(axis: Axis) -> list[int]:
    """Return the values of an axis in their order."""
    numbers = axis.numbers or ()
    return sorted(range(len(numbers)), key=lambda place: numbers[place])


def _x(share: float) -> str:
    return percent(_LEFT + share * (1 - _LEFT))


def _shades(ticks: Sequence[float], *, least: bool) -> list[float]:
    """Return how strong the colour of each level is, so that the best is the strongest."""
    steps = max(1, len(ticks) - 2)
    made = [LIGHTEST + (STRONGEST - LIGHTEST) * min(1.0, n / steps) for n in range(len(ticks))]
    return [LIGHTEST + STRONGEST - one for one in made] if least else made


def _cell(
    value: float, shade: float, x: float, y: float, width: float, height: float, star: str
) -> list[Markup]:
    box = {"x": _x(x), "y": y, "height": height, "width": percent(width * (1 - _LEFT))}
    told = tag("title", f"{value:.6g}")
    made = [tag("rect", told, fill=PIECES[0], fill_opacity=shade, **box)]
    text = star
    if width * MOST_WRITTEN > 1 - 1e-9 and height > 12:
        number = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
        text = f"{star} {number}" if star else number
    if text:
        how = {"class_": "m s b" if star else "m s"}
        made.append(tag("text", text, x=_x(x + width / 2), y=y + height / 2 + 4.5, **how))
    return made


def _knee_line(
    found: Sequence[Family],
    number: int,
    orders: Sequence[Sequence[int]],
    row_px: int,
    replications: Replications | None,
) -> list[Markup]:
    """Draw the edge of the cells from which on a doubling does not pay, along one axis."""
    family = found[number]
    numbers = family.axis.numbers or ()
    made = []
    for beside, place in enumerate(orders[1 - number]):
        knee = knee_of(family.curves[place], replications)
        if knee.at is None:
            continue
        at = orders[number].index(numbers.index(knee.at))
        columns, bottom = len(orders[0]), len(orders[1]) * row_px
        if number:
            ends = (_x(beside / columns), _x((beside + 1) / columns))
            heights = (bottom - at * row_px,) * 2
        else:
            ends = (_x(at / columns),) * 2
            heights = (bottom - beside * row_px, bottom - (beside + 1) * row_px)
        how = {"x1": ends[0], "x2": ends[1], "y1": heights[0], "y2": heights[1]}
        dash = _DASHES[number]
        told = tag("title", f"knee of {family.axis.name}: {knee.text(knee.at)}")
        line = tag("line", told, stroke="var(--ink)", stroke_width=3, stroke_dasharray=dash, **how)
        made.append(line)
    return made


def _labels(found: Sequence[Family], orders: Sequence[Sequence[int]], row_px: int) -> list[Markup]:
    """Write the values of both axes."""
    across, up = (family.axis for family in found)
    columns, bottom = len(orders[0]), len(orders[1]) * row_px
    made = []
    ticks = [((n + 0.5) / columns, across.texts[place]) for n, place in enumerate(orders[0])]
    for share, text in fitting(ticks):
        at_end = share > 0.95 and columns > MOST_WRITTEN
        place = ("100%", "e s") if at_end else (_x(share), "m s")
        made.append(tag("text", text, y=bottom + 15, x=place[0], class_=place[1]))
    step = -(-16 // row_px)
    for row, value in list(enumerate(orders[1]))[::step]:
        y = bottom - (row + 0.5) * row_px + 4.5
        made.append(tag("text", up.texts[value], x=percent(_LEFT - 0.01), y=y, class_="e s"))
    made.append(tag("text", across.name, x=_x(0.5), y=bottom + 32, class_="m soft"))
    made.append(tag("text", up.name, x="0", y=bottom + 32, class_="soft"))
    return made
