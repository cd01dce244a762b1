"""Lines and tables as unstyled HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

Rows = Iterable[Sequence[str]]


def shown(lines: Sequence[str], *tables: tuple[Sequence[str], Rows]) -> str:
    """Return lines, the first of them bold, and tables of heads and rows."""
    head, *rest = map(escape, lines)
    made = "".join(_table(*one) for one in tables)
    return f"<div><b>{head}</b><br>{'<br>'.join(rest)}{made}</div>"


def _table(heads: Sequence[str], rows: Rows) -> str:
    body = "".join(f"<tr>{_cells('td', row)}</tr>" for row in rows)
    top = f"<thead><tr>{_cells('th', heads)}</tr></thead>" if heads else ""
    return f"<table>{top}<tbody>{body}</tbody></table>" if body else ""


def _cells(name: str, texts: Sequence[str]) -> str:
    return "".join(f"<{name}>{escape(one)}</{name}>" for one in texts)
