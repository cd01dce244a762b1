"""Loops over the rows of tables, in C++ (rowloops.cpp)."""

from typing_extensions import Buffer

def follow(
    kind: Buffer,
    file: Buffer,
    offset: Buffer,
    size: Buffer,
    length: Buffer,
    reach: Buffer,
    last: Buffer,
    old: Buffer,
    /,
) -> int: ...
def gather(
    kind: Buffer,
    file: Buffer,
    offset: Buffer,
    size: Buffer,
    gap: Buffer,
    clients: Buffer,
    sizes: Buffer,
    reach: Buffer,
    ordered: bool,
    /,
) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]: ...
def draw(
    pool: Buffer, key: int, low: int, span: int, count: int, left: int, /
) -> tuple[int, int, int]: ...
def in_turn(function: int, wide: bool, rows: Buffer, first: int, last: int, /) -> int: ...
def regardless(function: int, wide: bool, rows: Buffer, first: int, last: int, /) -> int: ...
def opened(opens: int, closes: int, rows: Buffer, first: int, last: int, /) -> int: ...
