"""Tables of the model as HTML: cells with a text for people and the exact number for programs.

A number stands in a ``data`` element, ``<data value="35127345678">35.1 s</data>``: times in ns,
sizes in bytes, rates in bytes per second, shares as fractions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.report.html.markup import Markup, joined, tag
from simulator.report.page import WORDS, Said, Table, printed, rest


def number(value: float, text: str) -> Markup:
    """Return a number as people read it, with its exact value."""
    return tag("data", text, value=repr(value))


def table(one: Table, *, marks: Sequence[Markup] = (), headed: bool = False) -> Markup:
    """Return a table, in a box that scrolls where the page is narrower; nothing without rows.

    ``marks`` stand before the names of the first rows. A table that is ``headed`` has a heading
    above it that says what its caption says, which is then for screen readers.
    """
    if not one.rows:
        return Markup()
    made = printed(one)
    kinds = [column.kind for column in made.columns]
    classes = ["w" if kind == "sentence" else None if kind in WORDS else "n" for kind in kinds]
    lines = zip(made.values, made.rows, strict=True)
    rows = [list(map(_shown, values, texts)) for values, texts in lines]
    for row, mark in zip(rows, marks, strict=False):
        row[0] = joined((mark, row[0]))
    heads = zip(made.heads, classes, strict=True)
    last = rows.pop() if one.foot else []
    marked = set(one.marked)
    body = [_row(row, classes, "best" if n in marked else None) for n, row in enumerate(rows)]
    whole = tag(
        "table",
        tag("caption", one.title, class_="unseen" if headed else None),
        tag(
            "thead", tag("tr", [tag("th", text, scope="col", class_=name) for text, name in heads])
        ),
        tag("tbody", body),
        tag("tfoot", _row(last, classes, None)) if last else None,
        id=f"table-{one.name}",
    )
    about = {"role": "region", "tabindex": "0", "aria_label": one.title}
    note = " ".join(filter(None, (rest(one, one.most), one.note, one.legend)))
    below = tag("p", note, class_="note") if note else ""
    return Markup(tag("div", whole, class_="scroll", **about) + below)


def _shown(value: Any, text: str) -> str:
    """Return a cell: a number with its exact value."""
    if isinstance(value, Said):
        value = value.value
    return number(value, text.strip()) if isinstance(value, (int, float)) else text


def _row(cells: Sequence[str], classes: Sequence[str | None], marked: str | None) -> Markup:
    first, *others = zip(cells, classes, strict=True)
    row = [tag("th", first[0], scope="row", class_=first[1])]
    row += [tag("td", cell, class_=one) for cell, one in others]
    return tag("tr", row, class_=marked)
