"""Runs whose time has two causes, of which one is larger."""

from __future__ import annotations

from typing import NamedTuple


class Case(NamedTuple):
    """A run, what is said of most of its time, and what is not said."""

    name: str
    machine: str
    workload: str
    said: str
    unsaid: tuple[str, ...]


def _machine(store: str, disk: str = "rate: 100 MB/s, seek: 8 ms, rotation: 8 ms") -> str:
    return f"""\
format: machine/2
name: small
parts:
  disk: {{kind: disk, {disk}}}
stores:
  pages: {{{store}}}
filesystems:
  fs: [pages, disk]
"""


def _workload(files: str, phases: str, more: str = "record: 1 MB") -> str:
    return f"""\
format: workload/2
name: small
files: {{{files}}}
jobs:
  - {{name: w, {more}, phases: [{phases}]}}
"""


_HEAD = "{do: write, file: head}, {do: write, file: head}, "
_REWRITE = "capacity: 4 GB, block: 1 MB, extent: 1 MB, dirty: 100 %, high: 100 %, start: [rewrite]"
_QUEUE = "{do: read, file: f, size: 1 MB, order: random}"


def _open(every: str) -> str:
    arrivals = f"arrivals: {{every: {every}, distribution: poisson, count: 2000, out: 64}}"
    files = "f: {size: 10 GB, exists: true, shared: true}"
    return _workload(files, _QUEUE, f"record: 1 MB, {arrivals}")


_MD1 = """\
format: machine/2
name: queue
parts:
  disk: {kind: queue, rate: 100 MB/s}
filesystems:
  data: [disk]
"""
_AWAY = """\
format: machine/2
name: one-disk
parts:
  disk: {kind: disk, rate: 100 MB/s}
filesystems:
  home: [disk]
events:
  - {part: disk, at: 0.5 s, repair: %s}
"""

_STRIPED = """\
format: machine/2
name: striped
nodes: {client: 1, oss: 4}
parts:
  nic: {kind: network, at: [client, oss], rate: 1000 TB/s, latency: 0 s}
  ost: {kind: queue, at: oss, rate: 500 MB/s}
filesystems:
  scratch: [{stripe: 1 MB, over: 4, of: oss}, [nic], ost]
events: [{part: ost, member: 2, at: 0 s, factor: %s, lasts: 1 h}]
"""
_SLOW = "most of it by oss2.ost, which was slower than usual"

CASES = (
    Case(
        "a small read before much is written through",
        _machine("capacity: 100 MB, write: through"),
        _workload(
            "conf: {size: 4 kB, exists: true}, out: {size: 1 GB}",
            "{do: read, file: conf}, {do: write, file: out}",
        ),
        "requests are being served by disk",
        ("does not hold what is read",),
    ),
    Case(
        "one rewrite before a long sync",
        _machine(_REWRITE),
        _workload(
            "head: {size: 1 MB}, out: {size: 1 GB}",
            _HEAD + "{do: write, file: out}, {do: sync, file: out}",
        ),
        "wait for write-back from pages (sync)",
        ("waits to rewrite bytes",),
    ),
    Case(
        "rewrites and hardly a sync",
        _machine(_REWRITE),
        _workload("head: {size: 1 MB}", _HEAD * 20 + "{do: sync, file: head}"),
        "waits to rewrite bytes",
        ("(sync)",),
    ),
    Case(
        "one rewrite before a full store",
        _machine("capacity: 64 MB, block: 1 MB, extent: 1 MB, start: [rewrite]"),
        _workload("head: {size: 1 MB}, out: {size: 2 GB}", _HEAD + "{do: write, file: out}"),
        "wait",
        ("waits to rewrite bytes", "(sync)"),
    ),
    Case(
        "reading what is not there, and a small write",
        _machine("capacity: 100 MB, write: through"),
        _workload(
            "conf: {size: 4 kB}, out: {size: 1 GB, exists: true}",
            "{do: write, file: conf}, {do: read, file: out}",
        ),
        "does not hold what is read",
        ("first reads blocks",),
    ),
    Case(
        "reading back what is changed in part",
        _machine("capacity: 1 GB, block: 1 MB, extent: 1 MB, dirty: 100 %, high: 100 %"),
        _workload(
            "f: {size: 200 MB, exists: true}, g: {size: 1 MB, exists: true}",
            "{do: read, file: g}, {do: write, file: f, record: 4 kB, order: random, count: 100,"
            " size: 400 kB}".replace("count: 100, ", ""),
        ),
        "first reads blocks",
        ("does not hold what is read",),
    ),
    Case(
        "reading much, and changing a block in part",
        _machine("capacity: 1 GB, block: 1 MB, extent: 1 MB, dirty: 100 %, high: 100 %"),
        _workload(
            "f: {size: 200 MB, exists: true}, g: {size: 200 MB, exists: true}",
            "{do: read, file: g}, {do: write, file: f, record: 4 kB, size: 4 kB}",
        ),
        "does not hold what is read",
        ("first reads blocks",),
    ),
    Case(
        "M/D/1 at half load",
        _MD1,
        _open("20 ms"),
        "requests are being served by disk (first come, first served), 3",
        ("100.0 %",),
    ),
    Case(
        "M/D/1 at a load of 0.9",
        _MD1,
        _open("11.1 ms"),
        "wait for each other at disk",
        ("100.0 %", "back after failing"),
    ),
    Case(
        "a disk that is away for nearly all of the time",
        _AWAY % "1000 s",
        _workload("f: {size: 400 MB, exists: true}", "{do: read, file: f}", "record: 100 MB"),
        "requests wait until disk is back after failing",
        ("for each other",),
    ),
    Case(
        "a slow member",
        _STRIPED % "20 %",
        _workload("f: {size: 400 MB, exists: true}", "{do: read, file: f}", "record: 4 MB"),
        _SLOW,
        (),
    ),
    Case(
        "a member that is hardly slower than others",
        _STRIPED % "90 %",
        _workload("f: {size: 400 MB, exists: true}", "{do: read, file: f}", "record: 4 MB"),
        "requests are being served by ost",
        (_SLOW,),
    ),
    Case(
        "a disk that is away for a moment",
        _AWAY % "10 ms",
        _workload("f: {size: 400 MB, exists: true}", "{do: read, file: f}", "record: 100 MB"),
        "requests are being served by disk",
        ("for each other",),
    ),
)
