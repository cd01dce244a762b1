"""Making the probes: repetitions, processes at the same time, and the time they may take."""

from __future__ import annotations

import math
import os
import select
import signal
import struct
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol

from simulator import libc
from simulator.errors import InputError
from simulator.host import memory_of, waited_s
from simulator.measure.calls import Files, Loop, clock
from simulator.measure.facts import Facts, facts_of
from simulator.measure.folder import own_folder
from simulator.measure.probe import (
    OF_DEVICE,
    Limits,
    Measured,
    Probe,
    Sample,
    SystemState,
    probes_of,
)
from simulator.processors import processors

Progress = Callable[[str, int, int], object]
"""Told what is measured now, how many probes are done, and how many there are."""
After = Callable[[Files, Facts], object]
"""What else is to be done in the folder of the probes, before it is removed."""
_RESULT = struct.Struct("qdddd")
_START = struct.Struct("d")
_WAKING_S = 0.001
"""How long it takes to wake a process, at most on a host that is not busy."""
_BATCHES = 5
"""How often a probe's loop runs without a file, to see what the interpreter takes for it."""
_IDLE_S = 0.002
"""About how long each of these lasts at most."""
_ENTRIES = 200
_LEAST_S = 1e-9


class Prober(Protocol):
    """Something that probes can be made on: real files, or a simulated machine."""

    def sample(self, probe: Probe, repetition: int, seconds: float) -> Sample:
        """Make a probe once, within about so many seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Measurement:
    """All probes of a folder, with what the system says about it."""

    facts: Facts
    limits: Limits
    measured: tuple[Measured, ...]
    folder: str


def measure(
    folder: Path,
    limits: Limits,
    progress: Progress | None = None,
    *,
    shared: bool = False,
    after: Sequence[After] = (),
) -> Measurement:
    """Measure a folder in minutes at most; InputError where that is not possible.

    ``shared``: also where other users could rename what is measured.
    """
    if not hasattr(os, "fork") or not hasattr(os, "preadv"):
        raise InputError("nwtsim measure: this system lacks fork and preadv; measure on Linux")
    with own_folder(folder, limits.size, shared=shared) as own:
        facts = facts_of(own)
        files = Files(own, limits.file, facts.direct, limits.seed)
        if progress:
            progress("writing the file that is read", 0, 1)
        files.fill()
        measured = probed(RealProber(files), facts, limits, progress)
        for one in after:
            one(files, facts)
    return Measurement(facts, limits, tuple(measured), str(folder))


def probed(
    prober: Prober, facts: Facts, limits: Limits, progress: Progress | None = None
) -> list[Measured]:
    """Make all probes that tell something on this file system, in rounds.

    What disturbs for some seconds then hits one repetition of several probes, and no median. Those
    that delete files come in rounds of their own, last: making files may be slow after them.
    """
    wanted = [Measured(one) for one in probes_of(limits) if possible(one, facts)]
    share = limits.seconds / len(wanted)
    used = [0.0] * len(wanted)
    done, total = 0, limits.turns * len(wanted)
    for deletes in (False, True):
        part = [(number, one) for number, one in enumerate(wanted) if one.probe.deletes == deletes]
        for turn in range(limits.turns):
            for number, one in part:
                if progress:
                    progress(one.probe.name, done, total)
                done += 1
                few = one.probe.turns < limits.turns and not limits.quick
                if turn < one.probe.turns and (few or not turn or used[number] < share):
                    began = clock()
                    one.samples.append(prober.sample(one.probe, turn, share / limits.shares))
                    used[number] += max(clock() - began, one.samples[-1].seconds)
    return wanted


def in_turns(
    names: Sequence[str], limits: Limits, progress: Progress | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of each repetition and of what is run in it, one after the other.

    What disturbs for some seconds then hits one repetition of several, and no median.
    """
    for turn in range(limits.runs):
        for number, name in enumerate(names):
            if progress:
                progress(name, turn * len(names) + number, limits.runs * len(names))
            yield turn, number


def possible(probe: Probe, facts: Facts) -> bool:
    """Return whether a probe tells something on this file system."""
    if probe.kind == "direct-write":
        return facts.direct and not facts.in_memory
    if probe.kind not in OF_DEVICE:
        return True
    return facts.cold if probe.kind == "read" else facts.reaches_device


class RealProber:
    """Probes on real files, less what is not theirs.

    That is what the interpreter takes for a call, and the time for which a process could have run
    while others had the processor: the simulator has its own processes on its cores. Of more
    processes than there are processors the others are their own, and nothing is taken off.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._entry = _entry_time()

    def sample(self, probe: Probe, repetition: int, seconds: float) -> Sample:
        """Make a probe once, within about so many seconds."""
        if probe.processes > 1:
            return _sample_of(self._together(probe, repetition, seconds))
        loop = self._files.prepare(probe, 0, repetition)
        return _sample_of([_timed(loop, _own_time(loop, self._entry), seconds)])

    def _together(self, probe: Probe, repetition: int, seconds: float) -> list[ProcessRun]:
        """Start processes, let them prepare, and have them begin at the same time."""
        go_read, go_write = os.pipe()
        children: list[int] = []
        said: list[int] = []
        try:
            for worker in range(probe.processes):
                # A pipe for each: it ends with its process, so that none is waited for in vain.
                hear, tell = os.pipe()
                said.append(hear)
                child = os.fork()
                if not child:
                    os.close(go_write)
                    _child(
                        self._files,
                        self._entry,
                        probe,
                        (worker, repetition),
                        seconds,
                        (go_read, tell),
                    )
                children.append(child)
                os.close(tell)
            for hear in said:
                _whole(hear, 1, "prepare its files")
            together = clock() + _WAKING_S * (1 + len(children))
            os.write(go_write, _START.pack(together) * len(children))
            return [
                ProcessRun(*_RESULT.unpack(_whole(hear, _RESULT.size, "make its calls")))
                for hear in said
            ]
        finally:
            for one in (go_read, go_write, *said):
                os.close(one)
            _end(children)


class ProcessRun(NamedTuple):
    """The calls that one process has made, and how long they took."""

    calls: int
    began: float
    ended: float
    own: float
    """Seconds of the interpreter for each call."""
    waited: float
    """Seconds in which it could have run, and others had the processor; NaN: not known."""


def _timed(loop: Loop, own: float, seconds: float) -> ProcessRun:
    """Make the calls of a probe, within about so many seconds."""
    before, began = waited_s(), clock()
    calls = loop.body(began + seconds)
    ended, after = clock(), waited_s()
    waited = math.nan if before is None or after is None else after - before
    return ProcessRun(calls, began, ended, own, waited)


def _sample_of(results: Sequence[ProcessRun]) -> Sample:
    """Return the sample of processes that made a probe at the same time."""
    calls, begins, ends, owns, waits = zip(*results, strict=True)
    processes, made = len(results), sum(calls)
    elapsed, waited = max(ends) - min(begins), sum(waits)
    around = _around(waited / processes, elapsed)
    if not math.isnan(waited) and processes <= processors():
        elapsed = max(one.ended - one.began - one.waited for one in results)
    interpreter = min(owns) * made / processes
    return Sample(made, max(elapsed - interpreter, elapsed / 10, _LEAST_S), around)


def _around(waited: float, elapsed: float) -> SystemState | None:
    """Return what goes on now, where a process has waited so long; None where it is not known."""
    dirty = memory_of("Dirty")
    if math.isnan(waited) or dirty is None or elapsed <= 0:
        return None
    return SystemState(waited / elapsed, dirty)


def _child(
    files: Files,
    entry: float,
    probe: Probe,
    which: tuple[int, int],
    seconds: float,
    pipes: tuple[int, int],
) -> None:
    """Make the calls of one process, tell how long they took, and end."""
    go, ready = pipes
    try:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
        loop = files.prepare(probe, *which)
        own = _own_time(loop, entry)
        os.write(ready, b"r")
        start = os.read(go, _START.size)
        if start:
            # A process is woken some time after another; they begin when the last one is awake.
            (together,) = _START.unpack(start)
            while clock() < together:
                pass
            os.write(ready, _RESULT.pack(*_timed(loop, own, seconds)))
    finally:
        os._exit(0)


def _whole(descriptor: int, size: int, what: str) -> bytes:
    """Read bytes of a process; InputError if it has ended before.

    A signal that comes just before the wait does not end it: it is looked for once a second.
    """
    text = b""
    while len(text) < size:
        while not select.select([descriptor], [], [], 1.0)[0]:
            pass
        part = os.read(descriptor, size - len(text))
        if not part:
            raise InputError(f"a process of the probes could not {what}: is the device full?")
        text += part
    return text


def _end(children: Sequence[int]) -> None:
    for child in children:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _own_time(loop: Loop, entry: float) -> float:
    """Return the seconds of a turn of a probe's loop whose call leads to no file.

    Without the entry into the system, which counts as the call's. The least of some batches: a
    busy host stops some of them, but not all.
    """
    least = math.inf
    for _ in range(_BATCHES):
        began = clock()
        turns = loop.idle(began + _IDLE_S)
        least = min(least, (clock() - began) / turns)
    return max(least - loop.entries * entry, 0.0)


def _entry_time() -> float:
    """Return the seconds that a system call takes which does nothing: into the system, and out."""
    least = []
    for name in ("getppid", "getpagesize"):  # The second is none.
        call, batches = libc.function(name), []
        for _ in range(_ENTRIES):
            began = clock()
            for _ in range(_ENTRIES):
                call()
            batches.append(clock() - began)
        least.append(min(batches) / _ENTRIES)
    return max(least[0] - least[1], 0.0)
