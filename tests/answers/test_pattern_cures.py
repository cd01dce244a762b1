"""Cures of patterns, one by one: what they leave, need, and leave alone."""

from __future__ import annotations

import numpy as np
import pytest

from simulator.answers.patterns.of_traces.metadata import (
    failed_lookup,
    open_storm,
    sync_write,
)
from simulator.answers.patterns.of_traces.reopened import re_read
from simulator.answers.patterns.of_traces.transfers import (
    small_io,
)
from simulator.inputfile import Text
from simulator.plan.codes import (
    CLOSE,
    LOOKUP,
    OPEN,
    READ,
    STAT,
    SYNC,
    SYNCED,
    WRITE,
)
from simulator.replay.advice import findings_in
from tests.answers.loops import each
from tests.answers.programs import (
    END,
    computing,
    program,
    traced,
)
from tests.answers.test_patterns import CASES, SEQUENCE


def test_a_look_up_after_an_open_goes_with_it() -> None:
    rows = [(OPEN, "in", 0, 0), (STAT, "in", 0, 0), (READ, "in", 0, 10), (CLOSE, "in", 0, 0)] * 9
    rows += [(OPEN, "in", 0, 0), (READ, "in", 10, 10), (CLOSE, "in", 0, 0)]  # It is no poll.
    made = traced({"a": [*rows, END]})
    (finding,) = open_storm(program(made, "nfs-lab"))
    cured = finding.cures[0].change.rewrites[0](made)
    kinds = list(cured.table.kind)
    assert [kinds.count(kind) for kind in (OPEN, STAT, READ, CLOSE)] == [1, 1, 10, 1]


def test_synchronous_writes_become_one_sync() -> None:
    rows = each(WRITE | SYNCED, "out", range(0, 4000, 1000), 1000)
    made = traced({"a": [*rows, (CLOSE, "out", 0, 1), END], "b": [(READ, "in", 0, 10), END]})
    (finding,) = sync_write(program(made, "workstation"))
    cured = finding.cures[0].change.rewrites[0](made)
    assert list(cured.table.kind) == [WRITE] * 4 + [SYNC, CLOSE, END[0], READ, END[0]]
    assert [(one.first, one.calls) for one in cured.clients] == [(0, 7), (7, 2)]
    assert computing(cured) == computing(made)


def test_absent_names_are_looked_for_once() -> None:
    made = traced({"a": [*each(LOOKUP, "lib", [1, 2, 1, 2] * 5, 0), END]})
    (finding,) = failed_lookup(program(made, "nfs-lab"))
    once, never = (cure.change.rewrites[0](made) for cure in finding.cures)
    assert [list(one.table.kind).count(LOOKUP) for one in (once, never)] == [2, 0]
    assert "10 of them" not in finding.found
    assert "18 of them had been looked for before" in finding.found


def test_files_that_a_simulated_run_has_placed_stay_where_they_are() -> None:
    for name, machine in (("prestage", "nwt"), ("shared", "lustre-scratch")):
        pattern, _, clients, *_ = CASES[name]
        it = program(traced({one: [*rows, END] for one, rows in clients.items()}), machine)
        it.placed = True
        cures = [cure for finding in pattern(it) for cure in finding.cures]
        assert not any(cure.change.rewrites or cure.change.prestage for cure in cures)


@pytest.mark.parametrize(("memory", "sizes"), [("1 GB", 3), ("2 MiB", 2), ("100 KiB", 0)])
def test_a_buffer_that_memory_cannot_hold_is_no_cure(memory: str, sizes: int) -> None:
    """Two processes of a node have a buffer of 128 KiB, 1 MiB or 8 MiB each."""
    machine = Text(
        f"format: machine/2\nname: m\nnodes: {{node: {{count: 1, memory: {memory}}}}}\n"
        "parts: {disk: {kind: queue, at: node, rate: 1 MB/s}}\nfilesystems: {home: [[disk]]}\n",
        "m",
    )
    clients = {name: [*each(WRITE, name, SEQUENCE, 1000), END] for name in "ab"}
    (finding,) = small_io(program(traced(clients), machine))
    assert len(finding.cures) == sizes
    assert len(findings_in(program(traced(clients), machine))) == (1 if sizes else 0)


def test_memory_is_needed_for_what_is_used_at_the_same_time() -> None:
    """Of a client the files that it uses at the same time; of all clients of a node together."""
    rows = [*each(WRITE, "a", [0, 1], 1), *each(WRITE, "b", [0, 1], 1)]
    one = program(traced({"p": rows}), "workstation")
    both = program(traced({"p": [rows[0], rows[2], rows[1], rows[3]]}), "workstation")
    two = program(traced({"p": rows[:2], "q": rows[2:]}), "workstation")
    half = 9 * 10**9  # Of 16 GB.
    assert one.holds(np.array([0, 1]), half)
    assert not both.holds(np.array([0, 1]), half)
    assert not two.holds(np.array([0, 1 << 32 | 1]), half)


def test_what_is_new_is_a_union() -> None:
    """Reads of 1,000 B at multiples of 100 B touch 10,900 B, however many they are."""
    rows = each(READ, "in", [*range(0, 10_000, 100)] * 3, 1_000)
    (finding,) = re_read(program(traced({"a": [*rows, END]}), "nfs-lab"))
    assert "200 reads (200 kB) of bytes" in finding.found
    assert finding.found.endswith("; 10.9 kB are new.")
    assert finding.cures[0].presumes == "memory for 10.9 kB."
