"""Output of a benchmark's figures as text or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from tabulate import tabulate


def as_text(value: Any) -> str:
    """Return a figure with about four significant digits."""
    if isinstance(value, float):
        return f"{value:,.4g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def print_figures(figures: dict[str, Any], form: str) -> None:
    """Print figures as a table or as JSON."""
    if form == "json":
        print(json.dumps(figures, indent=2))
        return
    rows = [(name, as_text(value)) for name, value in figures.items()]
    print(tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=("left", "right")))


def print_rows(title: str, rows: list[dict[str, str]]) -> None:
    """Print a table of rows below a title."""
    right = ["left"] + ["right"] * (len(rows[0]) - 1)
    print(f"\n{title}:")
    print(tabulate(rows, "keys", tablefmt="plain", disable_numparse=True, colalign=right))


def markdown(rows: Iterable[Any], headers: Any, **options: Any) -> str:
    r"""Return a Markdown table without padding.

    >>> markdown([("a b", 1)], ["name", "n"])
    '| name | n |\n|---|---|\n| a b | 1 |'
    """
    lines = tabulate(rows, headers, tablefmt="github", **options).splitlines()
    lines[1] = re.sub("-+", "---", lines[1])
    return "\n".join(re.sub(" +", " ", line) for line in lines)
