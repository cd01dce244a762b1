"""The calls of probes on real files, in a folder that is theirs."""

from __future__ import annotations

import mmap
import os
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from simulator.measure.facts import drop, open_direct
from simulator.measure.probe import MIB, Probe

Body = Callable[[float], int]
"""Makes a probe's calls until they are done or the clock says so; returns how many it made."""
clock = time.perf_counter


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

    def prepare(self, probe: Probe, worker: int, repetition: int) -> Body:
        """Do what is not to be timed; returns what is."""
        if probe.kind == "cached-read":
            return self._cached_read(probe)
        if probe.kind == "random-read":
            return self._random_read(probe, worker, repetition)
        if probe.kind == "read":
            return self._read(probe)
        if probe.kind in ("cached-write", "sync-write", "write-sync"):
            return self._write(probe, worker)
        return self._metadata(probe, worker)

    def _cached_read(self, probe: Probe) -> Body:
        descriptor = os.open(self.data, os.O_RDONLY)
        buffer = [bytearray(probe.size)]
        for offset in range(0, probe.size * probe.calls, probe.size):
            os.preadv(descriptor, buffer, offset)

        def body(until: float) -> int:
            done = 0
            while done < probe.calls and (not done or clock() < until):
                os.preadv(descriptor, buffer, done * probe.size)
                done += 1
            os.close(descriptor)
            return done

        return body

    def _random_read(self, probe: Probe, worker: int, repetition: int) -> Body:
        descriptor = open_direct(self.data) if self.direct else os.open(self.data, os.O_RDONLY)
        if not self.direct:
            drop(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        draw = random.Random(f"{self.seed} {probe.name} {worker} {repetition}")
        places = draw.sample(range(self.size // probe.size), probe.calls)
        buffer = [mmap.mmap(-1, probe.size)]

        def body(until: float) -> int:
            done = 0
            while done < probe.calls and (not done or clock() < until):
                os.preadv(descriptor, buffer, places[done] * probe.size)
                done += 1
            os.close(descriptor)
            return done

        return body

    def _read(self, probe: Probe) -> Body:
        descriptor = os.open(self.data, os.O_RDONLY)
        drop(descriptor)
        buffer = [bytearray(probe.size)]

        def body(until: float) -> int:
            done = 0
            while done < probe.calls and (not done or clock() < until):
                os.preadv(descriptor, buffer, done * probe.size)
                done += 1
            os.close(descriptor)
            return done

        return body

    def _write(self, probe: Probe, worker: int) -> Body:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        descriptor = os.open(self.new(worker), flags, 0o600)
        os.fsync(descriptor)
        record = os.urandom(probe.size)
        each = probe.kind == "sync-write"

        def body(until: float) -> int:
            done = 0
            while done < probe.calls and (not done or clock() < until):
                os.write(descriptor, record)
                if each:
                    os.fsync(descriptor)
                done += 1
            if probe.kind == "write-sync":
                os.fsync(descriptor)
            os.close(descriptor)
            return done

        return body

    def _metadata(self, probe: Probe, worker: int) -> Body:
        folder = self.folder / f"many{worker}"
        folder.mkdir(exist_ok=True)
        names = [str(folder / f"f{number:04}") for number in range(probe.calls)]
        if probe.kind == "create":
            for name in names:
                Path(name).unlink(missing_ok=True)
        else:
            for name in names:
                os.close(os.open(name, os.O_WRONLY | os.O_CREAT, 0o600))
        call = _METADATA[probe.kind]
        if probe.kind == "readdir":
            names = [str(folder)] * max(1, probe.calls // 10)

        def body(until: float) -> int:
            done = 0
            while done < len(names) and (not done or clock() < until):
                call(names[done])
                done += 1
            return done

        return body


def _open_close(name: str) -> None:
    os.close(os.open(name, os.O_RDONLY))


def _create(name: str) -> None:
    os.close(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _rename(name: str) -> None:
    os.rename(name, f"{name}~")  # noqa: PTH104 - nothing but the call is to be timed


_METADATA: dict[str, Callable[[str], object]] = {
    "open-close": _open_close,
    "stat": os.stat,
    "create": _create,
    "rename": _rename,
    "unlink": os.unlink,
    "readdir": os.listdir,
}
