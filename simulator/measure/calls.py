"""The calls of probes on real files, in a folder that is theirs."""

from __future__ import annotations

import ctypes
import mmap
import os
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator import libc
from simulator.host import drop
from simulator.measure.facts import open_direct
from simulator.measure.probe import MIB, NAMES, UNLINKED, Probe

try:
    from simulator import rowloops as loops
except ImportError:  # Nothing is compiled here.
    from simulator import libc as loops  # type: ignore[no-redef]

Body = Callable[[float], int]
"""Makes a probe's calls until they are done or the clock says so; returns how many it made."""
clock = time.perf_counter


_MOST_AT_ONCE = 64
"""Calls between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Loop:
    """The calls of a probe, and the same without a file: what the interpreter takes for them."""

    body: Body
    idle: Body
    entries: int = 1
    """System calls in each of them."""


@dataclass(slots=True)
class Files:
    """The files of all probes: ``data``, which is read, and new ones."""

    folder: Path
    size: int
    """Bytes of ``data``."""
    direct: bool
    """Read past the page cache; else drop it before."""
    seed: int = 1

    @property
    def data(self) -> Path:
        """The file that is read."""
        return self.folder / "data"

    def new(self, worker: int) -> Path:
        """Return the file that one process writes."""
        return self.folder / f"new{worker}"

    def fill(self) -> None:
        """Write the file that is read: random bytes, which no device can compress."""
        with self.data.open("wb", buffering=0) as file:
            for _ in range(self.size // MIB):
                file.write(os.urandom(MIB))
            drop(file.fileno())

    def prepare(self, probe: Probe, worker: int, repetition: int) -> Loop:
        """Do what is not to be timed; return what is."""
        if probe.kind == "seek":
            return self._seek(probe)
        if probe.kind == "cached-read":
            return self._cached_read(probe)
        if probe.kind == "random-read":
            return self._random_read(probe, worker, repetition)
        if probe.kind == "read":
            return self._read(probe, worker)
        if probe.kind == "direct-write":
            return self._direct_write(probe, worker, repetition)
        if probe.kind in ("cached-write", "sync-write", "write-sync"):
            return self._write(probe, worker)
        return self._metadata(probe, worker, repetition)

    def _seek(self, probe: Probe) -> Loop:
        descriptor = os.open(self.data, os.O_RDONLY)
        there, none = ([(one, 0, os.SEEK_SET)] * probe.calls for one in (descriptor, libc.NO_FILE))
        made = _Calls("lseek64", there).body(lambda: os.close(descriptor))
        return Loop(made, _Calls("lseek64", none, fails=True).body())

    def _cached_read(self, probe: Probe) -> Loop:
        descriptor = os.open(self.data, os.O_RDONLY)
        buffer = bytearray(probe.size)
        for offset in range(0, probe.size * probe.calls, probe.size):
            os.preadv(descriptor, [buffer], offset)
        places = range(0, probe.size * probe.calls, probe.size)
        return _moving("pread64", descriptor, libc.buffer_of(buffer), places)

    def _random_read(self, probe: Probe, worker: int, repetition: int) -> Loop:
        descriptor = open_direct(self.data) if self.direct else os.open(self.data, os.O_RDONLY)
        if not self.direct:
            drop(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        draw = random.Random(f"{self.seed} {probe.name} {worker} {repetition}")
        records = draw.sample(range(self.size // probe.size), probe.calls)
        buffer = libc.buffer_of(mmap.mmap(-1, probe.size))
        return _moving("pread64", descriptor, buffer, [record * probe.size for record in records])

    def _direct_write(self, probe: Probe, worker: int, repetition: int) -> Loop:
        """Write over the records of a file, which the device has, in any order; or new ones."""
        path = self.new(worker)
        draw = random.Random(f"{self.seed} {probe.name} {worker} {repetition}")
        records = draw.sample(range(probe.calls), probe.calls)
        with path.open("wb", buffering=0) as file:
            if probe.state == "new":
                records = list(range(probe.calls))
            else:
                for _ in range(probe.calls):
                    file.write(os.urandom(probe.size))
            drop(file.fileno())
        descriptor = open_direct(path, os.O_WRONLY)
        buffer = libc.buffer_of(mmap.mmap(-1, probe.size))
        places = [record * probe.size for record in records]
        return _moving("pwrite64", descriptor, buffer, places)

    def _read(self, probe: Probe, worker: int) -> Loop:
        """Read a part of the file from its beginning; each of several processes another part."""
        descriptor = os.open(self.data, os.O_RDONLY)
        drop(descriptor)
        begin = worker * probe.size * probe.calls
        places = range(begin, begin + probe.size * probe.calls, probe.size)
        return _moving("pread64", descriptor, libc.buffer_of(bytearray(probe.size)), places)

    def _write(self, probe: Probe, worker: int) -> Loop:
        """Write a file from its beginning: a new one, over what it has, or one with others."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        shared = probe.state == "shared"
        descriptor = os.open(self.new(0 if shared else worker), flags, 0o600)
        if probe.state == "over":
            os.pwrite(descriptor, os.urandom(probe.size * probe.calls), 0)
        os.fsync(descriptor)
        if probe.kind == "sync-write":
            return _synced(descriptor, os.urandom(probe.size), probe.calls)
        record = libc.buffer_of(bytearray(os.urandom(probe.size)))
        call = "pwrite64" if shared else "write"
        places = [(n * probe.processes + worker) * probe.size for n in range(probe.calls)]
        return _moving(call, descriptor, record, places, probe.kind == "write-sync")

    def _metadata(self, probe: Probe, worker: int, repetition: int) -> Loop:
        """Call with the names of a folder: one for all probes that leave its names as they are.

        Nothing is deleted but by probes that do that: Linux may be slow in making files after it.
        """
        folder = self.folder / f"many{worker}"
        if probe.kind not in _KEEPING or probe.state == "stored":
            folder = self.folder / f"{probe.name.replace(' ', '-')}.{worker}.{repetition}"
        if probe.state == "many":
            folder = self.folder / f"far{worker}"
        folder.mkdir(exist_ok=True)
        names = _names_for(probe, folder, repetition)
        if probe.state == "stored":
            for name in names:
                _store(Path(os.fsdecode(name) + "~" * (probe.kind == "rename")))
        if probe.kind == "readdir":
            return _listing(bytes(folder), probe.calls)
        if probe.kind == "close":
            files = [(os.open(name, os.O_RDONLY),) for name in names]
            nothing = [(libc.NO_FILE,)] * probe.calls
            return Loop(_Calls("close", files).body(), _Calls("close", nothing, fails=True).body())
        lengths = probe.kind == "setattr" and probe.state != ""
        return _naming("truncate" if lengths else probe.kind, names)


_KEEPING = ("open-close", "close", "stat", "lookup", "readdir", "setattr")
"""Probes that neither make nor take away a name."""


def _names_for(probe: Probe, folder: Path, repetition: int) -> list[bytes]:
    """Return the names that a probe calls with; what it needs of them is there."""
    if probe.state == "many":
        return _many(folder, probe.calls)
    paths = [folder / f"f{number % NAMES:04}" for number in range(probe.calls)]
    if probe.kind == "lookup":  # Names that are absent, and were not asked for before.
        turn = "again" if probe.state == "again" else repetition
        paths = [folder / f"no{number:04}.{turn}" for number in range(probe.calls)]
        if probe.state == "again":
            for path in paths:
                path.exists()
    elif probe.kind == "rmdir":
        for path in paths:
            path.mkdir()
    elif probe.kind not in ("create", "mkdir"):
        for path in paths[:NAMES]:
            path.touch(0o600)
    if probe.state == "after unlinks":
        others = [folder / f"x{number}" for number in range(UNLINKED)]
        for path in others:
            path.touch(0o600)
        for path in others:
            path.unlink()
        time.sleep(_A_SECOND)
    return [bytes(path) for path in paths]


def _store(path: Path) -> None:
    """Write a file, and wait until the device has it."""
    with path.open("wb", buffering=0) as file:
        file.write(os.urandom(_STORED))
        os.fsync(file.fileno())


def _many(folder: Path, count: int) -> list[bytes]:
    """Return the names of many files, which are made once, as many as can be in two seconds."""
    if not any(folder.iterdir()):
        until = clock() + _MAKING_S
        for number in range(count):
            (folder / f"f{number:04}").touch(0o600)
            if clock() > until:
                break
    return [bytes(folder) + b"/" + os.fsencode(name) for name in sorted(os.listdir(folder))]  # noqa: PTH208 - by name


_STORED = 64
"""Bytes of a file whose data are stored: a block, whatever they are."""
_MAKING_S = 2.0
_A_SECOND = 1.1
"""ext4 compares whole seconds: an inode that was freed in this one is given out again."""
Rows = Sequence[tuple[int, ...]]
"""The arguments of calls."""


@dataclass(frozen=True, slots=True)
class _Calls:
    """Calls of one function, each with the arguments of a row."""

    call: str
    rows: Rows
    kept: Any = None
    """What the rows have addresses of, which has to stay as long as they do."""
    fails: bool = False
    """Calls may fail."""

    def body(self, end: Callable[[], object] | None = None) -> Body:
        """Return what makes the calls, and then the ``end``."""
        function, wide = libc.address_of(libc.function(self.call)), self.call in libc.WIDE
        make, table = loops.regardless if self.fails else loops.in_turn, libc.table(self.rows)

        def made(first: int, last: int) -> int:
            return make(function, wide, table, first, last)

        return _in_parts(made, self.again, len(self.rows), end)

    def again(self, row: int) -> None:
        """Make a call once more; OSError if it fails again."""
        libc.again(self.call, self.rows[row])


def _in_parts(
    make: Callable[[int, int], int],
    again: Callable[[int], object],
    count: int,
    end: Callable[[], object] | None = None,
) -> Body:
    """Return what makes some calls with a look at the clock after ever more of them.

    One that fails is made ``again``, for the reason.
    """

    def body(until: float) -> int:
        done, part = 0, 1
        while done < count and (not done or clock() < until):
            wanted = min(done + part, count)
            done = make(done, wanted)
            if done < wanted:
                again(done)
                done += 1
            part = min(2 * part, _MOST_AT_ONCE)
        if end is not None:
            end()
        return done

    return body


def _moving(
    call: str, descriptor: int, buffer: Any, places: Sequence[int], sync: bool = False
) -> Loop:
    """Return what reads or writes at some places, and closes the file."""
    where, size = libc.address_of(buffer), len(buffer)

    def end() -> None:
        if sync:
            os.fsync(descriptor)
        os.close(descriptor)

    def rows(descriptor: int) -> Rows:
        return [(descriptor, where, size, place)[: 3 + (call != "write")] for place in places]

    idle = _Calls(call, rows(libc.NO_FILE), buffer, fails=True)
    return Loop(_Calls(call, rows(descriptor), buffer).body(end), idle.body())


def _in_turn(
    call: Callable[[], object],
    count: int,
    end: Callable[[], object] | None = None,
    *,
    calls: int = 1,
) -> Body:
    """Return what calls a function with a look at the clock after each time.

    ``calls``: system calls that count in one of them.
    """

    def body(until: float) -> int:
        done = 0
        while done < count and (not done or clock() < until):
            call()
            done += calls
        if end is not None:
            end()
        return done

    return body


def _synced(descriptor: int, record: bytes, calls: int) -> Loop:
    """Return what writes records, each with a sync."""
    write, size = libc.function("write"), len(record)

    def written() -> None:
        libc.need(write(descriptor, record, size))
        os.fsync(descriptor)

    def nothing() -> None:
        libc.passed(write(libc.NO_FILE, record, size))

    body = _in_turn(written, calls, lambda: os.close(descriptor))
    return Loop(body, _in_turn(nothing, calls))


def _naming(kind: str, names: Sequence[bytes]) -> Loop:
    """Return what makes the call of a probe for each name."""
    nothing = [b""] * len(names)
    if kind in ("open-close", "create"):
        return Loop(_opening(kind, names), _opening(kind, nothing), entries=2)
    call, before, after = _CALLS[kind]
    about = ctypes.create_string_buffer(libc.ABOUT)

    def body(names: Sequence[bytes], fails: bool) -> Body:
        others = [name + b"~" for name in names] if kind == "rename" else []
        places = [libc.name_at(name) for name in names]
        rows: Rows = [(*before, place, *after) for place in places]
        if kind == "stat":
            rows = [(*row, libc.address_of(about)) for row in rows]
        elif kind == "rename":
            pairs = zip(rows, map(libc.name_at, others), strict=True)
            rows = [(*row, other) for row, other in pairs]
        return _Calls(call, rows, (names, others, about), fails).body()

    return Loop(body(names, kind == "lookup"), body(nothing, True))


_CALLS: dict[str, tuple[str, tuple[int, ...], tuple[int, ...]]] = {
    "stat": ("statx", (libc.AT_FDCWD,), (0, libc.BASIC)),
    "lookup": ("access", (), (os.F_OK,)),
    "setattr": ("chmod", (), (0o640,)),
    "truncate": ("truncate", (), (0,)),
    "rename": ("rename", (), ()),
    "unlink": ("unlink", (), ()),
    "mkdir": ("mkdir", (), (0o700,)),
    "rmdir": ("rmdir", (), ()),
}
"""The function of a probe, and its arguments before and after the name."""


def _opening(kind: str, names: Sequence[bytes]) -> Body:
    """Return what opens files, or makes them, and closes them; an empty name leads to none."""
    flags = os.O_RDONLY if kind == "open-close" else os.O_WRONLY | os.O_CREAT | os.O_EXCL
    table = libc.table([(libc.name_at(name), flags, 0o600) for name in names])
    files = libc.table([(libc.NO_FILE,)] * len(names))
    opens, closes = (libc.address_of(libc.function(name)) for name in ("open64", "close"))
    exist = bool(names and names[0])

    def made(first: int, last: int) -> int:
        if exist:
            return loops.opened(opens, closes, table, first, last)
        loops.regardless(opens, False, table, first, last)
        return loops.regardless(closes, False, files, first, last)

    return _in_parts(made, lambda row: os.close(os.open(names[row], flags, 0o600)), len(names))


def _listing(folder: bytes, calls: int) -> Loop:
    """Return what lists a folder: all its names in one call, and a second that finds the end."""
    descriptor, every = libc.listing(folder)
    body = _in_turn(every, calls, lambda: os.close(descriptor), calls=2)
    return Loop(body, _in_turn(libc.no_listing(), calls, calls=2))
