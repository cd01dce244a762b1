"""A job as a trace has it: which client called what, when, and who waited for whom.

It knows no machine: where files lie and how they are reached is said when a plan is made of it.
"""

from __future__ import annotations

import hashlib
import heapq
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib.util import find_spec

from simulator.runtime.listed import CallTable
from simulator.workload.buffered import gather
from simulator.workload.libraries import FREE, LibraryCosts

COMPILED = find_spec("simulator.rowloops") is not None

BESIDE = "+requests"
"""In the name of a client that does requests beside the process that submitted them."""
_DOES_REQUESTS = re.compile(rf"((?:^|.*\W)(?:pid\d+|process)){re.escape(BESIDE)}(?:\.\d+)?")


def owner_of(name: str) -> str:
    """Return the name of the process that submitted a client's requests; else the own name.

    >>> [owner_of(one) for one in ("pid7+requests.2", "pid7.2", "copy+requests")]
    ['pid7', 'pid7.2', 'copy+requests']
    """
    found = _DOES_REQUESTS.fullmatch(name)
    return found[1] if found else name


@dataclass(frozen=True, slots=True)
class TracedClient:
    """A process or thread."""

    name: str
    start_ns: int
    """When it begins, if nobody makes it; ns since the trace began."""
    born: int
    """The mark at which it is made, or -1."""
    first: int
    """Its first row in the table."""
    calls: int
    place: int
    """The number of its PE, if the machine has so many: the lowest that was free."""
    library: LibraryCosts = FREE


@dataclass(frozen=True, slots=True)
class TracedFile:
    """A file that the clients use."""

    name: str
    length: int
    """Bytes that were there before; what is read without having been written."""
    size: int
    """Bytes it has at most."""
    stripes: tuple[int, int] = (0, 0)
    """Over how many members it is divided, and bytes of a stripe; (0, 0): the file system's."""


@dataclass(frozen=True, slots=True)
class Meetings:
    """Locks, barriers and messages of clients, that a simulated run has written down."""

    locks: int = 0
    barriers: tuple[int, ...] = ()
    """How many clients meet at each."""
    channels: tuple[tuple[int, int], ...] = ()
    """From which client to which messages go."""
    counters: tuple[int, ...] = ()
    """Which client takes what others count for it; numbered after the channels."""


@dataclass(frozen=True)
class Traced:
    """Clients and their calls."""

    name: str
    table: CallTable
    clients: tuple[TracedClient, ...]
    files: tuple[TracedFile, ...]
    digest: str = ""
    """Of its rows; the same rows have the same."""
    meetings: Meetings = Meetings()

    def thinking(self, factor: Fraction) -> Traced:
        """Return the program with all computing, and all starts, multiplied.

        >>> table = CallTable()
        >>> table.add(7, gap=1000)
        >>> Traced("t", table, (), ()).thinking(Fraction(1, 4)).table.gap
        array('q', [250])
        """
        if factor == 1:
            return self
        import numpy as np

        gaps = np.frombuffer(self.table.gap, np.int64) if len(self.table) else np.zeros(0, np.int64)
        gap = array("q")
        gap.frombytes(_scaled(gaps, factor).tobytes())
        clients = tuple(replace(one, start_ns=int(one.start_ns * factor)) for one in self.clients)
        return replace(self, table=replace(self.table, gap=gap), clients=clients)


def striped(traced: Traced, stripes: Mapping[str, Sequence[int]]) -> Traced:
    """Return it with stripes of files, by their names: how many, and the bytes of one."""
    known = {name: (one[0], one[1]) for name, one in stripes.items() if min(one[:2]) > 0}
    if not known:
        return traced
    files = tuple(replace(one, stripes=known.get(one.name, one.stripes)) for one in traced.files)
    return replace(traced, files=files)


def with_buffer(traced: Traced, buffer: int) -> tuple[Traced, array[int]]:
    """Return it with a buffer of ``buffer`` bytes for each file; and which row caused each row."""
    sizes = array("q", [buffer]) * max(1, len(traced.files))
    changed, cause = _gathered(traced, sizes, ordered=False)
    return replace(changed, digest=f"{traced.digest} buffer {buffer}"), cause


def with_buffers(traced: Traced, sizes: array[int]) -> tuple[Traced, array[int]]:
    """Return it with a buffer for each file, of so many bytes (0: none); and the causes of rows.

    Buffers are also written before a client makes another one, or waits for one.
    """
    changed, cause = _gathered(traced, sizes or array("q", [0]), ordered=True)
    return replace(changed, digest=digest_of(changed.table)), cause


def _gathered(traced: Traced, sizes: array[int], *, ordered: bool) -> tuple[Traced, array[int]]:
    old = traced.table
    reach = array("q", [file.size for file in traced.files]) or array("q", [0])
    clients = array("q")
    for one in traced.clients:
        clients.extend((one.first, one.first + one.calls))
    if COMPILED:
        from simulator import rowloops

        table = (old.kind, old.file, old.offset, old.size, old.gap)
        columns: tuple[bytes, ...] = rowloops.gather(*table, clients, sizes, reach, ordered)
    else:
        columns = gather(old, clients, sizes, reach, ordered)
    kind, file, offset, size, gap, cause, ends = map(array, "biqqqqq", columns)
    firsts = (0, *ends)
    moved = tuple(
        replace(one, first=first, calls=end - first)
        for one, first, end in zip(traced.clients, firsts, ends, strict=False)
    )
    made = CallTable(kind=kind, file=file, offset=offset, size=size, gap=gap, marks=old.marks)
    return replace(traced, table=made, clients=moved), cause


def _scaled(gaps, factor: Fraction):  # type: ignore[no-untyped-def]
    """Return whole ns times a fraction, rounded down, exactly."""
    import numpy as np

    up, down = factor.numerator, factor.denominator
    if not len(gaps) or int(gaps.max()) * up < 2**62:
        return gaps * up // down
    return np.array([int(one) * up // down for one in gaps], np.int64)


def digest_of(table: CallTable) -> str:
    """Return the SHA-256 of a table, in hexadecimal."""
    whole = hashlib.sha256()
    for column in (table.kind, table.file, table.offset, table.size, table.gap):
        whole.update(memoryview(column).cast("B") if len(column) else b"")
    return whole.hexdigest()


def deal_places(lives: Sequence[tuple[int, int]]) -> tuple[list[int], int]:
    """Assign to each life (begin, end) the lowest number that is free; and how many are at once.

    >>> deal_places([(0, 10), (2, 5), (6, 9)])
    ([0, 1, 1], 2)
    """
    order = sorted(range(len(lives)), key=lambda one: (lives[one][0], one))
    free: list[int] = []
    ends: list[tuple[int, int]] = []
    dealt = [0] * len(lives)
    used = most = 0
    for one in order:
        began, ended = lives[one]
        while ends and ends[0][0] <= began:
            heapq.heappush(free, heapq.heappop(ends)[1])
        if free:
            place = heapq.heappop(free)
        else:
            place, used = used, used + 1
        heapq.heappush(ends, (max(ended, began + 1), place))
        most = max(most, len(ends))
        dealt[one] = place
    return dealt, most
