"""Phases of MPI-IO -> requests for pieces of files, and what processes do with them."""

from __future__ import annotations

from array import array
from dataclasses import replace
from typing import TYPE_CHECKING

from simulator.config.lowering.ionodes import server_of
from simulator.config.lowering.tables import MPI_CALLS, MPI_COPIES
from simulator.plan import codes
from simulator.plan.jobs import AskedPlan, LibraryWork, PhasePlan
from simulator.runtime.iosteps import CALLS, COPYING
from simulator.runtime.iotables import Tables, WantedPieces
from simulator.runtime.mpiio import Call, compiled, compiled_plainly

if TYPE_CHECKING:
    from collections.abc import Callable

    from simulator.config.lowering.ionodes import Server
    from simulator.config.lowering.plan import Lowering
    from simulator.config.lowering.process import ProcessBuilder
    from simulator.config.lowering.records import Calls
    from simulator.runtime.subfiles import SubFiles


class AskedRows:
    """The requests for pieces of files of a plan as they grow."""

    def __init__(self, whole: Lowering) -> None:
        self.whole = whole
        self.work = LibraryWork()
        self._tables = Tables()
        self._calls: dict[tuple[str, str], tuple[Call, int]] = {}
        """Of a phase of a job, and the bytes that each process moves in it."""

    def plan(self) -> AskedPlan:
        """Return all requests."""
        tables = self._tables
        return AskedPlan(
            requests=tables.requests, groups=tables.groups, extents=tables.extents, work=self.work
        )

    def add(
        self,
        process: ProcessBuilder,
        name: str,
        asked: Callable[[], list[WantedPieces]],
        methods: tuple[str, str],
        *,
        write: bool,
    ) -> PhasePlan:
        """Add what a process does in the phase that is being added; return it as a phase.

        ``asked`` is what all processes of its job want of the file; ``methods`` are those of a
        plain file system, and of one with I/O nodes. ``process.number`` is the process that does
        it, which for a nonblocking call is not the one that makes the call.
        """
        file = process.file(name)
        key = (process.job.name, process.label)
        if key not in self._calls:
            wanted = asked()
            call = self._compiled(process, name, file, wanted, methods, write=write)
            self._calls[key] = call, wanted[0].bytes
            self._count(call, process.times)
        call, size = self._calls[key]
        first = self._operations(process, call.spans[process.rank], file)
        self._name_others(process, name, first)
        return self._phase(first, size, write=write)

    def add_calls(
        self,
        process: ProcessBuilder,
        name: str,
        file: int,
        calls: Calls,
        *,
        write: bool,
    ) -> PhasePlan:
        """Add plain calls of a process, each for a range of a file; return them as a phase.

        If they are drawn each time, operations for all places stand before those of the phase.
        """
        offsets, sizes = calls.listed()
        base = len(self.whole.operations)
        if calls.again:
            assert calls.places is not None
            places = array("q", calls.places)
            whole = WantedPieces(places, array("q", sizes[:1]) * len(places))
            self._plain(process, name, file, whole, write=write)
        each = (len(self.whole.operations) - base) // max(1, len(calls.places or ()))
        if calls.again and calls.places is calls.offsets:
            drawn = calls.drawn()
            offsets = array("q", [offsets[i] for i in drawn])
        first = len(self.whole.operations)
        process.add(codes.OPEN, file)
        made = self._plain(process, name, file, WantedPieces(offsets, sizes), write=write)
        self._count(replace(made, memory={}), process.times)
        process.add(codes.CLOSE, file)
        phase = self._phase(first, sum(sizes), write=write)
        if not calls.again:
            return phase
        draw = replace(calls.draw(first + 1), base=base, step=0, each=each)
        return replace(phase, draw=draw)

    def _plain(
        self, process: ProcessBuilder, name: str, file: int, calls: WantedPieces, *, write: bool
    ) -> Call:
        """Add the operations of plain calls."""
        files, server = self._files(process, name, file)
        library = self.whole.machine.mpi_io.library(server.copying)
        made = compiled([calls], "offset", library, files, self._tables, write=write)
        self._operations(process, made.spans[0], file)
        return made

    def _phase(self, first: int, size: int, *, write: bool) -> PhasePlan:
        count = len(self.whole.operations) - first
        return PhasePlan(kind=codes.LISTED, first=first, count=count, size=size, write=write)

    def _operations(self, process: ProcessBuilder, span: tuple[int, int], file: int) -> int:
        """Add the steps of a process as operations; return the first."""
        begin, count = span
        table = self.whole.operations
        self.whole.check_room(count, process.job)
        first = len(table)
        steps = self._tables.steps
        rows = slice(begin, begin + count)
        column = {
            CALLS: self.whole.column(MPI_CALLS),
            COPYING: self.whole.column(MPI_COPIES),
        }
        table.kind.extend(array("b", steps.kind[rows]))
        table.file.extend(array("i", [file]) * count)
        table.offset.extend(steps.first[rows])
        table.size.extend(steps.count[rows])
        table.gap.extend(steps.think[rows])
        table.column.extend(array("h", [column[part] for part in steps.part[rows]]))
        table.path.extend(array("i", [process.path_to(file)]) * count)
        return first

    def _name_others(self, process: ProcessBuilder, name: str, first: int) -> None:
        """Put the numbers of locks, barriers and channels into operations."""
        table = self.whole.operations
        for row in range(first, len(table)):
            kind = table.kind[row]
            if kind in (codes.LOCK, codes.UNLOCK):
                table.offset[row] = process.lock(f"file {name}")
            elif kind == codes.BARRIER:
                table.offset[row] = process.barrier()
            elif kind == codes.SEND:
                table.offset[row] = self.whole.channel(
                    process.number, process.first + table.offset[row], process.group
                )

    def _count(self, call: Call, repeat: int) -> None:
        work, memory = self.work, dict(self.work.memory)
        for key, size in call.memory.items():
            memory[key] = max(memory.get(key, 0), size)
        self.work = LibraryWork(
            calls=work.calls + call.calls * repeat,
            server_calls=work.server_calls + call.server_calls * repeat,
            copied=work.copied + call.copied * repeat,
            memory=memory,
        )

    def _compiled(
        self,
        process: ProcessBuilder,
        name: str,
        file: int,
        asked: list[WantedPieces],
        methods: tuple[str, str],
        *,
        write: bool,
    ) -> Call:
        """Make the steps of all processes of a job."""
        machine, tables = self.whole.machine, self._tables
        library, (plain, method) = machine.mpi_io.library, methods
        if machine.ways.block(*process.way(name)).io is None:
            ranks = self._aggregators(process)
            return compiled_plainly(asked, plain, library(write=write), ranks, tables, write=write)
        files, server = self._files(process, name, file)
        costs = library(server.copying, write=write)
        return compiled(asked, method, costs, files, tables, write=write)

    def _aggregators(self, process: ProcessBuilder) -> list[int]:
        """Return the ranks that read and write for all: the first one on each node."""
        job = self.whole.workload.jobs.index(process.job)
        nodes = self.whole.places[job].members
        return [rank for rank, node in enumerate(nodes) if node not in nodes[:rank]]

    def _files(self, process: ProcessBuilder, name: str, number: int) -> tuple[SubFiles, Server]:
        """Return where a file lies, and what serves it."""
        whole = self.whole
        way = whole.machine.ways.block(*process.way(name)).io
        assert way is not None
        laid = whole.behind.cache(way).lay(number, whole.workload.files[name])
        return laid, server_of(whole.machine, way)
