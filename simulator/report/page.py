"""One model of a page: an answer, and sections of paragraphs and tables of raw values.

A table has its columns once, with what their values are; :func:`printed` decides how a value reads
for people. Text (:mod:`~simulator.report.screen`), Markdown, JSON, CSV
(:mod:`~simulator.report.forms`) and HTML (``html/``) only lay out what it returns, so a new column
is one edit, and a new result is one function that returns its page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from simulator.report.lined import printable
from simulator.report.scales import (
    NOTHING,
    Scale,
    aligned,
    cell,
    figure,
    figures,
    in_one_unit,
    plain,
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
"""Kinds of values of a column, in base units: ns, B, B/s, and fractions for shares.

A ``figure`` is a number in the unit of its heading, a ``change`` a time with its sign, a ``clock``
one in seconds to the microsecond, a ``step`` one in seconds with the digits that it needs; a
``kilo`` is read in thousands, a ``number`` is an identifier, without separators, a ``ratio`` has no
unit.
"""
ASSUMPTIONS = "Assumptions"
"""The heading, in a browser, of sentences that stand last on a terminal."""
WORDS = ("text", "sentence")
"""Kinds that stand at the left of their column."""


class ValueInWords(NamedTuple):
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
    """True if 0 reads as nothing."""
    wide: bool = False
    """True if a terminal has no room for it."""
    of: Callable[[Any], Any] | None = None
    """Returns the value of what a row is about; None: its attribute with the name of the key."""

    @property
    def label(self) -> str:
        """The heading where there is room; the name for programs if it has none."""
        return self.heading or self.key.replace("_", " ")

    def value(self, subject: Any) -> Any:
        """Return the value of what a row is about."""
        return getattr(subject, self.key) if self.of is None else self.of(subject)


def rows_of(columns: Sequence[Column], subjects: Iterable[Any]) -> list[list[Any]]:
    """Return a row for each of some subjects."""
    return [[column.value(one) for column in columns] for one in subjects]


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
    """Text below it that a reader must know."""
    legend: str = ""
    """Meanings of its words; not on a terminal."""
    noun: str = "row"
    """Subject of a row, to count those that are left out; empty: they are not counted."""
    brief: int | None = None
    """Rows on a terminal, None: all;"""
    most: int = 100
    """and elsewhere."""
    whole: bool = False
    """True if empty columns are kept."""
    marked: Sequence[int] = ()
    """Rows that stand out, by their place."""
    keys: int = 0
    """First rows that have a colour and a letter in the picture above, in a browser."""
    weight: str = ""
    """The column whose largest values stay where rows are cut; empty: the first rows stay."""


def table_of_texts(
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    align: str,
    noun: str = "row",
    name: str = "",
) -> Table:
    """Return a table of written cells; ``align`` has ``l`` or ``r`` for each column."""
    kinds: dict[str, Kind] = {"l": "text", "r": "number"}
    columns = [Column(head, head, kinds[side]) for head, side in zip(heads, align, strict=True)]
    return Table(name, "", columns, rows, noun=noun, whole=True)


@dataclass(frozen=True, slots=True)
class Lines:
    """Sentences, each on a line of its own."""

    lines: Sequence[str]
    narrow: bool = False
    """True if they have 80 columns of a terminal; a short screen has them all."""


@dataclass(frozen=True, slots=True)
class Plain:
    """Lines that are laid out already, such as commands to copy."""

    text: str


@dataclass(frozen=True, slots=True)
class Terminal:
    """A block that a page for a browser has in another form."""

    block: Block


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a list: a sentence, and blocks that belong to it, indented on a terminal."""

    label: str
    """Its first words, which stand out."""
    text: str = ""
    blocks: Sequence[Block] = ()
    indent: int = 3


class Markup(str):
    """A text that is HTML already, such as a picture; only a page for a browser shows it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Drawn:
    """Pictures and tables that only a page for a browser has, made when one is written."""

    make: Callable[[], Iterable[Any]]


Block: TypeAlias = "str | Table | Lines | Plain | Entry | Drawn | Terminal | Markup"
"""A part of a section; a text is a paragraph."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page; it is left out if there is nothing in it."""

    title: str
    blocks: Sequence[Block]
    leads: bool = False
    """True if a short screen has it before all others."""
    name: str = ""
    """Its name on a short screen that has no room for it; its title if left out."""
    heading: str = ""
    """Its title in a browser; else its title, its name, or that of its first table.

    Sections of one heading are one there.
    """
    whole: bool = False
    """True if a short screen neither has nor names it."""

    def tables(self) -> list[Table]:
        """Return the tables that have rows."""
        blocks = (one.block if isinstance(one, Terminal) else one for one in self.blocks)
        return [one for one in blocks if isinstance(one, Table) and one.rows]


def in_browser(section: Section) -> Section:
    """Return a section that only a page for a browser has."""
    return replace(section, blocks=[Drawn(lambda: section.blocks)])


@dataclass(frozen=True, slots=True)
class Browser:
    """First lines of a page in a browser, and facts about it that only a browser has."""

    title: str = ""
    about: Sequence[str] | None = None
    answer: Sequence[str] = ()
    command: Sequence[str] = ()
    """The words of the command that makes the page again."""
    made: Mapping[str, str] = field(default_factory=dict)
    """Facts that decide its numbers, such as the seed and the engine."""
    warned: Sequence[str] | None = None
    """Warnings that the command has printed; None: the page does not list them."""
    first: Sequence[str] = ()
    """Headings that stand before all others."""


@dataclass(frozen=True, slots=True)
class Page:
    """A report before it is written: the answer, then what shows it."""

    title: str
    about: Sequence[str]
    """Lines about the title."""
    answer: Sequence[str]
    sections: Sequence[Section]
    record: Callable[[], dict[str, Any]] = dict
    """Makes the record of its JSON."""
    rows: Callable[[], Iterable[Iterable[Any]]] = tuple
    """Makes the rows of its CSV, the head first."""
    browser: Callable[[], Browser] = Browser
    """Makes what a browser has beside."""


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
    "figure": plain,
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
    """Texts of rows, the foot included."""
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
    """Return whether anything stands in a column; no bytes and no rate are nothing."""
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
    if isinstance(value, ValueInWords):
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
