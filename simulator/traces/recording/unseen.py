"""What no tracer sees: time counted as a program's own, memory that is far, starts of programs.

A clock of 1 to 10 ms tells user and system time apart, and its tick waits while interrupts are off:
one that comes at the end of a call, just before the program goes on, is counted as the program's.
"""

from __future__ import annotations

import mmap
import os
import resource
import shutil
import signal
import time
from array import array
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from time import thread_time, thread_time_ns

from simulator.measure import libc, loops
from simulator.measure.entry import ARGUMENTS

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
    rows = array("q", (libc.NO_FILE, *(0,) * (ARGUMENTS - 1))) * _AT_ONCE
    loops.regardless(function, wide, rows, 0, _AT_ONCE)


_STARTS = 15


def start_ns() -> float:
    """Return how long a program takes that does nothing, from its start to its end; ns.

    0 if there is no such program. Of several the quickest but a few, so that a busy host adds
    little.
    """
    program = shutil.which("true")
    if program is None:
        return 0.0
    times = []
    for _ in range(_STARTS):
        began = time.perf_counter_ns()
        os.waitpid(os.posix_spawn(program, [program], os.environ), 0)
        times.append(time.perf_counter_ns() - began)
    return float(sorted(times)[_STARTS // 4])


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
    rest = (0,) * (ARGUMENTS - 3)
    rows = array("q")
    for page in pages:
        rows.extend((into, memory + page * size, size, *rest))
    began = thread_time_ns()
    loops.regardless(copy, True, rows, 0, len(pages))
    return (thread_time_ns() - began) / len(pages)
