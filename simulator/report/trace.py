"""Reports on traces, written: tables for people, CSV and JSON for programs.

What the log cannot say stands under every report: in JSON under the key ``unknown``, and beside
CSV on standard error.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, TextIO

from simulator.csvtext import CsvWriter
from simulator.report.lined import table as lined
from simulator.report.scales import Quantity, Scale, aligned, figures, scale_of, significant
from simulator.traces.reports.table import Column, Report, Table
from simulator.wording import brief_size, counted

Unknown = dict[str, dict[str, int]]

_SIZES = {"bytes"}
_ONLY_IF_ANY = {"append", "root"}
"""What is left out of the line on what a log cannot say, if there is none of it."""
_WRITERS: dict[str, Callable[[Any], str]] = {
    "clock": lambda value: f"{value / 1e9:,.6f}",
    "kilo": lambda value: significant(value / 1000),
    "ratio": significant,
    "count": lambda value: f"{value:,}",
    "number": str,
    "text": lambda value: printable(str(value)),
    "shown": lambda value: printable(str(value)),
}
"""How each form of a value is written for people, in columns without a unit of their own."""
_ALIGNED = ("kilo", "ratio")


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
        if "table" in table.outputs:
            blocks += _tables(table)
    blocks += ["\n".join((*report.notes, unknown_text(report.unknown)))]
    return "\n\n".join(blocks) + "\n"


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
    file.write("{\n")
    for table in report.tables:
        if "json" not in table.outputs:
            continue
        separator = f"  {json.dumps(table.name)}: [\n    "
        for row in table.row_dicts():
            file.write(f"{separator}{_json(row)}")
            separator = ",\n    "
        file.write(
            "\n  ],\n" if separator.startswith(",") else f"  {json.dumps(table.name)}: [],\n"
        )
    for key, value in report.values.items():
        file.write(f"  {json.dumps(key)}: {_json(value)},\n")
    if report.notes:
        file.write(f'  "notes": {_json(report.notes)},\n')
    file.write(f'  "unknown": {json.dumps(report.unknown)}\n}}\n')


def _json(value: object) -> str:
    """Write a value as JSON, in Unicode where that prints."""
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)


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


def _tables(table: Table) -> Iterator[str]:
    rows = list(table.rows)
    places = {column.key: place for place, column in enumerate(table.columns)}
    for title, keys in table.parts or (("", tuple(places)),):
        columns = [table.columns[places[key]] for key in keys]
        shown = [[_value(row, places, key) for key in keys] for row in rows]
        if table.parts:
            shown = [row for row in shown if len(row) == 1 or any(map(_says, row[1:]))]
        if not shown and title:
            continue
        text = _table(columns, shown)
        yield f"{title}\n{text}" if title else text
    if table.more:
        yield f"and {table.more:,} more (see --top N, or --format json)"


def _value(row: Sequence[Any], places: dict[str, int], key: str) -> Any:
    """Return the value of a column; for a file without a name, its kind."""
    value = row[places[key]]
    if value is None and key == "file" and "kind" in places:
        return f"({row[places['kind']] or 'no name'})"
    return value


def _says(value: object) -> bool:
    return value is not None and value != 0


def _table(columns: Sequence[Column], rows: Sequence[Sequence[Any]]) -> str:
    values = list(zip(*rows, strict=True)) or [()] * len(columns)
    scales = _scales(columns, values)
    heads = [
        f"{column.label} ({scales[place].unit})" if place in scales else column.label
        for place, column in enumerate(columns)
    ]
    if not rows:
        return "  ".join(heads) + "\n(none)"
    texts = [
        figures(cells, scales[place]) if place in scales else _cells(cells, column)
        for place, (column, cells) in enumerate(zip(columns, values, strict=True))
    ]
    align = "".join("l" if column.form in ("text", "shown") else "r" for column in columns)
    return lined(heads, list(zip(*texts, strict=True)), align)


def _scales(columns: Sequence[Column], values: Sequence[Sequence[Any]]) -> dict[int, Scale]:
    """Choose the unit of each column that has one, by its place."""
    shared: dict[tuple[str, Quantity], list[Any]] = {}
    keys: dict[int, tuple[str, Quantity]] = {}
    for place, (column, cells) in enumerate(zip(columns, values, strict=True)):
        if column.form in ("time", "size", "rate"):
            keys[place] = (column.scale or column.key, column.form)
            shared.setdefault(keys[place], []).extend(cells)
    return {place: scale_of(key[1], shared[key]) for place, key in keys.items()}


def _cells(cells: Sequence[Any], column: Column) -> list[str]:
    """Write the values of a column that has no unit of its own."""
    if column.form == "step":
        return _steps(cells)
    texts = ["-" if cell is None else _WRITERS[column.form](cell) for cell in cells]
    return aligned(texts) if column.form in _ALIGNED else texts


def _steps(cells: Sequence[int]) -> list[str]:
    """Write times in seconds, all with as many places as one of them needs.

    >>> _steps([0, 500_000, 1_000_000])
    ['0.0000', '0.0005', '0.0010']
    """
    texts = [f"{cell // 10**9:,}.{cell % 10**9:09}" for cell in cells]
    spare = min((9 - len(text.rstrip("0").partition(".")[2]) for text in texts), default=9)
    return [text[: len(text) - spare].rstrip(".") for text in texts]


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
