"""Lists of times in files: of arrivals, submissions, failures."""

from __future__ import annotations

from typing import Annotated, Any

from simulator.config.quantities import Leaf, Time, each, not_text
from simulator.config.section import leaf_of
from simulator.units import Nanoseconds

_TIME = leaf_of(Time)


def _read_times(value: object) -> tuple[Nanoseconds, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError(not_text(value, "[0 s, 10 s]"))
    if not value:
        raise ValueError("the list is empty; write times, like '[0 s, 10 s]'")
    times = list(each(_TIME.read, enumerate(value)).values())
    if times != sorted(times):
        raise ValueError("the times are not in order; write the earliest first")
    return tuple(times)


_TIMES: dict[str, Any] = {"type": "array", "items": {"type": "string"}, "minItems": 1}
Times = Annotated[
    tuple[Nanoseconds, ...],
    Leaf(
        "times",
        "[0 s, 10 s]",
        _read_times,
        lambda times: f"[{', '.join(map(_TIME.show, times))}]",
        _TIMES,
    ),
]
"""Times in rising order."""
