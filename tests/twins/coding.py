"""A naive twin of erasure codes: byte by byte, with real codes over the numbers modulo a prime.

Written from docs/composition.md alone; it shares nothing with the engines. A byte of a parity is a
sum of those of its row, with coefficients of which any ``data`` rows can be solved.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import simpy

from tests.twins.queues import Queue

PRIME = 8_191
Byte = tuple[int, int]
"""A position, and a byte of it."""


@dataclass
class CodedFile:
    """The bytes of a file on the members of a code."""

    size: int
    data: int
    parity: int
    groups: int = 1
    end: int = 0
    held: dict[Byte, int] = field(default_factory=dict)
    """What each member has; 0 where nothing was written."""

    def place(self, at: int) -> Byte:
        """Where a byte of the file lies."""
        unit, within = divmod(at, self.size)
        row, column = divmod(unit, self.data)
        group = row % self.groups * (self.data + self.parity)
        return group + column, row // self.groups * self.size + within

    def stripe(self, one: Byte) -> list[Byte]:
        """The bytes that one code is over: those of the data, then the parities."""
        members = self.data + self.parity
        first = one[0] // members * members
        return [(first + number, one[1]) for number in range(members)]

    def coefficient(self, number: int, unit: int) -> int:
        """That of a member of a group, for a unit: 1 and 0 of data, a Cauchy matrix of parities."""
        if number < self.data:
            return int(number == unit)
        return pow(number + 1 + unit + self.data, -1, PRIME)

    def exists(self, one: Byte) -> bool:
        """Whether a member has the byte: of a parity, whether a byte of its row there exists."""
        members, data = self.data + self.parity, self.data
        row = one[1] // self.size * self.groups + one[0] // members
        units = [one[0] % members] if one[0] % members < data else range(data)
        firsts = [(row * data + unit) * self.size + one[1] % self.size for unit in units]
        return any(at < self.end for at in firsts)

    def touched(self, low: int, high: int) -> tuple[set[Byte], set[Byte]]:
        """The bytes of data that a write has, and those of parities: all between its first and
        last in a group."""
        written = {self.place(at) for at in range(low, high)}
        members = self.data + self.parity
        parities: set[Byte] = set()
        for group in range(self.groups):
            local = [at for position, at in written if position // members == group]
            for at in range(min(local), max(local) + 1) if local else ():
                first = group * members + self.data
                parities |= {(first + number, at) for number in range(self.parity)}
        return written, parities

    def needed(self, low: int, high: int, away: Collection[int]) -> set[Byte]:
        """What has to be read before a write: the fewer bytes of each row, or all of k members."""
        written, parities = self.touched(low, high)
        rows: dict[tuple[int, int], set[Byte]] = {}
        for one in parities:
            row = one[0] // (self.data + self.parity), one[1] // self.size
            rows.setdefault(row, set()).add(one)
        found: set[Byte] = set()
        for (group, row), hull in rows.items():
            here = [one for one in hull if one[0] not in away]
            number = row * self.groups + group
            whole = low <= number * self.data * self.size
            whole = whole and (number + 1) * self.data * self.size <= high
            if not here or whole:
                continue
            units = {one for parity in hull for one in self.stripe(parity)[: self.data]}
            rest = {one for one in units - written if self.exists(one)}
            old = {one for one in (units & written) | set(here) if self.exists(one)}
            ways = [one for one in (rest, old) if not {at for at, _ in one} & set(away)]
            found |= min(ways, key=len) if ways else self.sources(hull, away)
        return found

    def sources(self, some: Collection[Byte], away: Collection[int]) -> set[Byte]:
        """What computes bytes of a group: those of the first members that are there."""
        found: set[Byte] = set()
        for one in some:
            there = [other for other in self.stripe(one) if other[0] not in away]
            found |= {other for other in there[: self.data] if self.exists(other)}
        return found

    def write(self, low: int, values: Sequence[int], known: Mapping[Byte, int], away: Any) -> None:
        """Write, with parities computed from what was read alone."""
        high = low + len(values)
        _, parities = self.touched(low, high)
        new = {self.place(low + number): value for number, value in enumerate(values)}
        made = {}
        for one in parities:
            if one[0] not in away:
                made[one] = self._parity(one, new, known)
        self.held |= {one: value for one, value in new.items() if one[0] not in away}
        self.held |= made
        self.end = max(self.end, high)

    def _parity(self, one: Byte, new: Mapping[Byte, int], known: Mapping[Byte, int]) -> int:
        """The new value of a parity, by the units of its row, its old value, or k members."""
        stripe = self.stripe(one)
        units, number = stripe[: self.data], one[0] - stripe[0][0]
        now: dict[int, int] = {}
        for unit, at in enumerate(units):
            if at in new:
                now[unit] = new[at]
            elif at in known or not self.exists(at):
                now[unit] = known.get(at, 0)
        if len(now) < self.data:
            old = {at: known.get(at, 0) for at in units if at in known or not self.exists(at)}
            mine = [at for at in units if at in new]
            if all(at in old for at in mine) and (one in known or not self.exists(one)):
                total = known.get(one, 0)
                for at in mine:
                    factor = self.coefficient(number, at[0] - stripe[0][0])
                    total += factor * (new[at] - old[at])
                return total % PRIME
            solved = self.solve(stripe, known)
            now = {unit: new.get(at, solved[unit]) for unit, at in enumerate(units)}
        return sum(self.coefficient(number, unit) * now[unit] for unit in now) % PRIME

    def solve(self, stripe: Sequence[Byte], known: Mapping[Byte, int]) -> list[int]:
        """Return the units of a row from what is known of its members; those that are not there
        are 0."""
        rows = []
        for number, at in enumerate(stripe):
            if at in known or not self.exists(at):
                left = [self.coefficient(number, unit) for unit in range(self.data)]
                rows.append([*left, known.get(at, 0)])
        for unit in range(self.data):
            pivot = next(row for row in rows[unit:] if row[unit] % PRIME)
            rows.remove(pivot)
            inverse = pow(pivot[unit], -1, PRIME)
            pivot = [inverse * one % PRIME for one in pivot]
            rows = [
                [(a - row[unit] * b) % PRIME for a, b in zip(row, pivot, strict=True)]
                for row in rows
            ]
            rows.insert(unit, pivot)
        return [row[-1] for row in rows[: self.data]]


# -- in time --------------------------------------------------------------------------------------

Steps = Generator[simpy.Event, Any, None]
Call = tuple[bool, int, int, int]
"""It writes; first byte; bytes; how long its process waits before it."""


class CodedRun:
    """Processes that read and write one file; each member is a disk with a queue.

    ``fails``: positions that are away all the time, of which each group has ``data`` others.
    """

    def __init__(self, file: CodedFile, ns: int, overhead_ns: int, fails: Collection[int]) -> None:
        self.env = simpy.Environment()
        self.file, self.ns, self.overhead_ns, self.fails = file, ns, overhead_ns, fails
        self.width = file.groups * (file.data + file.parity)
        self.disks = [Queue(self.env, strict=True) for _ in range(self.width)]

    def ends(self, processes: Sequence[Sequence[Call]]) -> list[int]:
        """Return when each process ends."""
        found = [0] * len(processes)

        def one(number: int) -> Steps:
            for write, low, size, gap in processes[number]:
                yield self.env.timeout(gap)
                yield from self._call(number, write, low, low + size)
            found[number] = int(self.env.now)

        for number in range(len(processes)):
            self.env.process(one(number))
        self.env.run()
        return found

    def _call(self, number: int, write: bool, low: int, high: int) -> Steps:
        file, away = self.file, self.fails
        if not write:
            wanted = {file.place(at) for at in range(low, high)}
            lost = {one for one in wanted if one[0] in away}
            yield self._move(number, [(wanted - lost) | file.sources(lost, away)])
            return
        written, parities = file.touched(low, high)
        before = file.needed(low, high, away)
        row = file.size * file.data
        first = low // row
        here = {one for one in before if self._row(one) == first}
        file.end = max(file.end, high)
        if before:
            yield self._move(number, [here, before - here])
        yield self._move(number, [{one for one in written | parities if one[0] not in away}])

    def _row(self, one: Byte) -> int:
        file = self.file
        return one[1] // file.size * file.groups + one[0] // (file.data + file.parity)

    def _move(self, number: int, sets: Sequence[set[Byte]]) -> simpy.Event:
        """Have all disks move their bytes now: of one set one request each."""
        moves = []
        for some in sets:
            for position in sorted({one[0] for one in some}):
                local = [at for where, at in some if where == position]
                size = max(local) + 1 - min(local)
                moves.append(self.env.process(self._disk(number, position, size)))
        return simpy.AllOf(self.env, moves)

    def _disk(self, number: int, position: int, size: int) -> Steps:
        turn = self.disks[position].come(number)
        yield turn
        yield self.env.timeout(self.overhead_ns + size * self.ns)
        self.disks[position].resource.release(turn)
