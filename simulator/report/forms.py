"""The forms of a page: text, Markdown, JSON, CSV and HTML are all derived from it.

A record for programs says under ``format`` which version of such records it is; a key that changes
its meaning, or goes, makes that :data:`FORMAT` another one. A key may be added at any time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from simulator.csvtext import csv_of
from simulator.report import page as model
from simulator.report.screen import form_text

FORMAT = "report/1"
"""Version of the records of all reports."""


def written(page: model.Page, form: str, *, full: bool = True, below: str = "") -> str:
    """Return a page as ``table``, ``markdown``, ``json``, ``csv`` or ``html``.

    ``full``: the whole table, not what fits a screen; ``below``: a line that follows the table.
    """
    if form == "json":
        return json_text(page.record())
    if form == "csv":
        return csv_of([*page.rows()])
    if form == "markdown":
        return page_markdown(page)
    if form == "html":
        from simulator.report.html.page import page_html

        return page_html(page)
    return form_text(page, full=full, below=below)


# -- Markdown ----------------------------------------------------------------------------------


def page_markdown(page: model.Page) -> str:
    """Write a page in Markdown."""
    blocks = [f"# {_escaped(page.title)}", *map(_escaped, page.about), _listed(page.answer)]
    for section in page.sections:
        filled = list(filter(None, map(_block_markdown, section.blocks)))
        blocks += [f"## {section.title}", *filled] if section.title and filled else filled
    return "\n\n".join(filter(None, blocks)) + "\n"


def _block_markdown(block: model.Block) -> str:
    if isinstance(block, model.Table):
        return table_markdown(block)
    if isinstance(block, model.Lines):
        return _listed(block.lines)
    if isinstance(block, model.Entry):
        parts = (f"{block.label} {block.text}".strip(), *block.blocks)
        return "\n\n".join(filter(None, map(_block_markdown, parts)))
    if isinstance(block, model.Terminal):
        return _block_markdown(block.block)
    if isinstance(block, model.Drawn | model.Markup):
        return ""
    if isinstance(block, model.Plain):
        return f"```\n{block.text}\n```" if block.text else ""
    return _escaped(block)


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {_escaped(line)}" for line in lines)


def table_markdown(table: model.Table) -> str:
    """Write a table in Markdown; nothing if it has no rows."""
    if not table.rows:
        return ""
    made = model.printed(table)
    rule = ["---" if letter == "l" else "---:" for letter in model.align(made.columns)]
    rows = [[_escaped(text.strip()) for text in row] for row in (made.heads, *made.rows)]
    lines = [f"| {' | '.join(row)} |" for row in (rows[0], rule, *rows[1:])]
    below = (model.rest(table, table.most), table.note, table.legend)
    return "\n\n".join(filter(None, ("\n".join(lines), *below)))


def _escaped(text: str) -> str:
    r"""Write a text so that Markdown takes it as it is.

    >>> _escaped("a|b <c> *d*\ne")
    'a\\|b \\<c> \\*d\\* e'
    """
    plain = " ".join(text.split())
    return "".join(f"\\{one}" if one in "\\|<*_`[" else one for one in plain)


# -- JSON --------------------------------------------------------------------------------------


def json_text(record: dict[str, Any] | Sequence[dict[str, Any]]) -> str:
    """Write a record, or several, for programs."""
    many = [versioned(one) for one in ([record] if isinstance(record, dict) else record)]
    made = many[0] if isinstance(record, dict) else many
    return json_of(made, indent=2) + "\n"


def json_of(value: object, indent: int | None = None) -> str:
    """Write a value as JSON, in Unicode where that prints."""
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one == "\n" else json.dumps(one)[1:-1] for one in text
    )


def versioned(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with its version, unless it says one itself."""
    return {"format": FORMAT, **record}


def picked(one: object, keys: str) -> dict[str, Any]:
    """Return some attributes of an object as a part of a record."""
    return {key: getattr(one, key) for key in keys.split()}


def tables_record(tables: Iterable[model.Table]) -> dict[str, list[dict[str, Any]]]:
    """Return tables for programs: all rows and columns, in base units."""
    return {table.name: [_row(table, row) for row in table.rows] for table in tables}


def _row(table: model.Table, row: Sequence[Any]) -> dict[str, Any]:
    return {column.key: _raw(value) for column, value in zip(table.columns, row, strict=True)}


def _raw(value: Any) -> Any:
    if isinstance(value, model.ValueInWords):
        value = value.value
    return round(value, 9) if isinstance(value, float) else value
