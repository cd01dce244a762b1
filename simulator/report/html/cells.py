"""Tables of a page: cells with a text for people and the exact number for programs.

A number stands in a ``data`` element, ``<data value="35127345678">35.1 s</data>``: times in ns,
sizes in bytes, rates in bytes per second, shares as fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from simulator.report import page
from simulator.report.html.markup import Markup, joined, tag
from simulator.report.quantity import cell as quantity_cell
from simulator.report.quantity import in_one_unit
from simulator.wording import percent

if TYPE_CHECKING:
    from simulator.report.scales import Quantity

Cell: TypeAlias = str
"""A text, or the :class:`Markup` of a number."""
NOTHING = "-"
_ALIGNS = {"text": "l", "sentence": "w"}
_CLASSES = {"r": "n", "w": "w"}


def number(value: float, text: str) -> Markup:
    """Return a number as people read it, with its exact value."""
    return tag("data", text, value=repr(value))


class Measured(Markup):
    """A time, a size or a rate: in a table all of a column have one unit."""

    text: str
    value: float


def _measured(quantity: Quantity, value: float | None) -> Cell:
    if value is None:
        return NOTHING
    text = quantity_cell(quantity, value)
    made = Measured(number(value, text))
    made.text, made.value = text, value
    return made


def time(time_ns: float | None) -> Cell:
    """Return a time given in ns."""
    return _measured("time", time_ns)


def size(size_bytes: int | None) -> Cell:
    """Return a size; a dash for nothing."""
    return _measured("size", size_bytes or None)


def rate(rate_bps: float | None) -> Cell:
    """Return a rate given in bytes per second; a dash for none."""
    return _measured("rate", rate_bps or None)


def _in_one_unit(column: Sequence[Cell]) -> list[Cell]:
    """Return the cells of a column with all quantities in one unit."""
    texts = in_one_unit([one.text if isinstance(one, Measured) else one for one in column])
    return [
        number(one.value, text) if isinstance(one, Measured) else one
        for one, text in zip(column, texts, strict=True)
    ]


def count(many: int | None) -> Cell:
    """Return a number of things."""
    return NOTHING if many is None else number(many, f"{many:,}")


def share(part: float | None) -> Cell:
    """Return a fraction of 1 in percent."""
    return NOTHING if part is None else number(part, percent(part, 1).replace("-0.0", "0.0"))


def plain(value: object) -> Cell:
    """Return a text or a number as it is written in JSON."""
    if value is None:
        return NOTHING
    if isinstance(value, (int, float)):
        text = f"{value:,.6g}" if isinstance(value, float) else f"{value:,}"
        return number(value, text)
    return str(value)


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the first cell of each row names it."""

    caption: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    align: str
    """``l`` or ``r`` for each column; ``w`` for one with sentences, which is wider."""
    foot: Sequence[Cell] = ()
    """The sum, if there is one."""
    marked: Sequence[int] = ()
    """Rows that stand out, by their place."""
    note: str = ""
    """What was left out, or what words mean."""
    name: str = ""
    """For programs: the ``id`` of the table, after ``table-``."""
    headed: bool = False
    """Whether a heading above it says what its caption says, which is then for screen readers."""

    def without_empty(self) -> Table:
        """Leave out the columns in which no row has anything."""
        kept = [
            place
            for place in range(len(self.head))
            if not place or any(row[place] not in ("", NOTHING) for row in self.rows)
        ]
        rows = [[row[place] for place in kept] for row in self.rows]
        foot = [self.foot[place] for place in kept] if self.foot else ()
        align = "".join(self.align[place] for place in kept)
        return replace(self, head=[self.head[p] for p in kept], rows=rows, align=align, foot=foot)

    def markup(self) -> Markup:
        """Return the table, in a box that scrolls where the page is narrower."""
        classes = [_CLASSES.get(letter) for letter in self.align]
        head = [
            tag("th", text, scope="col", class_=one)
            for text, one in zip(self.head, classes, strict=True)
        ]
        marked = set(self.marked)
        lines = [*self.rows, self.foot] if self.foot else [*self.rows]
        lines = list(zip(*map(_in_one_unit, zip(*lines, strict=True)), strict=True))
        last = lines.pop() if self.foot else ()
        body = [
            _row(row, classes, "best" if place in marked else None)
            for place, row in enumerate(lines)
        ]
        foot = tag("tfoot", _row(last, classes, None)) if last else None
        whole = tag(
            "table",
            tag("caption", self.caption, class_="unseen" if self.headed else None),
            tag("thead", tag("tr", head)),
            tag("tbody", body),
            foot,
            id=f"table-{self.name}" if self.name else None,
        )
        about = {"role": "region", "tabindex": "0", "aria_label": self.caption}
        note = tag("p", self.note, class_="note") if self.note else None
        return Markup(tag("div", whole, class_="scroll", **about) + (note or ""))


def table(one: page.Table, *, marks: Sequence[Markup] = (), headed: bool = False) -> Markup:
    """Return a table of the model; ``marks`` stand before the names of the first rows."""
    if not one.rows:
        return Markup()
    made = page.printed(one)
    lines = zip(made.values, made.rows, strict=True)
    rows = [list(map(_shown, values, texts)) for values, texts in lines]
    for row, mark in zip(rows, marks, strict=False):
        row[0] = joined((mark, row[0]))
    foot = rows.pop() if one.foot else ()
    align = "".join(_ALIGNS.get(column.kind, "r") for column in made.columns)
    note = " ".join(filter(None, (page.rest(one, one.most), one.note, one.legend)))
    return Table(
        one.title, made.heads, rows, align, foot, one.marked, note, one.name, headed
    ).markup()


def _shown(value: Any, text: str) -> Cell:
    """Return a cell: a number with its exact value."""
    if isinstance(value, page.Said):
        value = value.value
    return number(value, text.strip()) if isinstance(value, (int, float)) else text


def _row(cells: Sequence[Cell], classes: Sequence[str | None], marked: str | None) -> Markup:
    first, *others = zip(cells, classes, strict=True)
    row = [tag("th", first[0], scope="row", class_=first[1])]
    row += [tag("td", cell, class_=one) for cell, one in others]
    return tag("tr", row, class_=marked)
