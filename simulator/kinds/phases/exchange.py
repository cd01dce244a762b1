"""Messages of all processes of a job at once: each to its neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from simulator.config.doubts import free_messages
from simulator.config.lowering.process import ProcessBuilder
from simulator.config.phase import Drawn, Faults, OnMachine, Phase, Spot
from simulator.config.quantities import Count, CountOrNone, Size
from simulator.config.section import Called
from simulator.kinds.dice import Dice

Pattern = Annotated[Literal["mesh", "ring", "all"], Called("pattern")]


MANY_MESSAGES = 10**6
"""Each is two operations of the plan, which is made by Python."""


class Exchange(Phase):
    """Send a message to each neighbour, and receive one from each."""

    rank = 6
    meets = True
    computes = True

    do: Literal["exchange"]
    """What it does."""
    pattern: Pattern
    """The neighbours: those in a mesh (up, down, left, right), in a ring, or all."""
    size: Size
    """Bytes of one message."""
    rows: CountOrNone = 0
    """Rows of the mesh: rows x columns are the processes of the job."""
    columns: CountOrNone = 0
    """Columns of the mesh."""
    count: Count = 1
    """How often."""

    def faults(self, spot: Spot) -> Faults:
        """Find meshes of other numbers of processes, and keys of a mesh without one."""
        ranks = spot.job.ranks
        if self.pattern == "mesh" and self.rows * self.columns != ranks:
            shape = f"{self.rows} x {self.columns}"
            about = f"a mesh of {shape} is not {ranks} processes; write 'rows' and 'columns' whose"
            yield ("pattern",), f"{about} product is {ranks}"
        elif self.pattern != "mesh":
            for key in ("rows", "columns"):
                if key in self.given:
                    yield (key,), f"has no effect with pattern {self.pattern}; leave it out"

    def doubts(self, spot: OnMachine) -> Faults:
        """Find messages that take no time, and more than can be simulated in minutes."""
        ranks = spot.job.ranks
        near = sum(1 for _ in self.neighbours(0, ranks)) if self.pattern == "all" else 4
        messages = ranks * near * self.count * spot.job.repeat * spot.job.times(spot.at)
        if messages > MANY_MESSAGES:
            about = f"{messages:,} messages take minutes to simulate and gigabytes of memory"
            yield (), f"{about}; write fewer processes, or a smaller 'count' or 'repeat'"
        yield from free_messages(spot)

    def neighbours(self, rank: int, ranks: int) -> Iterator[int]:
        """Yield the neighbours of a process, in order of their ranks."""
        if self.pattern == "all":
            yield from (one for one in range(ranks) if one != rank)
        elif self.pattern == "ring":
            yield from sorted({(rank - 1) % ranks, (rank + 1) % ranks} - {rank})
        else:
            row, column = divmod(rank, self.columns)
            if row > 0:
                yield rank - self.columns
            if column > 0:
                yield rank - 1
            if column < self.columns - 1:
                yield rank + 1
            if row < self.rows - 1:
                yield rank + self.columns

    def lower(self, process: ProcessBuilder) -> None:
        """Add sends, then receives."""
        near = list(self.neighbours(process.rank, process.ranks))
        for _ in range(self.count):
            process.exchange(self.size, near, near)

    @classmethod
    def drawn_keys(cls, dice: Dice) -> Drawn:
        """Draw meshes that jobs may have."""
        return {"pattern": "mesh", "rows": 1, "columns": dice.int(1, 3)} if dice.maybe(30) else {}
