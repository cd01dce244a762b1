"""The page of how sure figures are: three sources of doubt, and a tornado of the values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.report.html.page import figure as drawn
from simulator.report.html.page import made_by, page
from simulator.report.html.svg import Piece, rows
from simulator.report.page import Block, Column, Lines, Section, Table
from simulator.report.replications import digits, interval, label
from simulator.report.uncertainty import (
    EXPLAINS,
    MOST_ROWS,
    RANKED,
    drawn_from,
    figure_heads,
    figure_rows,
    nothing_first,
    of_model,
    of_runs,
    of_values,
    ranked_row,
    share_of,
    title_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simulator.study.uncertainty import Uncertainty

LOW, HIGH = 0, 1
"""Places in the palette: of a value at its 5 % quantile, and at its 95 % quantile."""
_MARGIN = 0.02
"""Share of the width that is left free at either end."""


def uncertainty_page(found: Uncertainty, figure: str, command: Sequence[str]) -> str:
    """Return the page of a study; values are ranked by what they do to ``figure``."""
    sections = [
        Section("How sure each figure is", [_figures(found, figure)]),
        Section("Measure this first", _ranking(found, figure)),
        Section("Where the doubt comes from", _sources(found, figure)),
        Section("Values with a range", [_values(found)]),
        made_by(command, {}),
    ]
    return page(title_of(found), [drawn_from(found)], _answer(found, figure), sections)


def _answer(found: Uncertainty, figure: str) -> list[str]:
    confidence = f"{100 * found.confidence:g} %"
    row = figure_rows(found, figure)[0]
    told = [
        f"{row[0]}: {row[1]} as written; from run to run {row[2]}; from values {row[3]}"
        f" ({confidence} each; the model's own error is in neither)."
    ]
    ranked = found.ranked(figure)
    if not ranked:
        return [*told, nothing_first(figure)]
    moved, index = ranked[0]
    return [
        *told,
        f"Measure {moved.group.name} first: it explains {share_of(index.first)} % of what the"
        " values leave open.",
    ]


def _figures(found: Uncertainty, figure: str) -> Table:
    keys = ("figure", "as_written", "from_run_to_run", "from_values")
    pairs = zip(keys, figure_heads(found), strict=True)
    return Table(
        "figures", "", [Column(key, head) for key, head in pairs], figure_rows(found, figure)
    )


def _sources(found: Uncertainty, figure: str) -> list[Block]:
    first, *measured = of_model(figure)
    return [of_runs(found), of_values(found), first, Lines(measured)]


def _ranking(found: Uncertainty, figure: str) -> list[Block]:
    ranked = found.ranked(figure)
    if not ranked:
        return [nothing_first(figure)]
    lines = [ranked_row(figure, moved, index) for moved, index in ranked]
    columns = [Column(one.replace(" ", "_"), one) for one in RANKED]
    title = f"What each value does: {label(figure)}"
    return [
        _tornado(found, figure),
        Table("ranked", title, columns, lines, note=EXPLAINS, noun="value"),
    ]


def _tornado(found: Uncertainty, figure: str) -> Block:
    """Draw how far each value alone moves a figure, the one that explains most on top."""
    ranked, middle = found.ranked(figure)[:MOST_ROWS], found.written[figure]
    spread = found.spread(figure)
    assert spread is not None  # Else there are no indices.
    ends = [end for moved, _ in ranked for end in moved.ends(figure) if end is not None]
    least, most = (float(of((middle, *spread.interval, *ends))) for of in (min, max))
    width = (most - least) / (1 - 2 * _MARGIN) or 1.0  # All the same: one line in the middle.

    def place(value: float) -> float:
        return _MARGIN + (value - least) / width

    bars = []
    for moved, index in ranked:
        pieces = [
            Piece(
                abs(end - middle) / width, colour, "", False, digits(end), place(min(end, middle))
            )
            for end, colour in zip(moved.ends(figure), (LOW, HIGH), strict=True)
            if end is not None
        ]
        told = ranked_row(figure, moved, index)
        bars.append((f"{moved.group.name}, {share_of(index.first)} %", told[2], pieces))
    about = "; ".join(f"{name}: {number}" for name, number, _ in bars)
    band = place(spread.interval[0]), place(spread.interval[1])
    caption = (
        f"{label(figure)}, one value at a time: blue with the value at its 5 % quantile, orange at"
        f" 95 %; the line is {digits(middle)}, as written; the box is"
        f" {interval(spread.interval)}, from all values together."
    )
    picture = rows(bars, f"Tornado of {label(figure)}: {about}", band=band, mark=place(middle))
    return drawn(picture, caption)


def _values(found: Uncertainty) -> Table:
    head = [
        Column("value", "value"),
        Column("is", "is"),
        Column("source", "source"),
        Column("range", "range"),
        Column("moves", "moves a figure"),
    ]
    groups = [*((one.group, "yes") for one in found.moved), *((one, "no") for one in found.still)]
    lines = [
        [one.name, one.text, one.kind, one.words(), moves]
        for group, moves in groups
        for one in group.values
    ]
    return Table("values", "", head, lines, noun="value")
