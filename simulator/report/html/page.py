"""A page as HTML: the answer, then the sections of the model. The same input gives the same bytes.

A number in a table stands in a ``data`` element, with a text for people and the exact value for
programs, ``<data value="35127345678">35.1 s</data>``: times in ns, sizes in bytes, rates in bytes
per second, shares as fractions. There is no date.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from html import escape
from textwrap import dedent
from typing import Any

from simulator.report import page as model
from simulator.report.html.markup import full, joined, tag
from simulator.report.html.style import STYLE
from simulator.report.html.svg import PATTERNS, Bar, bar_rows, key, mark
from simulator.report.lined import first_of, printable
from simulator.report.page import Markup
from simulator.report.versions import versions
from simulator.wording import command_line

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""For browsers: this page loads nothing, and runs nothing."""
_ICON = "data:,"
"""An empty icon: else a browser would ask the server for one."""
MADE = "How this was made"


def page_html(page: model.Page) -> str:
    """Write a page for a browser: title, lines about it, the answer, the sections."""
    browser = page.browser()
    title, about = browser.title or page.title, browser.about
    if about is None:
        about = page.about if title == page.title else (page.title, *page.about)
    kept = [(heading, text) for heading, text in _sections(page, browser) if text]
    answer = [" ".join(line.split()) for line in browser.answer or page.answer]
    links = [tag("a", heading, href=f"#{_anchor(heading)}") for heading, _ in kept]
    head = [
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="generator", content="nwtsim"),
        tag("title", title),
        tag("link", rel="icon", href=_ICON),
        Markup(f"<style>\n{STYLE}</style>"),
    ]
    box = {"class_": "answer", "id": "answer", "role": "region", "aria_label": "answer"}
    body = [
        tag("header", tag("h1", title), [tag("p", line, class_="about") for line in about if line]),
        tag(
            "main",
            tag("div", [tag("p", full(line)) for line in answer if line], **box),
            tag("nav", [(link, " ") for link in links], aria_label="sections"),
            Markup("\n"),
            [
                Markup(f"{tag('section', tag('h2', heading), text, id=_anchor(heading))}\n")
                for heading, text in kept
            ],
        ),
    ]
    if any("url(#waiting)" in text for _, text in kept):
        body.insert(0, PATTERNS)
    whole = tag("html", tag("head", head), Markup("\n"), tag("body", body), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def _sections(page: model.Page, browser: model.Browser) -> list[tuple[str, Markup]]:
    """Return what stands under each heading, in the order of their first sections."""
    blocks: dict[str, list[model.Block]] = {name: [] for name in browser.first}
    for one in (each for each in page.sections if each.blocks):
        blocks.setdefault(_heading(one), []).extend(one.blocks)
    if browser.warned is not None:
        listed = blocks.setdefault(model.ASSUMPTIONS, [])
        listed += [heading("Warnings"), warnings(browser.warned)]
    blocks[MADE] = made_by(browser)
    return [(name, joined(_block(one, name) for one in some)) for name, some in blocks.items()]


def _heading(one: model.Section) -> str:
    if title := one.heading or one.title:
        return title
    name = one.name or next((table.title for table in one.tables()), model.ASSUMPTIONS)
    return name[:1].upper() + name[1:]


def _anchor(heading: str) -> str:
    """Return the ``id`` of a section.

    >>> _anchor("What limits")
    'what-limits'
    """
    return "".join(letter if letter.isalnum() else "-" for letter in heading.lower())


def _block(block: model.Block, title: str) -> Markup:
    """Return a part of a section; what a table's caption says need not stand below the same."""
    if isinstance(block, model.Table):
        named = replace(block, title=block.title or title, name=block.name or _anchor(title))
        return table(named, headed=named.title == title)
    if isinstance(block, model.Lines):
        return joined([tag("p", full(line)) for line in block.lines if line])
    if isinstance(block, model.Drawn):
        return joined([_block(one, title) for one in block.make()])
    if isinstance(block, model.Entry):
        return _entry(block, title)
    if isinstance(block, model.Plain):
        return code(dedent(block.text)) if block.text else Markup()
    if isinstance(block, model.Terminal):
        return Markup()
    return joined(block) if isinstance(block, Markup) or not block else tag("p", full(block))


def _entry(entry: model.Entry, title: str) -> Markup:
    """Return an item; a label that the heading has need not stand below it."""
    label = "" if entry.label.removesuffix(":") == title else entry.label
    head = tag("p", tag("strong", label), " " * bool(label), full(entry.text))
    made = [_block(_laid_out(one), title) for one in entry.blocks]
    return joined([head if label or entry.text else "", made])


def _laid_out(block: model.Block) -> model.Block:
    """Return a text with lines of its own, such as a part of a program, so that it keeps them."""
    if isinstance(block, str) and not isinstance(block, Markup) and "\n" in block:
        return model.Plain(block)
    return block


def note(text: str) -> Markup:
    """Return a paragraph in small letters."""
    return tag("p", text, class_="note")


def heading(text: str) -> Markup:
    """Return the heading of a part of a section."""
    return tag("h3", text)


def figure(drawn: Markup, caption: str | None = None) -> Markup:
    """Return a picture with what is said below it."""
    return tag("figure", drawn, None if caption is None else tag("figcaption", caption))


def bars(listed: Sequence[Bar], about: str, caption: str, **how: Any) -> Markup:
    """Return bars below each other; the text that stands for them has their names and numbers."""
    told = "; ".join(f"{name}: {number}" for name, number, _ in listed)
    return figure(bar_rows(listed, f"{about}{told}", **how), caption)


def code(text: str) -> Markup:
    """Return commands that can be copied; they are not shortened."""
    lines = "\n".join(escape(printable(line)) for line in text.split("\n"))
    return tag("pre", tag("code", Markup(lines)))


def table(one: model.Table, *, headed: bool = False) -> Markup:
    """Return a table, in a box that scrolls where the page is narrower; nothing without rows.

    A table that is ``headed`` has a heading above it that says what its caption says, which is
    then for screen readers.
    """
    if not one.rows:
        return Markup()
    made = model.printed(one)
    kinds = [column.kind for column in made.columns]
    classes = [
        "w" if kind == "sentence" else None if kind in model.WORDS else "n" for kind in kinds
    ]
    lines = zip(made.values, made.rows, strict=True)
    rows = [list(map(_shown, kinds, values, texts)) for values, texts in lines]
    for place, row in enumerate(rows[: one.keys]):
        row[0] = joined((key(*mark(place)), row[0]))
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
    note = " ".join(filter(None, (model.rest(one, one.most), one.note, one.legend)))
    below = tag("p", note, class_="note") if note else ""
    return Markup(tag("div", whole, class_="scroll", **about) + below)


def _shown(kind: model.Kind, value: Any, text: str) -> str:
    """Return a cell: a number with its exact value, a sentence as long as it is."""
    if isinstance(value, model.ValueInWords):
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


MOST_WARNINGS = 50


def bulleted(lines: Sequence[str], most: int, noun: str) -> Markup:
    """Return a list of the first lines, which counts the others."""
    return tag("ul", [tag("li", line) for line in first_of(lines, most, noun)])


def warnings(lines: Iterable[str]) -> str:
    """List the warnings of a run; say so if there are none."""
    every = list(dict.fromkeys(lines))
    return bulleted(every, MOST_WARNINGS, "more warning") if every else "No warnings."


def made_by(browser: model.Browser) -> list[model.Block]:
    """State which command makes a page again, with which versions."""
    pairs = [*browser.made.items()]
    pairs += [(f"version of {name}", text) for name, text in versions().items()]
    listed = tag("dl", [(tag("dt", name), tag("dd", text)) for name, text in pairs])
    return [code(command_line(*browser.command)) if browser.command else "", listed]
