"""What a period changes in single cells of an engine, to be done again any number of times.

See decisions/0054 for what each kind of a cell is.
"""

from __future__ import annotations

from simulator.native.moments import NEVER, DiffersError, Moment, Tables, differing
from simulator.native.statekinds import FREE, LAST, SAME, SINCE, SUM, Rows


class Cells:
    """The cells that differ at two moments, of which the second one is the engine's own."""

    def __init__(self, then: Moment, tables: Tables) -> None:
        """``DiffersError`` if no time has passed, or if a table has grown."""
        self.then, self.tables = then, tables
        self.flat = tables.flat
        self.before, self.now = then.now, int(tables.flat.clock.now)
        self.passed = self.now - self.before
        self.most = NEVER
        """How many periods may follow before something comes to an end."""
        self._added: list[tuple[memoryview[int], int, int]] = []
        self._wide: list[tuple[memoryview[int], int, memoryview[int], int, int]] = []
        self._numbers: list[tuple[str, int]] = []
        if self.passed <= 0:
            raise DiffersError("no time has passed")
        for name in tables.tables:
            if name in then.copies and len(tables.view(name)) != len(then.copies[name]):
                raise DiffersError(f"{name} has grown")

    def carry_on(self, periods: int) -> None:
        """Let so many periods pass; at most ``most``."""
        for cells, number, step in self._added:
            cells[number] += periods * step
        for cells, number, carries, carry, step in self._wide:
            value = (carries[carry] << 62) + cells[number] + periods * step
            carries[carry], cells[number] = value >> 62, value & (NEVER - 1)
        for name, step in self._numbers:
            self.tables.put(name, self.tables.now(name) + periods * step)
        clock = self.flat.clock
        clock.now = self.now + periods * self.passed
        clock.rebuild(clock.shift)

    def _add(self, cells: memoryview[int], number: int, step: int) -> None:
        """Have a cell grow by so much in each period; it stays below what any may have."""
        self._added.append((cells, number, step))
        if step > 0:
            self.limit((NEVER - 1 - cells[number]) // step - 1)

    def limit(self, periods: int) -> None:
        """Something comes to its end after so many periods."""
        self.most = min(self.most, periods)

    # -- single cells -----------------------------------------------------------------------------

    def cell(
        self, name: str, kind: int, cells: memoryview[int], number: int, was: int, value: int
    ) -> None:
        """Take in a cell that is not what it was."""
        if kind == SUM:
            self._add(cells, number, value - was)
        elif kind == LAST:
            self._add(cells, number, self.passed)
        elif kind == FREE:
            if max(was - self.before, -1) != max(value - self.now, -1):
                raise DiffersError(f"{name}[{number}]")
            self._add(cells, number, self.passed)
        elif kind == SINCE:
            if value - was != self.passed:
                raise DiffersError(f"{name}[{number}]")
            self._add(cells, number, self.passed)
        elif kind == SAME:
            raise DiffersError(f"{name}[{number}]")

    def _still_free(self, name: str, then: memoryview[int], cells: memoryview[int]) -> None:
        """See to it that of these times none stayed that had not passed."""
        values = cells.tolist()
        if max(values, default=-1) < self.before:
            return
        for was, value in zip(then.tolist(), values, strict=True):
            if was == value >= self.before:
                raise DiffersError(f"a time of {name}")

    def _rows(self, name: str, rule: Rows) -> None:
        """Compare a table of rows."""
        then, cells = self.then.copies[name], self.tables.view(name)
        for number, was, value in differing(then, cells):
            self.cell(name, rule.kinds[number % rule.width], cells, number, was, value)
        for column, kind in enumerate(rule.kinds):
            if kind == FREE:
                self._still_free(name, then[column :: rule.width], cells[column :: rule.width])

    def _add_wide(
        self,
        then: memoryview[int],
        cells: memoryview[int],
        number: int,
        carried: memoryview[int],
        carries: memoryview[int],
        carry: int,
    ) -> None:
        """Take in a sum of more than 62 bits, in two cells."""
        step = cells[number] - then[number] + (carries[carry] - carried[carry] << 62)
        if step:
            self._wide.append((cells, number, carries, carry, step))
