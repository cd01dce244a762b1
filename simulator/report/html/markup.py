"""Elements of HTML and SVG as text: what comes from outside is escaped, always.

A text becomes markup only by :func:`tag`, so a name of a file or machine cannot become an element.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any, TypeAlias

from simulator.report.lined import printable
from simulator.report.page import Markup

LONGEST = 600
"""Characters of a text from outside; the middle of a longer one is left out."""
ARROW = "\N{RIGHTWARDS ARROW}"
_VOID = {"meta", "link"}


Child: TypeAlias = "str | Iterable[Child] | None"


def tag(name: str, /, *children: Child, **attributes: Any) -> Markup:
    """Return an element; texts are escaped, attributes that are None or False are left out.

    ``class_`` is ``class``, and ``stroke_width`` is ``stroke-width``.

    >>> tag("td", "a < b", class_="n")
    '<td class="n">a &lt; b</td>'
    >>> tag("rect", x=1.25, width="50%")
    '<rect x="1.25" width="50%"></rect>'
    """
    written = "".join(
        f" {key.strip('_').replace('_', '-')}"
        + ("" if value is True else f'="{_attribute(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{written}>")
    return Markup(f"<{name}{written}>{joined(children)}</{name}>")


def joined(children: Child) -> Markup:
    """Return children one after the other; texts among them are escaped."""
    if children is None:
        return Markup()
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return escaped(children)
    return Markup("".join(map(joined, children)))


def escaped(text: str) -> Markup:
    r"""Return a text as it can stand in a page: shortened, without control characters.

    >>> escaped("<b>\x00\udcff")
    '&lt;b&gt;\\x00\\udcff'
    """
    return Markup(escape(printable(shortened(text))))


def full(text: str) -> Markup:
    r"""Return a text as it can stand in a page, whatever its length: a sentence of a report.

    >>> full("<b>\x00")
    '&lt;b&gt;\\x00'
    """
    return text if isinstance(text, Markup) else Markup(escape(printable(text)))


def shortened(text: str, longest: int = LONGEST) -> str:
    """Leave out the middle of a long text.

    >>> shortened("abcdefghij", 7)
    'abc...hij'
    """
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]}...{text[-(longest // 2) :]}"


def _attribute(value: str | float) -> str:
    """Write the value of an attribute; numbers with at most two decimals."""
    if isinstance(value, Markup):  # Numbers that were written here: the points of a line.
        return value
    if isinstance(value, str):
        return escaped(value)
    return f"{value:.2f}".rstrip("0").rstrip(".")


def percent(share: float) -> str:
    """Return a share as a length of SVG.

    >>> percent(0.125)
    '12.5%'
    """
    return f"{100 * share:.2f}".rstrip("0").rstrip(".") + "%"
