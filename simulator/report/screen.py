"""A page for a terminal: whole, or what a reader needs first, in at most 40 lines.

Of the short form the title, the answer and the sections that lead stand first, their tables cut to
the rows that weigh most and to the columns that there is room for; then whatever else fits. The
last lines say what is left out, which ``--full`` shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from simulator.report import lined
from simulator.report import page as model
from simulator.wording import counted

LINES = 40
NARROW = 80
"""Columns of paragraphs that are laid out for an old terminal."""


class Cut(NamedTuple):
    """Limits of the parts of a page that are shown."""

    rows: int
    """Rows of each table and list."""
    blocks: int = 9
    """Blocks of each section."""
    lines: int = 12
    """Lines of the answer."""


_CUTS = (
    *(Cut(32), Cut(20), Cut(12), Cut(8), Cut(6, 3), Cut(4, 3), Cut(4, 1)),
    *(Cut(3, 1), Cut(3, 1, 6), Cut(3, 1, 4), Cut(2, 1, 4), Cut(1, 1, 3), Cut(1, 1, 2)),
)
"""The most first."""
_FEW = 3
"""The first of these for a page that has more than leads: 8 rows."""
_FEWEST = 7
"""The last of these that is worth its place in a section that does not lead is before that."""


# -- whole --------------------------------------------------------------------------------------


def page_text(page: model.Page) -> str:
    """Write a page for a terminal."""
    blocks = ["\n".join((page.title, *page.about)), "\n".join(page.answer)]
    for section in page.sections:
        filled = list(filter(None, map(block_text, section.blocks)))
        blocks += [section.title, *filled] if section.title and filled else filled
    return "\n\n".join(filter(None, blocks)) + "\n"


def block_text(block: model.Block, rows: int | None = None) -> str:
    """Write a block for a terminal; of lists and tables so many ``rows``, None: all."""
    if isinstance(block, model.Table):
        return table_text(block) if rows is None else _table(block, rows)
    if isinstance(block, model.Lines):
        if block.narrow:
            return "\n".join(map(_narrow, block.lines))
        return "\n".join(map(lined.wrapped, _first(block.lines, rows)))
    if isinstance(block, model.Entry):
        return "\n".join(_entry(block))
    if isinstance(block, model.Terminal):
        return block_text(block.block, rows)
    if isinstance(block, model.Drawn | model.Markup):
        return ""
    return block.text if isinstance(block, model.Plain) else lined.wrapped(block)


def _narrow(text: str) -> str:
    """Break a paragraph into lines, none of them between a number and its percent sign."""
    return lined.wrapped(text.replace(" %", "\0%"), NARROW).replace("\0%", " %")


def _entry(entry: model.Entry) -> Iterator[str]:
    """Yield the lines of an item."""
    before = " " * entry.indent
    if head := f"{entry.label} {entry.text}".strip():
        yield lined.wrapped(head)
    for block in entry.blocks:
        if isinstance(block, str) and block and not isinstance(block, model.Markup):
            for part in block.split("\n"):
                yield lined.wrapped(f"{before}{part}", within=entry.indent)
        elif text := block_text(block):
            yield from (f"{before}{line}" for line in text.split("\n"))


def table_text(table: model.Table) -> str:
    """Write a table for a terminal; nothing if it has no rows there."""
    if not table.rows[: table.brief]:
        return ""
    made = model.printed(table, terminal=True)
    text = lined.table(made.heads, made.rows, model.align(made.columns))
    return "\n".join(filter(None, (text, model.rest(table, table.brief), table.note)))


# -- short --------------------------------------------------------------------------------------


def form_text(page: model.Page, *, full: bool, below: str = "") -> str:
    """Write a page for a terminal: whole, or what fits a screen with what stands ``below`` it."""
    room = LINES - (_height(below) if below else 0)
    text = page_text(page) if full else screen_text(page, room)
    return f"{text}\n{below}\n" if below else text


def screen_text(page: model.Page, lines: int = LINES) -> str:
    """Write what a reader needs first of a page, in so many lines of the terminal's width."""
    about = "\n".join(page.about)
    sections = [one for one in page.sections if not one.whole and _section(one, _CUTS[0])]
    room = lines + 1 - _height(page.title) - _height(_foot(about, sections))
    leading = [one for one in sections if one.leads]
    cuts = _CUTS if len(leading) == len(sections) else _CUTS[_FEW:]
    answer, texts = _leading(page.answer, leading, cuts, room)
    room -= sum(map(_height, (answer, *texts.values())))
    for one in (one for one in sections if not one.leads):
        fit = (text for cut in cuts[:_FEWEST] if _height(text := _section(one, cut)) <= room)
        if text := next(fit, ""):
            texts[id(one)] = text
            room -= _height(text)
    shown = [texts[id(one)] for one in sections if id(one) in texts]
    left = [one for one in sections if id(one) not in texts]
    return "\n\n".join(filter(None, (page.title, answer, *shown, _foot(about, left)))) + "\n"


def _leading(
    answer: Sequence[str], sections: Sequence[model.Section], cuts: Sequence[Cut], room: int
) -> tuple[str, dict[int, str]]:
    """Return the answer and the texts of sections, cut until they fit; at last without some."""
    for cut in cuts:
        told = block_text(model.Lines(answer), cut.lines)
        texts = {id(one): _section(one, cut) for one in sections}
        if sum(map(_height, (told, *texts.values()))) <= room:
            return told, texts
    return _leading(answer, sections[:-1], cuts, room) if sections else (told, {})


def _foot(about: str, left: Sequence[model.Section]) -> str:
    """Name the sections that are left out; what decides the result stands below."""
    names = ", ".join(dict.fromkeys(map(_name, left)))
    return "\n".join(
        filter(None, (lined.wrapped(f"(--full has more: {names})") if names else "", about))
    )


def _name(section: model.Section) -> str:
    return (
        section.name
        or section.title
        or next((one.title for one in section.tables() if one.title), "notes")
    )


def _height(text: str) -> int:
    """Return the lines of a block on the terminal, with the blank one below it."""
    return lined.fitted(text).count("\n") + 2 if text else 0


def _section(section: model.Section, cut: Cut) -> str:
    """Return the text of a section whose tables, lists and blocks are cut."""
    texts = [text for one in section.blocks if (text := block_text(one, cut.rows))]
    more = len(texts) - cut.blocks
    title = f"{section.title}\n" if section.title and texts else ""
    beside = f"\n({counted(more, 'more part')}: --full)" if more > 0 else ""
    return title + "\n\n".join(texts[: cut.blocks]) + beside


def _first(lines: Sequence[str], most: int | None) -> list[str]:
    """Return some lines, and how many there are besides."""
    more = 0 if most is None else len(lines) - most
    return [*lines[:most], *([f"({counted(more, 'more line')}: --full)"] if more > 0 else [])]


def _table(table: model.Table, rows: int) -> str:
    """Write a table with the rows that weigh most, and the first columns, as far as they fit."""
    kept = _largest(table, rows if table.brief is None else min(rows, table.brief))
    if not kept:
        return ""
    made = model.printed(replace(table, rows=kept, brief=None), terminal=True)
    text, *beside = lined.parts(made.heads, made.rows, model.align(made.columns))
    more = len(table.rows) - len(kept)
    told = [counted(more, f"more {table.noun}")] if more and table.noun else []
    told += ["further columns"] if beside else []
    if told:
        return f"{text}\n({', '.join(told)}: --full)"
    return "\n".join(filter(None, (text, table.note)))


def _largest(table: model.Table, rows: int) -> list[Sequence[Any]]:
    """Return the rows with the largest values of the column that weighs them, in their order."""
    weight = table.weight or None
    place = next((n for n, one in enumerate(table.columns) if one.key == weight), None)
    order = [*range(len(table.rows))]
    if place is not None:
        order.sort(key=lambda one: -_weight(table.rows[one][place]))
    return [table.rows[one] for one in sorted(order[:rows])]


def _weight(value: Any) -> float:
    return (value.value if isinstance(value, model.ValueInWords) else value) or 0
