r"""CSV with text cells of one line each, none of which a spreadsheet reads as a formula.

Non-printable characters (control characters, bytes that are not UTF-8, U+2028) and the backslash
are written as escapes (``\n``, ``\x7f``, ``\\``). A text that then begins with ``=``, ``+``, ``-``
or ``@`` and is not a number, or with ``'``, is prefixed with ``'``. :func:`text_of` undoes both.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any, TextIO

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_ESCAPE = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[ntr\\])")


class CsvWriter:
    """Writer of numbers as they are, and of guarded texts."""

    def __init__(self, file: TextIO) -> None:
        self._out = csv.writer(file, lineterminator="\n")

    def writerow(self, row: Iterable[Any]) -> None:
        """Write a row."""
        self._out.writerow([cell(one) if isinstance(one, str) else one for one in row])

    def writerows(self, rows: Iterable[Iterable[Any]]) -> None:
        """Write rows."""
        for row in rows:
            self.writerow(row)


def csv_of(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as the text of a file; the first is the head."""
    text = io.StringIO()
    CsvWriter(text).writerows(rows)
    return text.getvalue()


def cell(text: str) -> str:
    r"""Guard a text.

    >>> print(cell("=a\r"), cell("-5"), cell("'x"), cell("a b"))
    '=a\r -5 ''x a b
    """
    if not text.isprintable() or "\\" in text:
        text = "".join(
            one if one.isprintable() and one != "\\" else ascii(one)[1:-1] for one in text
        )
    guarded = text[:1] == "'" or (text[:1] in tuple("=+-@") and not _NUMBER.fullmatch(text))
    return f"'{text}" if guarded else text


def text_of(cell: str) -> str:
    r"""Return the original of a guarded text.

    >>> text_of("'=a\\r"), text_of("-5"), text_of("''x")
    ('=a\r', '-5', "'x")
    """
    text = cell.removeprefix("'")
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_character, text)


def _character(match: re.Match[str]) -> str:
    plain = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
    code = match[0][1:]
    if code in plain:
        return plain[code]
    number = int(code[1:], 16)
    return chr(number) if number <= 0x10FFFF else match[0]
