"""What differs between a record and the frozen one: the keys, and both values."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

MOST_TOLD = 8


def differences(expected: Any, got: Any, at: str = "") -> Iterator[str]:
    """One line for each value that is not the same, in the order of the frozen record.

    >>> list(differences({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}))
    ['a.b[1]: frozen 2, got 3 (+1)']
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in [*expected, *(key for key in got if key not in expected)]:
            inner = f"{at}.{key}" if at else key
            if key not in got:
                yield f"{inner}: frozen {_short(expected[key])}, got nothing"
            elif key not in expected:
                yield f"{inner}: not frozen, got {_short(got[key])}"
            else:
                yield from differences(expected[key], got[key], inner)
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            yield f"{at}: frozen {len(expected)} items, got {len(got)}"
        for number, (one, other) in enumerate(zip(expected, got, strict=False)):
            yield from differences(one, other, f"{at}[{number}]")
    elif expected != got or type(expected) is not type(got):
        yield f"{at}: frozen {_short(expected)}, got {_short(got)}{_more(expected, got)}"


def _more(expected: Any, got: Any) -> str:
    """By how much a whole number differs."""
    whole = type(expected) is int and type(got) is int
    return f" ({got - expected:+d})" if whole else ""


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def told(expected: Any, got: Any) -> str:
    """The first differences on a line each; empty if there are none."""
    lines = list(islice(differences(expected, got), MOST_TOLD + 1))
    if len(lines) > MOST_TOLD:
        lines[-1] = "..."
    return "\n".join(lines)
