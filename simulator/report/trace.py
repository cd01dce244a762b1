"""Reports on traces, written: tables for people, CSV and JSON for programs.

What the log cannot say stands under every report: in JSON under the key ``unknown``, and beside
CSV on standard error.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal, TextIO

from simulator.traces.reports.table import Column, Report, Table
from simulator.units import format_rate, format_time
from simulator.wording import brief_size, counted

Unknown = dict[str, dict[str, int]]

_SIZES = {"bytes"}
_WRITERS: dict[str, Callable[[Any], str]] = {
    "time": format_time,
    "clock": lambda value: f"{value / 1e9:,.6f}",
    "step": lambda value: f"{value / 1e9:,.9f}".rstrip("0").rstrip("."),
    "size": brief_size,
    "rate": lambda value: format_rate(value).partition(" (")[0],
    "kilo": lambda value: f"{float(f'{value / 1000:.3g}'):,}".removesuffix(".0"),
    "count": lambda value: f"{value:,}",
    "number": str,
    "text": lambda value: printable(str(value)),
}
"""How each form of a value is written for people."""


def write_report(report: Report, form: Literal["table", "csv", "json"], file: TextIO) -> None:
    """Write a report; what is not in a CSV goes to standard error."""
    if form == "json":
        _write_json(report, file)
    elif form == "csv":
        _write_csv(report, file)
        for line in (*report.notes, unknown_text(report.unknown)):
            print(line, file=sys.stderr)
    else:
        file.write(report_text(report))


def report_text(report: Report) -> str:
    """Write a report for people."""
    blocks = [report.title] if report.title else []
    for table in report.tables:
        blocks += _tables(table)
    blocks += ["\n".join((*report.notes, unknown_text(report.unknown)))]
    return "\n\n".join(blocks) + "\n"


def unknown_text(unknown: Unknown) -> str:
    """Say what the log cannot say.

    >>> unknown_text({"inherited": {"calls": 1200, "bytes": 8192}, "unfinished": {"calls": 1}})
    'not in the log: inherited 1,200 calls, 8.19 kB; unfinished 1 call'
    >>> unknown_text({"io_uring": {"calls": 9, "submitted": 200}})
    'not in the log: io_uring 9 calls, 200 submitted'
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
        told.append(f"{name} {', '.join(amounts)}")
    return f"not in the log: {'; '.join(told)}" if told else "not in the log: nothing"


# -- for programs -----------------------------------------------------------------------------


def _write_json(report: Report, file: TextIO) -> None:
    """Write row after row, since there may be more than memory holds."""
    file.write("{\n")
    for table in report.tables:
        separator = f"  {json.dumps(table.name)}: [\n    "
        for row in table.row_dicts():
            file.write(f"{separator}{json.dumps(row, ensure_ascii=False)}")
            separator = ",\n    "
        file.write(
            "\n  ],\n" if separator.startswith(",") else f"  {json.dumps(table.name)}: [],\n"
        )
    for key, value in report.values.items():
        file.write(f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)},\n")
    if report.notes:
        file.write(f'  "notes": {json.dumps(report.notes, ensure_ascii=False)},\n')
    file.write(f'  "unknown": {json.dumps(report.unknown)}\n}}\n')


def _write_csv(report: Report, file: TextIO) -> None:
    """Write one table; of several a first column says which."""
    tables = [table for table in report.tables if table.in_csv]
    writer = csv.writer(file, lineterminator="\n")
    named = len(tables) > 1
    keys = list(dict.fromkeys(column.key for table in tables for column in table.columns))
    writer.writerow([*(["table"] if named else []), *keys])
    for table in tables:
        first = [table.name] if named else []
        for row in table.row_dicts():
            writer.writerow([*first, *(row.get(key) for key in keys)])


# -- for people -------------------------------------------------------------------------------


def _tables(table: Table) -> Iterator[str]:
    rows = list(table.rows)
    places = {column.key: place for place, column in enumerate(table.columns)}
    for title, keys in table.parts or (("", tuple(places)),):
        columns = [table.columns[places[key]] for key in keys]
        picked = ([_value(row, places, key) for key in keys] for row in rows)
        shown = [row for row in picked if len(row) == 1 or any(_says(one) for one in row[1:])]
        if not shown and title:
            continue
        text = _table(columns, shown)
        yield f"{title}\n{text}" if title else text
    if table.more:
        yield f"and {table.more:,} more (see --top N, or --format json)"


def _value(row: Sequence[Any], places: dict[str, int], key: str) -> Any:
    """Give a value; for a file without a name, what it is."""
    value = row[places[key]]
    if value is None and key == "file" and "kind" in places:
        return f"({row[places['kind']] or 'no name'})"
    return value


def _says(value: object) -> bool:
    return value is not None and value != 0


def _table(columns: Sequence[Column], rows: Iterable[Sequence[Any]]) -> str:
    from tabulate import tabulate

    align = ["left" if column.form == "text" else "right" for column in columns]
    cells = [
        [cell(value, column) for value, column in zip(row, columns, strict=True)] for row in rows
    ]
    heads = [column.label for column in columns]
    if not cells:
        return "  ".join(heads) + "\n(none)"
    table = tabulate(cells, headers=heads, colalign=align, disable_numparse=True)
    return "\n".join(line.rstrip() for line in table.splitlines())


def cell(value: Any, column: Column) -> str:
    """Write a value for people.

    >>> cell(2_580_000, Column("time_s", "time", "time")), cell(None, Column("n", "n"))
    ('2.58 ms', '-')
    """
    return "-" if value is None else _WRITERS[column.form](value)


def printable(text: str) -> str:
    r"""Write what cannot be printed as escapes.

    >>> print(printable("a\nb"))
    a\nb
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def shortened(text: str, longest: int = 60) -> str:
    """Shorten a long name in its middle, and write what cannot be printed as escapes.

    >>> shortened("/a/very/long/name.nc", 12)
    '/a/v...me.nc'
    """
    plain = printable(text)
    if len(plain) <= longest:
        return plain
    front = (longest - 3) // 2
    return f"{plain[:front]}...{plain[len(plain) - (longest - 3 - front) :]}"
