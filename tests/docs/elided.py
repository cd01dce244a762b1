"""Screens of pages that leave out lines."""

from __future__ import annotations

import re


def is_shown(shown: str, printed: str) -> bool:
    r"""Say whether a page shows what was printed; its line `...` stands for any lines.

    >>> is_shown("a\n...\nd", "a\nb\nc\nd\n"), is_shown("a\n...\nd\n", "a\nb\n")
    (True, False)
    """
    pieces = [re.escape(one) for one in re.split(r"^\.\.\.\n", _ended(shown), flags=re.MULTILINE)]
    return re.fullmatch("(?:.*\n)*?".join(pieces), _ended(printed)) is not None


def _ended(text: str) -> str:
    return text.rstrip("\n") + "\n"
