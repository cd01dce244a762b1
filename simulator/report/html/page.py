"""A page as HTML: the answer, then the sections of the model. The same input gives the same bytes.

A number in a table stands in a ``data`` element, with a text for people and the exact value for
programs, ``<data value="35127345678">35.1 s</data>``: times in ns, sizes in bytes, rates in bytes
per second, shares as fractions. There is no date.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from simulator.report.html.markup import full, joined, tag
from simulator.report.html.style import STYLE
from simulator.report.html.svg import PATTERNS
from simulator.report.lined import printable
from simulator.report.page import (
    WORDS,
    Block,
    Column,
    Kind,
    Lines,
    Markup,
    Plain,
    Said,
    Section,
    Table,
    printed,
    rest,
)
from simulator.report.versions import versions
from simulator.wording import command_line, counted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simulator.config.sources import FromFile


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""For browsers: this page loads nothing, and runs nothing."""
_ICON = "data:,"
"""An empty icon: else a browser would ask the server for one."""


def _markup(one: Section) -> Markup:
    """Return a section, which links can point to; nothing if there is nothing in it."""
    inside = joined(_block(block, one.title) for block in one.blocks)
    return tag("section", tag("h2", one.title), inside, id=_anchor(one)) if inside else inside


def _anchor(one: Section) -> str:
    """Return the ``id`` of a section.

    >>> _anchor(Section("What limits", []))
    'what-limits'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in one.title.lower())


def _block(block: Block, title: str) -> Markup:
    """Return a part of a section; what a table's caption says need not stand below the same."""
    if isinstance(block, Table):
        named = block if block.title else replace(block, title=title)
        return table(named, headed=named.title == title)
    if isinstance(block, Lines):
        return joined([tag("p", full(line)) for line in block.lines if line])
    if isinstance(block, Plain):
        return code(block.text) if block.text else Markup()
    return joined(block) if isinstance(block, Markup) or not block else tag("p", full(block))


def page(
    title: str, about: Sequence[str], answer: Iterable[str], sections: Iterable[Section]
) -> str:
    """Return a whole page: title, a line or two about it, the answer, the sections."""
    made = [(one, _markup(one)) for one in sections]
    kept = [(one, text) for one, text in made if text]
    paragraphs = [tag("p", full(line)) for line in answer if line]
    links = [tag("a", one.title, href=f"#{_anchor(one)}") for one, _ in kept]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="generator", content="nwtsim"),
        tag("title", title),
        tag("link", rel="icon", href=_ICON),
        Markup(f"<style>\n{STYLE}</style>"),
    ]
    body = [
        tag("header", tag("h1", title), [tag("p", line, class_="about") for line in about]),
        tag(
            "main",
            tag(
                "div", paragraphs, class_="answer", id="answer", role="region", aria_label="answer"
            ),
            tag("nav", [(link, " ") for link in links], aria_label="sections"),
            Markup("\n"),
            [Markup(f"{text}\n") for _, text in kept],
        ),
    ]
    if any("url(#waiting)" in text for _, text in kept):
        body.insert(0, PATTERNS)
    whole = tag("html", tag("head", head), Markup("\n"), tag("body", body), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def note(text: str) -> Markup:
    """Return a paragraph in small letters."""
    return tag("p", text, class_="note")


def heading(text: str) -> Markup:
    """Return the heading of a part of a section."""
    return tag("h3", text)


def figure(drawn: Markup, caption: str | None = None) -> Markup:
    """Return a picture with what is said below it."""
    return tag("figure", drawn, None if caption is None else tag("figcaption", caption))


def code(text: str) -> Markup:
    """Return commands that can be copied; they are not shortened."""
    lines = "\n".join(escape(printable(line)) for line in text.split("\n"))
    return tag("pre", tag("code", Markup(lines)))


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
    rows = [list(map(_shown, kinds, values, texts)) for values, texts in lines]
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


def _shown(kind: Kind, value: Any, text: str) -> str:
    """Return a cell: a number with its exact value, a sentence as long as it is."""
    if isinstance(value, Said):
        value = value.value
    is_number = isinstance(value, (int, float))
    if is_number:
        return tag("data", text.strip(), value=repr(value))
    return full(text) if kind == "sentence" else text


def _row(cells: Sequence[str], classes: Sequence[str | None], marked: str | None) -> Markup:
    first, *others = zip(cells, classes, strict=True)
    row = [tag("th", first[0], scope="row", class_=first[1])]
    row += [tag("td", cell, class_=one) for cell, one in others]
    return tag("tr", row, class_=marked)


MOST_VALUES = 150
MOST_WARNINGS = 50
WEAK = {
    "unstated": "unsourced",
    "assumed": "assumed",
    "calibrated": "calibrated",
    "set by the user": "set by the user",
}
"""Sources that are listed value by value, the weakest first."""


def sources(counts: Mapping[str, int], files: Sequence[FromFile]) -> list[Table]:
    """Count the values by source, and list those without a published one."""
    if not counts:
        return []
    rows = [["unsourced" if kind == "unstated" else kind, many] for kind, many in counts.items()]
    head = [Column("source", "source"), Column("values", "values", "count")]
    weak = [
        Column("value", "value"),
        Column("is", ""),
        Column("source", "source"),
        Column("note", "note", "sentence"),
    ]
    return [
        Table("sources", "Sources of the values", head, rows),
        Table(
            "values",
            "Values that are unsourced, assumed, calibrated or set by the user",
            weak,
            _weak(files),
            noun="value",
            most=MOST_VALUES,
            whole=True,
        ),
    ]


def _weak(files: Sequence[FromFile]) -> list[list[str]]:
    from simulator.config.sources import provenance

    order = list(WEAK)
    rows = [
        (order.index(one.kind), [f"{kind}{one.path}", one.value, _source(one), one.note])
        for kind, file in zip(("machine.", "workload."), files, strict=False)
        for one in provenance(file)
        if one.kind in WEAK
    ]
    return [row for _, row in sorted(rows, key=lambda row: row[0])]


def _source(one: object) -> str:
    kind, detail = (str(getattr(one, name)) for name in ("kind", "detail"))
    return f"{WEAK[kind]} {detail}".rstrip()


def bulleted(lines: Sequence[str], most: int, noun: str) -> Markup:
    """Return a list of the first lines, which counts the others."""
    more = len(lines) - most
    shown = [*lines[:most], *([f"and {counted(more, noun)}"] if more > 0 else [])]
    return tag("ul", [tag("li", line) for line in shown])


def warnings(lines: Iterable[str]) -> str:
    """List the warnings of a run; say so if there are none."""
    every = list(dict.fromkeys(lines))
    return bulleted(every, MOST_WARNINGS, "more warning") if every else "No warnings."


def made_by(command: Sequence[str], about: Mapping[str, str]) -> Section:
    """Say which command makes this page again, with which versions."""
    pairs = [*about.items(), *((f"version of {name}", text) for name, text in versions().items())]
    listed = tag("dl", [(tag("dt", name), tag("dd", text)) for name, text in pairs])
    return Section("How this was made", [code(command_line(*command)) if command else "", listed])
