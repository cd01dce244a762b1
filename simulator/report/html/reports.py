"""Tables of reports on traces, as tables of a page."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from simulator.report.html import cells
from simulator.report.html.markup import Markup, tag
from simulator.report.trace import model_tables, unknown_text
from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from simulator.traces.reports.table import Report, Table

MOST_ROWS = 50


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
    for number, one in enumerate(model_tables(replace(table, rows=rows), named_first=True)):
        note = f"({counted(more, 'more row')} not listed)" if more and not number else ""
        title = f"{caption}: {one.title}" if one.title else caption
        yield cells.table(replace(one, title=title, note=note))
