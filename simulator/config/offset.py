"""Offsets of processes in a file: a number of bytes, or by their rank among the processes."""

from __future__ import annotations

from typing import Annotated

from simulator.config.errors import meant_word
from simulator.config.quantities import Leaf, not_text
from simulator.units import Bytes, format_size, parse_size

RANK, INTERLEAVED = "rank", "interleaved"


def _read_offset(value: object) -> Bytes | str:
    if value in (RANK, INTERLEAVED):
        return str(value)
    if isinstance(value, str):
        meant_word(value, (RANK, INTERLEAVED))
        return parse_size(value)
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return Bytes(value)
    raise ValueError(not_text(value, "10 MB"))


def _show_offset(offset: Bytes | str) -> str:
    return offset if isinstance(offset, str) else format_size(offset)


Offset = Annotated[
    Bytes | str,
    Leaf("offset", "10 MB", _read_offset, _show_offset, {"type": "string"}),
]
"""A number of bytes, ``rank`` or ``interleaved``."""
