"""Tables of texts for people: columns in line, and no blanks at the ends of lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Row = Sequence[str]


def table(head: Row, rows: Sequence[Row], align: str) -> str:
    """Write a table; ``align`` has ``l`` or ``r`` for each column.

    >>> print(table(["part", "busy"], [["nic", "9 %"], ["disk", "10 %"]], "lr"))
    part      busy
    ------  ------
    nic        9 %
    disk      10 %
    """
    from tabulate import tabulate

    words = {"l": "left", "r": "right"}
    as_they_are: dict[str, Any] = {"disable_numparse": True, "preserve_whitespace": True}
    text = tabulate(
        [list(row) for row in rows],
        headers=list(head),
        colalign=[words[letter] for letter in align],
        tablefmt="simple",
        **as_they_are,
    )
    return "\n".join(line.rstrip() for line in text.splitlines())


def wrapped(text: str, width: int = 100) -> str:
    """Break a paragraph into lines."""
    import textwrap

    return textwrap.fill(text, width, break_long_words=False, break_on_hyphens=False)
