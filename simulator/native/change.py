"""What a period changes of a state that is the same at its end but for the clock; decisions/0054.

:class:`Change` compares a moment with what an engine is now, and knows what to add for each period
that follows. It raises ``DiffersError`` as soon as something is not the same.
"""

from __future__ import annotations

from simulator.native import codes as c
from simulator.native.moments import NEVER, DiffersError, Moment, Tables, differing
from simulator.native.sameblocks import Names, same_blocks
from simulator.native.sameparts import SameParts
from simulator.native.statekinds import (
    LATENCIES,
    NAMED,
    RULES,
    SAME,
    SUM,
    WIDE_OF_NAMED,
    Rows,
)


class Change(SameParts):
    """The difference of two states, of which the second one is the engine's own."""

    def __init__(self, then: Moment, tables: Tables, walk: int = NEVER) -> None:
        """Compare; ``DiffersError`` if the states are not the same.

        ``walk``: how many blocks of stores may be looked at one by one. Without those of ``then``
        they are not compared, and the state need not be the same.
        """
        super().__init__(then, tables)
        self._compare_numbers()
        self._compare_actors()
        self._compare_queues()
        self._compare_processes(self.flat)
        self._compare_tables()
        self._compare_parts(self.flat)
        self._compare_shares()
        self._compare_known()
        self._compare_workers()
        if then.whole:
            names = Names(self.slot, self.slot_now, self.stayed)
            for number, step in same_blocks(then, tables, names, walk):
                self._add(tables.view("Blocks.written"), number, step)

    def _compare_numbers(self) -> None:
        for name, was in self.then.numbers.items():
            value, rule = self.tables.now(name), RULES[name]
            if rule == SAME and value != was:
                raise DiffersError(name)
            if rule == SUM and value != was:
                self._numbers.append((name, value - was))

    def _compare_tables(self) -> None:
        """Compare the tables that need no function of their own."""
        for name in self.tables.tables:
            rule = RULES[name]
            if isinstance(rule, Rows):
                self._rows(name, rule)
            elif isinstance(rule, int):
                cells = self.tables.view(name)
                for number, was, value in differing(self.then.copies[name], cells):
                    self.cell(name, rule, cells, number, was, value)
        name = "Clients.latency"
        self._rows(name, LATENCIES)
        then, cells = self.then.copies[name], self.tables.view(name)
        for row in range(0, len(cells) - c.Q_ROWS + 1, c.Q_ROWS):
            self._add_wide(then, cells, row + c.Q_SUM, then, cells, row + c.Q_CARRY)
        name = "Clients.named"
        self._rows(name, NAMED)
        then, cells = self.then.copies[name], self.tables.view(name)
        for row in range(0, len(cells) - c.PH_ROWS + 1, c.PH_ROWS):
            for cell in (row + one for one in WIDE_OF_NAMED):
                self._add_wide(then, cells, cell, then, cells, cell + 1)

    def _compare_workers(self) -> None:
        """Compare what workers write back; of an idle one, nothing is left."""
        then, worker = self.then.copies["WriteBack.worker"], self.tables.view("WriteBack.worker")
        for number, _, _ in differing(then, worker):
            row = number - number % c.V_ROWS
            busy = then[row + c.V_COUNT] or worker[row + c.V_COUNT]
            if busy or number - row in (c.V_SLOT, c.V_COUNT):
                raise DiffersError("what a worker writes back")
