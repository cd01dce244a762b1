"""Processes that sleep until another one has made, or removed, a file.

A *watch* is a look at a name, which fails, sleeps and more such looks, until the look that does
not fail. In between another process has made the name, or removed it: what is waited for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from simulator.answers.advise import Cure, Finding, rewriting
from simulator.answers.calls import Columns, Numbers, added, remade
from simulator.answers.words import how_to
from simulator.plan.codes import CREATE, LOOKUP, OPEN, PASS, PAUSE, RENAME, STAT, UNLINK, WAIT
from simulator.units import format_time
from simulator.wording import counted

if TYPE_CHECKING:
    from simulator.answers.program import Program
    from simulator.workload.traced import Traced

MADE, GONE = (RENAME, CREATE, OPEN), (UNLINK, RENAME)
"""Calls that make a name, and that remove one; those that show it best are first."""

LEAST_LATE = 0.1
"""Share of its sleeps that a process sleeps on after what it waits for has been done."""


class Watch(NamedTuple):
    """Rows of a process that waits for another one."""

    rows: tuple[int, ...]
    """Looks that failed, and sleeps."""
    event: int
    """The call of the other that it waits for."""


def sleeping_poll(program: Program) -> list[Finding]:
    """A name looked for again and again, with sleeps, until another process has made it.

    Found: looks that fail, with sleeps between them, and the call of another process of the log
    that ends them, a tenth of the sleeps or more before it is seen. Cured by waiting for that call.
    Other sleeps are told, and are not simulated.
    """
    watches = [*_watches(program)]
    if not watches:
        return []
    columns = program.columns
    rows = np.array([row for one in watches for row in one.rows], np.int64)
    sleeps = rows[columns.kind[rows] == PAUSE]
    looks = rows[columns.kind[rows] != PAUSE]
    slept = format_time(int(columns.size[sleeps].sum()))
    told = (
        f"{counted(len(looks), 'look')} at names that another process had not made, or removed,"
        f" yet, with {counted(len(sleeps), 'sleep')} of {slept}."
    )
    how = how_to("wait", program.language(looks))
    change = rewriting(await_calls, tuple(watches), program.traced.digest)
    return [program.finding("sleeping-poll", told, looks, [Cure(how, change)])]


def _watches(program: Program) -> Iterator[Watch]:
    """Yield what processes wait for, as far as another one of the log makes or removes it."""
    columns = program.columns
    if program.began is None or len(program.traced.clients) < 2:
        return
    looks = np.isin(columns.kind, (LOOKUP, STAT))
    done = -1
    for start in np.flatnonzero(looks[:-1] & _sleeps(columns)[1:]).tolist():
        if start <= done:
            continue
        last, done = _ends(columns, start)
        if last + 1 < done and _same_name(program, start, done):
            kinds = MADE if columns.kind[start] == LOOKUP else GONE
            event = _event(program, kinds, last, done)
            if event >= 0 and _late(program, start, event, done):
                yield Watch(tuple(range(start, done)), event)


def _late(program: Program, start: int, event: int, done: int) -> bool:
    """Return whether much of the sleep was after the event: no more can be saved.

    What was slept before it is the other's time, longer in the log than without the tracer.
    """
    began, columns = program.began, program.columns
    assert began is not None
    rows = np.arange(start, done)
    slept = int(columns.size[rows[columns.kind[rows] == PAUSE]].sum())
    return int(began[done] - began[event]) >= LEAST_LATE * slept


def _sleeps(columns: Columns) -> Numbers:
    return columns.moving((PAUSE,))


def _ends(columns: Columns, start: int) -> tuple[int, int]:
    """Return the last look that is as the one at ``start``, and the row after looks and sleeps."""

    def what(row: int) -> tuple[int, int, int]:
        return int(columns.kind[row]), int(columns.file[row]), int(columns.offset[row])

    client, last, end = columns.client[start], start, start + 1
    while end < len(columns) and columns.client[end] == client:
        if what(end) == what(start):
            last = end
        elif columns.kind[end] != PAUSE:
            break
        end += 1
    return last, end


def _same_name(program: Program, look: int, row: int) -> bool:
    """Return whether a row is its client's next call, on what was looked for."""
    columns, files = program.columns, program.traced.files
    if row >= len(columns) or columns.client[row] != columns.client[look]:
        return False
    file, looked = int(columns.file[row]), int(columns.file[look])
    if file < 0 or columns.kind[look] == STAT:
        return file == looked >= 0
    return files[file].name.rpartition("/")[0] == files[looked].name.rstrip("/")


def _event(program: Program, kinds: tuple[int, ...], look: int, row: int) -> int:
    """Return the call of another client between a look and a row that changes its name; -1: none.

    A name that a file gets by a rename is not in its row, so that any rename may be it.
    """
    columns, began = program.columns, program.began
    assert began is not None
    mine = (columns.file == columns.file[row]) | (columns.kind == RENAME)
    mine &= (began >= began[look]) & (began <= began[row])
    rows = np.flatnonzero(mine & (columns.client != columns.client[row]))
    for kind in kinds:
        found = rows[columns.kind[rows] == kind]
        if len(found):
            return int(found[-1])
    return -1


def await_calls(traced: Traced, watches: tuple[Watch, ...], digest: str) -> Traced:
    """Wait for calls of other processes instead of looking and sleeping.

    ``digest``: of the calls that the rows of the watches are of; others are left as they are.
    """
    if traced.digest != digest:
        return traced
    columns = Columns(traced)
    keep = columns.all_but(np.array([row for one in watches for row in one.rows[1:]], np.int64))
    kind, offset, size = columns.kind.copy(), columns.offset.copy(), columns.size.copy()
    file = columns.file.copy()
    events = sorted({one.event for one in watches})
    marks = {event: traced.table.marks + number for number, event in enumerate(events)}
    for one in watches:
        first = one.rows[0]
        kind[first], file[first], offset[first] = WAIT, -1, marks[one.event]
        size[first] = 0
    waits = replace(traced, table=replace(traced.table, marks=traced.table.marks + len(events)))
    columns.traced = waits
    made = remade(columns, keep, kind=kind, file=file, offset=offset, size=size)
    after = np.cumsum(keep)[events] - 1
    none = np.zeros(len(events), np.int64)
    rows: dict[str, Numbers] = {
        "kind": none + PASS,
        "file": none - 1,
        "offset": np.array([marks[one] for one in events], np.int64),
        "size": none,
    }
    return added(made, after, rows)
