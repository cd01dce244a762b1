"""Tables of texts for people: columns in line, and no blanks at the ends of lines.

Those of a terminal fold where it is narrower (:func:`table`); those of pages, and of studies, do
not (:func:`ruled`).
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Literal, NamedTuple, TextIO

from simulator.report.scales import in_one_unit
from simulator.wording import counted

Row = Sequence[str]
_LEAST = 40
"""Narrower than that no paragraph is."""


def table(head: Row, rows: Sequence[Row], align: str) -> str:
    """Write a table; ``align`` has ``l`` or ``r`` for each column. Quantities get one unit in each.

    Where it is wider than the terminal, its texts fold over several lines, down to 16 columns or
    their longest word; if that is not enough, the last columns go below, beside the first again.

    >>> print(table(["part", "busy"], [["nic", "9 %"], ["disk", "10 %"]], "lr"))
    part      busy
    ------  ------
    nic        9 %
    disk      10 %
    """
    return "\n\n".join(parts(head, rows, align))


def parts(head: Row, rows: Sequence[Row], align: str) -> list[str]:
    """Write a table in parts that the terminal has room for, each with the first column."""
    made = [(name, *in_one_unit(cells)) for name, *cells in zip(head, *rows, strict=True)]
    widths = [max([_width(name) + 2, *map(_width, cells)]) for name, *cells in made]
    room = columns(0) or _sum(widths)
    least = [
        min(width, _least(cells)) if side == "l" else width
        for width, side, cells in zip(widths, align, made, strict=True)
    ]
    texts = []
    for part in _parts(least, room):
        narrow = _narrowed([widths[one] for one in part], [least[one] for one in part], room)
        sides = "".join(align[one] for one in part)
        across = zip(*(made[one] for one in part), strict=True)
        cells = [
            [[*folded(text, width)] if _width(text) > width else [text] for text, width in pairs]
            for pairs in (zip(row, narrow, strict=True) for row in across)
        ]
        texts.append(_drawn(cells, narrow, sides, _RULES["simple"]))
    return texts


_NARROWEST, _LONGEST = 16, 28
"""Columns of a folded text; longer words are broken."""
_BETWEEN = 2


def _least(cells: Sequence[str]) -> int:
    longest = max((_width(word) for cell in cells for word in cell.split()), default=0)
    return max(_NARROWEST, min(longest + 2, _LONGEST))


def _sum(widths: Sequence[int]) -> int:
    return sum(widths) + _BETWEEN * (len(widths) - 1)


def _parts(widths: Sequence[int], room: int) -> list[list[int]]:
    """Return which columns stand beside each other: the first in each part."""
    parts = [[0]]
    for one in range(1, len(widths)):
        if len(parts[-1]) > 1 and _sum([widths[place] for place in [*parts[-1], one]]) > room:
            parts.append([0])
        parts[-1].append(one)
    return parts


def _narrowed(widths: list[int], least: Sequence[int], room: int) -> list[int]:
    """Take from the widest that can fold, until all of them fit."""
    for _ in range(_sum(widths) - room):
        spare = [one for one, width in enumerate(widths) if width > least[one]]
        if spare:
            widths[max(spare, key=lambda one: widths[one])] -= 1
    return widths


def folded(text: str, width: int) -> Iterator[str]:
    """Break a text at its blanks, and what is still too wide where it must be."""
    line = text[: len(text) - len(text.lstrip())]
    for word in text.split():
        if line.strip() and _width(line) + 1 + _width(word) > width:
            yield line
            line = word
        else:
            line += f" {word}" if line.strip() else word
        while _width(line) > width:
            most = next(
                one for one in range(len(line), 0, -1) if _width(line[:one]) <= width or one == 1
            )
            yield line[:most]
            line = line[most:]
    yield line


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


Form = Literal["simple", "github"]


class Rules(NamedTuple):
    """Text around the cells of a row, and of the line below the head."""

    before: str
    between: str
    after: str
    joint: str
    edge: str
    """At both ends of that line."""
    pad: int
    """Columns of that line beyond those of its cells."""


_RULES: dict[Form, Rules] = {
    "simple": Rules("", " " * _BETWEEN, "", " " * _BETWEEN, "", 0),
    "github": Rules("| ", " | ", " |", "|", "|", 2),
}


def ruled(
    head: Row,
    rows: Sequence[Sequence[object]],
    form: Form = "simple",
    align: str = "",
) -> str:
    """Write a table that does not fold, for a terminal or for Markdown; without a head, its rows.

    ``align`` has ``l`` or ``r`` for each column (all ``l``); a cell may have several lines.

    >>> print(ruled(["part", "busy"], [["nic", "9 %"]], "github", "lr"))
    | part   |   busy |
    |--------|--------|
    | nic    |    9 % |
    """
    texts = [[str(one).strip().split("\n") for one in row] for row in rows]
    texts = [[one.split("\n") for one in head], *texts] if head else texts
    if not texts:
        return ""
    spare = _BETWEEN if head else 0
    widths = [
        max(_width(line) + spare * (not place) for place, cell in enumerate(cells) for line in cell)
        for cells in zip(*texts, strict=True)
    ]
    return _drawn(texts, widths, align or "l" * len(widths), _RULES[form], headed=bool(head))


def _drawn(
    rows: Sequence[Sequence[Sequence[str]]],
    widths: Sequence[int],
    align: str,
    rules: Rules,
    *,
    headed: bool = True,
) -> str:
    """Lay out rows of cells, of which each has lines; the first row is the head, if it has one."""

    def line(cells: Sequence[str]) -> str:
        placed = map(_placed, cells, widths, align)
        return f"{rules.before}{rules.between.join(placed)}{rules.after}".rstrip()

    made = [line(cells) for row in rows for cells in zip_longest(*row, fillvalue="")]
    if headed:
        rule = rules.joint.join("-" * (width + rules.pad) for width in widths)
        made.insert(max(map(len, rows[0])), f"{rules.edge}{rule}{rules.edge}")
    return "\n".join(made)


def wrapped(text: str, width: int = 100, within: int = 0) -> str:
    """Break a paragraph into lines, of the terminal's width if that is less.

    The second and later lines begin with ``within`` blanks.
    """
    import textwrap

    width, further = min(width, max(_LEAST, columns(width))), " " * within
    kept = _ASIDE.sub(lambda found: found[0].replace(" ", "\0"), text)
    return textwrap.fill(
        kept, width, subsequent_indent=further, break_long_words=False, break_on_hyphens=False
    ).replace("\0", " ")


_COMMAND = re.compile(r"\bnwtsim [a-z]")
_QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")
_ASIDE = re.compile(r"""(?<=\()nwtsim( ([^\s'"()]|'[^']*'|"[^"]*")+)+""")
"""A command in brackets: it stays on one line of a paragraph."""
_INNER = re.compile(r"(?<=\S) ")
_LABEL = re.compile(r" *\S.*?\S {2,}(?=\S)|")
"""Words in a column of their own before the rest of a line."""


def fitted(text: str) -> str:
    """Fold the lines of a report that are wider than the terminal; a command stays one to copy."""
    room = max(_LEAST, columns(0)) if columns(0) else 0
    if not room:
        return text
    return "\n".join(
        line if _width(line) <= room else "\n".join(_continued(line, room))
        for line in text.split("\n")
    )


class Fitting:
    """A stream that folds what is written to it, in whole lines, to the terminal's width."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write a text whose lines fit."""
        return self._stream.write(fitted(text))

    def __getattr__(self, name: str) -> Any:
        """Return what the stream has."""
        return getattr(self._stream, name)


def _continued(line: str, room: int) -> Iterator[str]:
    """Break a line at its blanks; what goes on stands further to the right."""
    label = _LABEL.match(line)
    within = len(label[0]) if label else 0
    if not 0 < within <= room // 2:
        within = len(line) - len(line.lstrip()) + 4
    command = _COMMAND.search(line)
    begins = command.start() if command else len(line)
    end = " \\" if command else ""
    while _width(line) > room:
        quoted = [one.span() for one in _QUOTED.finditer(line, begins)]
        every = [one.start() for one in _INNER.finditer(line) if one.start() >= within]
        inside = {one for one in every if any(a < one < b for a, b in quoted)}
        fit = [one for one in every if _width(line[:one]) <= room - len(end) * (one > begins)]
        cuts = [one for one in fit if one not in inside] or [
            one for one in fit if _width(line[:one]) < room - len(end)
        ]
        if not (cuts := cuts or every[:1]):
            break
        cut = cuts[-1]
        if cut in inside:  # A quoted word goes on in another one, without a blank between them.
            yield f"{line[: cut + 1]}'\\"
            line, within, begins = f"'{line[cut + 1 :]}", 0, 0
            continue
        yield line[:cut].rstrip() + (end if cut > begins else "")
        line = " " * within + line[cut:].lstrip()
        begins = max(within, begins - cut + within - 1) if begins > cut else 0
    yield line


def first_of(lines: Sequence[str], most: int, others: str) -> list[str]:
    """Return the first of some lines, and a line that counts the others.

    >>> first_of(["a", "b", "c"], 1, "more name"), first_of(["a"], 1, "more name")
    (['a', 'and 2 more names'], ['a'])
    """
    more = len(lines) - most
    return [*lines[:most], *([f"and {counted(more, others)}"] if more > 0 else [])]


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
