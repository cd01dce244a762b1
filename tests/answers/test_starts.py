"""Programs that are started for each file, where one could do the work of all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.answers.calls import Columns
from simulator.answers.patterns.of_traces.starts import start_once, started
from simulator.answers.patterns.of_traces.successors import repeated, succession
from simulator.answers.program import Program
from simulator.plan.codes import (
    CLOSE,
    CREATE,
    LOOKUP,
    OPEN,
    PASS,
    PAUSE,
    READ,
    READDIR,
    STAT,
    WAIT,
    WRITE,
)
from simulator.workload.traced import Traced
from tests.answers.programs import END, GAP, Row, computing, job, order, program, traced

LIBC, LOCALE = "/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/locale/C.utf8/LC_CTYPE"
MANY = 20


def child(number: int, *, rows: tuple[Row, ...] = ()) -> list[Row]:
    """Load a library and a locale, read a file of its own, and end."""
    own: list[Row] = [(OPEN, f"d/{number}", 0, 0), (READ, f"d/{number}", 0, 100)]
    loads: list[Row] = [(OPEN, one, 0, 0) for one in (LIBC, LOCALE)]
    return [*loads, *rows, *own, (CLOSE, f"d/{number}", 0, 0), (PASS, "", 100 + number, 0)]


def storm(many: int = MANY, *, rows: tuple[Row, ...] = (), gap: int = GAP) -> Traced:
    """A parent that makes a child for each file, and waits for it."""
    parent: list[Row] = []
    for number in range(many):
        parent += [(PASS, "", number, 0), (PAUSE, "", 0, 0), (WAIT, "", 100 + number, 0)]
    clients = {f"c{number}": child(number, rows=rows) for number in range(many)}
    made = traced({"p": [*parent, END], **clients}, marks=200, gap=gap)
    first, *others = made.clients
    born = [replace(one, born=number) for number, one in enumerate(others)]
    return replace(made, clients=(first, *born))


def seen(made: Traced, name: str = "/usr/bin/md5sum") -> Program:
    it = program(made, "workstation")
    it.programs = ["/usr/bin/find", *[name] * (len(made.clients) - 1)]
    return it


def test_of_programs_that_are_started_for_each_file_one_is_left() -> None:
    made = storm()
    (found,) = started(seen(made))
    assert found.pattern == "started"
    assert "19 programs started after the first of their kind: md5sum (20 times)" in found.found
    (cure,) = found.cures
    cured = cure.change.rewrites[0](made)
    names = [made.files[file].name for file in cured.table.file if file >= 0]
    assert names.count(LIBC) == names.count(LOCALE) == 1
    assert all(names.count(f"d/{number}") == 3 for number in range(MANY))
    assert order(cured) == order(made)
    # Of each: two rows that load, the first call of its own, and its end.
    left = computing(cured)
    assert left["c0"] == computing(made)["c0"] == 6 * GAP
    assert {left[f"c{number}"] for number in range(1, MANY)} == {2 * GAP}
    assert left["p"] == computing(made)["p"] - 19 * GAP  # Each fork, until it goes on.
    slow = storm(gap=10**6)
    ran = job(slow, "workstation").run(cure.change)
    assert ran is not None
    assert ran.elapsed_ns < 0.6 * job(slow, "workstation").base.elapsed_ns


def test_what_is_computed_before_the_first_file_is_start_for_as_long_as_loading() -> None:
    made = storm()
    columns = made.table.gap
    for one in made.clients[1:]:
        columns[one.first + 2] = 10 * GAP  # Before it opens its own file.
    none = -np.ones(MANY + 1, int)
    cured = start_once(made, np.arange(2, MANY + 1), np.arange(MANY + 1))
    assert computing(cured)["c5"] == (10 - 2 + 2) * GAP
    # All of them compute it alike, before any knows what is in its file.
    alike = start_once(made, np.arange(2, MANY + 1), none)
    assert computing(alike)["c5"] == 2 * GAP
    columns[made.clients[5].first + 2] = 50 * GAP
    apart = start_once(made, np.arange(2, MANY + 1), none)
    assert computing(apart)["c4"] == (50 - 2 * 10 + 2) * GAP
    # What is computed before a write may be what is written.
    for one in made.clients[1:]:
        made.table.kind[one.first + 2] = CREATE
    cured = start_once(made, np.arange(2, MANY + 1), none)
    assert computing(cured)["c5"] == (10 - 2 + 2) * GAP


def redirected(*, shared: bool = False) -> Program:
    """A make that runs sed for each file, and a shell that has another sed write to a file."""
    parent: list[Row] = []
    clients: dict[str, list[Row]] = {}
    for number in range(MANY):
        out = "out/all" if shared else f"out/{number}"
        for mark in (0, 400):
            parent += [(PASS, "", mark + number, 0), (WAIT, "", mark + 100 + number, 0)]
        clients[f"s{number}"] = [
            (OPEN, LIBC, 0, 0),
            (CREATE, out, 0, 0),
            (PASS, "", 200 + number, 0),
            (WAIT, "", 300 + number, 0),
            (CLOSE, out, 0, 0),
            (PASS, "", 100 + number, 0),
        ]
        write: Row = (WRITE, out, 100 * number, 100)
        clients[f"c{number}"] = [*child(number)[:-1], write, (PASS, "", 300 + number, 0)]
        clients[f"e{number}"] = [*child(number)[:-1], (PASS, "", 500 + number, 0)]
    made = traced({"p": [*parent, END], **clients}, marks=600)
    first, *others = made.clients
    born = [
        replace(one, born=number // 3 + 200 * (number % 3)) for number, one in enumerate(others)
    ]
    it = program(replace(made, clients=(first, *born)), "workstation")
    it.programs = ["/usr/bin/make", *["/bin/sh", "/usr/bin/sed", "/usr/bin/sed"] * MANY]
    return it


def test_programs_whose_shell_puts_their_output_into_a_file_of_each_stay() -> None:
    it = redirected()
    (found,) = started(it)
    assert "20 programs started after the first of their kind: sed (21 times)" in found.found
    assert "sh (19 times), sed (19 times) stay: the output of each" in found.found
    some, every = found.cures
    assert some.how.startswith("VALUE := $(shell ...) with :=")
    assert "One sed with an -e for each command" in some.how
    left, none = (computing(one.change.rewrites[0](it.traced)) for one in (some, every))
    for name in ("s5", "c5"):
        assert left[name] == computing(it.traced)[name] > none[name]
    assert left["e5"] == none["e5"] < computing(it.traced)["e5"]
    # One shell can put the output of all into one file.
    (found,) = started(redirected(shared=True))
    assert "stay" not in found.found
    assert len(found.cures) == 1


def test_what_one_program_has_looked_for_or_listed_another_one_need_not() -> None:
    rows: tuple[Row, ...] = (
        (LOOKUP, "d", 1, 1),
        (STAT, "d/list", 0, 0),
        (OPEN, "d", 0, 0),
        (READDIR, "d", 0, 0),
        (CLOSE, "d", 0, 0),
    )
    made = storm()
    columns = Columns(storm(rows=rows))
    group = np.array([-1, *[0] * MANY])
    them = succession(seen(columns.traced), group, np.ones(len(columns.traced.files) + 1, bool))
    gone = repeated(columns, them).gone
    for number, one in enumerate(columns.traced.clients[1:]):
        assert gone[one.first + 2 : one.first + 7].all() == bool(number)
    assert not repeated(Columns(made), them).gone.any()


@pytest.mark.parametrize("names", [False, True], ids=["few", "others"])
def test_few_programs_or_different_ones_are_no_storm(names: bool) -> None:
    it = seen(storm(MANY if names else 16))
    if names:
        it.programs = [f"/usr/bin/{number}" for number in range(len(it.traced.clients))]
    assert started(it) == []


def test_threads_are_no_programs_and_copies_of_a_shell_are() -> None:
    it = seen(storm(), "")
    assert started(it) == []
    it.languages = ["shell"] * len(it.traced.clients)
    (found,) = started(it)
    assert "subshell (20 times)" in found.found


def test_a_program_without_a_file_of_its_own_goes_but_for_what_it_may_compute() -> None:
    made = storm()
    cured = start_once(made, np.array([1]), np.arange(MANY + 1))
    bare = replace(made, files=tuple(replace(one, name=LIBC) for one in made.files))
    alone = start_once(bare, np.array([1]), np.arange(MANY + 1))
    assert computing(cured)["c0"] == 2 * GAP
    # Loaded all along: its end alone counts as much.
    assert computing(alone)["c0"] == 0
