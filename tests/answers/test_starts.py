"""Programs that are started for each file, where one could do the work of all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simulator.answers.patterns.of_traces.starts import start_once, started
from simulator.answers.program import Program
from simulator.plan.codes import CLOSE, OPEN, PASS, PAUSE, READ, WAIT
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
    cured = start_once(made, np.arange(2, MANY + 1))
    assert computing(cured)["c5"] == (10 - 2 + 2) * GAP


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
    cured = start_once(made, np.array([1]))
    bare = replace(made, files=tuple(replace(one, name=LIBC) for one in made.files))
    alone = start_once(bare, np.array([1]))
    assert computing(cured)["c0"] == 2 * GAP
    # Loaded all along: its end alone counts as much.
    assert computing(alone)["c0"] == 0
