"""What strace adds to a call on this machine, now: calls that do nothing, with and without it.

A small program makes each kind of call some hundred times, and times that itself. Under strace, the
difference is the price of a call. How long strace says that the calls took, in its log, divides the
price: what is in the call's own time, and what in the time to the next one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from simulator.errors import InputError
from simulator.traces.record import KINDS, Cost
from simulator.traces.recording.unseen import counted_ns, far_ns

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
    """What strace adds here and now, and what a page costs without it."""

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
    mean = {
        kind: Cost(
            *(
                round(statistics.fmean(getattr(one.calls[kind], what) for one in every), 1)
                for what in ("inside", "outside", "untraced")
            )
        )
        for kind in KINDS
    }
    child, page, far, counted = (
        round(statistics.fmean(getattr(one, what) for one in every), 1)
        for what in ("child", "page", "far", "counted")
    )
    return Costs(mean, child, page, far, counted)


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
