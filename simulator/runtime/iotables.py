"""Conversion of calls for fragments of a file to rows of a plan: chunks, requests, extents.

The operating system serves a call through a transfer buffer, one chunk at a time. A chunk is one
request to each I/O node that has a part of it, all sent at once. Nothing here needs NumPy, which
browsers lack.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from simulator.runtime.iosteps import CALLS, ExtentRows, Groups, Requests, Steps
from simulator.runtime.operations import ASK_READ, ASK_WRITE, SEND
from simulator.runtime.subfiles import Extent, Region, SubFiles


@dataclass(frozen=True, slots=True)
class WantedPieces:
    """Fragments of a file that a process requests, in their order."""

    offset: Sequence[int]
    size: Sequence[int]
    even: int = 0
    """Common size of all, if ``offset`` is a range; then cuts are cached."""

    @property
    def bytes(self) -> int:
        """Bytes of all of them."""
        return sum(self.size)


def _empty() -> array[int]:
    return array("q")


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """Chunks of the calls of one process, the requests of each, and their extents."""

    call: array[int] = field(default_factory=_empty)
    """Number of the call of each chunk."""
    request: array[int] = field(default_factory=_empty)
    """First request of each chunk."""
    node: array[int] = field(default_factory=_empty)
    """I/O node of each request."""
    size: array[int] = field(default_factory=_empty)
    """Bytes of each request."""
    first: array[int] = field(default_factory=_empty)
    """First extent of each request."""
    count: array[int] = field(default_factory=_empty)
    """Number of extents of each request."""
    block: array[int] = field(default_factory=_empty)
    """Block of each extent."""
    low: array[int] = field(default_factory=_empty)
    """First byte of the block."""
    high: array[int] = field(default_factory=_empty)
    """End of the bytes of the block."""

    def add(self, call: int, parts: dict[int, list[Extent]]) -> None:
        """Add a chunk: for each node its extents."""
        self.call.append(call)
        self.request.append(len(self.node))
        for node in sorted(parts):
            extents = parts[node]
            self.node.append(node)
            self.first.append(len(self.block))
            self.count.append(len(extents))
            size = 0
            for block, low, high in extents:
                self.block.append(block)
                self.low.append(low)
                self.high.append(high)
                size += high - low
            self.size.append(size)

    def requests_of(self, chunk: int) -> range:
        """Return the requests of a chunk."""
        last = chunk + 1 == len(self.request)
        return range(self.request[chunk], len(self.node) if last else self.request[chunk + 1])


def cut(files: SubFiles, asked: WantedPieces, buffer: int, *, each: bool) -> Cut:
    """Cut one call for all fragments, or a call for ``each``, into chunks of ``buffer`` bytes.

    >>> from simulator.runtime.subfiles import Region
    >>> files = SubFiles((Region(size=1024, stripe=64, order=(0, 1)),), block=64)
    >>> made = cut(files, WantedPieces([0, 100], [40, 40]), 64, each=False)
    >>> list(made.call), list(made.request), list(made.node), list(made.size)
    ([0, 0], [0, 2], [0, 1, 0, 1], [40, 24, 12, 4])
    """
    if asked.even and isinstance(asked.offset, range):
        before = tuple(sorted(files.before.items()))
        where = files.regions, files.block, before
        return _cached_cut(where, asked.offset, asked.even, buffer, each)
    return _cut(files, asked, buffer, each=each)


@lru_cache(maxsize=32)
def _cached_cut(
    where: tuple[tuple[Region, ...], int, tuple[tuple[int, int], ...]],
    offset: range,
    size: int,
    buffer: int,
    each: bool,
) -> Cut:
    """Cut fragments at equal distances, cached since variants of a machine repeat them."""
    regions, block, before = where
    files = SubFiles(regions, block, dict(before))
    return _cut(files, WantedPieces(offset, [size] * len(offset)), buffer, each=each)


def _cut(files: SubFiles, asked: WantedPieces, buffer: int, *, each: bool) -> Cut:
    made, call = Cut(), 0
    parts: dict[int, list[Extent]] = {}
    room = buffer
    for offset, size in zip(asked.offset, asked.size, strict=True):
        at, left = offset, size
        while left:
            if not room:
                made.add(call, parts)
                parts, room = {}, buffer
            part = min(left, room)
            files.cut(at, part, parts)
            at, left, room = at + part, left - part, room - part
        if each:
            made.add(call, parts)
            parts, room = {}, buffer
            call += 1
    if parts:
        made.add(call, parts)
    return made


@dataclass(frozen=True, slots=True)
class Merged:
    """Rows of merged requests, by round and node."""

    rows: dict[tuple[int, int], int]
    """(Round, node) -> row in the table of groups."""
    first: int
    """Row of the first."""


class Tables:
    """The tables of a plan under construction."""

    def __init__(self) -> None:
        self.steps = Steps(*(_empty() for _ in range(5)))
        self.requests = Requests(*(_empty() for _ in range(7)))
        self.groups = Groups(*(_empty() for _ in range(5)))
        self.extents = ExtentRows(*(_empty() for _ in range(3)))

    def step(
        self, kind: int, first: int = 0, count: int = 0, think: int = 0, part: int = 0
    ) -> None:
        """Add one step of a process."""
        steps = self.steps
        steps.kind.append(kind)
        steps.think.append(think)
        steps.part.append(part)
        steps.first.append(first)
        steps.count.append(count)

    def send(self, other: int, size: int) -> None:
        """Add a message to another process."""
        self.step(SEND, other, size)

    def moves(
        self,
        made: Cut,
        *,
        write: bool,
        think: int,
        message: int,
        item: int,
        merged: Merged | None = None,
    ) -> None:
        """Add steps for the chunks of calls, each preceded by ``think`` ns.

        The message of a request has ``message`` bytes, and ``item`` for each of its extents.
        """
        before = len(self.requests.node)
        self._put_requests(made, message, item, merged)
        kind, last = ASK_WRITE if write else ASK_READ, -1
        for chunk, call in enumerate(made.call):
            rows = made.requests_of(chunk)
            time = think if call != last else 0
            self.step(kind, before + rows.start, len(rows), time, CALLS)
            last = call

    def _put_requests(self, made: Cut, message: int, item: int, merged: Merged | None) -> None:
        table, count = self.requests, len(made.node)
        table.node.extend(made.node)
        table.size.extend(made.size)
        table.message.extend(array("q", [message + item * one for one in made.count]))
        table.pieces.extend(made.count)
        if merged is None:
            first = len(self.extents.block)
            self._put_extents(made.block, made.low, made.high)
            table.group.extend(array("q", [-1]) * count)
            table.first.extend(array("q", [first + one for one in made.first]))
            table.count.extend(made.count)
            return
        for chunk in range(len(made.call)):
            for row in made.requests_of(chunk):
                table.group.append(merged.rows[chunk, made.node[row]])
        table.first.extend(array("q", [0]) * count)
        table.count.extend(array("q", [0]) * count)

    def merge(self, cuts: list[Cut], more: int, copies_ns: float) -> Merged:
        """Group the requests of all processes for one chunk and one node.

        Each takes ``more`` ns, and ``copies_ns`` for each byte, in addition to a request's time.
        """
        all_of_them = _merged_requests(tuple(cuts))
        table, before = self.groups, len(self.groups.members)
        begin = len(self.extents.block)
        table.members.extend(all_of_them.members)
        table.size.extend(all_of_them.size)
        for size, first in zip(all_of_them.size, all_of_them.first, strict=True):
            table.more.append(more + int(size * copies_ns + 0.5))
            table.first.append(begin + first)
        table.count.extend(all_of_them.count)
        self._put_extents(all_of_them.block, all_of_them.low, all_of_them.high)
        rows = {key: before + row for row, key in enumerate(all_of_them.keys)}
        return Merged(rows, before)

    def _put_extents(self, block: array[int], low: array[int], high: array[int]) -> None:
        self.extents.block.extend(block)
        self.extents.low.extend(low)
        self.extents.high.extend(high)


@dataclass(frozen=True, slots=True)
class MergedRequests:
    """The requests of all processes, merged by chunk and node."""

    keys: list[tuple[int, int]] = field(default_factory=list)
    """Chunk and node, ascending."""
    members: array[int] = field(default_factory=_empty)
    size: array[int] = field(default_factory=_empty)
    first: array[int] = field(default_factory=_empty)
    count: array[int] = field(default_factory=_empty)
    block: array[int] = field(default_factory=_empty)
    low: array[int] = field(default_factory=_empty)
    high: array[int] = field(default_factory=_empty)


@lru_cache(maxsize=4)
def _merged_requests(cuts: tuple[Cut, ...]) -> MergedRequests:
    """Merge requests; those of cached cuts are merged once."""
    parts: dict[tuple[int, int], list[Extent]] = {}
    members: dict[tuple[int, int], int] = {}
    for made in cuts:
        extents = list(zip(made.block, made.low, made.high, strict=True))
        for chunk in range(len(made.call)):
            for row in made.requests_of(chunk):
                key, first = (chunk, made.node[row]), made.first[row]
                members[key] = members.get(key, 0) + 1
                parts.setdefault(key, []).extend(extents[first : first + made.count[row]])
    gathered = MergedRequests(sorted(parts))
    for key in gathered.keys:
        joined = _joined(sorted(parts[key]))
        gathered.members.append(members[key])
        gathered.size.append(sum(high - low for _, low, high in joined))
        gathered.first.append(len(gathered.block))
        gathered.count.append(len(joined))
        for block, low, high in joined:
            gathered.block.append(block)
            gathered.low.append(low)
            gathered.high.append(high)
    return gathered


def _joined(extents: list[Extent]) -> list[Extent]:
    """Return extents in order, adjacent ones joined."""
    made: list[Extent] = []
    for block, low, high in extents:
        if made and made[-1][0] == block and made[-1][2] == low:
            made[-1] = block, made[-1][1], high
        else:
            made.append((block, low, high))
    return made
