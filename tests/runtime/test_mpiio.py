"""What each method of MPI-IO does: every byte once, so many calls, such locks; and its laws."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.plan.codes import SEND
from simulator.plan.plan import Plan
from simulator.reference.run import run_reference
from simulator.result.result import Result
from simulator.runtime.exchange import Exchange, LibrarySpec
from simulator.runtime.iotables import Tables, WantedPieces, cut
from simulator.runtime.mpiio import compiled
from simulator.runtime.subfiles import Region, SubFiles
from simulator.service import ServiceSpec
from tests.engines.arrays import (
    ACCESS,
    BLOCK,
    METHODS,
    array,
    asked_by,
    bytes_of,
    grouped,
    kinds,
    machine,
    planned,
    rows_of,
)

EACH_ONCE = [one for one in METHODS if one not in {"sieving", "two-phase"}]
"""Methods in which no process moves what it did not ask for."""
FILES = SubFiles((Region(1000, 100, (0, 1, 2, 3)),), BLOCK)
"""Where the bytes of the usual file are."""


def plan_of(method: str, **changes: object) -> Plan:
    return planned(machine(), array(method=method, **changes))  # type: ignore[arg-type]


def run(plan: Plan) -> Result:
    return run_reference(plan, debug=True)


def total(result: Result, name: str) -> int:
    return sum(one.counts[name] for one in result.stores.values())


def sent(result: Result) -> int:
    return sum(one.bytes for one in result.parts.values() if one.part == "crossbar.out")


def work(plan: Plan, name: str) -> int:
    assert plan.asked is not None
    return int(getattr(plan.asked.work, name))


def pieces(process: int, gap: int = 0) -> WantedPieces:
    return WantedPieces(range(process * 25, process * 25 + 20 * (50 + gap), 50 + gap), [25] * 20)


def library(**changes: int) -> LibrarySpec:
    names = ("call_ns", "item_ns", "item", "stride", "lock_ns", "barrier_ns")
    buffers = ("transfer_buffer", "sieve_buffer", "exchange_buffer")
    copy = ServiceSpec(1e9)
    numbers = {**dict.fromkeys(names, 1), **dict.fromkeys(buffers, 10), **changes}
    return LibrarySpec(copy=copy, node_copy=copy, **numbers)


# -- every byte ---------------------------------------------------------------------------------


@pytest.mark.parametrize("write", [False, True])
@pytest.mark.parametrize("method", EACH_ONCE)
def test_every_byte_of_the_array_is_moved_once(method: str, write: bool) -> None:
    plan = plan_of(method, write=write)
    wanted = Counter(FILES.location(offset) for offset in range(1000))
    if ACCESS[method] == "collective":
        assert grouped(plan) == wanted
        return
    assert bytes_of(plan, 0) + bytes_of(plan, 1) == wanted


@pytest.mark.parametrize("method", EACH_ONCE)
def test_a_process_gets_its_own_bytes(method: str) -> None:
    plan = plan_of(method)
    assert plan.asked is not None
    if ACCESS[method] == "collective":
        sizes = plan.asked.requests.size
        assert [sum(sizes[at] for at in asked_by(plan, one)) for one in (0, 1)] == [500, 500]
        return
    for process in (0, 1):
        asked = pieces(process)
        wanted = Counter(
            FILES.location(int(offset) + byte)
            for offset, size in zip(asked.offset, asked.size, strict=True)
            for byte in range(int(size))
        )
        assert bytes_of(plan, process) == wanted


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("write", [False, True])
def test_what_is_asked_for_is_delivered_and_comes_from_disk_or_goes_there(
    method: str, write: bool
) -> None:
    result = run(plan_of(method, write=write, exists=not write))
    moved = [(one.read.bytes, one.write.bytes) for one in result.processes]
    assert moved == [(0, 500) if write else (500, 0)] * 2
    if not write:
        assert total(result, "disk_read_bytes") == 1000  # each block once, in whole blocks
        assert total(result, "disk_written_bytes") == 0
    elif method != "sieving":
        assert total(result, "disk_written_bytes") == 1000
        assert total(result, "disk_read_bytes") == 0
    else:  # it writes back what lies between, which is zeros, and again when it is changed
        assert total(result, "disk_written_bytes") >= 1000


# -- calls, locks, messages -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "calls"),
    [
        ("seek", 40),
        ("offset", 20),
        ("list", 1),
        ("stride", 1),
        ("sieving", 1),
        ("disk-directed", 1),
        ("server-directed", 0),
        ("two-phase", 1),
    ],
)
def test_system_calls(method: str, calls: int) -> None:
    plan = plan_of(method)
    assert work(plan, "calls") == 2 * calls
    assert (work(plan, "server_calls") > 0) == (method == "server-directed")


@pytest.mark.parametrize("method", METHODS)
def test_who_takes_the_lock(method: str) -> None:
    """An independent write of several pieces; a change by sieving; nothing else."""
    for write, count in ((False, 0), (True, int(method in {"list", "stride", "sieving"}))):
        plan = plan_of(method, write=write)
        assert kinds(plan)["lock"] == kinds(plan)["unlock"] == count


def test_a_write_of_one_contiguous_range_takes_no_lock() -> None:
    assert kinds(plan_of("stride", write=True, size=50))["lock"] == 0
    assert kinds(plan_of("sieving", write=True, processes=1))["lock"] == 0


@pytest.mark.parametrize("method", METHODS)
def test_who_waits_at_barriers(method: str) -> None:
    plan = plan_of(method)
    assert (kinds(plan)["barrier"] > 0) == (ACCESS[method] == "collective")
    assert kinds(plan)["barrier"] == kinds(plan, 1)["barrier"]


def test_a_list_tells_each_piece_and_a_stride_four_numbers() -> None:
    listed, stride = plan_of("list"), plan_of("stride")
    assert listed.asked is not None
    assert stride.asked is not None
    assert set(stride.asked.requests.message) == {32}
    rows = listed.asked.requests
    assert list(rows.message) == [16 * one for one in rows.pieces]
    assert listed.operations.gap[0] == 1000 + 3 * 20


def test_a_nonblocking_call_returns_at_once_and_is_waited_for() -> None:
    alone = run(plan_of("stride")).elapsed_ns
    both = run(plan_of("stride", nonblocking=True, compute=alone // 2))
    after = run(plan_of("stride", compute=alone // 2))
    # Beside it, computing costs no more than the registration.
    assert both.elapsed_ns == alone + 1000
    assert after.elapsed_ns == alone + alone // 2
    long = run(plan_of("stride", nonblocking=True, compute=5 * alone))
    assert long.elapsed_ns == 5 * alone + 1000
    assert {one.job for one in long.processes} == {"p", "p, nonblocking calls"}
    assert sum(one.read.bytes for one in long.processes) == 1000


def test_sieving_moves_the_gaps_too() -> None:
    def size(method: str, gap: int) -> int:
        plan = plan_of(method, gap=gap, processes=1)
        assert plan.asked is not None
        return sum(plan.asked.requests.size)

    file = 1000 + 39 * 50
    assert 0.8 * file < size("sieving", 50) <= file  # a window does not begin in a gap
    assert size("stride", 50) == 1000
    # A window is read to its end, though only its first piece is wanted; no window is without one.
    assert size("sieving", 5000) == 39 * 1000 + 25


def test_a_method_that_is_none() -> None:
    asked = [WantedPieces([0], [4])]
    files = SubFiles((Region(4, 4, (0,)),), 4)
    with pytest.raises(ValueError, match="no method 'magic'; there are seek, offset"):
        compiled(asked, "magic", library(), files, Tables(), write=False)


# -- chunks ---------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(1, 90), st.integers(0, 40)), min_size=1),
    st.integers(1, 100),
    st.booleans(),
)
def test_chunks_hold_a_buffer_of_one_call(
    drawn: list[tuple[int, int]], buffer: int, each: bool
) -> None:
    offset, at = [], 0
    for size, gap in drawn:
        offset.append(at)
        at += size + gap
    asked = WantedPieces(offset, [size for size, _ in drawn])
    files = SubFiles((Region(at, 70, (2, 0)),), BLOCK)
    made = cut(files, asked, buffer, each=each)
    named: Counter[tuple[int, int]] = Counter()
    for row in range(len(made.node)):
        rows = range(made.first[row], made.first[row] + made.count[row])
        assert made.size[row] == sum(made.high[one] - made.low[one] for one in rows)
        for one in rows:
            begin = made.block[one] * BLOCK
            bytes_ = range(begin + made.low[one], begin + made.high[one])
            named.update((made.node[row], byte) for byte in bytes_)
    assert named == Counter(
        files.location(start + byte)
        for start, (size, _) in zip(offset, drawn, strict=True)
        for byte in range(size)
    )
    sizes: dict[int, list[int]] = {}
    for chunk, call in enumerate(made.call):
        rows = made.requests_of(chunk)
        assert len({made.node[row] for row in rows}) == len(rows)
        sizes.setdefault(call, []).append(sum(made.size[row] for row in rows))
    whole = [size for size, _ in drawn] if each else [sum(size for size, _ in drawn)]
    assert [sum(mine) for mine in sizes.values()] == whole
    for mine in sizes.values():
        assert set(mine[:-1]) <= {buffer}
        assert 0 < mine[-1] <= buffer


def test_pieces_at_equal_distances_are_cut_once() -> None:
    """And as any others are."""
    places = range(25, 1000, 50)
    kept = [cut(FILES, WantedPieces(places, [25] * 20, even=25), 400, each=False) for _ in range(2)]
    assert kept[0] is kept[1]
    plain = cut(FILES, WantedPieces(list(places), [25] * 20), 400, each=False)
    names = ("call", "request", "node", "size", "first", "count", "block", "low", "high")
    assert all(getattr(plain, one) == getattr(kept[0], one) for one in names)


# -- the exchange of two-phase I/O ----------------------------------------------------------------


@given(st.integers(1, 4), st.integers(1, 70), st.integers(0, 90), st.integers(1, 12))
def test_each_process_gets_what_it_asked_for(
    processes: int, piece: int, gap: int, rows: int
) -> None:
    size = piece * processes * rows
    plan = plan_of("two-phase", size=size, block=piece, gap=gap, processes=processes)
    moved: Counter[tuple[int, int]] = Counter()
    table = plan.operations
    for process in range(processes):
        for row in rows_of(plan, process):
            if table.kind[row] == SEND:
                channel = plan.channels[table.offset[row]]
                moved[channel.source, channel.target] += table.size[row]
    # By brute force: the domain of each byte that a process wants.
    high = (rows - 1) * (piece * processes + gap) + piece * processes
    domain = math.ceil(math.ceil(high / processes) / 100) * 100
    wanted: Counter[tuple[int, int]] = Counter()
    for process in range(processes):
        for turn in range(rows):
            start = turn * (piece * processes + gap) + process * piece
            for byte in range(start, start + piece):
                if byte // domain != process:
                    wanted[byte // domain, process] += 1
    assert moved == wanted
    assert sum(one.read.bytes for one in run(plan).processes) == size


def test_memory_and_bytes_between_nodes() -> None:
    """What the paper holds against two-phase I/O (section 2.2.2)."""
    plans = {one: plan_of(one) for one in ("disk-directed", "server-directed", "two-phase")}
    moved = {one: sent(run(plan)) for one, plan in plans.items()}
    memory = {
        one: sum(plan.asked.work.memory.values())
        for one, plan in plans.items()
        if plan.asked is not None
    }
    assert moved["two-phase"] > moved["disk-directed"]
    assert memory["two-phase"] > memory["server-directed"] > memory["disk-directed"]


@pytest.mark.parametrize(
    ("method", "copied"),
    [("stride", 0), ("disk-directed", 0), ("server-directed", 1000), ("sieving", 1000)],
)
def test_bytes_copied_besides(method: str, copied: int) -> None:
    assert work(plan_of(method), "copied") == copied


def test_two_phase_copies_all_when_it_packs_and_when_it_unpacks() -> None:
    assert work(plan_of("two-phase"), "copied") == 2000


def test_windows_cover_the_file_once() -> None:
    asked = [pieces(0, 30), pieces(1, 30)]
    files = SubFiles((Region(1000 + 19 * 30, 100, (0, 1, 2, 3)),), BLOCK)
    exchange = Exchange(asked, library(exchange_buffer=170), files.block)
    windows = [
        window
        for process in range(2)
        for turn in range(exchange.rounds)
        if (window := exchange.window(process, turn)) is not None
    ]
    assert windows[0][0] == 0
    assert windows[-1][1] == 1000 + 19 * 30
    assert all(one[1] == other[0] for one, other in pairwise(windows))


def test_memory_of_an_exchange_by_hand() -> None:
    """200 bytes, every other ten of which a process wants: windows of 40, half of each to send."""
    asked = [
        WantedPieces([20 * row + 10 * process for row in range(10)], [10] * 10)
        for process in (0, 1)
    ]
    exchange = Exchange(asked, library(exchange_buffer=40), 100)
    assert exchange.memory() == 40 + 40 + 20 + 20
    assert exchange.given(0, 0, write=False) == [20, 20]
    assert exchange.given(0, 2, write=True) == [10, 10]
    alone = Exchange(
        [asked[0], WantedPieces([10], [10])], library(exchange_buffer=40), 100, owners=[0]
    )
    assert alone.memory() == 40 + 10 + 10  # what one of them gets of the other
