"""Where what limits changes between neighbouring points of a sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from simulator.study.sweep import Swept

MOST_SHOWN = 12
MOST_POINTS = 10_000
NONE = "nothing alone"
"""What is said to limit where no single resource does."""


def changes_text(swept: Swept) -> str:
    """Say between which points what limits changes; empty if nobody asked, or for a part."""
    if not known(swept):
        return ""
    lines = list(changes(swept))
    if not lines:
        return "What limits is the same at all points."
    more = [f"  ... and {counted(len(lines) - MOST_SHOWN, 'more change')}"]
    return "\n".join(
        ["What limits changes:", *lines[:MOST_SHOWN], *(more if len(lines) > MOST_SHOWN else [])]
    )


def known(swept: Swept) -> bool:
    """Whether a sweep says where what limits changes: if it asked, is whole, and not too large."""
    return swept.sweep.limits and not swept.shard and len(swept.rows) <= MOST_POINTS


def changes(swept: Swept) -> Iterator[str]:
    """Yield a line for each two neighbouring points between which what limits changes."""
    sweep = swept.sweep
    limits = [row["limit"] or NONE for row in swept.rows]
    for number, limit in enumerate(limits):
        places = sweep.places(number)
        for index, axis in enumerate(sweep.axes):
            if places[index] + 1 == len(axis.texts):
                continue
            after = list(places)
            after[index] += 1
            other = limits[sweep.number(after)]
            if other != limit:
                others = [
                    f"{one.name}={one.texts[place]}"
                    for one, place in zip(sweep.axes, places, strict=True)
                    if one is not axis
                ]
                step = f"{axis.name} {axis.texts[places[index]]} -> {axis.texts[after[index]]}"
                where = f" ({', '.join(others)})" if others else ""
                yield f"  {step}{where}: {limit} -> {other}"
