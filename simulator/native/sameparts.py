"""Whether parts are free at the same times at two moments, and remember the same."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from simulator.native import codes as c
from simulator.native.moments import DiffersError, differing
from simulator.native.sameprocesses import SameProcesses
from simulator.native.statekinds import FREE

if TYPE_CHECKING:
    from simulator.native.flatten import Flat

SINCE_WHEN = "ssd"
"""The kind of part for which it counts since when it is free: its cache drains meanwhile."""


class SameParts(SameProcesses):
    """Stations and what kinds of parts remember."""

    def _compare_parts(self, flat: Flat) -> None:
        """Compare when servers are free, and what kinds of parts remember."""
        then, state = self.then.copies["Parts.state"], self.tables.view("Parts.state")
        carried, carries = self.then.copies["Parts.busy"], self.tables.view("Parts.busy")
        first = 4 * (flat.plan.instances + 1)
        for number, was, value in differing(then[:first], state[:first]):
            column = number % 4
            if column in (c.REQUESTS, c.BYTES):
                self._add(state, number, value - was)
            elif column == c.BUSY:
                self._add_wide(then, state, number, carried, carries, number // 4)
        for number, _, _ in differing(carried, carries):
            if then[4 * number + c.BUSY] == state[4 * number + c.BUSY]:
                raise DiffersError("the time that a part was busy")
        looked = {number for number, _, _ in differing(then, state)}
        times = state.tolist()
        looked.update(n for n in range(first, len(times)) if times[n] >= self.before)
        looked.update(n for n in range(c.FREE, first, 4) if times[n] >= self.before)
        for row, index in sorted({self._server(flat, number, first) for number in looked}):
            if row >= 0:
                self._compare_servers(flat, row, index)
        self._compare_kept()

    def _server(self, flat: Flat, number: int, first: int) -> tuple[int, int]:
        """The row of a part, and which instance of it, whose servers' times a cell is one of.

        A row of -1 for a cell that is none.
        """
        spec = flat.parts.spec
        if number >= first:
            for part, plan in enumerate(flat.plan.parts):
                row = part * c.P_ROWS
                servers, begin = spec[row + c.P_SERVERS], spec[row + c.P_SERVER]
                if servers > 1 and 0 < begin <= number < begin + servers * plan.count:
                    return row, (number - begin) // servers
        instance = number // 4
        if number >= first or number % 4 != c.FREE or instance >= flat.plan.instances:
            return -1, 0
        part = bisect_right(self.tables.firsts, instance) - 1
        return part * c.P_ROWS, instance - self.tables.firsts[part]

    def _compare_servers(self, flat: Flat, row: int, index: int) -> None:
        """Compare when the servers of an instance are free: which of them, does not count."""
        then, state = self.then.copies["Parts.state"], self.tables.view("Parts.state")
        spec, part = flat.parts.spec, flat.plan.parts[row // c.P_ROWS]
        servers = spec[row + c.P_SERVERS]
        first = 4 * (spec[row + c.P_FIRST] + index) + c.FREE
        if not spec[row + c.P_SERVER]:  # one, or a pool, whose servers are kept elsewhere
            servers = 1
        elif servers > 1:
            first = spec[row + c.P_SERVER] + index * servers
        end = first + max(servers, 1)
        was, value = then[first:end].tolist(), state[first:end].tolist()
        one = sorted(max(time - self.before, -1) for time in was)
        other = sorted(max(time - self.now, -1) for time in value)
        if one != other:
            raise DiffersError(f"when {part.label} is free")
        if part.kind == SINCE_WHEN and [time + self.passed for time in was] != value:
            raise DiffersError(f"since when {part.label} is free")
        for number in range(first, end):
            self._add(state, number, self.passed)

    def _compare_kept(self) -> None:
        """Compare what kinds of parts remember."""
        name = "Parts.kept"
        then, kept, kinds = self.then.copies[name], self.tables.view(name), self.tables.kept
        for number, was, value in differing(then, kept):
            self.cell(name, kinds[number], kept, number, was, value)
        for number, kind in enumerate(kinds):
            if kind == FREE and then[number] == kept[number] >= self.before:
                raise DiffersError("when a journal commits")
