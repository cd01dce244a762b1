"""MPI-IO and PFF: operations that read or write fragments of one file, by eight methods.

Independent methods:

- ``seek``: a seek and a call for each fragment, as in UNIX; ``offset``: a call with an explicit
  offset;
- ``list`` and ``stride``: one call for all fragments, described by a list or by four numbers
  (SR8000 paper, section 2.2.1);
- ``sieving``: the library reads the range from the first fragment to the last, a buffer at a time,
  and extracts the fragments; a write is a read-modify-write (Thakur, Gropp, Lusk, 1999).

Collective methods (section 2.2.2): all processes take part, a chunk each at a time.

- ``disk-directed``: the I/O nodes merge the requests of all, in the file system (PFF);
- ``server-directed``: programs on the I/O nodes merge them, with system calls and buffers of their
  own;
- ``two-phase``: each process reads or writes a contiguous part of the file, and the processes
  exchange the data of others.

An independent write of several fragments holds the file's lock, as does a write with data sieving;
a write of one contiguous range, and a merged one, needs none (section 3.2(2)).

Not modelled: opening, file pointers shared by processes, errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from simulator.runtime.exchange import Exchange, LibrarySpec
from simulator.runtime.iosteps import CALLS, COPYING
from simulator.runtime.iotables import Tables, WantedPieces, cut
from simulator.runtime.operations import BARRIER, LOCK, PAUSE, READ, SEEK, UNLOCK, WRITE
from simulator.runtime.subfiles import Region, SubFiles

INDEPENDENT = ("seek", "offset", "list", "stride", "sieving")
COLLECTIVE = ("disk-directed", "server-directed", "two-phase")
METHODS = (*INDEPENDENT, *COLLECTIVE)


@dataclass(frozen=True, slots=True)
class Call:
    """Outcome of one call of all processes of a job."""

    spans: tuple[tuple[int, int], ...]
    """First step and number of steps of each process."""
    calls: int
    """Calls of the file system by all processes."""
    server_calls: int
    """Calls of the file system by server programs."""
    copied: int
    """Bytes copied by libraries, and by server programs."""
    memory: dict[str, int]
    """Bytes of buffers, by purpose."""


def compiled(
    asked: Sequence[WantedPieces],
    method: str,
    library: LibrarySpec,
    files: SubFiles,
    tables: Tables,
    *,
    write: bool,
) -> Call:
    """Make the steps of processes that read or write fragments of a file."""
    return Compiler(asked, method, library, files, tables, write=write).call()


class Compiler:
    """Compiles one call of all processes of a job to tables."""

    def __init__(
        self,
        asked: Sequence[WantedPieces],
        method: str,
        library: LibrarySpec,
        files: SubFiles,
        tables: Tables,
        *,
        write: bool,
    ) -> None:
        self.asked = asked
        self.method = method
        self.library = library
        self.files = files
        self.tables = tables
        self.write = write
        self.count = len(asked)
        self.calls = 0
        """System calls of all processes."""
        self.server_calls = 0
        self.copied = 0
        self.memory = {"transfer buffers": self.count * library.transfer_buffer}

    def call(self) -> Call:
        """Make the steps of all processes."""
        make = self._way()
        kinds, spans = self.tables.steps.kind, []
        for process in range(self.count):
            begin = len(kinds)
            make(process)
            spans.append((begin, len(kinds) - begin))
        return Call(tuple(spans), self.calls, self.server_calls, self.copied, self.memory)

    def _way(self) -> Callable[[int], None]:
        method = self.method
        if method in {"seek", "offset"}:
            return self._piece_by_piece
        if method in {"list", "stride"}:
            return self._at_once
        if method == "sieving":
            self.memory["library buffers"] = self.count * self.library.sieve_buffer
            return self._sieve
        if method == "two-phase":
            made = self._domains()
            self.memory["library buffers"] = made.memory()
            return lambda process: self._two_phase(process, made)
        if method in {"disk-directed", "server-directed"}:
            return self._merging()
        raise ValueError(f"no method {method!r}; there are {', '.join(METHODS)}")

    def _domains(self) -> Exchange:
        """Return the exchange of two-phase I/O, with the domains of the file."""
        return Exchange(self.asked, self.library, self.files.block)

    # -- independent --------------------------------------------------------------------

    def _calls(self, asked: WantedPieces, write: bool, *, system: int = 1) -> None:
        """Make a call for each contiguous range, which is ``system`` calls of the system."""
        library = self.library
        made = cut(self.files, asked, library.transfer_buffer, each=True)
        think = system * library.call_ns
        self.tables.moves(made, write=write, think=think, message=0, item=0)
        self.calls += system * len(asked.offset)

    def _call(self, low: int, high: int, *, write: bool) -> None:
        self._calls(WantedPieces([low], [high - low]), write)

    def _piece_by_piece(self, process: int) -> None:
        system = 2 if self.method == "seek" else 1
        self._calls(self.asked[process], self.write, system=system)

    def _at_once(self, process: int) -> None:
        """Make one call for all fragments, under the file's lock if it writes."""
        library, asked = self.library, self.asked[process]
        listed = self.method == "list"
        locked = library.locks and self.write and len(asked.offset) > 1
        if locked:
            self.tables.step(LOCK, 0, 0, library.lock_ns, CALLS)
        self.tables.moves(
            cut(self.files, asked, library.transfer_buffer, each=False),
            write=self.write,
            think=library.call_ns + (library.item_ns * len(asked.offset) if listed else 0),
            message=0 if listed else library.stride,
            item=library.item if listed else 0,
        )
        self.calls += 1
        if locked:
            self.tables.step(UNLOCK)

    def _sieve(self, process: int) -> None:
        """Process windows of the file, one after the other."""
        offset, size = self.asked[process].offset, self.asked[process].size
        low, last, piece = offset[0], offset[-1] + size[-1], 0
        while low < last:
            high = min(low + self.library.sieve_buffer, last)
            wanted = 0
            while piece < len(offset) and offset[piece] < high:
                end = offset[piece] + size[piece]
                wanted += min(end, high) - max(offset[piece], low)
                if end > high:
                    break
                piece += 1
            self._window(low, high, wanted, write=self.write)
            low = max(high, offset[piece]) if piece < len(offset) else last

    def _window(self, low: int, high: int, wanted: int, *, write: bool) -> None:
        """Read a window and extract the fragments; or change them there and write it back."""
        library = self.library
        changes = write and wanted < high - low
        locked = changes and library.locks
        if locked:
            self.tables.step(LOCK, 0, 0, library.lock_ns, CALLS)
        if changes or not write:
            self._call(low, high, write=False)
        self._copy(wanted)
        if write:
            self._call(low, high, write=True)
        if locked:
            self.tables.step(UNLOCK)

    # -- collective ---------------------------------------------------------------------

    def _merging(self) -> Callable[[int], None]:
        """Prepare the groups of all processes, which the I/O nodes merge."""
        library = self.library
        cuts = [cut(self.files, one, library.transfer_buffer, each=False) for one in self.asked]
        served = self.method == "server-directed"
        copies = library.node_copy.ns_per_byte if served else 0.0
        merged = self.tables.merge(cuts, library.call_ns if served else 0, copies)
        if served:
            self.server_calls = len(merged.rows)
            sizes = self.tables.groups.size[merged.first :]
            self.copied = sum(sizes)
            self.memory["server buffers"] = max(sizes) * len(self.files.nodes)

        def make(process: int) -> None:
            self.tables.step(BARRIER, 0, 0, library.barrier_ns, CALLS)
            self.tables.moves(
                cuts[process],
                write=self.write,
                think=0 if served else library.call_ns,
                message=library.stride,
                item=0,
                merged=merged,
            )
            self.calls += 0 if served else 1

        return make

    def _two_phase(self, process: int, exchange: Exchange) -> None:
        """Process a window at a time: move it, exchange it; for writes in the reverse order."""
        for turn in range(exchange.rounds):
            if self.write:
                self._exchange(process, exchange, turn)
            window = exchange.window(process, turn)
            if window is not None:
                low, high = window
                holes = exchange.wanted(process, turn) < high - low
                if holes or not self.write:
                    self._call(low, high, write=False)
                if self.write:
                    self._call(low, high, write=True)
            if not self.write:
                self._exchange(process, exchange, turn)

    def _exchange(self, process: int, exchange: Exchange, turn: int) -> None:
        """Pack, send to each other process its data, wait for all, and unpack."""
        library, write = self.library, self.write
        give = exchange.given(process, turn, write=write)
        take = exchange.taken(process, turn, write=write)
        self._copy(sum(give))
        for step in range(1, self.count):
            other = (process + step) % self.count
            if give[other]:
                self.tables.send(other, give[other])
        self.tables.step(BARRIER, 0, 0, library.barrier_ns, CALLS)
        self._copy(sum(take))

    def _copy(self, size: int) -> None:
        """Copy a number of bytes in the library."""
        self.copied += size
        time = self.library.copy.service_ns(size) if size else 0
        self.tables.step(PAUSE, 0, 0, time, COPYING)


PLAIN_METHODS = ("seek", "offset", "sieving", "two-phase")
"""Methods that need only calls of the operating system."""


def compiled_plainly(
    asked: Sequence[WantedPieces],
    method: str,
    library: LibrarySpec,
    aggregators: Sequence[int],
    tables: Tables,
    *,
    write: bool,
) -> Call:
    """Make the steps of processes that read or write fragments of a file.

    ``aggregators``: the ranks that read and write for all in two-phase I/O.
    """
    if method not in PLAIN_METHODS:
        known = ", ".join(PLAIN_METHODS)
        raise ValueError(f"no method {method!r} without I/O nodes; there are {known}")
    return _PlainCompiler(asked, method, library, aggregators, tables, write=write).call()


class _PlainCompiler(Compiler):
    """Compiles one call of all processes of a job to calls of the operating system."""

    def __init__(
        self,
        asked: Sequence[WantedPieces],
        method: str,
        library: LibrarySpec,
        aggregators: Sequence[int],
        tables: Tables,
        *,
        write: bool,
    ) -> None:
        size = max(one.offset[-1] + one.size[-1] for one in asked)
        files = SubFiles((Region(size, size, (0,)),), 1)  # one range of bytes
        super().__init__(asked, method, library, files, tables, write=write)
        self.aggregators = aggregators
        self.memory = {}

    def _calls(self, asked: WantedPieces, write: bool, *, system: int = 1) -> None:
        kind = WRITE if write else READ
        for offset, size in zip(asked.offset, asked.size, strict=True):
            if system > 1:
                self.tables.step(SEEK, offset, 0, 0, CALLS)
            self.tables.step(kind, offset, size, 0, CALLS)
        self.calls += system * len(asked.offset)

    def _domains(self) -> Exchange:
        return Exchange(self.asked, self.library, 1, self.aggregators)
