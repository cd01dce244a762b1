"""Costs of strace on this machine, now: calls that do nothing, with and without it.

A small program makes each kind of call some hundred times, and times that itself. Under strace, the
difference is the price of a call. How long strace says that the calls took, in its log, divides the
price: what is in the call's own time, and what in the time to the next one.

What no tracer sees is measured too: time counted as a program's own, memory that is far, starts of
programs. A clock of 1 to 10 ms tells user and system time apart, and its tick waits while
interrupts are off: one that comes at the end of a call, just before the program goes on, is counted
as the program's.
"""

from __future__ import annotations

import mmap
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from pathlib import Path
from tempfile import TemporaryDirectory
from time import thread_time, thread_time_ns
from typing import NamedTuple

from simulator import libc
from simulator.errors import InputError
from simulator.traces.record import KINDS, Cost

try:
    from simulator import rowloops as loops
except ImportError:  # Nothing is compiled here.
    from simulator import libc as loops  # type: ignore[no-redef]

PROGRAM = """
import mmap, os, sys, time
rounds, many = int(sys.argv[1]), int(sys.argv[2])
clock = getattr(time, sys.argv[3])
file = os.memfd_create("nwtsim")
def touch(memory, count):
    began = clock()
    for place in range(0, len(memory), mmap.PAGESIZE):
        memory[place] = 1
    return (clock() - began) / count
def page(count=256):
    memory = mmap.mmap(-1, count * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    memory.madvise(mmap.MADV_NOHUGEPAGE)
    first = touch(memory, count) - touch(memory, count)
    began = clock()
    memory.close()
    return first + (clock() - began) / count
os.pwrite(file, bytes(512), 0)
def child():
    pid = os.fork()
    if not pid:
        os._exit(0)
    os.waitpid(pid, 0)
calls = {
    "none": lambda: os.fspath("/nwtsim/absent"),
    "plain": lambda: os.lseek(file, 0, 0),
    "data": lambda: os.pread(file, 512, 0),
    "path": lambda: os.access("/nwtsim/absent", 0),
    "struct": lambda: os.fstat(file),
    "child": child,
}
for turn in range(rounds):
    for kind, call in calls.items():
        count, own = (many, clock) if kind != "child" else (5, time.perf_counter_ns)
        began = own()
        for _ in range(count):
            call()
        print(kind, (own() - began) / count)
    print("page", page())
"""
"""Prints how long a call of each kind takes, in each round (``none`` is none), and what it takes to
touch a page of memory first and to give it back."""
NAMES = {
    "plain": ("lseek", "_llseek"),
    "data": ("pread64", "pread"),
    "path": ("access", "faccessat", "faccessat2"),
    "struct": ("fstat", "fstat64", "newfstatat", "statx"),
}
"""How these calls are called in a log."""
_ROUNDS = 5
_TRACED, _UNTRACED = 60, 2000
"""Calls of a kind in each round."""


class Costs(NamedTuple):
    """Costs of strace here and now, and of a page of memory without it."""

    calls: Mapping[str, Cost]
    """One for each of :data:`KINDS`."""
    child: float
    """The making of a process; ns, as all of these."""
    page: float
    """The first touch of a page of memory and its end, which strace does not see."""
    far: float
    """Reading a page of memory that no cache of a processor has."""
    counted: float
    """What the system counts as the program's own of each call."""


def costs_of_calls(strace: Sequence[str]) -> Costs:
    """Return the cost of a traced call of each kind, of a process made, and of a page.

    ``strace``: its command, as the program is traced with. InputError if it cannot trace here.
    """
    with TemporaryDirectory(prefix="nwtsim-record-") as folder:
        log = Path(folder) / "log"
        alone = _times((), _UNTRACED)
        traced = _times((*strace, "-o", str(log)), _TRACED)
        took = _took(log)
    nothing = alone["none"]
    costs = {}
    for kind in KINDS:
        itself = max(alone[kind] - nothing, 0.0)
        price = max(traced[kind] - alone[kind], 0.0)
        inside = min(max(took[kind] - itself, 0.0), price)
        costs[kind] = Cost(inside, price - inside, itself)
    plain = costs["plain"]
    child = traced["child"] - alone["child"] - 2 * (plain.inside + plain.outside)
    return Costs(costs, max(child, 0.0), max(alone["page"], 0.0), far_ns(), counted_ns())


def mean_of(some: Iterable[Costs]) -> Costs:
    """Return the means of costs that were measured more than once."""
    every = list(some)
    calls = {kind: Cost(*_means(astuple(one.calls[kind]) for one in every)) for kind in KINDS}
    return Costs(calls, *_means(one[1:] for one in every))


def _means(some: Iterable[tuple[float, ...]]) -> list[float]:
    return [round(statistics.fmean(values), 1) for values in zip(*some, strict=True)]


def _times(before: Sequence[str], many: int) -> dict[str, float]:
    """Run the program behind the words ``before``; return the median of the rounds, in ns.

    By itself it counts its processor's time, to which a busy host adds nothing.
    """
    clock = "perf_counter_ns" if before else "thread_time_ns"
    words = [*before, sys.executable, "-I", "-S", "-c", PROGRAM, str(_ROUNDS), str(many), clock]
    done = subprocess.run(
        words, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, env=_PLAIN
    )
    if done.returncode:
        about = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise InputError(
            f"strace cannot trace a program here ({about}); a container may need"
            " --cap-add=SYS_PTRACE, and kernel.yama.ptrace_scope may be 3"
        )
    times: dict[str, list[float]] = {}
    for line in done.stdout.splitlines():
        kind, ns = line.split()
        times.setdefault(kind, []).append(float(ns))
    return {kind: statistics.median(some) for kind, some in times.items()}


_PLAIN = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}


def _took(log: Path) -> dict[str, float]:
    """Return how long strace says that a call of each kind took, in ns: the median."""
    from simulator.traces.reader import read

    took: dict[str, list[int]] = {kind: [] for kind in KINDS}
    kind_of = {name: kind for kind, names in NAMES.items() for name in names}
    for batch in read([log]).batches():
        names, times = (batch.column(one).to_pylist() for one in ("call", "duration_ns"))
        for name, ns in zip(names, times, strict=True):
            if name in kind_of and ns is not None:
                took[kind_of[name]].append(ns)
    return {kind: statistics.median(some) if some else 0.0 for kind, some in took.items()}


_SECONDS = 0.25
"""Of calls: some sixty ticks at 250 Hz, which tells a part of 0.4 within 0.06."""
_AT_ONCE = 20_000


_PAGES, _NEAR, _STEP = 8192, 8, 4099
"""Pages of memory that no cache of a processor has whole, and some that each has; and a step by
which each of the former is come to, in no order that a processor foresees."""


def counted_ns() -> float:
    """Return how much of a call that does nothing is counted as user time; ns."""
    with ThreadPoolExecutor(1) as one:  # A new thread, whose ticks are of these calls alone.
        return one.submit(_counted_ns).result()


def _counted_ns() -> float:
    # A signal is for the thread that waits for it, also while this one is on its way out.
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    call = libc.address_of(libc.function("lseek64"))
    nothing = libc.address_of(libc.function("getpagesize"))
    began = thread_time()
    _make(nothing, wide=False)
    loop_s = thread_time() - began  # A function that is no call of the system's, as often.
    before, began, made = resource.getrusage(resource.RUSAGE_THREAD), thread_time(), 0
    while thread_time() - began < _SECONDS:
        _make(call, wide=True)
        made += 1
    spent_s = thread_time() - began
    user_s = resource.getrusage(resource.RUSAGE_THREAD).ru_utime - before.ru_utime
    most = max(spent_s / made - loop_s, 0.0)
    return min(max(user_s / made - loop_s, 0.0), most) / _AT_ONCE * 1e9


def _make(function: int, *, wide: bool) -> None:
    """Call a function many times, with a descriptor that no file has."""
    rows = libc.table([(libc.NO_FILE,)]) * _AT_ONCE
    loops.regardless(function, wide, rows, 0, _AT_ONCE)


_STARTS = 15


def start_ns() -> float:
    """Return what a program takes that does nothing, from its start to its end; ns.

    0 if there is no such program. It is the processor's time, of the program and of the one that
    starts it, so that a busy host adds nothing; the median of several.
    """
    program = shutil.which("true")
    if program is None:
        return 0.0
    times = []
    for _ in range(_STARTS):
        began = thread_time_ns()
        _, _, used = os.wait4(os.posix_spawn(program, [program], os.environ), 0)
        own = thread_time_ns() - began
        times.append(own + round((used.ru_utime + used.ru_stime) * 1e9))
    return float(statistics.median(times))


def far_ns() -> float:
    """Return how much longer a copy of a page of memory takes that no processor's cache has; ns."""
    memory = mmap.mmap(-1, _PAGES * mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    for place in range(0, len(memory), mmap.PAGESIZE):
        memory[place] = 1
    buffer = libc.buffer_of(memory)  # It keeps the memory.
    where = libc.address_of(buffer)
    spread = _copied(where, [page * _STEP % _PAGES for page in range(_PAGES)])
    return max(spread - _copied(where, [page % _NEAR for page in range(_PAGES)]), 0.0)


def _copied(memory: int, pages: Sequence[int]) -> float:
    """Return how long the copy of a page takes, in ns."""
    copy = libc.address_of(libc.function("memcpy"))
    target = bytearray(mmap.PAGESIZE)
    into, size = libc.address_of(libc.buffer_of(target)), mmap.PAGESIZE
    rows = libc.table((into, memory + page * size, size) for page in pages)
    began = thread_time_ns()
    libc.regardless(copy, True, rows, 0, len(pages))
    return (thread_time_ns() - began) / len(pages)
