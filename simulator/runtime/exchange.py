"""The exchange of two-phase I/O: windows of the file, their owners, and the bytes owed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from simulator.runtime.iotables import WantedPieces
from simulator.service import ServiceSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySpec:
    """Costs of calls and copies on the node of a process; times ns, sizes bytes."""

    call_ns: int
    """Cost of one system call."""
    item_ns: int
    """Cost of adding one fragment to a list."""
    item: int
    """Bytes of a fragment in a list."""
    stride: int
    """Bytes of the four numbers of a stride."""
    copy: ServiceSpec
    """Copying in the library."""
    transfer_buffer: int
    """Maximum bytes of a call under way at one time."""
    sieve_buffer: int
    exchange_buffer: int
    lock_ns: int
    """Cost of acquiring and releasing the file's lock."""
    barrier_ns: int
    """Cost of signalling arrival at a barrier."""
    node_copy: ServiceSpec
    """Copying in an I/O node, for its server programs."""
    locks: bool = True
    """True if writes of several fragments take a lock."""
    domain_unit: int = 0
    """Domains of two-phase I/O end at the nearest multiples of it; 0: they are equal."""


def domain_edges(low: int, high: int, owners: int, block: int, unit: int) -> list[int]:
    """Return where the domains of bytes ``low`` to ``high`` begin, and where the last one ends.

    Equal ones begin at blocks. With a unit the ends of equal ones move to the nearest multiple, up
    from the middle (ROMIO, ADIOI_Calc_file_domains, with the hint striping_unit).

    >>> domain_edges(0, 100, 3, 1, 0), domain_edges(0, 100, 3, 1, 10)
    ([0, 34, 68, 102], [0, 30, 70, 100])
    """
    begin = low if unit else low // block * block
    share = -(-(high - begin) // owners)
    if unit:
        ends = (low + share * number for number in range(1, owners))
        inner = [(2 * end + unit) // (2 * unit) * unit for end in ends]
        return [low, *(max(low, end) for end in inner), max(high, *inner, low)]
    domain = -(-share // block) * block
    return [begin + number * domain for number in range(owners + 1)]


class Exchange:
    """The file from the first to the last requested byte, with a domain for each owner.

    A domain begins on a block boundary of the file system, or at a multiple of the library's unit,
    and is processed in windows of the size of the library's buffer.
    """

    def __init__(
        self,
        asked: Sequence[WantedPieces],
        library: LibrarySpec,
        block: int,
        owners: Sequence[int] | None = None,
    ) -> None:
        """``owners``: the processes that read and write for all, in order; all by default."""
        self.processes = len(asked)
        self.owners = range(self.processes) if owners is None else owners
        self.buffer = library.exchange_buffer
        self._domain_of = {owner: number for number, owner in enumerate(self.owners)}
        low = min(one.offset[0] for one in asked)
        high = max(one.offset[-1] + one.size[-1] for one in asked)
        self.high = high
        self.edges = domain_edges(low, high, len(self.owners), block, library.domain_unit)
        """Where domains begin and end; the last may end behind the last byte."""
        self.longest = max(end - begin for begin, end in pairwise(self.edges))
        self.rounds = -(-self.longest // self.buffer)
        self._first = low
        self._bytes = self._count(asked)

    def _count(self, asked: Sequence[WantedPieces]) -> dict[tuple[int, int, int], int]:
        """Count bytes by round, owner of a domain, and requesting process; only non-zero ones."""
        table: dict[tuple[int, int, int], int] = {}
        for process, one in enumerate(asked):
            for offset, size in zip(one.offset, one.size, strict=True):
                at, left = offset, size
                while left:
                    domain = bisect_right(self.edges, at) - 1
                    begin, end = self.edges[domain : domain + 2]
                    turn = (at - begin) // self.buffer
                    here = min(left, begin + (turn + 1) * self.buffer - at, end - at)
                    key = turn, self.owners[domain], process
                    table[key] = table.get(key, 0) + here
                    at, left = at + here, left - here
        return table

    def window(self, process: int, turn: int) -> tuple[int, int] | None:
        """Return the window of a process in a round; None if it has none."""
        if process not in self._domain_of:
            return None
        number = self._domain_of[process]
        domain, behind = self.edges[number : number + 2]
        begin = max(domain + turn * self.buffer, self._first)
        end = min(domain + (turn + 1) * self.buffer, behind, self.high)
        return (begin, end) if begin < end else None

    def wanted(self, process: int, turn: int) -> int:
        """Return the bytes of a window that any process requests."""
        return sum(self.given(process, turn, write=False))

    def given(self, process: int, turn: int, *, write: bool) -> list[int]:
        """Return the bytes that a process sends to each other one; to itself it only copies."""
        others, get = range(self.processes), self._bytes.get
        if write:
            return [get((turn, other, process), 0) for other in others]
        return [get((turn, process, other), 0) for other in others]

    def taken(self, process: int, turn: int, *, write: bool) -> list[int]:
        """Return the bytes that a process receives from each other one."""
        return self.given(process, turn, write=not write)

    def memory(self) -> int:
        """Return the bytes of buffers: windows, and the maximum transfer of a round."""
        out: dict[tuple[int, int], int] = {}
        into: dict[tuple[int, int], int] = {}
        for (turn, domain, process), size in self._bytes.items():
            if domain != process:
                out[process, turn] = out.get((process, turn), 0) + size
                into[domain, turn] = into.get((domain, turn), 0) + size
        most = [0] * self.processes
        for (process, _), size in (*out.items(), *into.items()):
            most[process] = max(most[process], size)
        return len(self.owners) * min(self.buffer, self.longest) + sum(most)
