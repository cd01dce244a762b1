"""Tables of a page: cells with a text for people and the exact number for programs.

A number stands in a ``data`` element, ``<data value="35127345678">35.1 s</data>``: times in ns,
sizes in bytes, rates in bytes per second, shares as fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from simulator.report.html.markup import Markup, tag
from simulator.units import format_rate, format_time
from simulator.wording import about_size, percent

Cell: TypeAlias = str
"""A text, or the :class:`Markup` of a number."""
NOTHING = "-"
_CLASSES = {"r": "n", "w": "w"}


def number(value: float, text: str) -> Markup:
    """Return a number as people read it, with its exact value."""
    return tag("data", text, value=repr(value))


def time(time_ns: float | None) -> Cell:
    """Return a time given in ns."""
    return NOTHING if time_ns is None else number(time_ns, format_time(time_ns))


def size(size_bytes: int | None) -> Cell:
    """Return a size; a dash for nothing."""
    return number(size_bytes, about_size(size_bytes)) if size_bytes else NOTHING


def rate(rate_bps: float | None) -> Cell:
    """Return a rate given in bytes per second; a dash for none."""
    return number(rate_bps, format_rate(rate_bps).partition(" (")[0]) if rate_bps else NOTHING


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
        body = [
            _row(row, classes, "best" if place in marked else None)
            for place, row in enumerate(self.rows)
        ]
        foot = tag("tfoot", _row(self.foot, classes, None)) if self.foot else None
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


def _row(cells: Sequence[Cell], classes: Sequence[str | None], marked: str | None) -> Markup:
    first, *others = zip(cells, classes, strict=True)
    row = [tag("th", first[0], scope="row", class_=first[1])]
    row += [tag("td", cell, class_=one) for cell, one in others]
    return tag("tr", row, class_=marked)
