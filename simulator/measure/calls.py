"""The calls of probes on real files, in a folder that is theirs."""

from __future__ import annotations

import mmap
import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.measure import libc
from simulator.measure.facts import drop, open_direct
from simulator.measure.probe import MIB, Probe

Body = Callable[[float], int]
"""Makes a probe's calls until they are done or the clock says so; returns how many it made."""
clock = time.perf_counter


@dataclass(frozen=True, slots=True)
class Loop:
    """The calls of a probe, and the same without a file: what the interpreter takes for them."""

    body: Body
    idle: Body


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
        if probe.kind == "cached-read":
            return self._cached_read(probe)
        if probe.kind == "random-read":
            return self._random_read(probe, worker, repetition)
        if probe.kind == "read":
            return self._read(probe)
        if probe.kind == "direct-write":
            return self._direct_write(probe, worker, repetition)
        if probe.kind in ("cached-write", "sync-write", "write-sync"):
            return self._write(probe, worker)
        return self._metadata(probe, worker)

    def _cached_read(self, probe: Probe) -> Loop:
        descriptor = os.open(self.data, os.O_RDONLY)
        buffer = bytearray(probe.size)
        for offset in range(0, probe.size * probe.calls, probe.size):
            os.preadv(descriptor, [buffer], offset)
        places = range(0, probe.size * probe.calls, probe.size)
        return _at_places("pread64", descriptor, libc.buffer_of(buffer), places)

    def _random_read(self, probe: Probe, worker: int, repetition: int) -> Loop:
        descriptor = open_direct(self.data) if self.direct else os.open(self.data, os.O_RDONLY)
        if not self.direct:
            drop(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        draw = random.Random(f"{self.seed} {probe.name} {worker} {repetition}")
        records = draw.sample(range(self.size // probe.size), probe.calls)
        buffer = libc.buffer_of(mmap.mmap(-1, probe.size))
        return _at_places(
            "pread64", descriptor, buffer, [record * probe.size for record in records]
        )

    def _direct_write(self, probe: Probe, worker: int, repetition: int) -> Loop:
        """Write over the records of a file, which are on the device already, in any order."""
        path = self.new(worker)
        with path.open("wb", buffering=0) as file:
            for _ in range(probe.calls):
                file.write(os.urandom(probe.size))
            drop(file.fileno())
        descriptor = open_direct(path, os.O_WRONLY)
        draw = random.Random(f"{self.seed} {probe.name} {worker} {repetition}")
        records = draw.sample(range(probe.calls), probe.calls)
        buffer = libc.buffer_of(mmap.mmap(-1, probe.size))
        places = [record * probe.size for record in records]
        return _at_places("pwrite64", descriptor, buffer, places)

    def _read(self, probe: Probe) -> Loop:
        descriptor = os.open(self.data, os.O_RDONLY)
        drop(descriptor)
        places = range(0, probe.size * probe.calls, probe.size)
        return _at_places("pread64", descriptor, libc.buffer_of(bytearray(probe.size)), places)

    def _write(self, probe: Probe, worker: int) -> Loop:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = os.open(self.new(worker), flags, 0o600)
        os.fsync(descriptor)
        record, each = os.urandom(probe.size), probe.kind == "sync-write"
        write, need = libc.function("write"), libc.need

        def body(until: float) -> int:
            done = 0
            while done < probe.calls and (not done or clock() < until):
                need(write(descriptor, record, probe.size))
                if each:
                    os.fsync(descriptor)
                done += 1
            if probe.kind == "write-sync":
                os.fsync(descriptor)
            os.close(descriptor)
            return done

        def idle(until: float) -> int:
            done, passed = 0, libc.passed
            while done < probe.calls and (not done or clock() < until):
                passed(write(libc.NO_FILE, record, probe.size))
                if each:
                    pass
                done += 1
            return done

        return Loop(body, idle)

    def _metadata(self, probe: Probe, worker: int) -> Loop:
        folder = self.folder / f"many{worker}"
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir()
        names = [bytes(folder / f"f{number:04}") for number in range(probe.calls)]
        for name in names:
            if probe.kind in ("mkdir", "create", "lookup"):
                break
            if probe.kind == "rmdir":
                Path(os.fsdecode(name)).mkdir()
            else:
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600))
        if probe.kind == "readdir":
            return _listing(bytes(folder), probe.calls)
        if probe.kind == "close":
            return _closing([os.open(name, os.O_RDONLY) for name in names])
        idle = _named(metadata_call(probe.kind, libc.passed), [b""] * probe.calls)
        return Loop(_named(metadata_call(probe.kind), names), idle)


def _named(call: Callable[[bytes], int], names: Sequence[bytes]) -> Body:
    """Return what makes a call for each name."""

    def body(until: float) -> int:
        done = 0
        while done < len(names) and (not done or clock() < until):
            call(names[done])
            done += 1
        return done

    return body


def _at_places(call: str, descriptor: int, buffer: Any, places: Sequence[int]) -> Loop:
    """Return what reads or writes at some places, and closes the file."""
    size = len(buffer)

    def made(descriptor: int, need: libc.Returned) -> Body:
        move = libc.function(call)

        def body(until: float) -> int:
            done = 0
            while done < len(places) and (not done or clock() < until):
                need(move(descriptor, buffer, size, places[done]))
                done += 1
            if descriptor != libc.NO_FILE:
                os.close(descriptor)
            return done

        return body

    return Loop(made(descriptor, libc.need), made(libc.NO_FILE, libc.passed))


def _listing(folder: bytes, calls: int) -> Loop:
    """Return what lists a folder: all its names in one call, and a second that finds the end."""
    descriptor, every = libc.listing(folder)

    def made(descriptor: int, every: Callable[[], int]) -> Body:
        def body(until: float) -> int:
            done = 0
            while done < calls and (not done or clock() < until):
                every()
                done += 2
            if descriptor != libc.NO_FILE:
                os.close(descriptor)
            return done

        return body

    return Loop(made(descriptor, every), made(libc.NO_FILE, libc.no_listing()))


def _closing(descriptors: Sequence[int]) -> Loop:
    """Return what closes files, all of them."""

    def made(descriptors: Sequence[int], need: libc.Returned) -> Body:
        close = libc.function("close")

        def body(until: float) -> int:
            del until
            for one in descriptors:
                need(close(one))
            return len(descriptors)

        return body

    return Loop(made(descriptors, libc.need), made([libc.NO_FILE] * len(descriptors), libc.passed))


def metadata_call(kind: str, need: libc.Returned = libc.need) -> Callable[[bytes], int]:
    """Return the call of a probe with a name, of the C library."""
    function = libc.function
    opens, closes = function("open64"), function("close")
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    access, rename, chmod = function("access"), function("rename"), function("chmod")
    unlink, mkdir, rmdir = function("unlink"), function("mkdir"), function("rmdir")
    calls: dict[str, Callable[[bytes], int]] = {
        "open-close": lambda name: need(closes(need(opens(name, os.O_RDONLY, 0)))),
        "create": lambda name: need(closes(need(opens(name, new, 0o600)))),
        "stat": libc.attributes(need),
        "lookup": lambda name: access(name, os.F_OK),
        "setattr": lambda name: need(chmod(name, 0o640)),
        "rename": lambda name: need(rename(name, name + b"~")),
        "unlink": lambda name: need(unlink(name)),
        "mkdir": lambda name: need(mkdir(name, 0o700)),
        "rmdir": lambda name: need(rmdir(name)),
    }
    return calls[kind]
