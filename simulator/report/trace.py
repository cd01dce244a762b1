"""Reports on traces, written: tables for people, CSV and JSON for programs.

What the log cannot say stands under every report: in JSON under the key ``unknown``, and beside
CSV on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import Any, Literal, TextIO, cast

from simulator.csvtext import CsvWriter
from simulator.report import page
from simulator.report.forms import FORMAT, json_of
from simulator.report.lined import wrapped
from simulator.report.scales import Quantity, scale_of
from simulator.report.screen import form_text
from simulator.traces.reports.table import Column, Report, Table
from simulator.wording import brief_size, counted

Unknown = dict[str, dict[str, int]]

_SIZES = {"bytes"}
_ONLY_IF_ANY = {"append", "root"}
"""Kinds of missing calls that a line names only if there are any."""
_QUANTITIES = ("time", "size", "rate")
_NAMES = ("file", "call", "label")
"""Columns that name a row, the first of them that a table has."""


def write_report(
    report: Report, form: Literal["table", "csv", "json"], file: TextIO, *, full: bool = True
) -> None:
    """Write a report; what is not in a CSV goes to standard error."""
    if form == "json":
        _write_json(report, file)
    elif form == "csv":
        _write_csv(report, file)
        for line in (*report.notes, unknown_text(report.unknown)):
            print(line, file=sys.stderr)
    else:
        file.write(form_text(report_page(report), full=full))


def report_page(report: Report) -> page.Page:
    """Return a report as a page, a section for each of its tables."""
    shown = [table for table in report.tables if "table" in table.outputs]
    sections = [one for table in shown for one in _sections(table)]
    lines = [*report.notes, unknown_text(report.unknown)]
    notes: list[page.Block] = [page.Terminal(page.Plain("\n".join(lines)))]
    notes.append(page.Drawn(lambda: [page.Lines(lines)]))
    return page.Page(
        wrapped(report.title) if report.title else "",
        [],
        [],
        [*sections, page.Section("", notes, leads=True)],
    )


def unknown_counts(unknown: Unknown, joint: str = ", ") -> Iterator[tuple[str, str]]:
    """Yield what a log does not have: its kind, and how many there are of what."""
    for kind, counts in unknown.items():
        if any(counts.values()):
            yield kind, joint.join(f"{count:,} {what}" for what, count in counts.items())


def unknown_text(unknown: Unknown) -> str:
    """List what the log does not contain.

    >>> unknown_text({"inherited": {"calls": 1200, "bytes": 8192}, "unfinished": {"calls": 1}})
    'not in the log: inherited 1,200 calls, 8.19 kB; unfinished 1 call'
    >>> unknown_text({"io_uring": {"calls": 9, "submitted": 200}})
    'not in the log: io_uring 9 calls, 200 submitted'
    >>> unknown_text({"append": {"calls": 2, "bytes": 8}, "root": {"calls": 0}})
    'not in the log: append 2 calls, 8 B'
    """
    told = []
    for name, counts in unknown.items():
        amounts = [
            brief_size(number)
            if what in _SIZES
            else counted(number, what.removesuffix("s").replace("_", " "))
            if what.endswith("s")
            else f"{number:,} {what}"
            for what, number in counts.items()
            if what == "calls" or number or len(counts) == 1
        ]
        if name not in _ONLY_IF_ANY or any(counts.values()):
            told.append(f"{name} {', '.join(amounts)}")
    return f"not in the log: {'; '.join(told)}" if told else "not in the log: nothing"


# -- for programs -----------------------------------------------------------------------------


def _write_json(report: Report, file: TextIO) -> None:
    """Write row after row, since there may be more than memory holds."""
    file.write(f'{{\n  "format": "{FORMAT}",\n')
    for table in report.tables:
        if "json" not in table.outputs:
            continue
        separator = f"  {json.dumps(table.name)}: [\n    "
        for row in table.row_dicts():
            file.write(f"{separator}{json_of(row)}")
            separator = ",\n    "
        file.write(
            "\n  ],\n" if separator.startswith(",") else f"  {json.dumps(table.name)}: [],\n"
        )
    for key, value in report.values.items():
        file.write(f"  {json.dumps(key)}: {json_of(value)},\n")
    if report.notes:
        file.write(f'  "notes": {json_of(report.notes)},\n')
    file.write(f'  "unknown": {json.dumps(report.unknown)}\n}}\n')


def _write_csv(report: Report, file: TextIO) -> None:
    """Write one table; of several a first column says which."""
    tables = [table for table in report.tables if "csv" in table.outputs]
    writer = CsvWriter(file)
    named = len(tables) > 1
    forms = {column.key: column.form for table in tables for column in table.columns}
    keys = [key for key, form in forms.items() if form not in ("shown", "record")]
    writer.writerow([*(["table"] if named else []), *keys])
    for table in tables:
        first = [table.name] if named else []
        for row in table.row_dicts("record"):
            writer.writerow([*first, *(row.get(key) for key in keys)])


# -- for people -------------------------------------------------------------------------------


def model_tables(table: Table, *, named_first: bool = False) -> Iterator[page.Table]:
    """Yield a table of a report, or each of its parts, as tables of the model.

    ``named_first``: the column that names a row stands first.
    """
    rows = list(table.rows)
    places = {column.key: place for place, column in enumerate(table.columns)}
    for number, (title, keys) in enumerate(table.parts or (("", tuple(places)),)):
        ordered = _ordered(keys) if named_first else keys
        columns = [table.columns[places[key]] for key in ordered]
        columns = [column for column in columns if column.form != "record"]
        shown = [[_value(row, places, column.key) for column in columns] for row in rows]
        if table.parts:
            shown = [row for row in shown if len(row) == 1 or any(map(_says, row[1:]))]
        if shown or not title:
            name = f"{table.name}-{number}" if number else table.name
            heads = _columns(columns, list(zip(*shown, strict=True)))
            yield page.Table(name, title, heads, shown, most=len(shown), whole=True)


def _sections(table: Table) -> Iterator[page.Section]:
    """Yield a table of a report, or each of its parts, and how many rows it has besides."""
    for one in model_tables(table):
        heads = "  ".join(page.heads(one.columns))
        block = one if one.rows else page.Plain(f"{heads}\n(none)")
        yield page.Section(one.title, [block], leads=True)
    if table.more:
        more = f"and {table.more:,} more (see --top N, or --format json)"
        yield page.Section("", [page.Plain(more)], leads=True)


def _ordered(keys: Sequence[str]) -> list[str]:
    """Put the column first that names a row."""
    name = next((key for key in _NAMES if key in keys), keys[0])
    return [name, *(key for key in keys if key != name)]


def _value(row: Sequence[Any], places: dict[str, int], key: str) -> Any:
    """Return the value of a column; for a file without a name, its kind."""
    value = row[places[key]]
    if value is None and key == "file" and "kind" in places:
        return f"({row[places['kind']] or 'no name'})"
    return value


def _says(value: object) -> bool:
    return value is not None and value != 0


def _columns(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> list[page.Column]:
    """Return columns of the model; those of one scale have the unit that suits their values."""
    shared: dict[tuple[str, str], list[Any]] = {}
    for column, cells in zip(columns, values, strict=False):
        shared.setdefault(_scale(column), []).extend(cells)
    return [_column(column, shared.get(_scale(column), [])) for column in columns]


def _column(column: Column, values: list[Any]) -> page.Column:
    """Return a column of the model, in the unit that suits some values."""
    if column.form in _QUANTITIES:
        quantity = cast("Quantity", column.form)
        return page.Column(column.key, column.label, quantity, scale_of(quantity, values))
    kind = "text" if column.form == "shown" else column.form
    return page.Column(column.key, column.label, cast("page.Kind", kind))


def _scale(column: Column) -> tuple[str, str]:
    return column.scale or column.key, column.form
