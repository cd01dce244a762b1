"""One model of a page: an answer, and sections of paragraphs and tables of raw values.

A table has its columns once, with what their values are; :func:`printed` decides how a value reads
for people. Text, Markdown, JSON (here) and HTML (in ``html/``) only lay out what it returns, so a
new column is one edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

from simulator.report.lined import printable, wrapped
from simulator.report.lined import table as lined
from simulator.report.scales import (
    NOTHING,
    Scale,
    aligned,
    cell,
    figure,
    figures,
    in_one_unit,
    significant,
)
from simulator.units import format_time
from simulator.wording import counted, percent

Kind = Literal[
    "text",
    "sentence",
    "count",
    "decimal",
    "share",
    "time",
    "size",
    "rate",
    "change",
    "figure",
    "number",
    "kilo",
    "ratio",
    "clock",
    "step",
]
"""What the values of a column are, in base units: ns, B, B/s, and fractions for shares.

A ``figure`` is a number in the unit of its heading, a ``change`` a time with its sign, a ``clock``
one in seconds to the microsecond, a ``step`` one in seconds with the digits that it needs; a
``kilo`` is read in thousands, a ``number`` is an identifier, without separators, a ``ratio`` has no
unit.
"""
WORDS = ("text", "sentence")
"""Kinds that stand at the left of their column."""


class Said(NamedTuple):
    """A value with words of its own, in a column of other values; None if there is no number."""

    value: float | None
    text: str


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    key: str
    """Its name for programs, with the unit last."""
    heading: str
    """For people; empty on a terminal where the values say enough."""
    kind: Kind = "text"
    unit: Scale | None = None
    """The unit that stands in the head; None: in each cell, the same for all of the column."""
    blank: bool = False
    """Whether 0 reads as nothing."""
    wide: bool = False
    """Whether it is left out on a terminal, where there is no room for it."""

    @property
    def label(self) -> str:
        """The heading where there is room; the name for programs if it has none."""
        return self.heading or self.key.replace("_", " ")


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of raw values; the first of each names the row."""

    name: str
    """For programs."""
    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Any]]
    foot: Sequence[Any] = ()
    """The sum, if there is one."""
    note: str = ""
    """What a reader must know."""
    legend: str = ""
    """What words mean; not on a terminal."""
    noun: str = "row"
    """What a row is about, to count those that are left out; empty: they are not counted."""
    brief: int | None = None
    """Rows on a terminal, None: all;"""
    most: int = 100
    """and elsewhere."""
    whole: bool = False
    """Whether columns in which nothing stands are kept."""
    marked: Sequence[int] = ()
    """Rows that stand out, by their place."""
    weight: str = ""
    """The column whose largest values stay where rows are cut; empty: the first rows stay."""


def table_of_texts(
    heads: Sequence[str], rows: Sequence[Sequence[str]], align: str, noun: str = "row"
) -> Table:
    """Return a table of written cells; ``align`` has ``l`` or ``r`` for each column."""
    kinds: dict[str, Kind] = {"l": "text", "r": "number"}
    columns = [Column(head, head, kinds[side]) for head, side in zip(heads, align, strict=True)]
    return Table("", "", columns, rows, noun=noun, whole=True)


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, each on a line of its own."""

    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Plain:
    """Lines that are laid out already, such as commands to copy."""

    text: str


class Markup(str):
    """A text that is HTML already, such as a picture; only a page for a browser shows it."""

    __slots__ = ()


Block: TypeAlias = "str | Table | Lines | Plain | Markup"
"""A part of a section; a text is a paragraph."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page; it is left out if there is nothing in it."""

    title: str
    blocks: Sequence[Block]
    leads: bool = False
    """Whether a short screen has it before all others."""
    name: str = ""
    """What a short screen calls it that has no room for it; its title if left out."""

    def tables(self) -> list[Table]:
        """Return the tables that have rows."""
        return [one for one in self.blocks if isinstance(one, Table) and one.rows]


@dataclass(frozen=True, slots=True)
class Page:
    """A report before it is written: the answer, then what shows it."""

    title: str
    about: Sequence[str]
    """Lines about the title."""
    answer: Sequence[str]
    sections: Sequence[Section]


# -- how values read ---------------------------------------------------------------------------

_WRITERS: dict[Kind, Callable[[Any], str]] = {
    "text": lambda value: printable(str(value)),
    "sentence": str,
    "count": lambda value: f"{value:,}",
    "decimal": lambda value: f"{value:,.1f}",
    "share": lambda value: "0.0 %" if abs(value) < 5e-4 else percent(value, 1),
    "time": lambda value: cell("time", value),
    "size": lambda value: cell("size", value or None),
    "rate": lambda value: cell("rate", value or None),
    "change": lambda value: f"{'+' if value > 0 else ''}{format_time(value)}",
    "figure": lambda value: f"{value:,.0f}" if 1e3 <= abs(value) < 1e15 else f"{value:.4g}",
    "number": str,
    "kilo": lambda value: significant(value / 1000),
    "ratio": significant,
    "clock": lambda value: f"{value / 1e9:,.6f}",
}


class Printed(NamedTuple):
    """A table as people read it."""

    columns: list[Column]
    heads: list[str]
    rows: list[tuple[str, ...]]
    """With the foot, if there is one."""
    values: list[tuple[Any, ...]]
    """The raw values of these rows."""


def printed(table: Table, *, terminal: bool = False) -> Printed:
    """Return the texts of a table, all values of a column in one unit."""
    rows = [*table.rows[: table.brief if terminal else table.most]]
    rows += [table.foot] if table.foot else []
    kept = [
        (column, values)
        for place, (column, values) in enumerate(
            zip(table.columns, zip(*rows, strict=True), strict=True)
        )
        if not (terminal and column.wide) and (not place or table.whole or _any(column, values))
    ]
    columns = [column for column, _ in kept]
    texts = [written(column, values) for column, values in kept]
    made = heads(columns, terminal=terminal)
    across = zip(*(values for _, values in kept), strict=True)
    return Printed(columns, made, list(zip(*texts, strict=True)), list(across))


def heads(columns: Sequence[Column], *, terminal: bool = True) -> list[str]:
    """Return the heads of some columns."""
    texts = [column.heading if terminal else column.label for column in columns]
    return [_with_unit(head, column, texts[0]) for head, column in zip(texts, columns, strict=True)]


def _with_unit(head: str, column: Column, first: str) -> str:
    """Return a head with the unit of its column, unless the first of the table says it for all."""
    unit = "" if column.unit is None else f"({column.unit.unit})"
    return head if unit == first else f"{head} {unit}".strip()


def _any(column: Column, values: Iterable[Any]) -> bool:
    """Whether anything stands in a column; no bytes and no rate are nothing."""
    if column.kind in ("size", "rate"):
        return any(values)
    return any(value not in (None, "") for value in values)


def written(column: Column, values: Sequence[Any]) -> list[str]:
    """Return the texts of the values of a column."""
    if column.blank:
        values = [value or None for value in values]
    if column.unit is not None:
        return _in_unit(column, column.unit, values)
    if column.kind == "step":
        return _steps(values)
    texts = [_text(column.kind, value) for value in values]
    return aligned(texts) if column.kind in ("kilo", "ratio") else in_one_unit(texts)


def _text(kind: Kind, value: Any) -> str:
    if isinstance(value, Said):
        return value.text
    if value is None:
        return NOTHING
    return value if value == "" else _WRITERS[kind](value)


def _in_unit(column: Column, unit: Scale, values: Sequence[Any]) -> list[str]:
    if column.kind != "change":
        return figures(values, unit)
    return [
        NOTHING if value is None else f"{'+' if value > 0 else ''}{figure(value, unit)}"
        for value in values
    ]


def _steps(values: Sequence[int]) -> list[str]:
    """Write times in seconds, all with as many places as one of them needs.

    >>> _steps([0, 500_000, 1_000_000])
    ['0.0000', '0.0005', '0.0010']
    """
    texts = [f"{value // 10**9:,}.{value % 10**9:09}" for value in values]
    spare = min((9 - len(text.rstrip("0").partition(".")[2]) for text in texts), default=9)
    return [text[: len(text) - spare].rstrip(".") for text in texts]


def rest(table: Table, most: int | None) -> str:
    """Count the rows after the first ones; nothing if there are none."""
    more = len(table.rows[most:]) if most is not None else 0
    return f"({counted(more, f'more {table.noun}')})" if more > 0 and table.noun else ""


def align(columns: Sequence[Column]) -> str:
    """Return ``l`` or ``r`` for each column."""
    return "".join("l" if column.kind in WORDS else "r" for column in columns)


# -- text --------------------------------------------------------------------------------------


def page_text(page: Page) -> str:
    """Write a page for a terminal."""
    blocks = ["\n".join((page.title, *page.about)), "\n".join(page.answer)]
    for section in page.sections:
        filled = list(filter(None, map(block_text, section.blocks)))
        blocks += [section.title, *filled] if section.title and filled else filled
    return "\n\n".join(filter(None, blocks)) + "\n"


def block_text(block: Block) -> str:
    """Write a block for a terminal; nothing if there is nothing in it."""
    if isinstance(block, Table):
        return table_text(block)
    if isinstance(block, Lines):
        return "\n".join(map(wrapped, block.lines))
    return block.text if isinstance(block, Plain) else wrapped(block)


def table_text(table: Table) -> str:
    """Write a table for a terminal; nothing if it has no rows there."""
    if not table.rows[: table.brief]:
        return ""
    made = printed(table, terminal=True)
    text = lined(made.heads, made.rows, align(made.columns))
    return "\n".join(filter(None, (text, rest(table, table.brief), table.note)))


# -- Markdown ----------------------------------------------------------------------------------


def page_markdown(page: Page) -> str:
    """Write a page in Markdown."""
    blocks = [f"# {_escaped(page.title)}", *map(_escaped, page.about), _listed(page.answer)]
    for section in page.sections:
        filled = list(filter(None, map(_block_markdown, section.blocks)))
        blocks += [f"## {section.title}", *filled] if section.title and filled else filled
    return "\n\n".join(filter(None, blocks)) + "\n"


def _block_markdown(block: Block) -> str:
    if isinstance(block, Table):
        return table_markdown(block)
    if isinstance(block, Lines):
        return _listed(block.lines)
    if isinstance(block, Plain):
        return f"```\n{block.text}\n```" if block.text else ""
    return _escaped(block)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_escaped(line)}" for line in lines)


def table_markdown(table: Table) -> str:
    """Write a table in Markdown; nothing if it has no rows."""
    if not table.rows:
        return ""
    made = printed(table)
    rule = ["---" if letter == "l" else "---:" for letter in align(made.columns)]
    rows = [[_escaped(text.strip()) for text in row] for row in (made.heads, *made.rows)]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]
    below = (rest(table, table.most), table.note, table.legend)
    return "\n\n".join(filter(None, ("\n".join(lines), *below)))


def _escaped(text: str) -> str:
    r"""Write a text so that Markdown takes it as it is.

    >>> _escaped("a|b <c> *d*\ne")
    'a\\|b \\<c> \\*d\\* e'
    """
    plain = " ".join(text.split())
    return "".join(f"\\{one}" if one in "\\|<*_`[" else one for one in plain)


# -- JSON --------------------------------------------------------------------------------------


def tables_record(tables: Iterable[Table]) -> dict[str, list[dict[str, Any]]]:
    """Return tables for programs: all rows and columns, in base units."""
    return {table.name: [_row(table, row) for row in table.rows] for table in tables}


def _row(table: Table, row: Sequence[Any]) -> dict[str, Any]:
    return {column.key: _raw(value) for column, value in zip(table.columns, row, strict=True)}


def _raw(value: Any) -> Any:
    if isinstance(value, Said):
        value = value.value
    return round(value, 9) if isinstance(value, float) else value
