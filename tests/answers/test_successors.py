"""Processes of one program that go on with the files of those before them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from simulator.answers.calls import Columns
from simulator.answers.patterns.of_traces.starts import start_once, started
from simulator.answers.patterns.of_traces.successors import repeated, scratch, succession
from simulator.plan.codes import CLOSE, CREATE, OPEN, PASS, READ, RENAME, UNLINK, WAIT, WRITE
from simulator.workload.traced import Traced
from tests.answers.programs import END, GAP, Row, computing, job, program, traced

LIBC = "/lib/x86_64-linux-gnu/libc.so.6"
MANY, SIZE = 20, 8192


def grep(_number: int) -> list[Row]:
    """Look for something in a table: ``grep KEY table``."""
    return [(OPEN, "t", 0, 0), (READ, "t", 0, SIZE), (READ, "t", SIZE, 0), (CLOSE, "t", 0, 0)]


def grown(number: int) -> list[Row]:
    """Go through an archive, and append a member: ``tar -r``."""
    reads = [(READ, "t", SIZE * one, SIZE) for one in range(number)]
    return [(OPEN, "t", 0, 0), *reads, (WRITE, "t", SIZE * number, SIZE), (CLOSE, "t", 0, 1)]


def edited(number: int) -> list[Row]:
    """Make a longer version of a file, and put it in its place: ``sed -i``."""
    new, size = f"sed{number}", SIZE + number
    return [
        *[(OPEN, "t", 0, 0), (CREATE, new, 0, 0), (READ, "t", 0, size), (WRITE, new, 0, size)],
        *[(CLOSE, new, 0, 1), (CLOSE, "t", 0, 0), (RENAME, new, 0, 1)],
    ]


def over(number: int) -> list[Row]:
    """Write a file anew, by way of one that is removed again: ``ar r``."""
    mine = f"st{number}"
    return [
        *[(OPEN, "t", 0, 0), (READ, "t", 0, SIZE), (CREATE, mine, 0, 0), (WRITE, mine, 0, SIZE)],
        *[(WRITE, "t", 0, SIZE), (CLOSE, "t", 0, 1), (CLOSE, mine, 0, 1), (UNLINK, mine, 0, 0)],
    ]


def loop(child: Callable[[int], list[Row]], *, gap: int = GAP) -> Traced:
    """Start a program for each of many steps, from a script that the shell has open."""
    parent: list[Row] = []
    clients = {}
    for number in range(MANY):
        parent += [(PASS, "", number, 0), (WAIT, "", 100 + number, 0)]
        loads: list[Row] = [(CLOSE, "script.sh", 0, 0), (OPEN, LIBC, 0, 0)]
        clients[f"c{number}"] = [*loads, *child(number), (PASS, "", 100 + number, 0)]
    made = traced({"sh": [*parent, END], **clients}, marks=200, gap=gap)
    first, *others = made.clients
    born = [replace(one, born=number) for number, one in enumerate(others)]
    return replace(made, clients=(first, *born))


def cured(made: Traced, name: str = "/usr/bin/tool") -> tuple[str, list[tuple[int, str, int, int]]]:
    """Return what is found, and the calls on files of the cured program."""
    it = program(made, "workstation")
    it.programs = ["/usr/bin/sh", *[name] * MANY]
    (found,) = started(it)
    (cure,) = found.cures
    once = made
    for rewrite in cure.change.rewrites:
        once = rewrite(once)
    table = once.table
    rows = zip(table.kind, table.file, table.offset, table.size, strict=True)
    calls = [(kind, once.files[file].name, at, size) for kind, file, at, size in rows if file >= 0]
    left = [one for one in calls if one[1] not in (LIBC, "script.sh")]
    return f"{found.found} In doubt: {cure.doubt_ns} ns.", left


def test_a_script_that_a_copy_of_the_shell_closes_is_no_file_of_the_program() -> None:
    made = loop(grep)
    left = computing(start_once(made, np.arange(2, MANY + 1), np.arange(MANY + 1)))
    # Its two calls up to what it loads, what is computed before the open, and its end.
    assert left["c5"] == computing(made)["c5"] - 4 * GAP == 3 * GAP


def test_what_one_of_them_has_read_is_not_read_by_the_next() -> None:
    told, left = cured(loop(grep))
    assert left == [(OPEN, "t", 0, 0), (READ, "t", 0, SIZE), (READ, "t", SIZE, 0),
                    (CLOSE, "t", 0, 0)]  # fmt: skip
    assert "19 reads of them (156 kB) are of what one of them had read, or written" in told
    assert f"In doubt: {19 * 3 * GAP} ns." in told


def test_what_one_of_them_has_appended_is_not_read_by_the_next() -> None:
    _, left = cured(loop(grown))
    writes = [(WRITE, "t", SIZE * one, SIZE) for one in range(MANY)]
    assert left == [(OPEN, "t", 0, 0), *writes, (CLOSE, "t", 0, 1)]


def test_of_versions_that_replace_each_other_the_last_is_written() -> None:
    _, left = cured(loop(edited))
    new = f"sed{MANY - 1}"
    assert [one for one in left if one[1] != "t"] == [
        (CREATE, new, 0, 0), (WRITE, new, 0, SIZE + MANY - 1), (CLOSE, new, 0, 1),
        (RENAME, new, 0, 1)]  # fmt: skip
    assert [one for one in left if one[0] == READ] == [(READ, "t", 0, SIZE)]


def test_of_what_is_written_over_the_last_is_left_and_no_file_in_between_but_one() -> None:
    made = loop(over)
    assert len(scratch(Columns(made))) == MANY
    alone = traced({"o": [*over(99), END], **_rows(made)}, marks=200)
    program_of_all = np.array([-1, -1, *[0] * MANY])  # What other programs remove is theirs.
    them = succession(program(alone, "workstation"), program_of_all, np.ones(2 * MANY + 9, bool))
    assert not repeated(Columns(alone), them).gone[: len(over(99))].any()
    _, left = cured(made)
    assert [one for one in left if one[0] == WRITE] == [
        (WRITE, "st0", 0, SIZE), (WRITE, "t", 0, SIZE)]  # fmt: skip
    assert {one[1] for one in left} == {"t", "st0"}


@pytest.mark.parametrize("other", [WRITE, UNLINK, RENAME])
def test_a_file_that_another_program_changes_is_read_by_each(other: int) -> None:
    made = loop(grep)
    size = SIZE if other == WRITE else 0
    clients = {"other": [(other, "t", 0, size), END]}
    both = traced({**_rows(made), **clients}, marks=200)
    born = [
        replace(new, born=old.born) for new, old in zip(both.clients, made.clients, strict=False)
    ]
    both = replace(both, clients=(*born, both.clients[-1]))
    it = program(both, "workstation")
    it.programs = ["/usr/bin/sh", *["/usr/bin/grep"] * MANY, "/usr/bin/other"]
    (found,) = started(it)
    once = both
    for rewrite in found.cures[0].change.rewrites:
        once = rewrite(once)
    assert list(once.table.size).count(SIZE) == MANY + (other == WRITE)
    assert "had read" not in found.found


def _rows(made: Traced) -> dict[str, list[Row]]:
    """Return the calls of each client."""
    table = made.table
    rows = zip(table.kind, table.file, table.offset, table.size, strict=True)
    every = [
        (kind, made.files[file].name if file >= 0 else "", at, size)
        for kind, file, at, size in rows
    ]
    return {one.name: every[one.first : one.first + one.calls] for one in made.clients}


def test_the_replay_of_one_process_for_all_is_quicker() -> None:
    slow = loop(grown, gap=100 * GAP)
    it = program(slow, "workstation")
    it.programs = ["/usr/bin/sh", *["/usr/bin/tar"] * MANY]
    (found,) = started(it)
    ran = job(slow, "workstation").run(found.cures[0].change)
    assert ran is not None
    assert ran.elapsed_ns < 0.3 * job(slow, "workstation").base.elapsed_ns
