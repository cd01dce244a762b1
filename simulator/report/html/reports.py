"""Tables of reports on traces, as tables of a page."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from simulator.report.html import cells
from simulator.report.html.cells import Table as Shown
from simulator.report.html.markup import Markup, tag
from simulator.report.scales import significant
from simulator.report.trace import unknown_text
from simulator.units import format_rate, format_time
from simulator.wording import about_size, counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from simulator.traces.reports.table import Column, Report, Table

MOST_ROWS = 50

_WRITERS: dict[str, Callable[[Any], str]] = {
    "count": lambda value: cells.number(value, f"{value:,}"),
    "time": lambda value: cells.number(value, format_time(value)),
    "clock": lambda value: cells.number(value, f"{value / 1e9:,.6f} s"),
    "step": lambda value: cells.number(value, f"{value / 1e9:,.9f}".rstrip("0").rstrip(".") + " s"),
    "size": lambda value: cells.number(value, about_size(round(value))),
    "rate": lambda value: cells.number(value, format_rate(value).partition(" (")[0]),
    "kilo": lambda value: cells.number(value, significant(value / 1000)),
    "number": str,
    "ratio": lambda value: cells.number(value, significant(value)),
    "text": str,
    "shown": str,
}
"""How each form of a value is written; forms that are not here are for programs only."""
_NAMES = ("file", "call", "label")
"""Columns that name a row, the first of them that a table has."""


def tables(
    report: Report, caption: str, *, names: Sequence[str] = (), most: int = MOST_ROWS
) -> list[Markup]:
    """Return the tables of a report for people, or those of some names."""
    made: list[Markup] = []
    for table in report.tables:
        if "table" in table.outputs and (not names or table.name in names):
            made += _tables(table, caption, most)
    return made


def notes(report: Report) -> list[Markup]:
    """Return the sentences that belong to a report, and what its log does not contain."""
    lines = [*report.notes, unknown_text(report.unknown)]
    return [tag("p", line, class_="note") for line in lines]


def _tables(table: Table, caption: str, most: int) -> Iterable[Markup]:
    every = iter(table.rows)
    rows = list(islice(every, most))
    more = table.more + sum(1 for _ in every)
    places = {column.key: place for place, column in enumerate(table.columns)}
    for number, (title, keys) in enumerate(table.parts or (("", tuple(places)),)):
        columns = [table.columns[places[key]] for key in _ordered(keys)]
        columns = [column for column in columns if column.form in _WRITERS]
        lines = [
            [_cell(row, places, column) for column in columns]
            for row in rows
            if not table.parts or len(columns) == 1 or _says(row, places, columns[1:])
        ]
        if not lines:
            continue
        words = ("text", "shown")
        align = "".join("l" if column.form in words else "r" for column in columns)
        yield Shown(
            f"{caption}: {title}" if title else caption,
            [column.label for column in columns],
            lines,
            align,
            note=f"({counted(more, 'more row')} not listed)" if more and not number else "",
            name=f"{table.name}-{number}" if number else table.name,
        ).markup()


def _says(row: Sequence[Any], places: dict[str, int], columns: Sequence[Column]) -> bool:
    """Whether anything stands in some columns of a row."""
    return any(row[places[column.key]] not in (None, 0) for column in columns)


def _ordered(keys: Sequence[str]) -> list[str]:
    """Put the column first that names a row."""
    name = next((key for key in _NAMES if key in keys), keys[0])
    return [name, *(key for key in keys if key != name)]


def _cell(row: Sequence[Any], places: dict[str, int], column: Column) -> str:
    value = row[places[column.key]]
    if value is None and column.key == "file" and "kind" in places:
        return f"({row[places['kind']] or 'no name'})"
    return cells.NOTHING if value is None else _WRITERS[column.form](value)
