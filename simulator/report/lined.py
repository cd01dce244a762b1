"""Tables of texts for people: columns in line, and no blanks at the ends of lines.

They look as those of tabulate, whose import would take longer than most runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from simulator.report.scales import in_one_unit

Row = Sequence[str]
_LEAST = 40
"""Narrower than that no paragraph is."""


def table(head: Row, rows: Sequence[Row], align: str) -> str:
    """Write a table; ``align`` has ``l`` or ``r`` for each column. Quantities get one unit in each.

    >>> print(table(["part", "busy"], [["nic", "9 %"], ["disk", "10 %"]], "lr"))
    part      busy
    ------  ------
    nic        9 %
    disk      10 %
    """
    columns = [(name, *in_one_unit(cells)) for name, *cells in zip(head, *rows, strict=True)]
    widths = [max([_width(name) + 2, *map(_width, cells)]) for name, *cells in columns]
    head, *rows = zip(*columns, strict=True)
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join("  ".join(map(_placed, line, widths, align)).rstrip() for line in lines)


def _placed(text: str, width: int, align: str) -> str:
    blanks = " " * (width - _width(text))
    return f"{blanks}{text}" if align == "r" else f"{text}{blanks}"


def _width(text: str) -> int:
    """Return how many columns of a terminal a text takes: some characters take two, some none."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    shown = (one for one in text if category(one) not in ("Mn", "Me", "Cf"))
    return sum(2 if east_asian_width(one) in ("W", "F") else 1 for one in shown)


def wrapped(text: str, width: int = 100) -> str:
    """Break a paragraph into lines, of the terminal's width if that is less."""
    import textwrap

    width = min(width, max(_LEAST, columns(width)))
    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)


def columns(otherwise: int) -> int:
    """Return the columns that there are: as COLUMNS says, or the terminal's; ``otherwise`` if none.

    A file or a pipe has as many as one likes.
    """
    said = os.environ.get("COLUMNS", "")
    if said.isascii() and said.isdecimal() and len(said) < 6 and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or otherwise
    except (AttributeError, OSError, ValueError):  # No terminal, or no file at all.
        return otherwise


def printable(text: str) -> str:
    r"""Write what cannot be printed as escapes.

    >>> print(printable("a\nb"))
    a\nb
    """
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
        for letter in text
    )


def shortened(text: str, longest: int = 60) -> str:
    """Shorten a long name in its middle, and write what cannot be printed as escapes.

    >>> shortened("/a/very/long/name.nc", 12)
    '/a/v...me.nc'
    """
    plain = printable(text)
    if len(plain) <= longest:
        return plain
    front = (longest - 3) // 2
    return f"{plain[:front]}...{plain[len(plain) - (longest - 3 - front) :]}"
