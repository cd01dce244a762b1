# cython: infer_types=True
"""Metadata operations of processes: opening, closing, creating, ...; docs/composition.md."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.native.processes import Processes
from simulator.native.tiers import Tiers
from simulator.native.writeback import WriteBack
from simulator.runtime.streams import RecordStreams

try:
    import cython  # type: ignore[import-untyped]
except ImportError:  # interpreted, and Cython is not there: as in a browser
    from simulator.native.interpreted import cython

if not cython.compiled:
    from simulator.native.codes import (
        A_CLOSE,
        A_META,
        A_TOP,
        AT_LISTED_ENDED,
        AT_META,
        AT_SYNCED_LISTED,
        BY_FLUSH,
        BY_QUEUE,
        GO,
        O_CLOSE,
        O_PAUSE,
        P_CALL,
        R_META,
        R_SYNC,
        READY,
        X_AFTER,
        X_ASKED,
        X_CPU,
        X_INSTANCE,
        X_PATH,
        X_PENDING,
        X_PLACE,
    )

if TYPE_CHECKING:
    from simulator.native.tables import ProcessTables


class Metadata(Processes):
    """Calls of processes, and those of them that move no data."""

    def __init__(
        self, tiers: Tiers, back: WriteBack, streams: RecordStreams, tables: ProcessTables
    ) -> None:
        super().__init__(tiers, back, streams, tables)
        self.meta_place = tables.meta_place
        """For each operation its place in METADATA, or -1."""

    def catch_up(self, x: int, place: int) -> int:
        """Let the time pass that a process has spent by itself, in one event."""
        time = self.clock.now + self.process[x + X_PENDING]
        self.process[x + X_PENDING] = 0
        self.process[x + X_PLACE] = place
        return time

    def call(self, slot: int, x: int) -> None:
        """Make a call of the operating system, of which the timeline shows the overhead."""
        instance = self.process[x + X_INSTANCE]
        cpu = self.process[x + X_CPU]
        service = self.parts.spend(slot, cpu, instance, self.parts.spec[cpu + P_CALL], 0)
        if self.parts.timing:
            began = self.clock.now + self.process[x + X_PENDING]
            self.parts.note(instance, began, service, 0)
        self.process[x + X_PENDING] += service

    def has_metadata(self, x: int) -> bool:
        """Whether metadata operations on a process's file cost anything."""
        return self.path[self.process[x + X_PATH] + A_META] >= 0

    def is_free(self, x: int, kind: int) -> bool:
        """Whether an operation takes no time, and others cannot see it."""
        if kind == O_PAUSE:
            return True
        if kind == O_CLOSE or self.meta_place[kind] < 0:
            return False
        return not self.has_metadata(x)

    def call_meta(self, slot: int, x: int, kind: int, after: int) -> int:
        """Make a call of a kind that is answered by the metadata server."""
        self.call(slot, x)
        self.process[x + X_ASKED] = self.meta_place[kind]
        self.process[x + X_AFTER] = after
        return self.catch_up(x, AT_META)

    def ask_meta(self, slot: int, x: int) -> int:
        """Begin the request of a metadata operation."""
        self.process[x + X_PLACE] = self.process[x + X_AFTER]
        op = R_META + self.process[x + X_ASKED]
        self.request(slot, x, self.path[self.process[x + X_PATH] + A_META], op, 0, 0)
        return GO

    def do_meta(self, slot: int, x: int, row: int, kind: int) -> int:
        """Carry out a listed metadata operation."""
        if kind == O_CLOSE and self.size[row] > 0 and self.close_written(slot, x, AT_SYNCED_LISTED):
            return GO
        if self.has_metadata(x):
            return self.call_meta(slot, x, kind, AT_LISTED_ENDED)
        return READY

    def close_written(self, slot: int, x: int, after: int) -> bool:
        """Do what closing a file means that was written; returns whether that is a request."""
        path = self.process[x + X_PATH]
        close = self.path[path + A_CLOSE]
        if close == BY_QUEUE:
            self.close_store(slot, x)
        if close != BY_FLUSH:
            return False
        self.process[x + X_PLACE] = after
        self.request(slot, x, self.path[path + A_TOP], R_SYNC, 0, 0)
        return True
