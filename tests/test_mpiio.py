"""What each way of MPI-IO does: every byte once, so many calls, such locks; and its laws."""

from __future__ import annotations

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.config.ioplan import make_io_plan, pieces, sub_files
from simulator.engine.ioplan import IoPlan
from simulator.engine.ioresult import IoResult
from simulator.machine.station import ServiceSpec
from simulator.machine.subfiles import Region, SubFiles
from simulator.parallel import run_io_plan
from simulator.runtime.exchange import Exchange
from simulator.runtime.iocodes import BARRIER, LOCK, READ, SEND, UNLOCK, WRITE
from simulator.runtime.iotables import Asked, chunks
from simulator.runtime.mpiio import COLLECTIVE, Job, program
from simulator.runtime.mpilibrary import LibrarySpec
from tests.arrays import array, machine

METHODS = ("unix", "offsets", "list", "stride", "sieving", *COLLECTIVE)
EACH_ONCE = [one for one in METHODS if one not in {"sieving", "two-phase"}]
"""Ways in which nobody moves what he did not ask for."""


def interface_of(method: str) -> str:
    return "collective" if method.endswith(("directed", "phase")) else "view"


def plan_of(method: str, **changes: object) -> IoPlan:
    return make_io_plan(machine(), array(method=method, interface=interface_of(method), **changes))


def run(plan: IoPlan) -> IoResult:
    return run_io_plan(plan, engine="reference", debug=True)


def kinds(plan: IoPlan, thread: int = 0) -> Counter[int]:
    one = plan.threads[thread]
    return Counter(plan.steps.kind[one.first : one.first + one.count])


def bytes_of(plan: IoPlan, thread: int, kind: int) -> Counter[tuple[int, int]]:
    """How often a thread's requests name each byte of each sub-file."""
    steps, requests, extents = plan.steps, plan.requests, plan.extents
    one = plan.threads[thread]
    named: Counter[tuple[int, int]] = Counter()
    for row in range(one.first, one.first + one.count):
        if steps.kind[row] != kind:
            continue
        for request in range(steps.first[row], steps.first[row] + steps.count[row]):
            first = requests.first[request]
            for at in range(first, first + requests.count[request]):
                start = extents.block[at] * 100
                node = requests.node[request]
                named.update(
                    (node, start + byte) for byte in range(extents.low[at], extents.high[at])
                )
    return named


def grouped(plan: IoPlan) -> Counter[tuple[int, int]]:
    """How often merged requests name each byte."""
    groups, extents, requests = plan.groups, plan.extents, plan.requests
    node_of = dict(zip(requests.group, requests.node, strict=True))
    named: Counter[tuple[int, int]] = Counter()
    for group in range(len(groups.members)):
        first = groups.first[group]
        for at in range(first, first + groups.count[group]):
            start = extents.block[at] * 100
            bytes_ = range(start + extents.low[at], start + extents.high[at])
            named.update((node_of[group], byte) for byte in bytes_)
    return named


# -- every byte ---------------------------------------------------------------------------------


@pytest.mark.parametrize("operation", ["read", "write"])
@pytest.mark.parametrize("method", EACH_ONCE)
def test_every_byte_of_the_array_is_moved_once(method: str, operation: str) -> None:
    work = array(method=method, interface=interface_of(method), operation=operation)
    plan = make_io_plan(machine(), work)
    files = sub_files(machine(), work)
    wanted = Counter(files.place(offset) for offset in range(1000))
    if interface_of(method) == "collective":
        assert grouped(plan) == wanted
        return
    kind = READ if operation == "read" else WRITE
    assert bytes_of(plan, 0, kind) + bytes_of(plan, 1, kind) == wanted


@pytest.mark.parametrize("method", EACH_ONCE)
def test_a_process_gets_its_own_bytes(method: str) -> None:
    if interface_of(method) == "collective":
        plan = plan_of(method)
        sizes = [0, 0]
        for thread, one in enumerate(plan.threads):
            for row in range(one.first, one.first + one.count):
                if plan.steps.kind[row] == READ:
                    first = plan.steps.first[row]
                    rows = range(first, first + plan.steps.count[row])
                    sizes[thread] += sum(plan.requests.size[at] for at in rows)
        assert sizes == [500, 500]
        return
    plan, files = plan_of(method), sub_files(machine(), array())
    for thread, asked in enumerate(pieces(array())):
        wanted = Counter(
            files.place(int(offset) + byte)
            for offset, size in zip(asked.offset, asked.size, strict=True)
            for byte in range(int(size))
        )
        assert bytes_of(plan, thread, READ) == wanted


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("operation", ["read", "write"])
def test_what_is_asked_for_is_delivered_and_comes_from_disk_or_goes_there(
    method: str, operation: str
) -> None:
    result = run(plan_of(method, operation=operation, array__exists=False))
    assert result.bytes == 1000
    assert [one.read + one.written for one in result.threads] == [500, 500]
    if operation == "read":
        assert result.total("disk_read") == 1000  # each block once, in whole blocks
        assert result.total("disk_written") == 0
    elif method != "sieving":
        assert result.total("disk_written") == 1000
        assert result.total("disk_read") == 0
    else:  # it writes back what lies between, which is zeros, and again when it is changed
        assert result.total("disk_written") >= 1000


# -- calls, locks, messages -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "calls"),
    [
        ("unix", 40),
        ("offsets", 20),
        ("list", 1),
        ("stride", 1),
        ("sieving", 1),
        ("disk-directed", 1),
        ("server-directed", 0),
        ("two-phase", 1),
    ],
)
def test_system_calls(method: str, calls: int) -> None:
    result = run(plan_of(method))
    assert [one.calls for one in result.threads] == [calls, calls]
    assert result.calls == 2 * calls + result.server_calls
    assert (result.server_calls > 0) == (method == "server-directed")


@pytest.mark.parametrize("method", METHODS)
def test_who_takes_the_lock(method: str) -> None:
    """An independent write of several pieces; a change by sieving; nobody else."""
    for operation, count in (("read", 0), ("write", int(method in {"list", "stride", "sieving"}))):
        plan = plan_of(method, operation=operation)
        assert kinds(plan)[LOCK] == kinds(plan)[UNLOCK] == count


def test_a_write_of_one_contiguous_range_takes_no_lock() -> None:
    one = plan_of("stride", operation="write", array={"size": 50, "piece": 25})
    assert kinds(one)[LOCK] == 0
    assert kinds(plan_of("sieving", operation="write", processes=1))[LOCK] == 0


@pytest.mark.parametrize("method", METHODS)
def test_who_waits_at_barriers(method: str) -> None:
    plan = plan_of(method)
    assert (kinds(plan)[BARRIER] > 0) == (interface_of(method) == "collective")
    assert kinds(plan)[BARRIER] == kinds(plan, 1)[BARRIER]


def test_a_list_tells_each_piece_and_a_stride_four_numbers() -> None:
    listed, stride = plan_of("list"), plan_of("stride")
    assert set(stride.requests.message) == {32}
    assert list(listed.requests.message) == [16 * one for one in listed.requests.pieces]
    assert listed.steps.think[0] == 1000 + 3 * 20


def test_an_asynchronous_call_returns_at_once_and_is_waited_for() -> None:
    alone = run(plan_of("stride")).elapsed_ns
    both = run(plan_of("stride", asynchronous=True, compute=alone // 2))
    after = run(plan_of("stride", compute=alone // 2))
    # Beside it, computing costs no more than the registration.
    assert both.elapsed_ns == alone + 1000
    assert after.elapsed_ns == alone + alone // 2
    long = run(plan_of("stride", asynchronous=True, compute=5 * alone))
    assert long.elapsed_ns == 5 * alone + 1000


def test_sieving_moves_the_gaps_too() -> None:
    sieved = plan_of("sieving", array__gap=50, processes=1)
    plain = plan_of("stride", array__gap=50, processes=1)
    file = 1000 + 39 * 50
    assert 0.8 * file < sum(sieved.requests.size) <= file  # a window does not begin in a gap
    assert sum(plain.requests.size) == 1000
    # A window is read to its end, though only its first piece is wanted; no window is without one.
    far = plan_of("sieving", array__gap=5000, processes=1)
    assert sum(far.requests.size) == 39 * 1000 + 25


def test_a_method_that_is_none() -> None:
    library = LibrarySpec(
        call_ns=1,
        item_ns=1,
        item=1,
        stride=1,
        copy=ServiceSpec(1e9),
        transfer_buffer=10,
        sieve_buffer=10,
        exchange_buffer=10,
        lock_ns=1,
        barrier_ns=1,
        node_copy=ServiceSpec(1e9),
    )
    asked = [Asked(np.array([0]), np.array([4]))]
    files = SubFiles((Region(4, 4, (0,)),), 4)
    with pytest.raises(ValueError, match="no method 'magic'; there are seek, offset"):
        program(Job(asked=asked, write=False, method="magic", starts_ns=[0]), library, files, 1)


# -- chunks ---------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(1, 90), st.integers(0, 40), st.booleans()), min_size=1),
    st.integers(1, 100),
)
def test_chunks_hold_a_buffer_of_one_call(drawn: list[tuple[int, int, bool]], buffer: int) -> None:
    offset, call, at, number = [], [], 0, 0
    for size, gap, new in drawn:
        offset.append(at)
        at += size + gap
        number += new
        call.append(number)
    asked = Asked(np.array(offset), np.array([size for size, _, _ in drawn]))
    cut, chunk, calls = chunks(asked, np.array(call), buffer)
    laid = [
        byte
        for start, size in zip(cut.offset, cut.size, strict=True)
        for byte in range(start, start + size)
    ]
    wanted = [
        byte
        for start, (size, _, _) in zip(offset, drawn, strict=True)
        for byte in range(start, start + size)
    ]
    assert laid == wanted
    assert np.all(np.diff(chunk) >= 0)
    sizes = np.bincount(chunk, weights=cut.size)
    assert len(calls) == len(sizes)
    for number in set(call):
        mine = sizes[calls == number]
        assert np.all(mine[:-1] == buffer)
        assert 0 < mine[-1] <= buffer


# -- the exchange of two-phase I/O ----------------------------------------------------------------


@given(st.integers(1, 4), st.integers(1, 70), st.integers(0, 90), st.integers(1, 12))
def test_everybody_gets_what_he_asked_for(processes: int, piece: int, gap: int, rows: int) -> None:
    there = machine()
    work = array(
        array={"size": piece * processes * rows, "piece": piece, "gap": gap or None},
        processes=processes,
        interface="collective",
        method="two-phase",
    )
    plan = make_io_plan(there, work)
    sent = Counter[tuple[int, int]]()
    for thread, one in enumerate(plan.threads):
        for row in range(one.first, one.first + one.count):
            if plan.steps.kind[row] == SEND:
                sent[thread, plan.steps.first[row]] += plan.steps.count[row]
    # By brute force: the domain of each byte that somebody wants.
    low, high = 0, (rows - 1) * (piece * processes + gap) + piece * processes
    domain = math.ceil(math.ceil((high - low) / processes) / 100) * 100
    wanted = Counter[tuple[int, int]]()
    for process, asked in enumerate(pieces(work)):
        for start in asked.offset.tolist():
            for byte in range(start, start + piece):
                if byte // domain != process:
                    wanted[byte // domain, process] += 1
    assert sent == wanted
    assert run(plan).bytes == work.array.size


def test_memory_and_bytes_between_nodes() -> None:
    """What the paper holds against two-phase I/O (section 2.2.2)."""
    plans = {one: plan_of(one) for one in ("disk-directed", "server-directed", "two-phase")}
    sent = {one: run(plan).total("sent") for one, plan in plans.items()}
    memory = {one: sum(plan.memory.values()) for one, plan in plans.items()}
    assert sent["two-phase"] > sent["disk-directed"]
    assert memory["two-phase"] > memory["server-directed"] > memory["disk-directed"]


@pytest.mark.parametrize(
    ("method", "copied"),
    [("stride", 0), ("disk-directed", 0), ("server-directed", 1000), ("sieving", 1000)],
)
def test_bytes_copied_besides(method: str, copied: int) -> None:
    assert run(plan_of(method)).copied == copied


def test_two_phase_copies_all_when_it_packs_and_when_it_unpacks() -> None:
    assert run(plan_of("two-phase")).copied == 2000


def test_windows_cover_the_file_once() -> None:
    asked = pieces(array(array__gap=30))
    library = make_library(exchange_buffer=170)
    files = sub_files(machine(), array(array__gap=30))
    exchange = Exchange(asked, library, files)
    windows = [
        window
        for process in range(2)
        for turn in range(exchange.rounds)
        if (window := exchange.window(process, turn)) is not None
    ]
    assert windows[0][0] == 0
    assert windows[-1][1] == 1000 + 19 * 30
    assert all(one[1] == other[0] for one, other in pairwise(windows))


def make_library(*, exchange_buffer: int) -> LibrarySpec:
    from simulator.config.ioplan import library_spec

    return library_spec(machine(library__exchange_buffer=exchange_buffer))
