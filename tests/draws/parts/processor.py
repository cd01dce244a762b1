"""Processors of workstations: drawn in machine files only, for the reference engine."""

from __future__ import annotations

from typing import Any

from tests.draws.dice import Dice
from tests.draws.values import LEFT_OUT


def section(dice: Dice) -> dict[str, Any]:
    """Draw a data cache of whole pages, and memory with a disk for its pages, or neither."""
    cache = {"size": dice.some("16 KiB", "64 KiB"), "line": "128 B", "line_time": "1 us"}
    paging = {"rate": "1 MB/s", "seek": "300 us", "rotation": "20 us", "overhead": "1 us"}
    resident = dice.some("16 KiB", LEFT_OUT)
    return {
        "page": "4 KiB",
        "cache": dice.some(cache, LEFT_OUT),
        "resident": resident,
        "paging": LEFT_OUT if resident is LEFT_OUT else paging,
    }
