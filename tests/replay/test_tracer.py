"""The tracer's own time: by hand, between its bounds, and guessed where nobody has measured it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="the store of traces needs pyarrow")

from hypothesis import given
from hypothesis import strategies as st

from simulator.plan.codes import PAUSE
from simulator.replay.computing import UNKNOWN, settled, usual_of
from simulator.replay.observed import Observed, observe
from simulator.replay.tracer import (
    TracerCosts,
    TracerGuess,
    _Running,
    in_order,
    kind_of,
)
from simulator.traces.reader import read
from simulator.traces.record import Cost, Ended, Record

US = 1000
COSTS = {
    "plain": Cost(2000, 3000, 0),
    "data": Cost(4000, 6000, 0),
    "path": Cost(1000, 2000, 0),
    "struct": Cost(500, 700, 0),
}
LOG = """\
7 1700000100.000000 openat(AT_FDCWD, "/d/a", O_RDONLY) = 3 <0.000010>
7 1700000100.000030 read(3, ""..., 100) = 100 <0.000010>
7 1700000100.000100 lseek(3, 0, SEEK_SET) = 0 <0.000005>
7 1700000100.000200 getpid() = 7 <0.000005>
7 1700000100.000300 read(3, ""..., 100) = 100 <0.000010>
7 1700000100.000400 exit_group(0) = ?
"""
LEFT = [0, 27 * US, 54 * US, 187 * US, 84 * US]
"""Gaps of its rows without the tracer: 30 - 3, 60 - 6, 195 - 3 - 5, 90 - 6."""


def ended(
    elapsed: float, user: float = 0, system: float = 0, read_bytes: int = 0, faults: int = 0
) -> Ended:
    times = (round(one * US) for one in (elapsed, user, system))
    return Ended(*times, 0, read_bytes, 0, faults)


def record(untraced: Ended | None = None, **other: Any) -> Record:
    made: dict[str, Any] = {
        "command": ("./job",),
        "cwd": "/d",
        "cache": "as-is",
        "host": "lab",
        "kernel": "Linux 6",
        "filesystem": "ext4",
        "strace": "6.1",
        "date": "2026-01-02T03:04:05Z",
        "first_line": LOG.partition("\n")[0],
        "traced": ended(400),
        "untraced": untraced,
        "costs": COSTS,
        "child_ns": 50.0 * US,
    }
    return Record(**(made | other))


def observed(tmp_path: Path, log: str, tracer: TracerCosts | TracerGuess | None) -> Observed:
    path = tmp_path / "log"
    path.write_text(log)
    return observe("log", read([path]).batches(), tracer=tracer)


def idles(found: Observed) -> list[int]:
    """Sleeps and waits, as they are replayed."""
    table = found.traced.table
    return [
        size for kind, size in zip(table.kind, table.size, strict=True) if kind == PAUSE and size
    ]


def gaps(found: Observed) -> list[int]:
    return list(found.traced.table.gap)


# -- by hand ------------------------------------------------------------------------------------


def test_each_gap_loses_what_the_tracer_took_after_calls_and_in_those_without_a_model(tmp_path):
    found = observed(tmp_path, LOG, TracerCosts(record()))
    assert gaps(found) == LEFT
    taken = found.tracer
    assert taken is not None
    assert (taken.calls, taken.between_ns, taken.own_ns) == (6, 375 * US, 23 * US)
    assert taken.computing_ns == sum(LEFT)


def test_without_a_tracer_gaps_are_those_of_the_log(tmp_path):
    assert gaps(observed(tmp_path, LOG, None)) == [0, 30 * US, 60 * US, 195 * US, 90 * US]


def test_calls_take_less_inside_too(tmp_path):
    found = observed(tmp_path, LOG, TracerCosts(record()))
    assert found.duration.tolist() == [9 * US, 6 * US, 3 * US, 6 * US, 0]


@pytest.mark.parametrize(
    ("user", "system", "computing"),
    [
        (100, 50, 100),  # The gaps say 352, of which 202 cannot be: they say nothing more.
        (300, 100, 342.5),  # The gaps say 352, and may be 38 / 4 wrong.
        (370, 100, 361.5),  # So they do here.
        (5500, 100, 375),  # No more is computed than the gaps have.
        (0, 710, 342.5),
        (0, 0, 0),
    ],
)
def test_what_is_left_is_the_time_without_the_tracer(tmp_path, user, system, computing):
    found = observed(tmp_path, LOG, TracerCosts(record(ended(700, user, system))))
    assert sum(gaps(found)) == computing * US


@pytest.mark.parametrize(("runs", "computing"), [(1, 361.5), (4, 375)])
def test_user_time_is_surer_of_several_runs(tmp_path, runs, computing):
    """5.2 ms of the user may be 5 wrong, so that the gaps' 352 us and 9.5 more count; of four runs

    they are 2.5 wrong at most, and all of the gaps is computed.
    """
    found = observed(tmp_path, LOG, TracerCosts(record(ended(700, 5200, 100), runs=runs)))
    assert sum(gaps(found)) == computing * US


def test_the_price_of_a_call_follows_what_is_left(tmp_path):
    """Calls add 3 us, 6, 8 and 6 to gaps of 30 us to 195: twice as much leaves 329 of 375."""
    found = observed(tmp_path, LOG, TracerCosts(record(ended(700, 329, 0))))
    assert gaps(found) == [0, 24 * US, 48 * US, 179 * US, 78 * US]


@pytest.mark.parametrize(("alike", "left"), [(60, (10, 0)), (1, (5, 5))])
def test_the_price_counts_twice_where_many_gaps_are_alike_and_follow_no_read(alike, left):
    """120 gaps of 20 us, half of them likely; calls add 15 to each, so that 600 us are left."""
    gap, lost = np.full(120, 20 * US), np.full(120, 15.0 * US)
    likely, least = np.arange(120) < 60, np.zeros(120)
    tolls = TracerCosts(record(ended(3000, 600, 0)))
    made, taken = tolls.settle(gap, lost, least, likely, np.arange(120) // alike, 0.0)
    assert taken.computing_ns == 600 * US
    assert set(made[:60]) == {left[0] * US}
    assert set(made[60:]) == {left[1] * US}


@pytest.mark.parametrize(("computing", "each", "one"), [(385, 5, 85), (100, 0.25, 85), (30, 0, 30)])
def test_few_gaps_keep_what_the_measured_price_leaves_if_it_is_little(computing, each, one):
    """Sixty gaps of 20 us are alike, one has 100, and calls add 15 to each: 85 of that.

    It may be a quarter of 15 us wrong, which is more than a tenth of 30.
    """
    gap, lost = np.full(61, 20 * US), np.full(61, 15.0 * US)
    gap[60] = 100 * US
    tolls = TracerCosts(record(ended(3000, computing, 0)))
    likely, alike = np.ones(61, bool), np.arange(61) // 60
    made, _ = tolls.settle(gap, lost, np.zeros(61), likely, alike, 0.0)
    assert made[:60] == pytest.approx(np.full(60, each * US), abs=1)
    assert (made[60], made.sum()) == (one * US, computing * US)


def test_what_libraries_compute_stays_and_no_more_where_that_is_all(tmp_path):
    """Two reads and a seek of 30 ns each; of 50 ns in all, 17, 16 and 17 are left."""
    found = observed(tmp_path, LOG, TracerCosts(record(ended(700, 0.09, 0))))
    assert gaps(found) == [0, 30, 30, 30, 0]
    found = observed(tmp_path, LOG, TracerCosts(record(ended(700, 0.05, 0))))
    assert gaps(found) == [0, 17, 16, 17, 0]


@pytest.mark.parametrize(
    ("untraced", "user", "system", "more"),
    [
        ((700, 300, 100), 200, 150, 400 - (350 - 38)),
        ((700, 10, 5), 200, 150, 15 - (350 - 38)),
        ((700, 10, 5), 20, 15, 15),  # The tracer took no more than there was.
        ((700, 300, 100), 0, 0, 0),  # Older records do not say how busy the traced run was.
        (None, 200, 150, 0),
    ],
)
def test_the_run_without_the_tracer_may_have_been_another_one(
    tmp_path, untraced, user, system, more
):
    """Six calls: an open of 3 us, reads of 10 each, and a seek, a getpid and an exit of 5 each."""
    plain = ended(*untraced) if untraced else None
    tolls = TracerCosts(record(plain, traced=ended(400, user, system)))
    observed(tmp_path, LOG, tolls)
    assert tolls.more_ns == pytest.approx(more * US)


def test_pages_touched_first_are_computing(tmp_path):
    """250 us of the user, 100 pages of 1 us."""
    found = observed(
        tmp_path, LOG, TracerCosts(record(ended(700, 250, 150, faults=100), fault_ns=US))
    )
    assert sum(gaps(found)) == 350 * US


def test_what_the_tick_counts_as_user_time_of_each_call_is_no_computing(tmp_path):
    """Of 100 us of the user six calls have 5 each; with 20 each nothing is left."""
    for counted, computing in ((5, 70), (20, 0)):
        untraced = ended(700, 100, 50)
        found = observed(tmp_path, LOG, TracerCosts(record(untraced, counted_ns=counted * US)))
        assert sum(gaps(found)) == computing * US


def test_the_usual_of_gaps_between_the_same_calls_is_between_their_tenths():
    gap = np.array([*range(100, 160), 7, 9])
    low, high = usual_of(gap, np.array([3] * 60 + [5] * 2))
    assert (low[0], high[0]) == (105, 153)
    assert set(low[60:]) == set(high[60:]) == {UNKNOWN}  # Of two nothing is known.


def test_what_is_more_than_usual_computes_only_if_the_rest_have_too_little():
    """Sixty gaps of 20 with a price of 10, six of 1000: three quarters of it leave 12.5."""
    usual = np.full(66, 20)
    gap = usual + np.array([0] * 60 + [980] * 6)
    price = np.full(66, 10)
    left = settled(gap, usual, price, 660.0)
    assert left == pytest.approx(np.full(66, 10.0))
    left = settled(gap, usual, price, 825.0 + 588.0)
    assert left == pytest.approx([*[12.5] * 60, *[12.5 + 98.0] * 6])
    assert settled(gap, usual, price, 7_000.0).sum() == pytest.approx(7_000)


def test_calls_that_are_modelled_take_their_part_of_the_processor_time(tmp_path):
    """Two reads and a seek would take 40 of 150 us: 110 are left for computing, at most."""
    costs = COSTS | {"data": Cost(4000, 6000, 15 * US), "plain": Cost(2000, 3000, 10 * US)}
    found = observed(tmp_path, LOG, TracerCosts(record(ended(700, 150, 0), costs=costs)))
    assert sum(gaps(found)) == 110 * US


def test_calls_without_a_model_are_at_least_what_they_take_alone(tmp_path):
    """Nothing is left of the gaps, but getpid and exit_group take 10 us each, opening none."""
    costs = {kind: Cost(10**6, 10**6, 10 * US if kind == "plain" else 0) for kind in COSTS}
    found = observed(tmp_path, LOG, TracerCosts(record(ended(7000, 100, 100), costs=costs)))
    assert sum(gaps(found)) == 120 * US


WAITING = """\
7 1700000100.000000 openat(AT_FDCWD, "/d/a", O_RDONLY) = 3 <0.000010>
7 1700000100.000030 read(3, ""..., 100) = 100 <0.000010>
7 1700000100.000100 {call} = 0 <0.001002>
7 1700000100.001202 read(3, ""..., 100) = 100 <0.000010>
"""


@pytest.mark.parametrize(
    ("call", "kept"),
    [
        ("nanosleep({tv_sec=0, tv_nsec=1000000}, NULL)", 1000),
        ("futex(0x7f, FUTEX_WAIT, 0, NULL)", 500),  # The other one is twice as fast untraced.
        ("getpid()", 0),
    ],
)
def test_sleep_lasts_and_waiting_is_as_much_shorter_as_the_run(tmp_path, call, kept):
    """Nothing was computed, so that only waiting is left."""
    found = observed(tmp_path, WAITING.format(call=call), TracerCosts(record(ended(200))))
    assert sum(gaps(found)) == 0
    assert idles(found) == ([kept * US] if kept else [])


def test_a_wait_for_a_pipe_is_one(tmp_path):
    log = """\
7 1700000100.000000 pipe([3, 4]) = 0 <0.000010>
7 1700000100.000030 openat(AT_FDCWD, "/d/a", O_RDONLY) = 5 <0.000010>
7 1700000100.000100 read(3, ""..., 100) = 100 <0.001004>
7 1700000100.001202 read(5, ""..., 100) = 100 <0.000010>
"""
    found = observed(tmp_path, log, TracerCosts(record(ended(100))))
    assert sum(gaps(found)) == 0
    assert idles(found) == [250 * US]


def test_waiting_needs_no_processor_in_a_log_that_nobody_measured(tmp_path):
    sleep = WAITING.format(call="nanosleep({tv_sec=0, tv_nsec=1000000}, NULL)")
    found = observed(tmp_path, sleep, TracerGuess())
    assert gaps(found) == [0, 30 * US, 60 * US, 100 * US, 0]
    assert idles(found) == [1002 * US]


def test_a_child_begins_without_what_its_making_costs_the_tracer(tmp_path):
    log = """\
7 1700000100.000000 clone(child_stack=NULL, flags=SIGCHLD) = 8 <0.000080>
8 1700000100.000100 openat(AT_FDCWD, "/d/a", O_RDONLY) = 3 <0.000010>
8 1700000100.000150 read(3, ""..., 100) = 100 <0.000010>
8 1700000100.000200 exit_group(0) = ?
8 1700000100.000210 +++ exited with 0 +++
7 1700000100.000300 openat(AT_FDCWD, "/d/b", O_RDONLY) = 3 <0.000010>
7 1700000100.000400 read(3, ""..., 100) = 100 <0.000010>
"""
    found = observed(tmp_path, log, TracerCosts(record()))
    first = [found.traced.table.gap[one.first] for one in found.traced.clients]
    assert first == [0, 50 * US]
    parent = found.traced.clients[0]
    assert found.traced.table.gap[parent.first + 1] == (300 - 50 - 3) * US


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1000)), min_size=1, max_size=12),
        max_size=6,
    )
)
def test_sums_of_processes_go_on_from_batch_to_batch(batches):
    running, naive = _Running(), dict.fromkeys(range(5), 0)
    for batch in batches:
        process = np.array([one for one, _ in batch])
        found = running.before(process, in_order(process), np.array([v for _, v in batch]))
        for (one, value), sum_ in zip(batch, found, strict=True):
            assert sum_ == naive[one]
            naive[one] += value
    assert [naive[one] for one in range(len(running.total))] == running.total.tolist()


def test_kinds_of_calls():
    words = "read splice openat access newfstatat getdents64 mmap futex execve"
    kinds = ["data", "data", "path", "path", "struct", "struct", "plain", "plain", "path"]
    assert [kind_of(one) for one in words.split()] == kinds
