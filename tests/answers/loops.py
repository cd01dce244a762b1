"""Calls that programs make again and again, by hand: each pattern is made of some."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.plan.codes import (
    CLOSE,
    CREATE,
    OPEN,
    READ,
    READDIR,
    RENAME,
    SEEK,
    STAT,
    SYNC,
    UNLINK,
    WRITE,
)
from tests.answers.programs import Row


def each(kind: int, file: str, offsets: Sequence[int], size: int) -> list[Row]:
    return [(kind, file, offset, size) for offset in offsets]


def around(rows: Sequence[Row], file: str) -> list[Row]:
    """The same with the file opened and closed around each row."""
    return [
        one
        for row in rows
        for one in ((OPEN, file, 0, 0), row, (CLOSE, file, 0, int(row[0] == WRITE)))
    ]


def records(file: str, count: int, pieces: int, size: int) -> list[Row]:
    """Records of some pieces each, whose length is written afterwards."""
    rows: list[Row] = []
    at = 0
    for _ in range(count):
        rows += each(WRITE, file, [at + piece * size for piece in range(pieces)], size)
        rows += [(SEEK, file, at, 0), (WRITE, file, at, 4)]
        at += pieces * size
        rows += [(SEEK, file, at, 0)]
    return rows


def unpacked(count: int, size: int, *, sync: bool) -> list[Row]:
    """Files that are made, written and closed, and synced or not."""
    return [
        row
        for name in (f"d/{number}" for number in range(count))
        for row in (
            (CREATE, name, 0, 0),
            (WRITE, name, 0, size),
            *([(SYNC, name, 0, 0)] if sync else []),
            (CLOSE, name, 0, 1),
        )
    ]


def tiles(count: int, ending: str = "") -> list[Row]:
    """Files that are opened, read and closed, one after the other."""
    return [
        row
        for name in (f"d/{number}{ending}" for number in range(count))
        for row in ((OPEN, name, 0, 0), (READ, name, 0, 1000), (CLOSE, name, 0, 0))
    ]


def statements(count: int) -> list[Row]:
    """SQLite's calls for so many transactions of a row each: two pages, the second a new one."""
    rows: list[Row] = [(READ, "a.db", 0, 4096)]
    for number in range(count):
        log = "a.db-journal"
        rows += [
            (CREATE, log, 0, 0), (WRITE, log, 0, 512), (WRITE, log, 512, 4104), (SYNC, log, 0, 0),
            (WRITE, "a.db", 0, 4096), (WRITE, "a.db", 4096 * (1 + number // 4), 4096),
            (SYNC, "a.db", 0, 0), (CLOSE, log, 0, 1), (UNLINK, log, 0, 0),
        ]  # fmt: skip
    return rows


def polls(count: int) -> list[Row]:
    """A file that is asked for, opened, read to its end and closed, again and again."""
    once = [(STAT, "in", 0, 0), (OPEN, "in", 0, 0), (READ, "in", 0, 900), (READ, "in", 900, 0),
            (CLOSE, "in", 0, 0)]  # fmt: skip
    return once * count


def parts(count: int) -> list[Row]:
    """A file that is opened for each of its parts, and whose beginning is read each time."""
    return [
        row
        for part in range(1, count + 1)
        for row in ((OPEN, "in", 0, 0), (READ, "in", 0, 900), (READ, "in", 1000 * part, 1000),
                    (CLOSE, "in", 0, 0))
    ]  # fmt: skip


def counts(count: int, *, size: int = 4) -> list[Row]:
    """A counter in a file, which is opened, read, written anew and closed, again and again."""
    once = [(OPEN, "n", 0, 0), (READ, "n", 0, size), (SEEK, "n", 0, 0), (WRITE, "n", 0, size),
            (CLOSE, "n", 0, 1)]  # fmt: skip
    return once * count


def put_in_place(count: int) -> list[Row]:
    """A file that is made, written and renamed, again and again."""
    once = [(CREATE, "new", 0, 0), (WRITE, "new", 0, 600), (CLOSE, "new", 0, 1),
            (RENAME, "new", 0, 0)]  # fmt: skip
    return once * count


def lists(count: int) -> list[Row]:
    """A folder that is listed again and again."""
    return [(OPEN, "d", 0, 0), (READDIR, "d", 0, 0), (READDIR, "d", 0, 0),
            (CLOSE, "d", 0, 0)] * count  # fmt: skip
