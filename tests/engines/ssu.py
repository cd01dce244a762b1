"""An SSU with its channels, a disk behind one path, and a port for each client: to calculate with.

Units of 100 bytes. A transfer holds a port of the client, one of the SSU, and a channel.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from simulator.kinds.parts.disk.spec import DiskSpec
from simulator.plan.codes import CLOSE_QUEUE
from simulator.result.result import Result
from tests.engines.hand import Hand
from tests.reference.runs import run

UNIT = 100
HIT = 20 + 3 * UNIT
"""Reading a whole resident unit: the read channel is the slowest of the stage."""
PUT = 30 + 4 * UNIT
"""Writing a whole unit into the SSU."""
ON_PATH = 40 + 6 * UNIT
SEQUENTIAL = 50 + 8 * UNIT
ON_DISK = 1000 + SEQUENTIAL
"""A unit on the disk, positioning included."""
BACK = ON_PATH + ON_DISK
"""Writing a unit back, or fetching it."""
NEXT = ON_PATH + SEQUENTIAL
"""Writing back a unit that continues the one before on disk."""
DISK = DiskSpec(rate=1e9 / 8, overhead_ns=50, seek_ns=700, turn_ns=600)
MOST = 8
"""Clients."""

Move = tuple[Any, ...]
"""("read", file, offset, size), with the time before it as a fifth; or ("close", file)."""


def unit(index: int, count: int = 1) -> tuple[int, int]:
    """(offset, size) of some units."""
    return index * UNIT, count * UNIT


def mark(size: int = 4) -> int:
    """Writing a few bytes into a resident unit."""
    return 30 + 4 * size


@dataclass
class Ran:
    """What came out."""

    result: Result

    @property
    def ends(self) -> list[int]:
        """When each client ended."""
        return [one.ended_ns for one in self.result.processes]

    @property
    def end_ns(self) -> int:
        """When the last write-back ended."""
        return self.result.end_ns

    def waits(self, client: int = 0, column: str = "ssu.writeback") -> int:
        """How long a client waited for room or a write-back; or as ``column`` says."""
        return self.result.processes[client].spent.get(column, (0, 0))[0]

    def counted(self, *names: str) -> list[int]:
        """Counters of the SSU."""
        stores = self.result.stores
        counts = stores["ssu"].counts if stores else {}
        return [counts.get(name, 0) for name in names]


class Rig:
    """Files are given as (bytes that exist, bytes they may have)."""

    def __init__(
        self,
        slots: int,
        *files: tuple[int, int],
        triggers: tuple[str, ...] = (),
        disk: DiskSpec = DISK,
        port_ns: float = 2,
        channels: int = 1,
        prestaged: bool = False,
        **store: Any,
    ) -> None:
        self.hand = hand = Hand(pe=MOST, ssu=1)
        for group, prefix in (("pe", ""), ("ssu", "ssu-")):
            for way in ("in", "out"):
                hand.part(prefix + way, group, rate=1e9 / port_ns, overhead_ns=5)
        hand.part("read", "ssu", rate=1e9 / 3, overhead_ns=20, servers=channels)
        hand.part("write", "ssu", rate=1e9 / 4, overhead_ns=30, servers=channels)
        hand.part("path", "ssu", rate=1e9 / 6, overhead_ns=40)
        hand.part("disk", "ssu", "disk", spec=disk)
        usual = {"slots": slots, "triggers": frozenset(triggers)}
        hand.store("ssu", "ssu", **usual | store)
        down = hand.stage("out", "ssu-in", "write").down
        entry = replace(hand.stage("ssu-out", "in", "read"), down=down)
        tiers = [entry, hand.kept("ssu"), hand.stage("path"), hand.stage("disk")]
        hand.path("fs", tiers, close=CLOSE_QUEUE)
        for number, (length, size) in enumerate(files):
            hand.file(
                f"f{number}",
                "fs",
                size,
                length=length,
                base=number * 10_000,
                prestaged=prestaged and length > 0,
            )

    def client(self, *moves: Move, at: int = 0) -> Rig:
        """Add a client, which does its moves one after the other; returns the rig."""
        rows = []
        for what, number, *rest in moves:
            if what == "close":
                rows.append(("close", f"f{number}", 0, 1))
            else:
                rows.append((what, f"f{number}", *rest))
        name = f"client{len(self.hand.processes)}"
        node = len(self.hand.processes)
        self.hand.process(name, self.hand.listed(*rows), node=node, start_ns=at)
        return self

    def run(self) -> Ran:
        """Carry it out on both engines."""
        return Ran(run(self.hand))
