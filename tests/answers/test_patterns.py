"""Each pattern in a small program where it is, and in one where it is not; its cures are run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from simulator.answers.advise import Finding
from simulator.answers.patterns.of_traces.buffers import direct_io, oversized_read
from simulator.answers.patterns.of_traces.files import (
    many_files,
    many_small,
    sync_per_file,
    transaction_per_row,
)
from simulator.answers.patterns.of_traces.metadata import (
    close_flush,
    failed_lookup,
    open_storm,
    stat_storm,
    sync_write,
)
from simulator.answers.patterns.of_traces.places import (
    no_prestage,
    other_filesystem,
    shared_hotspot,
)
from simulator.answers.patterns.of_traces.reopened import re_read, reopened
from simulator.answers.patterns.of_traces.rounds import poll, re_list, rewritten
from simulator.answers.patterns.of_traces.scans import table_scan
from simulator.answers.patterns.of_traces.sleeps import sleeping_poll
from simulator.answers.patterns.of_traces.starts import started
from simulator.answers.patterns.of_traces.strides import strided_read, strided_write
from simulator.answers.patterns.of_traces.transfers import (
    record_length_rewrite,
    scattered_write,
    seek_storm,
    small_io,
    unaligned,
)
from simulator.answers.patterns.of_traces.underway import one_at_a_time
from simulator.answers.program import Program
from simulator.answers.ranking import advise
from simulator.plan.codes import (
    CLOSE,
    CREATE,
    DIRECT,
    LOOKUP,
    OPEN,
    PAUSE,
    READ,
    READDIR,
    RENAME,
    STAT,
    SYNC,
    SYNCED,
    UNLINK,
    WRITE,
)
from simulator.replay.advice import PATTERNS, findings_in
from tests.answers.loops import (
    around,
    counts,
    each,
    lists,
    parts,
    polls,
    put_in_place,
    records,
    statements,
    tiles,
    unpacked,
)
from tests.answers.programs import (
    END,
    Row,
    computing,
    job,
    order,
    program,
    traced,
    written,
)

MB = 1_000_000
Pattern = Callable[[Program], list[Finding]]
Clients = Mapping[str, Sequence[Row]]


def test_who_waits_between_the_rounds_of_a_poll_is_told_to_ask_first() -> None:
    for waits, beside in ((PAUSE, True), (STAT, False)):
        rows = [row for one in range(20) for row in (*polls(1), (waits, "", 0, 50))]
        made = [row for row in rows if waits == PAUSE or row[1]]
        (found,) = poll(program(traced({"a": [*made, END]}), "nfs-lab"))
        ask, keep = found.cures
        assert ask.beside == 0
        assert (keep.beside > 1) is beside


SCATTER = [(number * 7_919_000) % (40 * MB) for number in range(64)]
SEQUENCE = range(0, 400_000, 1_000)
TRANSPOSED = [64 * row + 8 * column for column in range(8) for row in range(8)]
CASES: dict[str, tuple[Pattern, str, Clients, list[str], int]] = {
    "record": (record_length_rewrite, "workstation", {"a": records("out", 5, 4, 8192)},
               ["out"], 5 * 7),
    "small writes": (small_io, "nfs-lab", {"a": each(WRITE, "out", SEQUENCE, 1000)}, ["out"], 400),
    "small reads": (small_io, "nfs-lab", {"a": each(READ, "in", SEQUENCE, 1000)}, ["in"], 400),
    "re-read": (re_read, "nfs-lab", {"a": each(READ, "in", [*range(0, MB, 100_000)] * 5, 100_000)},
                ["in"], 40),
    "one at a time": (one_at_a_time, "workstation",
                      {"a": each(READ, "in", SCATTER, 4096)}, ["in"], 64),
    "seeks": (seek_storm, "workstation", {"a": each(READ, "in", SCATTER, 4096)}, ["in"], 64),
    "scattered": (scattered_write, "workstation", {"a": each(WRITE, "out", TRANSPOSED, 8)},
                  ["out"], 64),
    "strided": (strided_write, "lustre-scratch",
                {"a": each(WRITE, "out", range(0, 64 * 4096, 4096), 256)}, ["out"], 64),
    "strided by two": (strided_write, "lustre-scratch",
                       {name: each(WRITE, "out", range(at, 64 * 512, 512), 256)
                        for name, at in (("a", 0), ("b", 256))}, ["out"], 128),
    "strided reads": (strided_read, "lustre-scratch",
                      {name: each(READ, "in", range(at, 64 * 512, 512), 256)
                       for name, at in (("a", 0), ("b", 256))}, ["in"], 128),
    "strided and synced": (strided_write, "lustre-scratch",
                           {name: [row for at in range(first, 64 * 512, 512)
                                   for row in ((WRITE, "out", at, 256), (SYNC, "out", 0, 0))]
                            for name, first in (("a", 0), ("b", 256))}, ["out"], 128),
    "opens": (open_storm, "nfs-lab", {"a": around(each(READ, "in", SEQUENCE[:20], 1000), "in")},
              ["in"], 40),
    "closes": (close_flush, "nfs-lab",
               {"a": around(each(WRITE, "out", SEQUENCE[:20], 1000), "out")}, ["out"], 40),
    "opens between removals": (open_storm, "nfs-lab",
                               {"a": [(UNLINK, "in", 0, 0),
                                      *around(each(READ, "in", SEQUENCE[:20], 1000), "in"),
                                      (UNLINK, "in", 0, 0)]}, ["in"], 40),
    "syncs": (sync_write, "workstation",
              {"a": [one for at in SEQUENCE[:20] for one in ((WRITE, "out", at, 1000),
                                                             (SYNC, "out", 0, 0))]},
              ["out"], 20),
    "O_SYNC": (sync_write, "workstation",
               {"a": each(WRITE | SYNCED, "out", SEQUENCE[:20], 1000)}, ["out"], 20),
    "lookups": (failed_lookup, "nfs-lab", {"a": each(LOOKUP, "lib", [1, 2, 3, 4] * 5, 0)},
                ["lib"], 20),
    "stats": (stat_storm, "nfs-lab", {"a": each(STAT, "in", [0] * 20, 0)}, ["in"], 19),
    "entries": (stat_storm, "nfs-lab",
                {"a": [(READDIR, "d", 0, 0), *((STAT, f"d/{n}", 0, 0) for n in range(16))]},
                [f"d/{n}" for n in range(16)], 16),
    "unaligned": (unaligned, "lustre-scratch",
                  {"a": each(WRITE, "out", range(0, 30 * MB, 1_500_000), 1_500_000)}, ["out"], 20),
    "shared": (shared_hotspot, "lustre-scratch",
               {f"c{n}": each(WRITE, "out", range(n * 10 * MB, (n + 1) * 10 * MB, MB), MB)
                for n in range(4)}, ["out"], 40),
    "prestage": (no_prestage, "nwt", {"a": each(READ, "in", range(0, 16 * MB, MB), MB)},
                 ["in"], 16),
    "unpacked": (sync_per_file, "workstation", {"a": unpacked(10, 5_000, sync=True)},
                 [f"d/{n}" for n in range(10)], 10),
    "many files": (many_files, "nfs-lab", {"a": unpacked(40, 500, sync=False)},
                   [f"d/{n}" for n in range(40)], 120),
    "many small": (many_small, "nfs-lab", {"a": tiles(256)}, [f"d/{n}" for n in range(256)], 768),
    "files made anew": (many_files, "nfs-lab",
                        {"a": [*((UNLINK, f"d/{n}", 0, 0) for n in range(40)),
                               *unpacked(40, 500, sync=False)]},
                        [f"d/{n}" for n in range(40)], 160),
    "rows": (transaction_per_row, "workstation", {"a": statements(12)},
             ["a.db-journal", "a.db"], 12 * 9 + 1),
    "reopened": (reopened, "nfs-lab", {"a": parts(20)}, ["in"], 19 * 3),
    "poll": (poll, "nfs-lab", {"a": polls(20)}, ["in"], 19 * 5),
    "counter": (rewritten, "nfs-lab", {"a": counts(20)}, ["n"], 20 * 4),
    "without a name": (rewritten, "workstation",
                       {"a": [(CREATE, "n", 0, 0), (UNLINK, "n", 0, 0),
                              *each(WRITE, "n", [0] * 20, 77)]}, ["n"], 21),
    "put in place": (rewritten, "nfs-lab", {"a": put_in_place(20)}, ["new"], 20 * 4),
    "lists": (re_list, "nfs-lab", {"a": lists(20)}, ["d"], 19 * 4),
    "array in a file": (rewritten, "workstation", {"a": each(WRITE, "out", TRANSPOSED * 4, 8)},
                        ["out"], 4 * 64),
    "direct": (direct_io, "workstation",
               {"a": each(WRITE | DIRECT, "out", range(0, 400_000, 4_000), 4_000)}, ["out"], 100),
    "direct reads": (direct_io, "workstation",
                     {"a": each(READ | DIRECT, "in", range(0, 409_600, 4_096), 4_096)},
                     ["in"], 100),
    "oversized": (oversized_read, "workstation",
                  {"a": each(READ, "in", [at // 1000 * 1000 for at in SCATTER], 131_072)},
                  ["in"], 64),
    "elsewhere": (other_filesystem, "workstation", {"a": each(READ, "in", SCATTER, 4096)},
                  ["in"], 64),
}  # fmt: skip
"""The pattern, a machine, a program that has it, the files and the calls that are found."""

NONE: dict[str, tuple[Pattern, str, Clients]] = {
    "record": (record_length_rewrite, "workstation", {"a": each(WRITE, "out", SEQUENCE, 1000)}),
    "large writes": (small_io, "nfs-lab", {"a": each(WRITE, "out", range(0, 9 * MB, MB), MB)}),
    "few writes": (small_io, "nfs-lab", {"a": each(WRITE, "out", SEQUENCE[:9], 1000)}),
    "scattered reads": (small_io, "nfs-lab", {"a": each(READ, "in", SCATTER, 4096)}),
    "read once": (re_read, "nfs-lab", {"a": each(READ, "in", SEQUENCE, 1000)}),
    "written between": (re_read, "nfs-lab", {"a": each(READ, "in", [0] * 20, 1000),
                                             "b": [(WRITE, "in", 0, 1000)]}),
    "read ahead": (one_at_a_time, "workstation", {"a": each(READ, "in", SEQUENCE, 1000)}),
    "in order": (seek_storm, "workstation", {"a": each(READ, "in", SEQUENCE, 1000)}),
    "not all": (scattered_write, "workstation", {"a": each(WRITE, "out", TRANSPOSED[:-2], 8)}),
    "written in order": (scattered_write, "workstation",
                         {"a": each(WRITE, "out", sorted(TRANSPOSED), 8)}),
    "read as well": (scattered_write, "workstation",
                     {"a": each(WRITE, "out", TRANSPOSED, 8), "b": [(READ, "out", 0, 8)]}),
    "written by two": (scattered_write, "workstation",
                       {"a": each(WRITE, "out", TRANSPOSED, 8), "b": [(WRITE, "out", 0, 8)]}),
    "without holes": (strided_write, "lustre-scratch", {"a": each(WRITE, "out", SEQUENCE, 1000)}),
    "holes that are read": (strided_write, "lustre-scratch",
                            {"a": each(WRITE, "out", range(0, 64 * 4096, 4096), 256),
                             "b": [(READ, "out", 0, 8)]}),
    "read by one": (strided_read, "lustre-scratch",
                    {"a": each(READ, "in", range(0, 64 * 4096, 4096), 256)}),
    "few small": (many_small, "nfs-lab", {"a": tiles(255)}),
    "code": (many_small, "nfs-lab", {"a": tiles(300, ".pyc")}),
    "opened for nothing": (many_small, "workstation", {"a": tiles(300)}),
    "free opens": (open_storm, "workstation",
                   {"a": around(each(READ, "in", SEQUENCE[:20], 1000), "in")}),
    "made again": (open_storm, "nfs-lab",
                   {"a": [(CREATE, "t", 0, 0), (READ, "t", 0, 9), (CLOSE, "t", 0, 0),
                          (UNLINK, "t", 0, 0)] * 10}),
    "renamed by another": (close_flush, "nfs-lab",
                           {"a": around(each(WRITE, "t", SEQUENCE[:20], 1000), "t"),
                            "b": [(RENAME, "t", 0, 0)]}),
    "removed and opened": (rewritten, "nfs-lab",
                           {"a": [(OPEN, "t", 0, 0), *each(WRITE, "t", [0] * 20, 9),
                                  (UNLINK, "t", 0, 0), (OPEN, "t", 0, 0),
                                  *each(WRITE, "t", [0] * 20, 9)]}),
    "read and renamed": (re_read, "nfs-lab",
                         {"a": [*each(READ, "in", [0] * 20, 1000), (RENAME, "in", 0, 0),
                                (READ, "in", 0, 1000)]}),
    "flushing": (open_storm, "nfs-lab",
                 {"a": around(each(WRITE, "out", SEQUENCE[:20], 1000), "out")}),
    "closes after reads": (close_flush, "nfs-lab",
                           {"a": around(each(READ, "in", SEQUENCE[:20], 1000), "in")}),
    "one sync": (sync_write, "workstation", {"a": [(WRITE, "out", 0, 1000), (SYNC, "out", 0, 0)]}),
    "free lookups": (failed_lookup, "workstation",
                     {"a": each(LOOKUP, "lib", [1, 2, 3, 4] * 5, 0)}),
    "few lookups": (failed_lookup, "nfs-lab", {"a": each(LOOKUP, "lib", [1, 2, 3, 4], 0)}),
    "free stats": (stat_storm, "workstation", {"a": each(STAT, "in", [0] * 20, 0)}),
    "not listed": (stat_storm, "nfs-lab",
                   {"a": [(READDIR, "e", 0, 0), *((STAT, f"d/{n}", 0, 0) for n in range(16))]}),
    "aligned": (unaligned, "lustre-scratch",
                {"a": each(WRITE, "out", range(0, 80 * MB, 4 * MB), 4 * MB)}),
    "alone": (shared_hotspot, "lustre-scratch",
              {f"c{n}": each(WRITE, f"out{n}", range(0, 10 * MB, MB), MB) for n in range(4)}),
    "page cache": (no_prestage, "workstation",
                   {"a": each(READ, "in", range(0, 16 * MB, MB), MB)}),
    "few files synced": (sync_per_file, "workstation", {"a": unpacked(7, 5_000, sync=True)}),
    "one file synced": (sync_per_file, "workstation",
                        {"a": [(WRITE, "out", 0, 10), (SYNC, "out", 0, 0)] * 20}),
    "files not synced": (sync_per_file, "workstation", {"a": unpacked(20, 5_000, sync=False)}),
    "shared files synced": (sync_per_file, "workstation",
                            {"a": unpacked(10, 5_000, sync=True),
                             "b": [(READ, f"d/{n}", 0, 10) for n in range(10)]}),
    "free files": (many_files, "workstation", {"a": unpacked(40, 500, sync=False)}),
    "few files": (many_files, "nfs-lab", {"a": unpacked(31, 500, sync=False)}),
    "large files": (many_files, "nfs-lab", {"a": unpacked(40, MB, sync=False)}),
    "files that go": (many_files, "nfs-lab",
                      {"a": [*unpacked(40, 500, sync=False),
                             *((UNLINK, f"d/{n}", 0, 0) for n in range(40))]}),
    "one transaction": (transaction_per_row, "workstation", {"a": statements(1)}),
    "no database": (transaction_per_row, "workstation",
                    {"a": [(SYNC, "a.db", 0, 0), (WRITE, "a.db", 0, 9)] * 20}),
    "two writers": (transaction_per_row, "workstation",
                    {"a": statements(12), "b": statements(12)}),
    "reopened twice": (reopened, "nfs-lab", {"a": parts(2)}),
    "polled twice": (poll, "nfs-lab", {"a": polls(2)}),
    "polled by name": (poll, "nfs-lab", {"a": each(STAT, "in", [0] * 20, 0)}),
    "polled and written": (poll, "nfs-lab", {"a": polls(20), "b": [(WRITE, "in", 0, 10)]}),
    "read on": (poll, "nfs-lab",
                {"a": [row for n in range(20) for row in
                       ((OPEN, "in", 0, 0), (READ, "in", 900 * n, 900), (CLOSE, "in", 0, 0))]}),
    "counted seldom": (rewritten, "nfs-lab", {"a": counts(7)}),
    "counted by two": (rewritten, "nfs-lab", {"a": counts(20), "b": counts(20)}),
    "counter read by another": (rewritten, "nfs-lab",
                                {"a": counts(20), "b": [(READ, "n", 0, 4)]}),
    "counter synced": (rewritten, "nfs-lab", {"a": [*counts(4), (SYNC, "n", 0, 0)] * 4}),
    "put in place seldom": (rewritten, "nfs-lab", {"a": put_in_place(7)}),
    "put in place by another": (rewritten, "nfs-lab",
                                {"a": put_in_place(20), "b": [(RENAME, "new", 0, 0)]}),
    "put in place and read": (rewritten, "nfs-lab",
                              {"a": put_in_place(20), "b": [(READ, "new", 0, 600)]}),
    "listed seldom": (re_list, "nfs-lab", {"a": lists(8)}),
    "not a folder": (re_list, "nfs-lab", {"a": around(each(READ, "in", SEQUENCE, 9), "in")}),
    "listed": (open_storm, "nfs-lab", {"a": lists(20)}),
    "renamed": (scattered_write, "workstation", {"a": put_in_place(200)}),
    "written thrice": (rewritten, "workstation", {"a": each(WRITE, "out", TRANSPOSED * 3, 8)}),
    "written over with a hole": (rewritten, "workstation",
                                 {"a": each(WRITE, "out", TRANSPOSED[:-2] * 9, 8)}),
    "large direct": (direct_io, "workstation",
                     {"a": each(WRITE | DIRECT, "out", range(0, 20 * MB, MB), MB)}),
    "not direct": (direct_io, "workstation", {"a": each(WRITE, "out", SEQUENCE, 1000)}),
    "sequential buffers": (oversized_read, "workstation",
                           {"a": each(READ, "in", range(0, 4_194_304, 131_072), 131_072)}),
    "pages of their own": (oversized_read, "workstation",
                           {"a": each(READ, "in", [at // 4096 * 4096 for at in SCATTER], 8_192)}),
    "no record": (oversized_read, "workstation",
                  {"a": each(READ, "in", [at + n % 5 for n, at in enumerate(SCATTER)], 131_072)}),
    "one file system": (other_filesystem, "nfs-lab", {"a": each(READ, "in", SCATTER, 4096)}),
    "made by itself": (no_prestage, "nwt", {"a": [(WRITE, "in", 0, MB), (READ, "in", 0, MB)]}),
}  # fmt: skip


def test_every_pattern_has_a_case() -> None:
    # Theirs: test_sleeps.py, test_scans.py, test_starts.py.
    known = set(PATTERNS) - {sleeping_poll, table_scan, started}
    assert {case[0] for case in CASES.values()} == known
    assert {case[0] for case in NONE.values()} == known


@pytest.mark.parametrize("name", CASES)
def test_a_pattern_is_found_with_its_files_and_calls(name: str) -> None:
    pattern, machine, clients, files, calls = CASES[name]
    made = traced({client: [*rows, END] for client, rows in clients.items()})
    (finding,) = pattern(program(made, machine))
    assert finding.pattern == pattern.__name__.replace("_", "-")
    assert [one.name for one in finding.files] == files
    assert finding.calls == calls
    assert any(file in finding.example for file in files)
    assert finding.cures
    assert finding.pattern in {one.pattern for one in findings_in(program(made, machine))}


@pytest.mark.parametrize("name", NONE)
def test_a_pattern_is_not_found_where_it_is_not(name: str) -> None:
    pattern, machine, clients = NONE[name]
    made = traced({client: [*rows, END] for client, rows in clients.items()})
    assert pattern(program(made, machine)) == []


@pytest.mark.parametrize("name", CASES)
def test_a_cure_keeps_what_is_written_computed_and_awaited(name: str) -> None:
    pattern, machine, clients, _, _ = CASES[name]
    made = traced({client: [*rows, END] for client, rows in clients.items()})
    (finding,) = pattern(program(made, machine))
    for cure in finding.cures:
        cured = made
        for rewrite in cure.change.rewrites:
            cured = rewrite(cured)
        once = (poll, re_list, reopened, rewritten, transaction_per_row)
        again = pattern in once or cure.kind == "made"
        if again:  # What is done again and again goes with it.
            assert computing(cured)["a"] <= computing(made)["a"]
        else:
            assert {name: computing(cured)[name] for name in clients} == computing(made)
        if pattern is not one_at_a_time:  # What it waits for: tests/answers/test_under_way.py.
            assert order(cured) == order(made)
        others = (shared_hotspot, sync_per_file, many_files, strided_write)
        if pattern in others:  # The files are others.
            assert _bytes(written(cured)) == _bytes(written(made))
        else:
            assert _kept(written(cured)) == _kept(written(made))
        if cure.change.rewrites:
            assert cured.digest != made.digest


def _kept(extents: dict[str, list[tuple[int, int]]]) -> dict[str, list[tuple[int, int]]]:
    """Leave out the journal of a database: it is removed in the end."""
    return {name: found for name, found in extents.items() if not name.endswith("-journal")}


def _bytes(extents: dict[str, list[tuple[int, int]]]) -> int:
    return sum(end - begin for each in extents.values() for begin, end in each)


@pytest.mark.few(12)
@pytest.mark.parametrize("name", CASES)
def test_what_is_printed_is_the_difference_of_two_runs(name: str) -> None:
    pattern, machine, clients, _, _ = CASES[name]
    made = traced({client: [*rows, END] for client, rows in clients.items()})
    it = job(made, machine)
    advised = advise(it, pattern(program(made, machine)))
    for one in advised.advice:
        rerun = job(it.rewritten(one.cure.change), machine) if one.cure.change.rewrites else None
        ran = it.run(one.cure.change) if rerun is None else rerun.base
        assert ran is not None
        again = ran.elapsed_ns
        assert one.saves_ns == it.base.elapsed_ns - again
        assert one.elapsed_ns == again
    assert advised.advice or advised.tried


def test_processes_that_follow_each_other_make_no_hotspot() -> None:
    """Eight write 50 pieces each to one file: all at once, or one after the other."""
    rows = {f"p{number}": each(WRITE, "out", SEQUENCE[:50], 1000) for number in range(8)}
    here = program(traced(rows), "nfs-lab")
    here.began = np.tile(np.arange(50), 8)
    (found,) = shared_hotspot(here)
    assert found.calls == 400
    here.began = np.arange(400)
    assert shared_hotspot(here) == []
